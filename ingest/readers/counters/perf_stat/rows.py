"""From lines of `perf stat` to rows of pmu_samples: samples numbered, numbers checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Rows
from ingest.parsing.numbers import cast
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

Keys = npt.NDArray[np.object_]


_PLACE = ("cpu", "place", "comm", "tid", "cgroup")
_MOST = 2.0**64
# Names of metrics in Linux before 3.3.
_OLD_NAMES = {
    "backend  cycles idle": "backend cycles idle",
    "IPC": "insns per cycle",
    "%": "of all branches",
}
_NAMELESS = "(null)"
_CLOCKS = r"^(?:task|cpu)-clock(?:-msecs|:\w+)?$"
# Separated and as JSON perf leaves out the sign that it writes for people.
_SHARES = (
    r"^(?:of all .*|(?:front|back)end (?:cycles idle|bound)|retiring|bad speculation"
    r"|(?:heavy|light) operations|branch mispredict|machine clears|fetch (?:latency|bandwidth)"
    r"|(?:memory|core) bound|(?:transactional|aborted) cycles)$"
)


class Landing:
    """Turns the lines of a file, stretch by stretch, into rows."""

    def __init__(self) -> None:
        self._intervals = _Intervals()
        self._passes = _Passes()
        self._timed = self._untimed = -1

    def rows(self, table: pa.Table, run: Integers) -> Iterator[Rows]:
        """Yield the counts and metrics of lines (forms.COLUMNS) of numbered runs."""
        timed = table["time"].is_valid().to_numpy()
        keep = ~self._sums(run, timed, table["line"].to_numpy())
        run, timed = run[keep], timed[keep]
        if not len(run):
            return
        (batch,) = table.filter(keep).combine_chunks().to_batches()
        sample, start = np.zeros(len(run), np.int64), np.zeros(len(run), np.int64)
        if timed.any():
            part = batch.filter(timed)
            sample[timed], start[timed] = self._intervals.number(
                run[timed], part["time"].to_numpy(), part["line"].to_numpy()
            )
        if not timed.all():
            sample[~timed] = self._passes.number(run[~timed], _keys(batch.filter(~timed)))
        batch = batch.append_column("run", pa.array(run))
        batch = batch.append_column("sample", pa.array(sample))
        batch = batch.append_column("t_start", pa.array(start, mask=~timed))
        for part in (_counts(batch), _metrics(batch)):
            if part.num_rows:
                yield Rows("pmu_samples", part)

    def _sums(self, run: Integers, timed: Flags, lines: Integers) -> Flags:
        """Flag the rows without time that follow rows with time: the sums of -I --summary."""
        seen = _latest(np.where(timed, run, -1), self._timed)
        sums: Flags = ~timed & (seen == run)
        untimed = _latest(np.where(~timed & ~sums, run, -1), self._untimed)
        if (mixed := timed & (untimed == run)).any():
            raise InputError(
                "a count of an interval follows counts without time",
                where=f"line {lines[np.argmax(mixed)]}",
                expected="counts of one call of perf stat",
                hint="Write each call to a file of its own, or append with -o FILE --append.",
            )
        if len(run):
            self._timed, self._untimed = int(seen[-1]), int(untimed[-1])
        return sums


class _Intervals:
    """Numbers the intervals of each run from 0."""

    def __init__(self) -> None:
        self._run = self._sample = -1
        self._time = self._start = 0

    def number(self, run: Integers, time: Integers, lines: Integers) -> tuple[Integers, Integers]:
        """Return the sample, and its start in ns, of rows with the end of their interval in ns."""
        before = np.concatenate(([self._time], time[:-1]))
        fresh = run != np.concatenate(([self._run], run[:-1]))
        if (back := ~fresh & (time < before)).any():
            raise InputError(
                "the time goes back",
                where=f"line {lines[np.argmax(back)]}",
                expected="intervals in the order of time",
                hint="Write each call of perf stat to a file of its own.",
            )
        change = fresh | (time != before)
        at = np.flatnonzero(change)
        start = np.concatenate(([self._start], np.where(fresh[at], 0, before[at])))
        sample = _numbered(fresh[at], self._sample)
        self._run, self._time = int(run[-1]), int(time[-1])
        self._start, self._sample = int(start[-1]), int(sample[-1])
        group = np.cumsum(change)
        return sample[group], start[group]


class _Passes:
    """Numbers the passes over the events, of each run from 0: the first event begins one."""

    def __init__(self) -> None:
        self._run = self._sample = -1
        self._first: Any = None

    def number(self, run: Integers, keys: Keys) -> Integers:
        """Return the sample of rows without time; `keys` name their event and place."""
        fresh = run != np.concatenate(([self._run], run[:-1]))
        firsts = np.concatenate((np.array([self._first], dtype=object), keys[fresh]))
        change = keys == firsts[np.cumsum(fresh)]
        sample = _numbered(fresh[change], self._sample)
        self._run, self._first, self._sample = int(run[-1]), firsts[-1], int(sample[-1])
        passes: Integers = sample[np.cumsum(change)]
        return passes


def _numbered(fresh: Flags, sample: int) -> Integers:
    """Number groups on from `sample`, anew at each fresh one; the last known comes first."""
    position = np.arange(1, len(fresh) + 1)
    base = np.maximum.accumulate(np.where(fresh, position, 0))
    numbers = np.where(base > 0, position - base, sample + position)
    known_first: Integers = np.concatenate(([sample], numbers))
    return known_first


def _latest(values: Integers, before: int) -> Integers:
    """Return the highest value so far, at each place."""
    return np.maximum(np.maximum.accumulate(values), before)


def _keys(batch: pa.RecordBatch) -> Keys:
    keys = pc.binary_join_element_wise(*(batch[n] for n in ("event", *_PLACE)), "\0")
    objects: Keys = keys.to_numpy(zero_copy_only=False)
    return objects


def _counts(batch: pa.RecordBatch) -> pa.RecordBatch:
    # Tables of metrics have no value that was counted, not even <not counted>.
    batch = batch.filter(
        pc.and_(pc.not_equal(batch["event"], ""), pc.not_equal(batch["value"], ""))
    )
    lines = batch["line"].to_numpy()
    counted = pc.invert(pc.starts_with(batch["value"], "<"))
    digits = pc.replace_substring(batch["value"], ",", "")
    value = _number(pc.if_else(counted, digits, ""), lines, "value")
    _check(pc.less(value, _MOST), lines, "the value is beyond 64 bits", "a count below 2^64")
    running = _number(pc.if_else(counted, batch["running"], ""), lines, "share of time")
    _check(
        pc.and_(pc.greater_equal(running, 0.0), pc.less_equal(running, 100.0)),
        *(lines, "an event was counted for more than all the time", "a percentage up to 100"),
    )
    deviation = _number(pc.if_else(counted, batch["deviation"], ""), lines, "deviation")
    deviation = pc.if_else(pc.is_finite(deviation), deviation, pa.scalar(None, pa.float64()))
    _check(pc.greater_equal(deviation, 0.0), lines, "a deviation is negative", "0 % or more")
    # Before Linux 4.15 perf named its clocks' unit elsewhere, or not at all.
    clock = pc.match_substring_regex(batch["event"], _CLOCKS)
    unstated = pc.and_(pc.equal(batch["unit"], ""), pc.and_(clock, pc.match_substring(digits, ".")))
    unit = pc.if_else(unstated, pa.scalar("msec"), batch["unit"])
    return _landed(
        batch,
        event=pc.replace_substring_regex(batch["event"], "-msecs$", ""),
        value=value,
        unit=_nullable(unit),
        running=_share(running),
        deviation=_share(deviation),
    )


def _is_metric(batch: pa.RecordBatch) -> pa.Array:
    """Return which lines contain a metric, other than rates that follow from the counts."""
    name = pc.utf8_trim_whitespace(batch["metric_unit"])
    rate = pc.match_substring_regex(name, r"/sec|^CPUs(?: utilized)?$")
    number = pc.match_substring_regex(batch["metric"], r"^\d+(?:\.\d+)?$")
    return pc.and_(pc.and_not(number, rate), pc.not_equal(name, ""))


def nameless(table: pa.Table) -> int:
    """Return how many metrics of lines have no name: perf writes (null) for some."""
    return int(pc.sum(pc.equal(table["metric_unit"], _NAMELESS)).as_py() or 0)


def negative(table: pa.Table) -> int:
    """Return how many metrics are below zero: what is left after shares counted at other times."""
    return int(pc.sum(pc.match_substring_regex(table["metric"], r"^-\d")).as_py() or 0)


def _metrics(batch: pa.RecordBatch) -> pa.RecordBatch:
    name = pc.utf8_trim_whitespace(batch["metric_unit"])
    wanted = pc.and_(_is_metric(batch), pc.not_equal(name, _NAMELESS))
    batch, name = batch.filter(wanted), name.filter(wanted)
    # perf joins unit and name with two blanks: "%  tma_retiring".
    parts = pc.extract_regex(name, r"^(?:(?P<unit>.*?)  +)?(?P<name>.*)$")
    unit, name = pc.struct_field(parts, "unit"), pc.struct_field(parts, "name")
    for old, new in _OLD_NAMES.items():
        name = pc.if_else(pc.equal(name, old), pa.scalar(new), name)
    # Where perf writes no unit, the name shows it: "of all branches", "insn per cycle".
    share = pa.scalar("%")
    unit = pc.if_else(pc.match_substring_regex(name, _SHARES), share, unit)
    per = pc.extract_regex(name, r"(?P<of>\w+) per (?P<each>\w+)$")
    ratio = pc.binary_join_element_wise(*(pc.struct_field(per, n) for n in ("of", "each")), "/")
    unit = pc.if_else(pc.and_(per.is_valid(), pc.equal(unit, "")), pc.fill_null(ratio, ""), unit)
    clock = pc.equal(name, "GHz")
    unit = pc.if_else(clock, name, unit)
    of_event = pc.binary_join_element_wise(
        batch["event"], pc.if_else(clock, pa.scalar("frequency"), name), " "
    )
    named = pc.or_(clock, pc.starts_with(name, "of all"))
    # Each kind of core of a hybrid processor has the metric.
    hybrid = pc.extract_regex(batch["event"], r"^(?P<core>cpu_\w+)/")
    core = pc.coalesce(pc.struct_field(hybrid, "core"), batch["core"])
    of_core = pc.binary_join_element_wise(
        name, pc.binary_join_element_wise(pa.scalar("("), core, pa.scalar(")"), ""), " "
    )
    name = pc.if_else(pc.not_equal(core, ""), of_core, name)
    value = _number(batch["metric"], batch["line"].to_numpy(), "metric")
    unknown = pa.nulls(len(batch), pa.float64())
    return _landed(
        batch,
        event=pc.if_else(named, of_event, name),
        value=value,
        unit=_nullable(unit),
        running=unknown,
        deviation=unknown,
    )


def _landed(batch: pa.RecordBatch, **columns: Any) -> pa.RecordBatch:
    lines = batch["line"].to_numpy()
    # A line has a place or a thread, not both.
    where = pc.binary_join_element_wise(batch["place"], batch["comm"], "")
    region = pc.utf8_trim(pc.binary_join_element_wise(where, batch["cgroup"], " "), " ")
    return pa.record_batch(
        {
            "run": batch["run"],
            "thread": cast(batch["tid"], pa.int64(), lines, "thread"),
            "cpu": cast(batch["cpu"], pa.int32(), lines, "processor"),
            "region": _nullable(region),
            "sample": batch["sample"],
            "t_start": batch["t_start"],
            "t_end": batch["time"],
            **columns,
        }
    )


def _nullable(texts: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)


def _number(texts: pa.Array, lines: Integers, what: str) -> pa.Array:
    return cast(texts, pa.float64(), lines, what)


def _share(percent: pa.Array) -> pa.Array:
    # perf gives two decimals; division alone would give 0.040999999999999995 for 4.10 %.
    return pc.round(pc.divide(percent, 100.0), 6)


def _check(good: pa.Array, lines: Integers, problem: str, expected: str) -> None:
    """Raise at the first line that is not good; unknown is good."""
    at = pc.index(good, False).as_py()
    if at >= 0:
        raise InputError(problem, where=f"line {lines[at]}", expected=expected)
