"""Rows of a database with an experiment.xml, of each thread or of all together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ingest.base import Item, LeftOut, Run
from ingest.compressed import bare_name, path_text
from ingest.parsing.arrays import Floats
from ingest.readers.profiles.hpctoolkit.experiment import Experiment, read
from ingest.readers.profiles.hpctoolkit.rows import PathRows
from ingest.recording import Recording
from warehouse.errors import InputError

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
