"""Idle attribution of many runs on a Dask cluster: how it grows with the workers.

python -m tests.bench.bench_refresh [--runs 64] [--rows 1000000] [--workers 1 2 4] [--folder FOLDER]
    [--share CORES]

Copies of one trace are refreshed (`pwh refresh --all`) by this process alone, and by clusters of
processes with one thread each on this machine. The process that reads, sends and stores limits the
speed-up on however many machines: its main thread stores, while others read, send and help it. So
processor times are printed, too, of this process, of its main thread and of the workers, and what
speed-up they allow where there are cores enough: at least where this process did one thing after
the other, at most where only its main thread counted. 64 runs of 10^6 rows need 6 GB of disk, and
memory for the workers.

With --share each worker has that much of a core, as 0.28, and this process three times as much: so
two cores show what seven slower ones would. That needs root, and cgroups of version 1.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import warehouse
from ingest.base import TASK_TABLES
from ingest.cluster import Cluster, open_cluster
from ingest.load import load
from ingest.parsed import Options
from ingest.readers.tasks.task_tables.reader import TaskTables
from ingest.recording import Recording
from ingest.refresh import Refreshed, all_of, refresh
from tests.bench.schedule import generate
from warehouse.catalog import DERIVED
from warehouse.transactions import transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ROWS_A_TASK = 7.5
_GROUPS = Path("/sys/fs/cgroup/cpu")
_PERIOD = 20_000  # us


@dataclass(frozen=True)
class Cost:
    """What a refresh took, s: wall time; processor time here, of the main thread, of workers."""

    wall: float
    own: float
    main: float
    workers: float


def main() -> None:
    """Print a line for this process alone, and for each number of workers."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=64)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--share", type=float, help="of a core, for each worker")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        path = Path(folder) / "w.duckdb"
        run_ids, rows = made(path, asked.runs, round(asked.rows / _ROWS_A_TASK))
        print(f"{asked.runs} runs of {rows} rows")
        with warehouse.connect(path) as con:
            alone = timed(con, run_ids, None)
            print(f"  alone      {alone.wall:7.1f} s; processor {alone.own:7.1f} s", flush=True)
            costs = {count: on(con, run_ids, count, asked.share) for count in asked.workers}
    fewest = min(costs)
    first = costs[fewest]
    for count, cost in costs.items():
        least, most = (
            max(first.workers / fewest, here) / max(first.workers / count, here)
            for here in (first.own, first.main)
        )
        print(
            f"  {count} workers  {cost.wall:7.1f} s; processor {cost.own:7.1f} s here, of which "
            f"main thread {cost.main:.1f} s, {cost.workers:7.1f} s there; speed-up over {fewest}: "
            f"{first.wall / cost.wall:.2f}, with cores enough {least:.2f} to {most:.2f}"
        )


def made(path: Path, runs: int, tasks: int) -> tuple[list[str], int]:
    """Land a trace, and copy its rows as other runs; return their ids, and the rows of one."""
    source = path.parent / "trace"
    rows = sum(generate(source, tasks, workers=64).values())
    run_ids = [f"r{number}" for number in range(runs)]
    reader = TaskTables()
    with warehouse.connect(path) as con:
        recording = Recording(reader.parts(source / "fragments.csv"))
        load(con, recording, reader, Options(run_id=run_ids[0]))
        for run_id in run_ids[1:]:
            with transaction(con):
                for table in (*TASK_TABLES, "runs", "run_facts"):
                    con.execute(
                        f"INSERT INTO {table} SELECT * REPLACE ($new AS run_id) FROM {table} "
                        "WHERE run_id = $old",
                        {"new": run_id, "old": run_ids[0]},
                    )
        for table in DERIVED:
            con.execute(f"DELETE FROM {table}")
    return run_ids, rows


def on(con: DuckDBPyConnection, run_ids: Sequence[str], workers: int, share: float | None) -> Cost:
    """Refresh on a cluster whose workers have all done something before."""
    with open_cluster(str(workers)) as cluster, confined(cluster, share):
        timed(con, run_ids[: 2 * workers], cluster)
        return timed(con, run_ids, cluster)


@contextmanager
def confined(cluster: Cluster, share: float | None) -> Iterator[None]:
    """Let each worker have a share of a core, and this process three times as much."""
    if share is None:
        yield
        return
    workers = cluster._client.run(os.getpid).values()
    for number, pid in enumerate(workers):
        _confine(pid, share, f"pwh-bench-worker-{number}")
    _confine(os.getpid(), 3 * share, "pwh-bench")
    try:
        yield
    finally:
        (_GROUPS / "cgroup.procs").write_text(str(os.getpid()))


def _confine(pid: int, cores: float, name: str) -> None:
    group = _GROUPS / name
    group.mkdir(exist_ok=True)
    (group / "cpu.cfs_period_us").write_text(str(_PERIOD))
    (group / "cpu.cfs_quota_us").write_text(str(round(cores * _PERIOD)))
    (group / "cgroup.procs").write_text(str(pid))


def timed(con: DuckDBPyConnection, run_ids: Sequence[str], cluster: Cluster | None) -> Cost:
    """Refresh runs whole."""
    before, own, began = work_of(cluster), time.process_time(), time.perf_counter()
    main = time.thread_time()
    done = Refreshed()
    for _ in refresh(con, all_of(con, run_ids), done, cluster):
        pass
    assert done.attributed == len(run_ids), done
    wall, own = time.perf_counter() - began, time.process_time() - own
    return Cost(wall, own, time.thread_time() - main, work_of(cluster) - before)


def work_of(cluster: Cluster | None) -> float:
    """Return the processor time of workers so far, s."""
    return 0.0 if cluster is None else sum(cluster._client.run(time.process_time).values())


if __name__ == "__main__":
    main()
