"""How a Caliper profile lands: times per call path in fn_timings, all else in pmu_samples.

Of the globals Adiak's names are understood, too (https://github.com/LLNL/Adiak). What has no column
of its own lands as tags.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.base import Item, LeftOut, Rows, Run, implausible
from ingest.parsing.app_names import folder_app
from ingest.parsing.call_paths import BELOW_ZERO, below_zero, own_part, rows_above
from ingest.readers.profiles.caliper.metrics import Metric, Role, settle
from ingest.readers.profiles.caliper.profile import Profile
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

_LONGEST_TAG = 200
_INTERNAL = ("cali.channel", "spot.")
_PROGRAM = ("executable", "executablename", "executablepath", "cmdline", "program")
_TEXTS = {
    "app": _PROGRAM,
    "version": ("version", "appversion", "app_version"),
    "machine": ("cluster", "machine", "hostname"),
}
_COUNTS = {
    "nodes": ("numhosts",),
    "ranks": ("jobsize", "mpi.world.size"),
    "threads": ("threads", "num_threads", "omp_num_threads"),
}
_MEASURES = {
    "problem_size": ("problem_size", "problemsize", "ProblemSize", "ProblemSizeRunParam"),
    "wall_seconds": ("walltime", "elapsed_time"),
}
_STARTED = "launchdate"


def _run(attributes: Mapping[str, str], path: Path, ranks: int | None) -> Run:
    """Return the run that a file's globals speak of.

    `path` is the file: its folder names a program that the globals do not name, so that the
    files of a folder are one set. `ranks` counts the ranks in the records, for files that do not
    state their number.
    """
    facts: dict[str, Any] = {}
    used: set[str] = set()
    for column, names in (*_TEXTS.items(), *_COUNTS.items(), *_MEASURES.items()):
        for name in names:
            value = _fact(column, attributes.get(name, ""))
            if column not in facts and value is not None and not implausible({column: value}):
                facts[column] = value
                used.add(name)
    started = _date(attributes.get(_STARTED, ""))
    if started is not None:
        facts["started_at"] = started
        used.add(_STARTED)
    facts.setdefault("ranks", ranks)
    facts.setdefault("app", folder_app(path.parent))
    tags = {
        name: value
        for name, value in attributes.items()
        if name not in used and not name.startswith(_INTERNAL) and len(value) <= _LONGEST_TAG
    }
    return Run(**facts, tags=tags)


def _fact(column: str, text: str) -> str | int | float | None:
    if column == "app":
        # A command line is written as a list: [./lulesh2.0,-i,10].
        return PurePosixPath(text.removeprefix("[").split(",")[0].removesuffix("]")).name or None
    if column in _TEXTS:
        return text.strip() or None
    try:
        number = float(text)
    except ValueError:
        return None
    if column in _MEASURES:
        return number
    return int(number) if math.isfinite(number) and number.is_integer() else None


def _date(text: str) -> datetime | None:
    """Return a date written as seconds since 1970."""
    try:
        date = datetime.fromtimestamp(float(text), UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return None if implausible({"started_at": date}) else date


OUTSIDE = "<outside of regions>"  # the time that a program spent in no region that was marked
_PRINTED = 1e-6  # Caliper writes six digits after the point


def items(profile: Profile, path: Path) -> Iterator[Item]:
    """Yield the run of a profile and then its rows; `path` is the file's.

    A time or count without a rank is of all processes: times land as the mean over them, counts
    as their sum. Raises `InputError` where the file contains nothing that can be landed.
    """
    if not profile.metrics:
        raise InputError(
            "no record has a time or a counter",
            expected="records with time.duration, papi, libpfm or topdown attributes",
            hint="Record with CALI_CONFIG=hatchet-region-profile,output.format=cali",
        )
    ranks = np.frombuffer(profile.rank, dtype=np.int64)
    seen = len(np.unique(ranks[ranks >= 0])) or None
    run = _run(profile.globals, path, seen)
    yield run
    columns = _Columns(profile, run.ranks)
    metrics = settle(profile.metrics, run.ranks)
    timed = {one.role: one for one in metrics if "event" not in one.role}
    times = columns.times(timed)
    if timed:
        yield columns.timings(timed, *times)
    events = [one for one in metrics if "event" in one.role]
    if events:
        yield columns.samples(events, times[0])
    if columns.notes:
        yield Run(tags={BELOW_ZERO: "; ".join(columns.notes)})
    yield LeftOut(
        profile.repeated,
        "value",
        "of an attribute that the record has again, with the value that landed",
    )


class _Columns:
    """Turns a profile's rows into Arrow columns.

    Texts are chosen by numpy: `pa.Array.take` imports pyarrow.compute, which takes as long as
    several small profiles.
    """

    def __init__(self, profile: Profile, ranks: int | None) -> None:
        self.notes: list[str] = []
        self._profile = profile
        self._ranks = ranks
        # Path -1, outside of all regions, is the last entry.
        self._functions = np.array([*profile.paths.names, OUTSIDE], object)
        joined = profile.paths.joined()
        self._callpaths = np.array([*joined, None], object)
        self._regions = np.array([*joined, OUTSIDE], object)
        self._path, self._rank, self._thread, self._block = (
            np.frombuffer(column, dtype=np.int64)
            for column in (profile.path, profile.rank, profile.thread, profile.block)
        )
        self._sample = np.unique(self._block, return_inverse=True)[1].astype(np.int64)
        self._above = rows_above(
            self._path, self._place(), np.array(profile.paths.above, dtype=np.int64)
        )

    def times(self, metrics: Mapping[Role, Metric]) -> tuple[Floats, Floats]:
        """Return the seconds of every row without callees and with them; NaN where unknown."""
        found = {role: self._seconds(one) for role, one in metrics.items() if "time" in role}
        inclusive = found.get("inclusive time", np.full(len(self._path), np.nan))
        own = found.get("own time")
        if own is None:
            own = self._own(metrics["inclusive time"], inclusive) if found else inclusive
        return own, inclusive

    def timings(self, metrics: Mapping[Role, Metric], seconds: Floats, inclusive: Floats) -> Rows:
        """Return rows of fn_timings from the metrics by role and the times of every row."""
        calls = np.full(len(self._path), np.nan)
        if "calls" in metrics:
            rows, values = self._profile.column(metrics["calls"])
            calls[rows] = values
        # fn_timings has no time axis: blocks of time are added up.
        blocks = np.stack([self._path, self._rank, self._thread])
        first, whole = np.unique(blocks, axis=1, return_index=True, return_inverse=True)[1:]
        seconds, inclusive, calls = (
            _added(values, first, whole.reshape(-1)) for values in (seconds, inclusive, calls)
        )
        kept = np.flatnonzero(~(np.isnan(seconds) & np.isnan(inclusive) & np.isnan(calls)))
        return Rows.of_columns(
            "fn_timings",
            **self._places(kept),
            function=self._functions[self._codes(kept)].tolist(),
            callpath=self._callpaths[self._codes(kept)].tolist(),
            parallelism=self._ranks,
            seconds=_known(seconds[kept]),
            inclusive_seconds=_known(inclusive[kept]),
            calls=_known(calls[kept]).cast(pa.int64()) if "calls" in metrics else None,
        )

    def samples(self, events: Sequence[Metric], seconds: Floats) -> Rows:
        """Return the values of events as rows of pmu_samples; `seconds` is how long each lasted."""
        found = [self._event(one) for one in events]
        rows = np.concatenate([one for one, _ in found])
        counts = [len(one) for one, _ in found]
        kind = np.repeat(np.arange(len(events)), counts)
        return Rows.of_columns(
            "pmu_samples",
            **self._places(rows),
            region=self._regions[self._codes(rows)].tolist(),
            sample=self._sample[rows],
            event=np.array([one.event for one in events], object)[kind].tolist(),
            value=_known(np.concatenate([values for _, values in found])),
            unit=np.array([one.unit for one in events], object)[kind].tolist(),
            seconds=_known(np.where(seconds < 0, np.nan, seconds)[rows]),
        )

    def _event(self, one: Metric) -> tuple[Integers, Floats]:
        """Return the rows where an event has values, and its own part there."""
        rows, values = self._profile.column(one)
        if one.role == "inclusive event":
            total = np.full(len(self._path), np.nan)
            total[rows] = values
            values = self._own(one, total)[rows]
        return rows, values

    def _seconds(self, one: Metric) -> Floats:
        """Return a time of every row, of one process, in seconds; NaN where it was not measured."""
        rows, values = self._profile.column(one)
        values = values / self._profile.per_second(one)
        if one.over_ranks == "sum" and self._ranks is not None:
            values = np.where(self._rank[rows] < 0, values / self._ranks, values)
        seconds = np.full(len(self._path), np.nan)
        seconds[rows] = values
        return seconds

    def _own(self, one: Metric, inclusive: Floats) -> Floats:
        """Take the callees out of an inclusive value of every row; what was not measured is 0."""
        slack = _PRINTED / (self._profile.per_second(one) if "time" in one.role else 1.0)
        measured = ~np.isnan(inclusive)
        own = own_part(np.where(measured, inclusive, 0.0), self._above, slack)
        if note := below_zero(one.event, own[measured]):
            self.notes.append(note)
        return np.where(measured, own, np.nan)

    def _place(self) -> Integers:
        """Number the places: pairs of rank and thread, in each block of time."""
        pairs = np.stack([self._rank, self._thread, self._block])
        return np.unique(pairs, axis=1, return_inverse=True)[1].reshape(-1).astype(np.int64)

    def _codes(self, rows: Integers) -> Integers:
        path = self._path[rows]
        return np.where(path < 0, len(self._functions) - 1, path)

    def _places(self, rows: Integers) -> dict[str, pa.Array]:
        rank, thread = self._rank[rows], self._thread[rows]
        return {
            "rank": pa.array(rank, pa.int32(), mask=rank < 0),
            "thread": pa.array(thread, pa.int64(), mask=thread < 0),
        }


def _added(values: Floats, first: Integers, whole: Integers) -> Floats:
    """Return the sums of groups of rows, each at the group's first row; NaN where none is known.

    `first` is the first row of each group, `whole` the group of each row.
    """
    known = ~np.isnan(values)
    sums = np.bincount(whole[known], weights=values[known], minlength=len(first))
    some = np.bincount(whole[known], minlength=len(first)) > 0
    result = np.full(len(values), np.nan)
    result[first[some]] = sums[some]
    return result


def _known(values: Floats) -> pa.Array:
    return pa.array(values, mask=np.isnan(values))
