"""How a cube lands: times and visits in fn_timings, counters and other metrics in pmu_samples.

The folder of a profile distinguishes Extra-P's experiments: `kripke.p8.d2.g32.r1/profile.cubex` is
the first repetition of kripke at p = 8, d = 2, g = 32
(https://github.com/extra-p/extrap/blob/master/docs/file-formats.md#cube-file-format).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from ingest.base import Item, Rows, Run
from ingest.compressed import bare_name
from ingest.parsing.app_names import folder_app
from ingest.parsing.call_paths import ARROW, BELOW_ZERO, below_zero, frame_name, own_part
from ingest.parsing.parameters import OTHER, SIZE, Parameters
from ingest.parsing.units import PER_SECOND
from ingest.readers.profiles.scorep.cube import Cube
from udfs.arrays import Floats, Integers
from warehouse.errors import InputError

_EXPERIMENT = re.compile(r"(?P<app>[^.]*)\.(?P<rest>.+?)(?:\.r(?P<repetition>\d{1,9}))?", re.ASCII)
_PARAMETER = re.compile(r"([A-Za-z][A-Za-z_-]*)(\d{1,15}(?:[.,]\d{1,15})?)", re.ASCII)
_REPETITION = re.compile(r"r(\d{1,9})", re.ASCII)
# scorep_lulesh_8x2_sum, as Scalasca names its folders.
_SCALASCA = re.compile(r"scorep_(?P<app>.+?)_(?:\d+|O)(?:x(?:\d+|O))?(?:_[a-z]+)*", re.ASCII)
_FAR = 5  # names looked at: further away, a folder does not describe a profile
# Names that tools choose by themselves: no programs.
_NO_NAME = re.compile(r"|profile|summary|scout|trace|scorep[-_]?[\d_]*|\d+x\d+", re.ASCII)


@dataclass(slots=True)
class Experiment:
    """Meaning of names for a profile: the program, the parameters, the repetition."""

    app: str | None = None
    parameters: dict[str, float] = field(default_factory=dict)
    repetition: int | None = None

    @property
    def parallelism(self) -> int | None:
        """The parameter that the program is scaled by; None where none can be that."""
        if not self.parameters:
            return None
        known = Parameters(list(self.parameters))
        value = list(self.parameters.values())[known.parallel]
        counts = known.kind != SIZE and value.is_integer() and 1 <= value < 1 << 31
        return int(value) if counts else None

    @property
    def problem_size(self) -> float | None:
        """The parameter that is a problem size; None if there is none."""
        size = Parameters(list(self.parameters)).size if self.parameters else None
        return None if size is None else list(self.parameters.values())[size]


def experiment(path: Path) -> Experiment:
    """Read the names of a profile and of the folders above it, nearest first."""
    found = Experiment()
    path = path.resolve()
    # The file's own name comes first, and replaces a folder of that name around it.
    places = [path.with_name(Path(bare_name(path)).stem), *path.parents]
    for place in places[:_FAR]:
        label = place.name
        if repetition := _REPETITION.fullmatch(label):
            found.repetition = int(repetition[1]) if found.repetition is None else found.repetition
        elif not found.parameters and (named := _parsed(label)) is not None:
            named.repetition = found.repetition if named.repetition is None else named.repetition
            found = named
        elif not _NO_NAME.fullmatch(label):
            scalasca = _SCALASCA.fullmatch(label)
            found.app = scalasca["app"] if scalasca else folder_app(place)
        if found.app is not None:
            break
    return found


def _parsed(label: str) -> Experiment | None:
    """Read a name such as kripke.p8.g32.r1, or p8 alone; None where it has no parameters."""
    named = _EXPERIMENT.fullmatch(label)
    text = named["rest"] if named else label
    found = _PARAMETER.findall(text)
    if named is None and not (_PARAMETER.sub("", text) == "" and _all_known(found)):
        return None
    if not found:
        return None
    return Experiment(
        app=(named["app"] or None) if named else None,
        parameters={name.rstrip("_-"): float(value.replace(",", ".")) for name, value in found},
        repetition=int(named["repetition"]) if named and named["repetition"] else None,
    )


def _all_known(found: list[tuple[str, str]]) -> bool:
    """Return whether all parameters are single letters or have a known meaning: not run7."""
    names = [name.rstrip("_-") for name, _ in found]
    known = [Parameters([name]) for name in names]
    return all(len(n) == 1 or k.kind != OTHER for n, k in zip(names, known, strict=True))


_TIME, _VISITS = "time", "visits"
# How long a single visit took at least and at most adds up to nothing.
_LEFT_OUT = (_TIME, _VISITS, "min_time", "max_time")
_COUNTED = ("", "#")  # units of what is a mere count
_ROUNDING = 1e-12  # of a double, per unit of the largest time
_BATCH_ROWS = 1 << 20


def items(cube: Cube, path: Path) -> Iterator[Item]:
    """Yield the run of a cube and then its rows; `path` is the file's.

    Raises `InputError` with the place where a value is implausible.
    """
    named = experiment(path)
    yield _run(cube, named)
    rows = _Rows(cube, named.parallelism or cube.ranks, named.repetition)
    yield from rows.timings()
    for name, metric in cube.metrics.items():
        if name not in _LEFT_OUT:
            yield from rows.samples(name, metric)
    if rows.notes:
        yield Run(tags={BELOW_ZERO: "; ".join(rows.notes)})


def _run(cube: Cube, named: Experiment) -> Run:
    tags = {name: f"{value:g}" for name, value in named.parameters.items()}
    if creator := cube.attributes.get("Creator"):
        tags["creator"] = creator
    return Run(
        app=cube.program or named.app,
        machine=cube.machine,
        nodes=cube.nodes,
        ranks=cube.ranks,
        threads=cube.threads,
        problem_size=named.problem_size,
        tags=tags,
    )


class _Rows:
    """Turns metrics of a cube into batches of rows, call path by call path."""

    def __init__(self, cube: Cube, parallelism: int, repetition: int | None) -> None:
        self.notes: list[str] = []
        self._cube = cube
        self._parallelism = parallelism
        self._repetition = repetition
        functions = [frame_name(function) for function in cube.functions]
        self._functions = pa.array(functions, pa.string())
        joined: list[str] = []
        for function, above in zip(functions, cube.above.tolist(), strict=True):
            joined.append(function if above < 0 else joined[above] + ARROW + function)
        self._callpaths = pa.array(joined, pa.string())
        self._sample = _turns(joined)

    def timings(self) -> Iterator[Rows]:
        """Yield rows of fn_timings: own and inclusive seconds, and calls."""
        own, inclusive = self._times()
        calls = self._calls()
        for nodes in self._batches(np.arange(len(self._functions))):
            yield Rows.of_columns(
                "fn_timings",
                **self._places(nodes),
                function=self._functions.take(pa.array(self._each(nodes))),
                callpath=self._callpaths.take(pa.array(self._each(nodes))),
                parallelism=self._parallelism,
                repetition=self._repetition,
                seconds=_column(own, nodes),
                inclusive_seconds=_column(inclusive, nodes),
                calls=None if calls is None else _column(calls, nodes).cast(pa.int64()),
            )

    def samples(self, name: str, metric: Any) -> Iterator[Rows]:
        """Yield a metric's own values as rows of pmu_samples."""
        found = self._cube.values(name)
        if found is None:
            return
        own = self._own(name, self._dense(found.nodes, found.values), metric.metric_type)
        unit = None if metric.units in (None, *_COUNTED) else metric.units
        for nodes in self._batches(np.sort(found.nodes)):
            yield Rows.of_columns(
                "pmu_samples",
                **self._places(nodes),
                region=self._callpaths.take(pa.array(self._each(nodes))),
                sample=self._each(self._sample[nodes]),
                event=name,
                value=_column(own, nodes),
                unit=unit,
            )

    def _times(self) -> tuple[Floats | None, Floats | None]:
        """Return own and inclusive seconds of all call paths; None for what is not there."""
        found = self._cube.values(_TIME) if _TIME in self._cube.metrics else None
        if found is None:
            return None, None
        metric = self._cube.metrics[_TIME]
        if metric.units not in PER_SECOND:
            raise InputError(
                f"the metric time is in {metric.units!r}",
                where="anchor.xml",
                expected="sec, msec, usec, nsec, or another name of these",
            )
        seconds = self._dense(found.nodes, found.values) / PER_SECOND[metric.units]
        own = self._own(_TIME, seconds, metric.metric_type)
        return own, None if metric.metric_type == "EXCLUSIVE" else seconds

    def _calls(self) -> Floats | None:
        found = self._cube.values(_VISITS) if _VISITS in self._cube.metrics else None
        if found is None:
            return None
        values = self._checked(_VISITS, self._dense(found.nodes, found.values))
        calls: Floats = values.astype(np.float64)
        if (calls > np.trunc(calls)).any() or (calls >= 1 << 63).any():
            raise self._error(_VISITS, "whole numbers within 64 bits")
        return calls

    def _own(self, name: str, values: Any, kind: str) -> Floats:
        """Take the callees out of a metric that has them in."""
        values = self._checked(name, values)
        if kind == "EXCLUSIVE":
            own: Floats = values.astype(np.float64)
        else:
            slack = _ROUNDING * float(values.max(initial=0)) if values.dtype.kind == "f" else 0.0
            own = own_part(values, self._cube.above, slack)
        if note := below_zero(name, own):
            self.notes.append(note)
        return own

    def _checked(self, name: str, values: Any) -> Any:
        """Raise `InputError` for implausible values; a count that wrapped around 0 becomes NaN."""
        if values.dtype == np.uint64 and (wrapped := values >= np.uint64(1 << 63)).any():
            return np.where(wrapped, np.nan, values.astype(np.float64))
        if not np.isfinite(values).all() or (values < 0).any():
            raise self._error(name, "finite numbers from 0")
        return values

    def _error(self, name: str, expected: str) -> InputError:
        return InputError(
            f"{name} has an implausible value",
            where=f"{self._cube.metrics[name].id}.data",
            expected=expected,
        )

    def _dense(self, nodes: Integers, values: Any) -> Any:
        """Return values for all call paths: what a cube leaves out is 0."""
        kind = values.dtype.newbyteorder("=")
        dense = np.zeros((len(self._functions), values.shape[1]), dtype=kind)
        dense[nodes] = values
        return dense

    def _batches(self, nodes: Integers) -> Iterator[Integers]:
        step = max(1, _BATCH_ROWS // len(self._cube.rank))
        for start in range(0, len(nodes), step):
            yield nodes[start : start + step]

    def _each(self, of_nodes: Integers) -> Integers:
        """Repeat what is of a call path for each location."""
        return np.repeat(of_nodes, len(self._cube.rank))

    def _places(self, nodes: Integers) -> dict[str, pa.Array]:
        return {
            "rank": pa.array(np.tile(self._cube.rank, len(nodes)), pa.int32()),
            "thread": pa.array(np.tile(self._cube.thread, len(nodes))),
        }


def _column(values: Floats | None, nodes: Integers) -> Any:
    return None if values is None else pa.array(values[nodes].reshape(-1), from_pandas=True)


def _turns(paths: list[str]) -> Integers:
    """Number equal paths from 0: one function may be called from another in several places."""
    seen: dict[str, int] = {}
    turns = np.zeros(len(paths), dtype=np.int64)
    for index, path in enumerate(paths):
        turns[index] = seen[path] = seen.get(path, -1) + 1
    return turns
