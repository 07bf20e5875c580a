"""Visits, edges and dependences of one launch, counted from what was put aside of its trace.

A lane visits a block when its warp comes to the block's first instruction with the lane active. The
masks show of active lanes only those whose predicate is true, so a lane counts as active where any
instruction of the visit has it, or where the block before was left, without a jump, by lanes that
its last mask does not name. Of a branch that is a block of its own, reached by a jump, those count
that go on after it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ingest.parsing.blocks.dependences import Dependences
from ingest.parsing.blocks.tally import Tally, stable_order, starts_of_runs
from ingest.readers.blocks.nvbit.code import Layout
from udfs.arrays import Integers

Masks = NDArray[np.uint32]

_LANES = 32
_CELLS = 1 << 16
_ONES = np.zeros(1 << 16, np.int64)
for _bit in range(16):
    _ONES += np.arange(1 << 16) >> _bit & 1


def lanes(mask: Masks) -> Integers:
    """Count the lanes of each mask."""
    ones: Integers = _ONES[mask & np.uint32(0xFFFF)] + _ONES[mask >> np.uint32(16)]
    return ones


class Counts:
    """Counts of one launch: `edges` by `block * blocks + next block`, dependences as there.

    `executed` is over instructions, by thread; `seen` by warp.
    """

    def __init__(self, layout: Layout) -> None:
        self.edges = Tally()
        self.dependences = Dependences(layout)
        self._layout = layout
        self._executed = np.zeros(len(layout) + 1, np.int64)
        self._seen = np.zeros(len(layout) + 1, np.int64)
        # Runs of the visits that are not counted yet. Then, of their warp: lanes' last blocks,
        # instructions so far, visits by `lane, block` and those that predicates switched off, and
        # where the visit before them ended, with the lanes that went on.
        self._rest = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0, np.uint32))
        self._place = (-1, -1)
        self._block = np.full(_LANES, -1, np.int64)
        self._icount = np.zeros(_LANES, np.int64)
        self._visits: tuple[Integers, Integers, Integers] = (self._rest[0],) * 3
        self._before = (-1, 0)

    @property
    def executed(self) -> Integers:
        """Thread instructions by instruction."""
        return np.cumsum(self._executed[:-1])

    @property
    def seen(self) -> Integers:
        """Warp instructions by instruction."""
        return np.cumsum(self._seen[:-1])

    def take(
        self, slot: Integers, length: Integers, mask: Masks,
        starts: Integers, block: Integers, warp: Integers,
    ) -> dict[str, Integers]:  # fmt: skip
        """Take a batch of runs; return the visits of the warps that are over, by column."""
        run = self._layout.numbers(slot)
        length = length.astype(np.int64)
        for sums, weight in (self._executed, lanes(mask)), (self._seen, np.ones_like(run)):
            np.add.at(sums, run, weight)
            np.subtract.at(sums, run + length, weight)
        old = self._rest[0].size
        run = np.concatenate((self._rest[0], run))
        length = np.concatenate((self._rest[1], length))
        mask = np.concatenate((self._rest[2], mask))
        order = np.searchsorted(starts + old, np.arange(run.size), side="right")
        places = np.append(self._place[0], block), np.append(self._place[1], warp)
        return self._count(run, length, mask, order, places, whole=False)

    def finish(self) -> dict[str, Integers]:
        """Return the visits of the last warp."""
        order = np.zeros(self._rest[0].size, np.int64)
        places = np.array(self._place[:1]), np.array(self._place[1:])
        visits = self._count(*self._rest, order, places, whole=True)
        self.dependences.settle()
        return visits

    def _count(
        self, run: Integers, length: Integers, mask: Masks, order: Integers,
        places: tuple[Integers, Integers], *, whole: bool,
    ) -> dict[str, Integers]:  # fmt: skip
        """Count the visits of a batch; `order` is the number of each run's warp in `places`."""
        part, run, length = self._cut(run, length)
        mask, order = mask[part], order[part]
        block = self._layout.block[run]
        begins = np.flatnonzero(run == self._layout.first[block])
        last = places[0].size - 1
        upto = run.size
        if not whole and (goes_on := begins[order[begins] == last]).size:
            # The last visit is not over, and shows who took part in the one before.
            upto = int(goes_on[-2:][0])
        self._rest = (run[upto:], length[upto:], mask[upto:])
        active, gone = self._active(run, length, mask, order, begins)
        begins = begins[begins < upto]
        active, gone = active[: begins.size], gone[: begins.size]
        if begins.size and order[begins[-1]] == last:
            tail = upto - 1
            self._before = (int(run[tail] + length[tail]), int(active[-1] & ~gone[-1]))
        elif last:
            self._before = (-1, 0)
        visit, lane = np.divmod(
            np.flatnonzero(np.unpackbits(active.astype("<u4").view(np.uint8), bitorder="little")),
            _LANES,
        )
        thread = order[begins][visit] * _LANES + lane
        by_thread = stable_order(thread)
        thread, visited = thread[by_thread], block[begins][visit][by_thread]
        self._follow(thread, visited, last)
        keys = thread * self._layout.first.size + visited
        count = np.diff(np.append(begins, upto))
        idle = np.repeat(active, count) & ~mask[:upto]
        off = self._switched_off(idle, order[:upto], block[:upto])
        weights = length[:upto][off[1]]
        return self._over(keys, off[0], weights, places, last=last, whole=whole)

    def _cut(self, run: Integers, length: Integers) -> tuple[Integers, Integers, Integers]:
        """Cut runs where blocks begin; return number, first instruction, length of each part."""
        first, block = self._layout.first, self._layout.block
        begin = block[run]
        parts = block[run + length - 1] - begin + 1
        part = np.repeat(np.arange(run.size), parts)
        inside = begin[part] + np.arange(part.size) - np.repeat(np.cumsum(parts) - parts, parts)
        start = np.maximum(run[part], first[inside])
        end = np.minimum((run + length)[part], first[inside] + self._layout.size[inside])
        return part, start, end - start

    def _active(
        self, run: Integers, length: Integers, mask: Masks, order: Integers, begins: Integers
    ) -> tuple[Masks, Masks]:
        """Return the lanes that take part in each visit, and those that leave at its end."""
        if not begins.size:
            return mask[:0], mask[:0]
        named: Masks = np.bitwise_or.reduceat(mask, begins)
        tails = np.append(begins[1:], run.size) - 1
        end = (run + length)[tails]
        # What a jump's mask names has left; after any other instruction all lanes go on.
        gone = np.where(self._layout.control[end - 1], mask[tails], np.uint32(0))
        left_end = np.append(self._before[0] if order[0] == 0 else -1, end[:-1])
        fallen = left_end == run[begins]
        fallen[1:] &= order[begins[1:]] == order[begins[:-1]]
        lone = self._layout.control[run[begins]] & (end == run[begins] + 1)
        before_fall = np.append(fallen[1:], False) & lone & ~fallen
        active = named
        while True:
            stay = np.append(np.uint32(self._before[1]), (active & ~gone)[:-1])
            joined = fallen & (lone | (named & ~stay == 0))
            more = np.where(joined, named | stay, named)
            more = np.where(before_fall, more | np.append(active[1:], np.uint32(0)), more)
            if np.array_equal(more, active):
                break
            active = more
        return active, gone

    def _follow(self, thread: Integers, visited: Integers, last: int) -> None:
        """Count edges and dependences; sorted by thread and time."""
        if thread.size:
            heads = starts_of_runs(thread)
            goes_on = thread[heads] < _LANES
            old, known = heads[goes_on], thread[heads][goes_on]
            size = self._layout.size[visited]
            before = np.cumsum(size) - size
            base = np.repeat(before[heads], np.diff(np.append(heads, thread.size)))
            entry = 1 + before - base
            lead = np.append(-1, visited[:-1])
            lead[heads] = -1
            lead[old] = self._block[known]
            ends = np.append(heads[1:], thread.size)
            for begin, end, lane in zip(old, ends[goes_on], known, strict=True):
                entry[begin:end] += self._icount[lane]
            pairs = lead >= 0
            # Keys close together are counted without sorting.
            self.edges.add(lead[pairs] * self._layout.first.size + visited[pairs])
            self.dependences.book(thread, self._layout.first[visited], entry)
        stay = np.arange(last * _LANES, last * _LANES + _LANES)
        self.dependences.keep(stay)
        if last:
            self._block[:], self._icount[:] = -1, 0
        if thread.size:
            tails = ends - 1
            tails = tails[thread[tails] >= stay[0]]
            lane = thread[tails] - stay[0]
            self._block[lane] = visited[tails]
            self._icount[lane] = entry[tails] + size[tails] - 1

    def _switched_off(
        self, idle: Masks, order: Integers, block: Integers
    ) -> tuple[Integers, Integers]:
        """Return `thread, block` and the run of every lane that is active but not named."""
        runs = np.flatnonzero(idle)
        bits = np.unpackbits(idle[runs].astype("<u4").view(np.uint8), bitorder="little")
        which, lane = np.divmod(np.flatnonzero(bits), _LANES)
        run = runs[which]
        return (order[run] * _LANES + lane) * self._layout.first.size + block[run], run

    def _over(
        self, keys: Integers, off: Integers, weights: Integers,
        places: tuple[Integers, Integers], *, last: int, whole: bool,
    ) -> dict[str, Integers]:  # fmt: skip
        """Sum up visits by thread and block; keep those of the warp that goes on."""
        blocks = self._layout.first.size
        key, visits, missed = self._visits
        everything = np.concatenate((key, keys, off))
        counts = np.concatenate((visits, np.ones(keys.size, np.int64), np.zeros_like(off)))
        misses = np.concatenate((missed, np.zeros_like(keys), weights))
        cells = (last + 1) * _LANES * blocks
        if cells <= max(_CELLS, 4 * everything.size):
            key = np.arange(cells)
            place = everything
        else:
            key, place = np.unique(everything, return_inverse=True)
        sums, missed = np.zeros((2, key.size), np.int64)
        np.add.at(sums, place, counts)
        np.add.at(missed, place, misses)
        key, sums, missed = key[sums > 0], sums[sums > 0], missed[sums > 0]
        stays = key.size if whole else int(np.searchsorted(key, last * _LANES * blocks))
        self._visits = (key[stays:] - last * _LANES * blocks, sums[stays:], missed[stays:])
        self._place = (int(places[0][last]), int(places[1][last]))
        thread, block = np.divmod(key[:stays], blocks)
        order, lane = np.divmod(thread, _LANES)
        return {
            "block": places[0][order],
            "warp": places[1][order],
            "thread": places[1][order] * _LANES + lane,
            "bb": block,
            "visits": sums[:stays],
            "instructions": sums[:stays] * self._layout.size[block] - missed[:stays],
        }
