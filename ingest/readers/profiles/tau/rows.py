"""How the values of one thread of a TAU profile land.

The metric that is the wall-clock time lands in fn_timings, in seconds, once (`count_once`): by
call path as far as there are paths. Every other metric lands in pmu_samples: its exclusive value
in each function, paths added up, as one sample.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ingest.base import Item, LeftOut, Rows
from ingest.readers.profiles.tau.facts import Collected, Layout, Location, Metadata
from ingest.readers.profiles.tau.names import Names, count_once
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

_MICROSECONDS = 1e6
_TIME = re.compile(r"(?!PAPI_)\w*TIME\w*", re.IGNORECASE)
_OF_CPU = re.compile(r"CPU|VIRTUAL", re.IGNORECASE)
_WIDEST = 2.0**63
_BATCH_ROWS = 1 << 17


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where values were measured; rank and thread are None where they are unknown."""

    rank: int | None
    thread: int | None
    parallelism: int | None
    where: str

    @classmethod
    def of(cls, location: Location, found: Layout, metadata: Metadata, where: str) -> Place:
        """Return the rank and thread of a location of the run."""
        node, context, thread = location
        return cls(
            rank=found.rank_of[node, context],
            thread=thread,
            parallelism=found.parallelism(metadata),
            where=where,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """One metric of one thread: one entry per row, times in microseconds.

    `row` numbers the entries of the names they belong to.
    """

    row: Integers
    calls: Floats
    exclusive: Floats
    inclusive: Floats


class Tables:
    """Takes the values of one thread after another and yields rows when there are many.

    Of the metrics, `timed` is the one that lands as time: wall-clock time, else another time,
    None if there is none.
    """

    def __init__(self, metrics: Sequence[str], collected: Collected) -> None:
        times = [name for name in metrics if _TIME.fullmatch(name)]
        self.timed = min(times, key=lambda name: bool(_OF_CPU.search(name)), default=None)
        self._collected = collected
        self._pending: dict[str, list[pa.Table]] = {"fn_timings": [], "pmu_samples": []}
        self._first = metrics[0] if metrics else None
        self._split_up = 0

    def add(self, names: Names, values: Values, place: Place, metric: str) -> Iterator[Rows]:
        """Take the values of a metric in one thread.

        Raises `InputError` where a time or a count is implausible.
        """
        if metric == self._first:
            self._split_up += int(np.count_nonzero(~names.counted[values.row]))
        if metric == self.timed:
            table, rows = "fn_timings", _timings(names, values, place)
            if not _OF_CPU.search(metric):
                longest = values.inclusive[names.counted[values.row]].max(initial=0.0)
                self._collected.took(float(longest) / _MICROSECONDS)
        else:
            table, rows = "pmu_samples", _samples(names, values, place, metric)
        pending = self._pending[table]
        pending.append(rows)
        # Each insertion has its price.
        if sum(part.num_rows for part in pending) >= _BATCH_ROWS:
            yield self._flush(table)

    def rest(self) -> Iterator[Item]:
        """Yield the rows that are still kept, and how many of the profile's are left out."""
        for table, pending in self._pending.items():
            if pending:
                yield self._flush(table)
        what = "of parameters, samples or ends of call paths"
        reason = "the time of other rows, split up"
        yield LeftOut(self._split_up, f"row {what}", reason, f"rows {what}")

    def _flush(self, table: str) -> Rows:
        parts, self._pending[table] = self._pending[table], []
        return Rows(table, pa.concat_tables(parts))


def _timings(names: Names, values: Values, place: Place) -> pa.Table:
    """Return rows of fn_timings."""
    _check(names, values, place)
    names, values = _called(names, values)
    chosen = count_once(names, values.calls, values.exclusive)
    rows = np.concatenate([chosen.rows, chosen.rest])
    calls = np.concatenate([values.calls[chosen.rows], chosen.calls])
    seconds = np.concatenate([values.exclusive[chosen.rows], chosen.exclusive]) / _MICROSECONDS
    # How much of its callees' time belongs to the rest of a function is not known.
    rest = np.arange(len(rows)) >= len(chosen.rows)
    taken = pa.array(rows)
    # A mean over threads can have half a call, which no column of whole numbers can contain.
    part = np.trunc(calls) != calls
    columns = {
        "function": names.function.take(taken),
        "callpath": names.callpath.take(taken),
        "seconds": seconds,
        "inclusive_seconds": pa.array(values.inclusive[rows] / _MICROSECONDS, mask=rest),
        "calls": pa.array(np.where(part, 0, calls).astype(np.int64), mask=part),
    }
    found = {"rank": place.rank, "thread": place.thread, "parallelism": place.parallelism}
    return Rows.of_columns("fn_timings", **columns, **found).batch


def _samples(names: Names, values: Values, place: Place, metric: str) -> pa.Table:
    """Return rows of pmu_samples, one a function."""
    _check(names, values, place, counts_only=True)
    names, values = _called(names, values)
    is_path, count = names.is_path, int(names.code.max(initial=-1)) + 1
    flat, paths = names.counted & ~is_path, names.counted & is_path
    has_flat = np.bincount(names.code[flat], minlength=count) > 0
    of_rows = np.where(has_flat[names.code], flat, paths)
    code = names.code[of_rows]
    there, first = np.unique(code, return_index=True)
    value = np.bincount(code, values.exclusive[of_rows], minlength=count)[there]
    scale = _MICROSECONDS if _TIME.fullmatch(metric) else 1.0
    return Rows.of_columns(
        "pmu_samples",
        region=names.function.take(pa.array(np.flatnonzero(of_rows)[first])),
        sample=0,
        event=metric,
        value=pa.array(value / scale, mask=~np.isfinite(value)),
        unit="s" if scale != 1.0 else None,
        rank=place.rank,
        thread=place.thread,
    ).batch


def _called(names: Names, values: Values) -> tuple[Names, Values]:
    """Leave out functions that did not run in this thread; TAU lists them with zeros."""
    ran = (values.calls != 0) | (values.exclusive != 0) | (values.inclusive != 0)
    row = values.row[ran]
    taken = pa.array(row)
    code = np.unique(names.code[row], return_inverse=True)[1]
    return (
        Names(names.function.take(taken), names.callpath.take(taken), code, names.counted[row]),
        Values(
            row=np.arange(len(row)),
            calls=values.calls[ran],
            exclusive=values.exclusive[ran],
            inclusive=values.inclusive[ran],
        ),
    )


def _check(names: Names, values: Values, place: Place, *, counts_only: bool = False) -> None:
    columns = {"calls": values.calls}
    if not counts_only:
        columns |= {"exclusive time": values.exclusive, "inclusive time": values.inclusive}
    for what, column in columns.items():
        wrong = np.flatnonzero(~((column >= 0) & (column < _WIDEST)))
        if len(wrong):
            function = names.function[int(values.row[wrong[0]])].as_py()
            raise InputError(
                f"{what} of {function}: {column[wrong[0]]:g}",
                where=place.where,
                expected="a number from 0 within 64 bits",
            )
