"""Samples on their way into the landing tables, added up by thread and call path.

A profile has as many samples as its recording was long, but few different call paths. So what is
kept of a sample is its weight, in the sum of its path.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ingest.base import Item, LeftOut, Rows
from ingest.parsing.call_paths import ARROW, CallPaths, frame_name
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

NO_THREAD = -1
_DEEPEST = 256  # of a path the text is stored, of all that lie on it: deeper ones would be huge
_MOST_ROWS = 500_000
_MOST_TEXT = 64 << 20  # characters of the paths of all rows: DuckDB takes ten times as much memory
_MOST_WAITING = 1 << 18
_BATCH_ROWS = 1 << 16
_BATCH_TEXT = 4 << 20


def located(name: str, file: str | None) -> str:
    """Return the name of a function with its file, as languages need it that scope by file."""
    file = (file or "").removeprefix("file://")
    return frame_name(f"{name or '(anonymous)'} ({file})" if file else name)


@dataclass(slots=True)
class Measure:
    """One kind of weight: its name as an event, and its sums by thread and call path.

    `per_second` is how many units make a second, where the weight is the time that a program
    takes; `unit` is that of any other weight, None where the file states none. `arrays` are the
    sums where they come from a `Tally`: thread, path, weight; a pair can be repeated.
    """

    event: str
    unit: str | None = None
    per_second: float | None = None
    sums: defaultdict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))
    arrays: tuple[Integers, Integers, Floats] | None = None

    def columns(self) -> tuple[Integers, Integers, Floats]:
        """Return the sums as arrays: thread, path, weight."""
        if self.arrays is not None:
            return self.arrays
        keys = np.array(list(self.sums), np.int64).reshape(-1, 2)
        return keys[:, 0], keys[:, 1], np.fromiter(self.sums.values(), np.float64, len(self.sums))


class Tally:
    """Adds up samples by two numbers, a kind and a path, in arrays.

    A dict of as many sums takes ten times the memory.
    """

    def __init__(self) -> None:
        self._waiting, self._weights = array("q"), array("d")
        self._keys: Integers = np.empty(0, np.int64)
        self._counts: Floats = np.empty(0)
        self._sums: Floats = np.empty(0)

    def add(self, kind: int, path: int, weight: float) -> None:
        """Take a sample."""
        self._waiting.append(kind << 32 | path)
        self._weights.append(weight)
        if len(self._waiting) == _MOST_WAITING:
            self._add_up()

    def columns(self) -> tuple[Integers, Integers, Floats, Floats]:
        """Return kinds and paths, each pair once, with the number of samples and their weight."""
        self._add_up()
        return self._keys >> 32, self._keys & 0xFFFF_FFFF, self._counts, self._sums

    def _add_up(self) -> None:
        keys = np.concatenate([self._keys, self._waiting])
        counts = np.concatenate([self._counts, np.ones(len(self._waiting))])
        sums = np.concatenate([self._sums, self._weights])
        self._keys, place = np.unique(keys, return_inverse=True)
        self._counts = np.bincount(place, counts, len(self._keys)).astype(np.float64)
        self._sums = np.bincount(place, sums, len(self._keys)).astype(np.float64)
        self._waiting, self._weights = array("q"), array("d")


class Stacks:
    """Call paths, and what was sampled in them.

    `flat` is whether the file has functions only, and nothing of their callers.
    """

    def __init__(self) -> None:
        self.paths = CallPaths()
        self.flat = False
        self._cut = 0

    def path(self, functions: Sequence[str]) -> int:
        """Return the number of a call path, from the root; one that is too deep is shortened."""
        if len(functions) > _DEEPEST:
            self._cut += 1
            half = _DEEPEST // 2
            functions = (*functions[:half], *functions[-half:])
        return self.paths.code(functions)

    def items(self, measures: Sequence[Measure], run: int | None = None) -> Iterator[Item]:
        """Yield rows of all measures; of those that are times the first is that of fn_timings.

        A path lands if it was sampled, or lies above one that was. In a profile that would have
        very many rows, or rows of very long paths, only the sampled ones land: of the others the
        views know the same.

        `run` is the number of the run that they belong to, where the file has several.
        """
        above = np.array(self.paths.above, np.int64)
        depth = _depths(self.paths.above)
        length = _lengths(self.paths.names, self.paths.above)
        measures = [one for one in measures if one.sums or one.arrays is not None]
        timed = next((one for one in measures if one.per_second), None)
        # Added up twice, as those above can be ten times as many as the sampled ones.
        rows = text = sampled = 0
        for one in measures:
            for level in _levels(one, above, depth):
                rows, sampled = rows + len(level.path), sampled + int(np.count_nonzero(level.own))
                text += int(length[level.path].sum())
        is_huge = rows > _MOST_ROWS or text > _MOST_TEXT
        for one in measures:
            levels = _levels(one, above, depth)
            found = _Sums.of([level.sampled() if is_huge else level for level in levels])
            yield from self._rows(one, found, one is timed, run)
        yield LeftOut(
            rows - sampled if is_huge else 0,
            "value",
            "of a call path above sampled ones, which call_tree and function_totals have",
        )
        reason = f"from the middle of call paths of more than {_DEEPEST}"
        yield LeftOut(0 if run else self._cut, "stack's functions", reason, "stacks' functions")

    def _rows(self, one: Measure, sums: _Sums, timed: bool, run: int | None) -> Iterator[Item]:
        import pyarrow as pa

        for rows, texts in self._batches(sums.path):
            thread, size = sums.thread[rows], len(rows)
            own, inclusive = sums.own[rows], sums.inclusive[rows]
            if one.per_second:
                own, inclusive = own / one.per_second, inclusive / one.per_second
            without = np.full(size, self.flat)
            whole = pa.array(inclusive, mask=without)
            known = {"thread": pa.array(thread, pa.int64(), mask=thread < 0)}
            if run is not None:
                known["run"] = run
            if timed:
                yield Rows.of_columns(
                    "fn_timings",
                    **known,
                    function=[self.paths.names[code] for code in sums.path[rows].tolist()],
                    callpath=pa.array(texts, pa.string(), mask=without),
                    seconds=own,
                    inclusive_seconds=whole,
                )
            else:
                yield Rows.of_columns(
                    "pmu_samples",
                    **known,
                    region=texts,
                    event=one.event,
                    unit="s" if one.per_second else one.unit,
                    value=own,
                    inclusive=whole,
                )

    def _batches(self, path: Integers) -> Iterator[tuple[Integers, list[str]]]:
        """Yield positions and joined paths, in batches whose text is not too long."""
        known: dict[int, str] = {}
        texts: list[str] = []
        size = begin = 0
        for at, code in enumerate(path.tolist(), 1):
            texts.append(self._text(code, known))
            size += len(texts[-1])
            if len(texts) == _BATCH_ROWS or size > _BATCH_TEXT or at == len(path):
                yield np.arange(begin, at), texts
                known, texts, size, begin = {}, [], 0, at

    def _text(self, code: int, known: dict[int, str]) -> str:
        """Return a joined path; `known` are those that lie above recent ones."""
        names, above = self.paths.names, self.paths.above
        last: list[str] = [names[code]]
        upper = above[code]
        while upper >= 0 and upper not in known:
            last.append(names[upper])
            upper = above[upper]
        if upper >= 0:
            last.append(known[upper])
        text = ARROW.join(reversed(last))
        if above[code] >= 0:
            known[above[code]] = text[: len(text) - len(ARROW) - len(names[code])]
        return text


@dataclass(frozen=True, slots=True)
class _Sums:
    """Rows by thread and path: thread, number of the path, own weight, and that with callees."""

    thread: Integers
    path: Integers
    own: Floats
    inclusive: Floats

    def sampled(self) -> _Sums:
        """Return the rows of paths in which a sample was taken."""
        rows = self.own != 0
        return _Sums(self.thread[rows], self.path[rows], self.own[rows], self.inclusive[rows])

    @classmethod
    def of(cls, parts: Sequence[_Sums]) -> _Sums:
        """Return all rows in order: by thread and path."""
        thread, path, own, inclusive = (
            np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__
        )
        order = np.lexsort((path, thread))
        return cls(thread[order], path[order], own[order], inclusive[order])


def _levels(one: Measure, above: Integers, depth: Integers) -> Iterator[_Sums]:
    """Yield the sums of a measure, for every sampled path and those above it, the deepest first.

    `depth` is how many paths are above each.
    """
    thread, paths, weight = one.columns()
    threads, number = np.unique(thread, return_inverse=True)
    key = number * len(above) + paths
    level = depth[paths]
    order = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[order], np.arange(int(level.max()) + 2))
    raised, raised_weight = key[:0], weight[:0]
    for at in range(len(bounds) - 2, -1, -1):
        here = order[bounds[at] : bounds[at + 1]]
        both, place = np.unique(np.concatenate([key[here], raised]), return_inverse=True)
        own: Floats = np.bincount(place[: len(here)], weight[here], len(both)).astype(np.float64)
        whole = own + np.bincount(place[len(here) :], raised_weight, len(both))
        path = both % len(above)
        yield _Sums(threads[both // len(above)], path, own, whole)
        raised, raised_weight = both - path + above[path], whole


def _depths(above: Sequence[int]) -> Integers:
    """Return how many paths are above each; a path comes after the one above it."""
    depth = array("q")
    for code in above:
        depth.append(0 if code < 0 else depth[code] + 1)
    return np.array(depth)


def _lengths(names: Sequence[str], above: Sequence[int]) -> Integers:
    """Return how long the joined paths are."""
    length = array("q")
    for name, code in zip(names, above, strict=True):
        length.append(len(name) + (0 if code < 0 else len(ARROW) + length[code]))
    return np.array(length)


def check_weight(weight: float, where: str) -> float:
    """Return a weight; raise `InputError` where it is negative, or more than 64 bits."""
    if not 0 <= weight < 1 << 63:
        raise InputError(
            f"the weight is {weight:g}",
            where=where,
            expected="a number from 0 within 64 bits",
            hint="The difference of two profiles cannot be read: ingest both, and compare them."
            if weight < 0
            else None,
        )
    return weight
