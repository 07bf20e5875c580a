"""HPCToolkit databases with an experiment.xml: costs by call path, of each process and thread.

Source: HPCToolkit's user manual, and the DTD in each file. hpcprof-mpi stores the values of each
thread in a file of its own (.metric-db) next to experiment.xml; hpcprof alone stores sums over all
in experiment.xml. What lands:

- The first of REALTIME, WALLCLOCK and CPUTIME in fn_timings, every other metric in pmu_samples with
  the call path as region; both with own values, and those with callees.
- Call paths of procedures; inlined ones are functions. Loops and lines are left out. A procedure
  without a name is the load module that it is in, such as [libc.so.6].
- `rank` and `thread` are those in the name of the .metric-db file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.base import Head, Item, LeftOut, Rows, Run
from ingest.compressed import bare_name, path_text
from ingest.readers.hpctoolkit.experiment import Experiment, Metric, read
from ingest.recording import Recording
from warehouse.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]
    Integers = npt.NDArray[np.int64]

_MAIN, _STORED = "experiment.xml", ".metric-db"
_MAGIC = b"HPCPROF-metricdb__"
_START = re.compile(rb"(?s:.{0,4000}?)<(?:!DOCTYPE )?HPCToolkitExperiment\b")
# PROGRAM-RANK-THREAD-HOST-PROCESS-GENERATION
_PLACE = re.compile(r".*-(\d{1,9})-(\d{1,9})-[0-9a-f]+-\d+-\d+\.metric-db")
_HEADER = 32


class HpcToolkit:
    """Reads databases of HPCToolkit, all processes and threads of a run."""

    NAME = "hpctoolkit"
    DESCRIPTION = "HPCToolkit database (experiment.xml, *.metric-db): times, counters by call path"
    PATTERNS = ("experiment.xml", "*.metric-db")
    TABLES = ("fn_timings", "pmu_samples")
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise an experiment.xml, and values of threads that are next to one."""
        if head.data.startswith(_MAGIC):
            return _experiment(head.path) is not None
        return head.start.startswith(b"<") and _START.match(head.data) is not None

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the experiment.xml and the values of every thread."""
        main = path if not bare_name(path).endswith(_STORED) else _experiment(path) or path
        if bare_name(main) != _MAIN:
            return (main,)
        stored = (one for one in main.parent.iterdir() if bare_name(one).endswith(_STORED))
        return (main, *sorted(stored))

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
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


def _experiment(path: Path) -> Path | None:
    found = (one for one in path.parent.iterdir() if bare_name(one) == _MAIN)
    return next(found, None)


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
    import numpy as np

    nodes = np.array(experiment.nodes, np.int64) - 1
    paths = np.array(experiment.node_paths, np.int64)
    rows = _Rows(experiment, len({rank for rank, _ in places.values()}))
    for part, place in places.items():
        values = _values(recording, part, experiment, int(nodes.max(initial=-1)) + 1)
        for column, metric in experiment.stored.items():
            own = np.bincount(paths, values[nodes, column], rows.size)
            yield from rows.of(metric, own.astype(np.float64), place)
    rows.check()


def _of_all(experiment: Experiment) -> Iterator[Item]:
    """Yield the rows of all threads together, from the experiment.xml."""
    import numpy as np

    rows = _Rows(experiment, None)
    for number, metric in experiment.exclusive.items():
        own = np.zeros(rows.size)
        for path, value in experiment.values.get(number, {}).items():
            own[path] = value
        yield from rows.of(metric, own, None)
    rows.check()


def _values(recording: Recording, part: Path, experiment: Experiment, nodes: int) -> Floats:
    """Return the values of a file: a row a node, a column a metric."""
    import numpy as np

    with recording.open(part) as file:
        header, data = file.read(_HEADER), file.read()
    rows, columns = (int.from_bytes(header[at : at + 4], "big") for at in (24, 28))
    whole = header.startswith(_MAGIC) and header[23:24] == b"b"
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


class _Rows:
    """Turns own values by call path into rows, those with callees too."""

    def __init__(self, experiment: Experiment, ranks: int | None) -> None:
        self._names = experiment.paths.names
        self._joined = experiment.paths.joined()
        self._above = experiment.paths.above
        self._ranks = ranks
        self.size = len(self._names)
        metrics = (*experiment.stored.values(), *experiment.exclusive.values())
        self._timed = next((one.name for one in metrics if one.is_time), None)
        self._empty = True

    def of(self, metric: Metric, own: Floats, place: tuple[int, int] | None) -> Iterator[Rows]:
        """Yield the rows of a metric, of the paths that it has a value at or below."""
        import numpy as np
        import pyarrow as pa

        own = own / (metric.per_second or 1.0)
        sums = own.tolist()
        # A path comes after the one above it.
        for code in range(self.size - 1, -1, -1):
            if self._above[code] >= 0:
                sums[self._above[code]] += sums[code]
        whole = np.array(sums)
        rows = np.flatnonzero(whole).tolist()
        if not rows:
            return
        self._empty = False
        rank, thread = place or (None, None)
        columns = {
            "rank": pa.array([rank] * len(rows), pa.int32()),
            "thread": pa.array([thread] * len(rows), pa.int64()),
        }
        paths = [self._joined[code] for code in rows]
        if metric.name == self._timed:
            columns |= {
                "function": [self._names[code] for code in rows],
                "callpath": paths,
                "parallelism": pa.array([self._ranks] * len(rows), pa.int32()),
                "seconds": own[rows],
                "inclusive_seconds": whole[rows],
            }
        else:
            columns |= {
                "region": paths,
                "event": [metric.name] * len(rows),
                "unit": pa.array([metric.unit] * len(rows), pa.string()),
                "value": own[rows],
                "inclusive": whole[rows],
            }
        yield Rows("fn_timings" if metric.name == self._timed else "pmu_samples", pa.table(columns))

    def check(self) -> None:
        """Raise `InputError` where nothing has a value."""
        if self._empty:
            raise InputError(
                "no statement has an exclusive value",
                expected="metrics of experiment.xml, or .metric-db files next to it",
                hint="Copy the whole folder; or make the database again: hpcprof MEASUREMENTS",
            )
