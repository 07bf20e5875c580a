"""How an Extra-P experiment lands: runs, function times, and other metrics as samples.

A metric that is no time, or a second time of the same call path, lands in pmu_samples: fn_timings
has no column that distinguishes metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ingest.base import Item, Rows, Run
from ingest.parsing.parameters import COUNTS, Parameters
from ingest.readers.profiles.extrap.experiment import (
    IN_CALLPATH,
    Codes,
    Experiment,
    Metric,
    as_text,
    check_names,
    check_values,
    repetitions,
)
from udfs.arrays import Integers
from warehouse.errors import InputError

_BATCH_ROWS = 1 << 17


def items(experiment: Experiment, stated: Mapping[str, str]) -> Iterator[Item]:
    """Yield the runs of an experiment and then its rows; `stated` are kinds of parameters.

    Raises `InputError` where a value is implausible or where a call path lacks points.
    """
    check_names(experiment)
    parameters = Parameters(experiment.parameters, stated)
    metrics = [Metric(name) for name in experiment.metrics]
    check_values(experiment, metrics)
    repetition, series = repetitions(experiment)
    counts = np.zeros(len(experiment.points), dtype=np.int64)
    np.maximum.at(counts, experiment.point, repetition + 1)
    parallelism = [_parallelism(experiment, parameters, p) for p in range(len(counts))]
    yield from _runs(experiment, parameters, counts, parallelism)

    run = ((np.cumsum(counts) - counts)[experiment.point] + repetition).astype(np.int32)
    timed = _timed(experiment, metrics, series)
    names = _Names(experiment, metrics, parallelism)
    for rows in _batches(np.flatnonzero(timed)):
        yield names.timings(rows, run[rows], repetition[rows])
    for rows in _batches(np.flatnonzero(~timed)):
        yield names.samples(rows, run[rows])


def _batches(rows: Integers) -> Iterator[Integers]:
    for start in range(0, len(rows), _BATCH_ROWS):
        yield rows[start : start + _BATCH_ROWS]


def _runs(
    experiment: Experiment,
    parameters: Parameters,
    counts: Integers,
    parallelism: Sequence[int | None],
) -> Iterator[Run]:
    """Yield one run per repetition of a point, point by point."""
    for point, values in enumerate(experiment.points.tolist()):
        tags = dict(zip(parameters.names, map(as_text, values), strict=True))
        key = ".".join(name + text for name, text in tags.items())
        threads, nodes = (
            None if index is None else _whole(experiment, point, index)
            for index in (parameters.threads, parameters.nodes)
        )
        for repetition in range(int(counts[point])):
            yield Run(
                key=f"{key}.r{repetition}",
                ranks=parallelism[point] if parameters.counts_ranks else None,
                threads=threads,
                nodes=nodes,
                problem_size=None if parameters.size is None else values[parameters.size],
                tags=tags | parameters.tags,
            )


def _parallelism(experiment: Experiment, parameters: Parameters, point: int) -> int | None:
    """Return the parallelism of a point; None where one that is no count is no whole number."""
    if parameters.kind in COUNTS:
        return _whole(experiment, point, parameters.parallel)
    value = float(experiment.points[point, parameters.parallel])
    return int(value) if _counts(value) else None


def _counts(value: float) -> bool:
    return value.is_integer() and 1 <= value < 2**31


def _whole(experiment: Experiment, point: int, parameter: int) -> int:
    """Return a parameter that counts processes, threads or nodes."""
    value = float(experiment.points[point, parameter])
    if _counts(value):
        return int(value)
    raise InputError(
        f"the parameter {experiment.parameters[parameter]} is {as_text(value)}",
        where=experiment.where(int(np.argmax(experiment.point == point))),
        expected="a whole number from 1, as it counts processes, threads or nodes",
        hint="--parameter NAME=other or NAME=size states that it is something else.",
    )


def _timed(
    experiment: Experiment, metrics: Sequence[Metric], series: Integers
) -> npt.NDArray[np.bool_]:
    """Return which values are function times.

    A function has one exclusive and one inclusive time; where a call path has more metrics that
    could be one, the surest name wins and the first of equals.
    """
    path, metric = np.divmod(series, len(metrics))
    timed = np.zeros(len(experiment.value), dtype=bool)
    never = 3 * len(metrics)
    for column in ("seconds", "inclusive_seconds"):
        ranks = np.array(
            [
                m.doubt * len(metrics) + code if m.column == column else never
                for code, m in enumerate(metrics)
            ]
        )
        best = np.full(len(experiment.callpaths), never - 1)
        np.minimum.at(best, path, ranks[metric])
        timed |= ranks[experiment.metric] == best[experiment.callpath]
    return timed


class _Names:
    """Turns the codes of an experiment into Arrow columns."""

    def __init__(
        self, experiment: Experiment, metrics: Sequence[Metric], parallelism: Sequence[int | None]
    ) -> None:
        split = [[p.strip() for p in IN_CALLPATH.split(path)] for path in experiment.callpaths]
        chains = ["->".join(parts) if len(parts) > 1 else None for parts in split]
        self._experiment = experiment
        self._function = pa.array([parts[-1] for parts in split], pa.string())
        self._callpath = pa.array(chains, pa.string())
        self._region = pa.array(["->".join(parts) for parts in split], pa.string())
        self._parallelism = pa.array(parallelism, pa.int32())
        self._event = pa.array([name or "<default>" for name in experiment.metrics], pa.string())
        self._unit = pa.array([metric.unit for metric in metrics], pa.string())
        self._scale = np.array([metric.scale for metric in metrics])
        self._inclusive = np.array([m.column == "inclusive_seconds" for m in metrics])

    def timings(self, rows: Integers, run: Codes, repetition: Integers) -> Rows:
        """Return rows of fn_timings."""
        metric = self._experiment.metric[rows]
        value = self._experiment.value[rows] * self._scale[metric]
        callpath = pa.array(self._experiment.callpath[rows])
        inclusive = self._inclusive[metric]
        columns = {
            "run": run,
            "function": self._function.take(callpath),
            "callpath": self._callpath.take(callpath),
            "parallelism": self._parallelism.take(pa.array(self._experiment.point[rows])),
            "repetition": repetition.astype(np.int32),
            "seconds": pa.array(value, mask=inclusive),
            "inclusive_seconds": pa.array(value, mask=~inclusive),
        }
        return Rows("fn_timings", pa.table(columns))

    def samples(self, rows: Integers, run: Codes) -> Rows:
        """Return rows of pmu_samples."""
        metric = self._experiment.metric[rows]
        columns = {
            "run": run,
            "region": self._region.take(pa.array(self._experiment.callpath[rows])),
            "event": self._event.take(pa.array(metric)),
            "value": self._experiment.value[rows] * self._scale[metric],
            "unit": self._unit.take(pa.array(metric)),
        }
        return Rows("pmu_samples", pa.table(columns))
