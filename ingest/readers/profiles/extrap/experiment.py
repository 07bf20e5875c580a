"""Experiments, which Extra-P's text formats have in common.

An experiment is values of metrics over call paths at measurement points, each repeated a few
times (https://github.com/extra-p/extrap/blob/master/docs/file-formats.md). Every repetition of a
point was an execution of the program, so it becomes a run.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

ROOT = "<root>"  # Extra-P's name of the whole program

_RATE = re.compile(r"/\s*s\b|per[ _-]?sec|rate\b|bandwidth|throughput")
_COUNTER = re.compile(
    r"\bpapi\b|\bperf\b|visits?\b|calls\b|count|bytes|flop|cycles|\bcyc\b|instr|\bins\b|energy"
    r"|joule|power|watt|messages|\bmsgs?\b|loads?\b|stores?\b|miss|\bhits?\b|branch|cache|\btlb\b"
    r"|fault|iterations|packets|efficiency|ratio|percent|%|speed ?up|\bsize\b|\bipc\b|\bcpi\b"
)
_GAUGE = re.compile(r"memory|\bmem\b|heap|\brss\b|temperature|delta|change|difference")
_TIME = re.compile(r"time(?!st)|second|\bsecs?\b|\bs\b|duration|\bwall|elapsed|latency")
_SPREAD = re.compile(r"\b(min|max|minimum|maximum|std|stddev|sdev|variance|var|error)\b")
_UNITS = (
    (re.compile(r"\b(ns|nsecs?|nanosec(ond)?s?)\b"), 1e-9),
    (re.compile(r"\b([u\u00b5\u03bc]s|usecs?|microsec(ond)?s?)\b"), 1e-6),
    (re.compile(r"\b(ms|msecs?|millisec(ond)?s?)\b"), 1e-3),
    (re.compile(r"\bminutes?\b"), 60.0),
)


def as_text(value: float) -> str:
    """Write a parameter's value without a needless `.0`."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


class Metric:
    """Kind of a metric, by its name.

    `column` is the column of fn_timings it can fill, None for those that are no time; `doubt` ranks
    the claims of several metrics to be that time (0 is surest); `scale` brings values to `unit`,
    seconds for times, where the name has another unit; `signed` is whether values may be below
    zero. Times whose name has no unit are in seconds, as Score-P and Extra-P have them. A metric
    without a name, or with one that means nothing here, can be anything.
    """

    def __init__(self, name: str) -> None:
        # An underscore is a word character to a regular expression, but not to people.
        text = name.lower().replace("_", " ").replace("-", " ").strip()
        scale = next((factor for unit, factor in _UNITS if unit.search(text)), None)
        rate = bool(_RATE.search(text)) or text.startswith(("papi", "perf"))
        timed = not rate and (scale is not None or bool(_TIME.search(text)))
        counts = rate or bool(_COUNTER.search(text))
        spread = bool(_SPREAD.search(text))
        self.signed = not timed and (bool(_GAUGE.search(text)) or not counts)
        self.unit = "s" if timed and "var" not in text else None
        self.scale = scale if self.unit and scale else 1.0
        self.doubt = 0 if text == "time" else 1
        inclusive = "inclusive_seconds" if "incl" in text else "seconds"
        self.column = inclusive if timed and not spread else None


_HUGE = 1e300
IN_CALLPATH = re.compile(r"(?<!operator)->")

Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """Measured values in the order of the file, as columns.

    `points` are the parameters' values, one row per measurement point. `callpath`, `metric` and
    `point` are row numbers in `callpaths`, `metrics` and `points`; `value` is in the metric's own
    unit; `place` numbers the lines (or whatever `unit` is) that the values were read from. All
    five have one entry per value.
    """

    parameters: Sequence[str]
    points: Floats
    callpaths: Sequence[str]
    metrics: Sequence[str]
    callpath: Codes
    metric: Codes
    point: Codes
    value: Floats
    place: Integers
    unit: str = "line"

    def where(self, row: int) -> str:
        """Return where a value is in the file."""
        return f"{self.unit} {self.place[row]}"

    def at(self, point: int) -> str:
        """Name a measurement point: `p=8, size=10`."""
        texts = map(as_text, self.points[point].tolist())
        return ", ".join(f"{n}={text}" for n, text in zip(self.parameters, texts, strict=True))


def check_names(experiment: Experiment) -> None:
    """Raise `InputError` for an experiment without values, and names that name nothing."""
    names = experiment.parameters
    if not len(experiment.value):
        raise InputError("the file contains no measurements", hint="Was the experiment run?")
    if any(not name for name in names) or len(set(names)) != len(names):
        raise InputError(
            f"the parameters ({', '.join(names)}) are not distinguished by their names",
            where=experiment.where(0),
            expected="a name of its own for each parameter",
        )
    for code, path in enumerate(experiment.callpaths):
        if not IN_CALLPATH.split(path)[-1].strip():
            raise InputError(
                f"the call path {path!r} names no function",
                where=experiment.where(int(np.argmax(experiment.callpath == code))),
                expected="a function, or functions joined with ->",
            )


def check_values(experiment: Experiment, metrics: Sequence[Metric]) -> None:
    """Raise `InputError` for values that no measurement can have."""
    plausible = np.all(np.abs(experiment.points) < _HUGE, axis=1)
    finite = np.abs(experiment.value) < _HUGE
    finite &= np.asarray(plausible)[experiment.point]
    signed = np.array([metric.signed for metric in metrics])[experiment.metric]
    bad = ~finite | ((experiment.value < 0) & ~signed)
    if not bad.any():
        return
    row = int(np.argmax(bad))
    name = experiment.metrics[experiment.metric[row]]
    if finite[row]:
        problem, expected = f"{name} is {experiment.value[row]:g}", "0 or more"
    else:
        problem, expected = (
            "a number is beyond what a measurement can be",
            f"numbers below {_HUGE:g}",
        )
    raise InputError(problem, where=experiment.where(row), expected=expected)


def repetitions(experiment: Experiment) -> tuple[Integers, Integers]:
    """Number equal measurements from 0, and return the pairs of call path and metric there are.

    A pair has the number callpath * number of metrics + metric. Raises `InputError` where one was
    not measured at every point: Extra-P refuses such experiments, and a file whose end is missing
    looks like that.
    """
    points = len(experiment.points)
    series = experiment.callpath.astype(np.int64) * len(experiment.metrics) + experiment.metric
    cells, cell, counts = np.unique(
        series * points + experiment.point, return_inverse=True, return_counts=True
    )
    present, measured = np.unique(cells // points, return_counts=True)
    if (measured < points).any():
        short = int(present[measured < points][0])
        raise _incomplete(experiment, series == short, short)
    order = np.argsort(cell, kind="stable")
    repetition = np.empty(len(cell), dtype=np.int64)
    repetition[order] = np.arange(len(cell)) - np.repeat(np.cumsum(counts) - counts, counts)
    return repetition, present


def _incomplete(experiment: Experiment, rows: npt.NDArray[np.bool_], series: int) -> InputError:
    path, metric = divmod(series, len(experiment.metrics))
    found = np.unique(experiment.point[rows])
    missing = np.setdiff1d(np.arange(len(experiment.points)), found)
    of_metric = f" for metric {experiment.metrics[metric]}" if experiment.metrics[metric] else ""
    return InputError(
        f"{experiment.callpaths[path]} has values{of_metric} at {len(found)} of "
        f"{len(experiment.points)} measurement points, none at {experiment.at(int(missing[0]))}",
        where=experiment.where(int(np.flatnonzero(rows)[-1])),
        expected="every metric of every call path at every measurement point, as in Extra-P",
        hint="Is a part of the file missing? Measure the rest or remove this call path or metric.",
    )
