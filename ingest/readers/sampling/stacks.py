"""Samples on their way into the landing tables, added up by thread and call path.

A profile has as many samples as its recording was long, but few different call paths. So what is
kept of a sample is its weight, in the sum of its path.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.base import Item, LeftOut, Rows
from ingest.parsing.call_paths import frame_name
from warehouse.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Integers = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

NO_THREAD = -1
SECONDS = {
    **{"nanoseconds": 1e9, "ns": 1e9, "microseconds": 1e6, "us": 1e6, "\u00b5s": 1e6},
    **{"milliseconds": 1e3, "ms": 1e3, "seconds": 1.0, "s": 1.0},
}
_DEEPEST = 256  # of a path the text is stored, of all that lie on it: deeper ones would be huge
_MOST_ROWS = 500_000
_MOST_TEXT = 64 << 20  # characters of the paths of all rows: DuckDB takes ten times as much memory
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
    takes; `unit` is that of any other weight, None where the file states none.
    """

    event: str
    unit: str | None = None
    per_second: float | None = None
    sums: defaultdict[tuple[int, int], float] = field(default_factory=lambda: defaultdict(float))


class Stacks:
    """Call paths, and what was sampled in them.

    `flat` is whether the file has functions only, and nothing of their callers.
    """

    def __init__(self) -> None:
        from ingest.parsing.call_paths import CallPaths

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
        import numpy as np

        above = np.array(self.paths.above, np.int64)
        measures = [one for one in measures if one.sums]
        timed = next((one for one in measures if one.per_second), None)
        depth, length = _depths(above), _lengths(self.paths.names, above)
        sums: list[_Sums] = []
        rows = text = sampled = 0
        for one in measures:
            found = _sums(one, above, depth)
            rows, text = rows + len(found.path), text + int(length[found.path].sum())
            sampled += int(np.count_nonzero(found.own))
            sums.append(found)
            # At once: what is above them can be many times as much.
            if rows > _MOST_ROWS or text > _MOST_TEXT:
                sums = [one.sampled() for one in sums]
        skipped = rows - sampled if rows > _MOST_ROWS or text > _MOST_TEXT else 0
        for one, found in zip(measures, sums, strict=True):
            yield from self._rows(one, found, one is timed, run)
        yield LeftOut(
            skipped,
            "value",
            "of a call path above sampled ones, which call_tree and function_totals have",
        )
        reason = f"from the middle of call paths of more than {_DEEPEST}"
        yield LeftOut(0 if run else self._cut, "stack's functions", reason, "stacks' functions")

    def _rows(self, one: Measure, sums: _Sums, timed: bool, run: int | None) -> Iterator[Item]:
        import numpy as np
        import pyarrow as pa

        unit = "s" if one.per_second else one.unit
        for rows, texts in self._batches(sums.path):
            thread, size = sums.thread[rows], len(rows)
            own, inclusive = sums.own[rows], sums.inclusive[rows]
            if one.per_second:
                own, inclusive = own / one.per_second, inclusive / one.per_second
            without = np.full(size, self.flat)
            whole = pa.array(inclusive, mask=without)
            columns = {"thread": pa.array(thread, pa.int64(), mask=thread < 0)}
            if timed:
                last = [self.paths.names[code] for code in sums.path[rows].tolist()]
                columns |= {
                    "function": pa.array(last, pa.string()),
                    "callpath": pa.array(texts, pa.string(), mask=without),
                    "seconds": pa.array(own),
                    "inclusive_seconds": whole,
                }
            else:
                columns |= {
                    "region": pa.array(texts, pa.string()),
                    "event": pa.array([one.event] * size, pa.string()),
                    "unit": pa.array([unit] * size, pa.string()),
                    "value": pa.array(own),
                    "inclusive": whole,
                }
            if run is not None:
                columns["run"] = pa.array([run] * size, pa.int32())
            yield Rows("fn_timings" if timed else "pmu_samples", pa.table(columns))

    def _batches(self, path: Integers) -> Iterator[tuple[Integers, list[str]]]:
        """Yield positions and joined paths, in batches whose text is not too long."""
        import numpy as np

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
        from ingest.parsing.call_paths import ARROW

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


def _sums(one: Measure, above: Integers, depth: Integers) -> _Sums:
    """Return the sums of a measure, for every sampled path and those above it.

    `depth` is how many paths are above each. The sums go up the tree a level at a time.
    """
    import numpy as np

    keys = np.array(list(one.sums), np.int64).reshape(-1, 2)
    threads, number = np.unique(keys[:, 0], return_inverse=True)
    key = number * len(above) + keys[:, 1]
    weight = np.fromiter(one.sums.values(), np.float64, len(one.sums))
    level = depth[keys[:, 1]]
    order = np.argsort(level, kind="stable")
    bounds = np.searchsorted(level[order], np.arange(int(level.max()) + 2))
    found: list[tuple[Integers, Floats, Floats]] = []
    raised, raised_weight = key[:0], weight[:0]
    for at in range(len(bounds) - 2, -1, -1):
        here = order[bounds[at] : bounds[at + 1]]
        both, place = np.unique(np.concatenate([key[here], raised]), return_inverse=True)
        own: Floats = np.bincount(place[: len(here)], weight[here], len(both)).astype(np.float64)
        whole = own + np.bincount(place[len(here) :], raised_weight, len(both))
        found.append((both, own, whole))
        path = both % len(above)
        raised, raised_weight = both - path + above[path], whole
    key = np.concatenate([keys for keys, _, _ in found])
    own, whole = (np.concatenate([sums[of] for sums in found]) for of in (1, 2))
    order = np.argsort(key)
    key = key[order]
    return _Sums(threads[key // len(above)], key % len(above), own[order], whole[order])


def _depths(above: Integers) -> Integers:
    """Return how many paths are above each; a path comes after the one above it."""
    import numpy as np

    depth: list[int] = []
    for code in above.tolist():
        depth.append(0 if code < 0 else depth[code] + 1)
    return np.array(depth, np.int64)


def _lengths(names: Sequence[str], above: Integers) -> Integers:
    """Return how long the joined paths are."""
    import numpy as np

    from ingest.parsing.call_paths import ARROW

    length: list[int] = []
    for name, code in zip(names, above.tolist(), strict=True):
        length.append(len(name) + (0 if code < 0 else len(ARROW) + length[code]))
    return np.array(length, np.int64)


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
