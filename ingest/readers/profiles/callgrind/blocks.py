"""Basic blocks of a program from callgrind profiles, and how threads went through them.

A profile has counts per instruction and per jump, not an order. Blocks begin at the first
instruction of a function, where a jump or call leads, and after a jump. A call does not end a
block, as control comes back; so edges are those within functions. Where the count changes between
two neighbours all the same, control left or came by a way that callgrind does not write down (a
signal, a call that does not return), and a block begins there too.

Instructions of a block are executed equally often, but a call counts more than once where it goes
through code that callgrind leaves out (--skip-plt), so calls do not show a block's visits if any
other instruction does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.readers.profiles.callgrind.costs import ADDRESS_BITS
from ingest.readers.profiles.callgrind.profile import Flow, Profile
from udfs.arrays import Flags, Integers

_NONE: Integers = np.zeros(0, np.int64)


@dataclass(frozen=True, slots=True)
class Thread:
    """One thread's way through the code: executions by instruction, jumps and calls.

    Of `jumps` and `calls` the first two columns are numbers of instructions (own, target; -1: the
    target was not executed), then times taken and executed, then 1 for conditional jumps.
    """

    executed: Integers
    jumps: Integers
    calls: Integers


class Code:
    """All instructions of a program by object and address, from 0, and its blocks.

    `code` is `object << 48 | address`; `line`, `file`, `function` where it was met first. `first`
    are the blocks' first instructions, `block` is over instructions.
    """

    def __init__(self, profiles: Sequence[Profile]) -> None:
        code = np.concatenate([_NONE, *(rows.code for p in profiles for rows in p.rows)])
        self.code, met = np.unique(code, return_index=True)
        self.line, self.file, self.function = (
            np.concatenate([_NONE, *(getattr(rows, name) for p in profiles for rows in p.rows)])[
                met
            ]
            for name in ("line", "file", "function")
        )
        self.threads = [self._thread(profile) for profile in profiles]
        self.first = np.flatnonzero(self._leaders())
        self.block = np.searchsorted(self.first, np.arange(self.code.size), side="right") - 1

    @property
    def size(self) -> Integers:
        """Instructions of each block."""
        return np.diff(np.append(self.first, self.code.size))

    def _thread(self, profile: Profile) -> Thread:
        executed = np.zeros(self.code.size, np.int64)
        event = profile.header.events.index("Ir")
        for rows in profile.rows:
            np.add.at(executed, np.searchsorted(self.code, rows.code), rows.costs[event])
        calls = [flow for flow in profile.flows if flow.kind == b"calls"]
        jumps = [flow for flow in profile.flows if flow.kind != b"calls" and flow.executed]
        return Thread(executed, self._flows(jumps), self._flows(calls))

    def _flows(self, flows: Sequence[Flow]) -> Integers:
        found = np.array(
            [(f.start, f.target, f.taken, f.executed, f.kind == b"jcnd") for f in flows], np.int64
        ).reshape(-1, 5)
        for column in (0, 1):
            number = np.searchsorted(self.code, found[:, column])
            known = self.code[np.minimum(number, self.code.size - 1)] == found[:, column]
            found[:, column] = np.where(known, number, -1)
        return found[found[:, 0] >= 0]

    def _leaders(self) -> Flags:
        """Return which instructions begin blocks."""
        leads = np.zeros(self.code.size + 1, np.bool_)
        leads[0] = True
        objects = self.code >> ADDRESS_BITS
        leads[1:-1] |= (self.function[1:] != self.function[:-1]) | (objects[1:] != objects[:-1])
        calls = np.zeros(self.code.size, np.bool_)
        for thread in self.threads:
            # The last element is for instructions that are missing.
            leads[thread.jumps[thread.jumps[:, 2] > 0, 1]] = True
            leads[thread.calls[:, 1]] = True
            leads[thread.jumps[:, 0] + 1] = True
            calls[thread.calls[:, 0]] = True
        plain = np.flatnonzero(~calls)
        for thread in self.threads:
            leads[plain[1:][np.diff(thread.executed[plain]) != 0]] = True
        leads[0] = True
        return leads[:-1]

    def visits(self, thread: Thread) -> Integers:
        """Return how often a thread visited each block."""
        calls = np.zeros(self.code.size, np.bool_)
        for one in self.threads:
            calls[one.calls[:, 0]] = True
        most = np.iinfo(np.int64).max
        plain = np.minimum.reduceat(np.where(calls, most, thread.executed), self.first)
        every = np.minimum.reduceat(thread.executed, self.first)
        return np.where(plain == most, every, plain)

    def instructions(self, thread: Thread) -> Integers:
        """Return how many instructions a thread executed in each block."""
        return np.add.reduceat(thread.executed, self.first)

    def edges(self, thread: Thread) -> tuple[Integers, Integers, Integers]:
        """Return blocks, blocks that followed in the same function, and how often."""
        visits = self.visits(thread)
        own, target, taken, executed, conditional = thread.jumps.T
        known = (own >= 0) & (target >= 0)
        below = np.where(conditional == 1, executed - taken, 0)
        after = np.minimum(own + 1, self.code.size - 1)
        src = np.concatenate((self.block[own[known]], self.block[own]))
        dst = np.concatenate((self.block[target[known]], self.block[after]))
        count = np.concatenate((taken[known], below))
        entered = np.zeros(self.first.size, np.int64)
        np.add.at(entered, dst, count)
        called = thread.calls[thread.calls[:, 1] >= 0]
        np.add.at(entered, self.block[called[:, 1]], called[:, 2])
        fallen = self._fallen(thread, visits, visits - entered)
        blocks = np.arange(fallen.size)
        src = np.concatenate((src, blocks))
        dst = np.concatenate((dst, np.minimum(blocks + 1, blocks[-1])))
        return self._sums(src, dst, np.concatenate((count, fallen)))

    def _fallen(self, thread: Thread, visits: Integers, unexplained: Integers) -> Integers:
        """Return how often each block without a jump at its end went on to the next one.

        That is what neither jumps nor calls explain of the next one's visits; after a return it
        is nothing.
        """
        last = np.append(self.first[1:], self.code.size) - 1
        fallen = np.zeros(visits.size, np.int64)
        fallen[:-1] = np.clip(unexplained[1:], 0, visits[:-1])
        jumps = np.zeros(self.code.size, np.bool_)
        jumps[thread.jumps[:, 0]] = True
        function = self.function[self.first]
        objects = self.code[self.first] >> ADDRESS_BITS
        fallen[:-1][(function[1:] != function[:-1]) | (objects[1:] != objects[:-1])] = 0
        fallen[jumps[last]] = 0
        return fallen

    def _sums(
        self, src: Integers, dst: Integers, count: Integers
    ) -> tuple[Integers, Integers, Integers]:
        keys, place = np.unique(src << 32 | dst, return_inverse=True)
        sums = np.zeros(keys.size, np.int64)
        np.add.at(sums, place, count)
        keys, sums = keys[sums > 0], sums[sums > 0]
        return keys >> 32, keys & 0xFFFFFFFF, sums
