"""Rows of a database with an experiment.xml, of each thread or of all together.

Versions until 2021. Source: the DTD at the start of each file. A procedure frame (PF) contains call
sites (C), loops (L), inlined procedures (Pr) and statements (S); its callees are in its call sites.
Statements have the costs: the exclusive values of all other scopes are sums over them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath

import numpy as np

from ingest.base import Item, LeftOut, Run
from ingest.compressed import bare_name, path_text
from ingest.parsing.call_paths import UNKNOWN, CallPaths, frame_name
from ingest.parsing.xml import read_elements
from ingest.readers.profiles.hpctoolkit.rows import Metric, PathRows, metric_of
from ingest.recording import Recording
from udfs.arrays import Floats
from warehouse.errors import InputError

_FRAMES = ("PF", "Pr")
_SCOPES = (*_FRAMES, "C", "L", "S")
_NO_NAME = "<unknown procedure>"


@dataclass(slots=True)
class Experiment:
    """An experiment.xml.

    `exclusive` are the metrics of the file by their number, `stored` those of the metric-db files
    by their place there, of `columns` in all; both without inclusive ones, which follow. `nodes`
    and `node_paths` are the numbers of all statements and of their call paths, `values` the sums
    over statements by metric and path.
    """

    name: str | None = None
    exclusive: dict[str, Metric] = field(default_factory=dict)
    stored: dict[int, Metric] = field(default_factory=dict)
    columns: int = 0
    paths: CallPaths = field(default_factory=CallPaths)
    nodes: list[int] = field(default_factory=list)
    node_paths: list[int] = field(default_factory=list)
    values: dict[str, defaultdict[int, float]] = field(default_factory=dict)
    statistics: int = 0


def read(recording: Recording) -> Experiment:
    """Read an experiment.xml; raises `InputError` with the line where it is not right."""
    reading = _Reading()
    read_elements(recording, reading.start, reading.end, expected="a whole experiment.xml")
    return reading.found


class _Reading:
    """Takes the elements of the file in turn."""

    def __init__(self) -> None:
        self.found = Experiment()
        self._names: dict[str, dict[str, str]] = defaultdict(dict)
        # Of the scopes around an element: the kind and the number of the call path.
        self._scopes: list[tuple[str, int]] = []

    def start(self, kind: str, attributes: Mapping[str, str]) -> None:
        """Take the start of an element."""
        if kind in _SCOPES:
            self._scope(kind, attributes)
        elif kind == "M":
            self._value(attributes)
        elif kind in ("Procedure", "LoadModule"):
            self._names[kind][_text(attributes, "i")] = _text(attributes, "n")
        elif kind == "Metric":
            self._metric(attributes)
        elif kind == "MetricDB":
            self._stored(attributes)
        elif kind == "Header":
            self.found.name = frame_name(_text(attributes, "n"))

    def end(self, kind: str) -> None:
        """Take the end of an element."""
        if kind in _SCOPES:
            self._scopes.pop()

    def _metric(self, attributes: Mapping[str, str]) -> None:
        one = metric_of(_text(attributes, "n"))
        if one.statistic not in (None, "Sum"):
            self.found.statistics += 1
        elif attributes.get("t") == "exclusive":
            self.found.exclusive[_text(attributes, "i")] = one

    def _stored(self, attributes: Mapping[str, str]) -> None:
        self.found.columns = _whole(attributes, "db-num-metrics")
        if attributes.get("t") == "exclusive":
            self.found.stored[_whole(attributes, "db-id")] = metric_of(_text(attributes, "n"))

    def _scope(self, kind: str, attributes: Mapping[str, str]) -> None:
        path = self._scopes[-1][1] if self._scopes else -1
        if kind in _FRAMES:
            path = self.found.paths.below(path, self._function(attributes))
        elif kind == "S" and path >= 0 and "i" in attributes:
            self.found.nodes.append(_whole(attributes, "i"))
            self.found.node_paths.append(path)
        self._scopes.append((kind, path))

    def _function(self, attributes: Mapping[str, str]) -> str:
        number = _text(attributes, "n")
        name = self._names["Procedure"].get(number, number)
        if name != _NO_NAME:
            return frame_name(name)
        module = attributes.get("lm", "")
        file = PurePath(self._names["LoadModule"].get(module, module)).name
        return frame_name(f"[{file}]") if file else UNKNOWN

    def _value(self, attributes: Mapping[str, str]) -> None:
        if not self._scopes or self._scopes[-1][0] != "S":
            return
        number, text = _text(attributes, "n"), _text(attributes, "v")
        if number not in self.found.exclusive:
            return
        try:
            value = float(text)
        except ValueError:
            value = -1.0
        if not 0 <= value < 1 << 63:
            raise InputError(f"the value of a metric is {text}", expected="a number of 0 or more")
        sums = self.found.values.setdefault(number, defaultdict(float))
        sums[self._scopes[-1][1]] += value


def _text(attributes: Mapping[str, str], name: str) -> str:
    if name not in attributes:
        raise InputError(f"an element has no attribute {name}", expected=f'{name}="..."')
    return attributes[name]


def _whole(attributes: Mapping[str, str], name: str) -> int:
    text = _text(attributes, name)
    if not re.fullmatch(r"\d{1,9}", text):
        raise InputError(f"{name} is {text!r}", expected="a whole number")
    return int(text)


MAGIC = b"HPCPROF-metricdb__"
# PROGRAM-RANK-THREAD-HOST-PROCESS-GENERATION
_PLACE = re.compile(r".*-(\d{1,9})-(\d{1,9})-[0-9a-f]+-\d+-\d+\.metric-db")
_HEADER = 32


def items(recording: Recording) -> Iterator[Item]:
    """Yield one run and its rows; the parts after experiment.xml have the values of threads."""
    experiment = read(recording)
    places = {part: _place(part) for part in recording.parts[1:]}
    ranks = {rank for rank, _ in places.values()}
    yield Run(
        app=experiment.name,
        ranks=len(ranks) or None,
        threads=max((thread + 1 for _, thread in places.values()), default=None),
        tags={"recorder": "HPCToolkit"},
    )
    if places:
        yield from _of_threads(experiment, recording, places)
    else:
        yield from _of_all(experiment)
    reason = "over processes: the sums land"
    yield LeftOut(experiment.statistics, "metric", f"means, deviations and extremes {reason}")


def _place(path: Path) -> tuple[int, int]:
    """Return the rank and the thread of a file of values."""
    found = _PLACE.fullmatch(bare_name(path))
    if found is None:
        raise InputError(
            "the name has no rank and no thread",
            path=path_text(path),
            expected="PROGRAM-RANK-THREAD-HOST-PROCESS-NUMBER.metric-db, as hpcprof-mpi names it",
        )
    return int(found[1]), int(found[2])


def _of_threads(
    experiment: Experiment, recording: Recording, places: dict[Path, tuple[int, int]]
) -> Iterator[Item]:
    """Yield the rows of each thread, from its own file."""
    nodes = np.array(experiment.nodes, np.int64) - 1
    paths = np.array(experiment.node_paths, np.int64)
    ranks = len({rank for rank, _ in places.values()})
    rows = PathRows(experiment.paths, experiment.stored.values(), ranks)
    for part, place in places.items():
        values = _values(recording, part, experiment, int(nodes.max(initial=-1)) + 1)
        for column, metric in experiment.stored.items():
            own = np.bincount(paths, values[nodes, column], rows.size).astype(np.float64)
            yield from rows.of(metric, own, rows.with_callees(own), place)
    rows.check()


def _of_all(experiment: Experiment) -> Iterator[Item]:
    """Yield the rows of all threads together, from the experiment.xml."""
    rows = PathRows(experiment.paths, experiment.exclusive.values(), None)
    for number, metric in experiment.exclusive.items():
        own = np.zeros(rows.size)
        for path, value in experiment.values.get(number, {}).items():
            own[path] = value
        yield from rows.of(metric, own, rows.with_callees(own), (None, None))
    rows.check()


def _values(recording: Recording, part: Path, experiment: Experiment, nodes: int) -> Floats:
    """Return the values of a file: a row a node, a column a metric."""
    with recording.open(part) as file:
        header, data = file.read(_HEADER), file.read()
    rows, columns = (int.from_bytes(header[at : at + 4], "big") for at in (24, 28))
    whole = header.startswith(MAGIC) and header[23:24] == b"b"
    if not whole or columns != experiment.columns or len(data) != 8 * rows * columns:
        raise InputError(
            f"{len(data)} bytes follow the header, of {rows} nodes and {columns} metrics",
            path=path_text(part),
            expected=f"8 bytes for each of {experiment.columns} metrics of each node",
            hint="Is the file whole, and of the same database as experiment.xml?",
        )
    values = np.frombuffer(data, ">f8").reshape(rows, columns)
    if rows < nodes or not (np.isfinite(values).all() and (values >= 0).all()):
        raise InputError(
            f"there are {rows} nodes, or a value of them is implausible",
            path=path_text(part),
            expected=f"{nodes} nodes, as experiment.xml has, with numbers of 0 or more",
        )
    return values.astype(np.float64)
