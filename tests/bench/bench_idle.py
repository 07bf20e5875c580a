"""Idle attribution at ingest: what it adds to landing the same rows, and how it grows.

python -m tests.bench.bench_idle [--tasks 100000 1000000] [--runs 3] [--folder FOLDER]

For each size a schedule is generated, landed without and with attribution by turns in processes of
their own, and asked for its readings. Ten million tasks need about 10 GB of disk.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

import ingest.load
import warehouse
from ingest.load import Options, load
from ingest.recording import Recording
from ingest.task_tables import TaskTables
from tests.bench.common import fresh

READINGS = ("direct", "transitive")
# The direct mode's exact overhead by window functions and ASOF joins, to compare the kernel with.
BY_SQL = """
CREATE TEMP TABLE cover AS
SELECT worker, p, reach, sum(greatest(0, q - greatest(p, before))) OVER in_order AS covered
FROM (
  SELECT worker, t_start AS p, t_end AS q, max(t_end) OVER upto AS reach,
    coalesce(max(t_end) OVER (upto ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), t_start)
      AS before
  FROM runtime_intervals
  WHERE total_ns IS NULL
  WINDOW upto AS (PARTITION BY worker ORDER BY t_start)
)
WINDOW in_order AS (PARTITION BY worker ORDER BY p);
SELECT sum(
  hi.covered - greatest(0, hi.reach - q)
  - coalesce(lo.covered - greatest(0, lo.reach - i.p), 0)
)
FROM (
  SELECT blamed_worker AS worker, t_start AS p, t_start + starvation1 AS q
  FROM idle_intervals WHERE blamed_worker IS NOT NULL
) AS i
ASOF JOIN cover AS hi ON i.worker = hi.worker AND i.q >= hi.p
ASOF LEFT JOIN cover AS lo ON i.worker = lo.worker AND i.p >= lo.p
"""


def main() -> None:
    """Print a line a size, and the slope from the smallest to the largest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", choices=("without", "with"), help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        one(asked.folder, asked.one)
        return
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        totals = {n: measured(Path(folder), n, asked.workers, asked.runs) for n in asked.tasks}
    small, large = min(totals), max(totals)
    if small < large:
        slope = math.log(totals[large] / totals[small]) / math.log(large / small)
        worst = math.log(large * math.log(large) / small / math.log(small)) / math.log(
            large / small
        )
        print(f"slope of all of it from {small} to {large}: {slope:.2f} (n log n: {worst:.2f})")


def measured(folder: Path, tasks: int, workers: int, runs: int) -> float:
    """Print what a schedule of that size takes; give the time with attribution, s."""
    source = folder / str(tasks)
    rows = generate(source, tasks, workers)
    print(f"{tasks} tasks, {sum(rows.values())} rows, {workers} workers")
    pairs = [(alone(source, "without"), alone(source, "with")) for _ in range(runs)]
    plain = min(p[0][0] for p in pairs)
    full = min(p[1][0] for p in pairs)
    print(f"  landing {plain:.2f} s, with attribution {full:.2f} s: ratio {full / plain:.2f}")
    print(f"  peak memory {max(p[1][1] for p in pairs):.0f} MiB, landing {pairs[0][0][1]:.0f} MiB")
    questions(source)
    return full


def alone(source: Path, how: str) -> tuple[float, float]:
    """Land a schedule in a process of its own; give time in s and peak memory in MiB."""
    command = [sys.executable, "-m", "tests.bench.bench_idle", "--one", how, "--folder", source]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return float(found[0]), float(found[1])


def one(source: Path, how: str) -> None:
    """Land the schedule in `source`; print time and peak memory."""
    if how == "without":
        ingest.load.derive = lambda *_: None
    con = warehouse.connect(fresh(source / "warehouse.duckdb"))
    reader = TaskTables()
    began = time.perf_counter()
    load(con, Recording(reader.parts(source / "fragments.csv")), reader, Options(run_id="r"))
    con.close()
    took = time.perf_counter() - began
    print(took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def questions(source: Path) -> None:
    """Print what the readings take to ask for, and the SQL that the kernel stands for."""
    with warehouse.connect(source / "warehouse.duckdb") as con:
        for mode in READINGS:
            began = time.perf_counter()
            con.execute(
                "SELECT sum(starvation), sum(latency), sum(overhead) FROM idle_attribution "
                "WHERE mode = ? AND latency_rule = 'union'",
                [mode],
            ).fetchall()
            print(f"  {mode}: {time.perf_counter() - began:.2f} s to add up")
        began = time.perf_counter()
        by_sql = con.execute(BY_SQL).fetchone()
        took = time.perf_counter() - began
        ours = con.execute("SELECT sum(ov_concrete) FROM idle_intervals").fetchone()
        same = "the same sum" if by_sql == ours else f"other sums, {by_sql} and {ours}"
        print(f"  exact overhead alone, by windows and ASOF joins: {took:.2f} s, {same}")


def generate(folder: Path, tasks: int, workers: int) -> dict[str, int]:
    """Write a schedule of neutral tables; give the rows by table.

    Every worker runs tasks one after the other; a task reads two data that were made before it
    began, lately, anywhere; data of other nodes are sent once to each node that reads them.
    """
    rng = np.random.default_rng(1)
    nodes, each = 8, tasks // workers
    tasks = each * workers
    length = rng.exponential(1_000_000, (workers, each)).astype(np.int64) + 1
    gap = np.where(rng.random((workers, each)) < 0.9, rng.exponential(400_000, (workers, each)), 0)
    end = np.cumsum(length + gap.astype(np.int64), axis=1).ravel()
    order = np.argsort(end - length.ravel(), kind="stable")
    worker = np.repeat(np.arange(workers), each)[order]
    start, end = (end - length.ravel())[order], end[order]
    room = gap.astype(np.int64).ravel()[order]
    by_end = np.argsort(end, kind="stable")
    made = np.searchsorted(end[by_end], start, "right")
    pairs = []
    for _ in range(2):
        pick = made - rng.geometric(1 / 20, tasks)
        reads = np.flatnonzero(pick >= 0)
        pairs.append(reads * tasks + by_end[pick[reads]])
    reader, datum = np.divmod(np.unique(np.concatenate(pairs)), tasks)
    node = worker % nodes
    sent = np.unique((datum * nodes + node[reader])[node[reader] != node[datum]])
    sent, to_node = np.divmod(sent, nodes)
    send = end[sent] + rng.integers(0, 50_000, len(sent))
    before = start - np.minimum(rng.integers(1, 30_000, tasks), room // 2)
    ran = (
        np.concatenate([before, end]),
        np.concatenate([start, end + rng.integers(1, 20_000, tasks)]),
    )
    tables = {
        "nodes": {"node_id": named("n", np.arange(nodes)), "clock_offset_ns": np.zeros(nodes, int)},
        "workers": {
            "worker_id": named("w", np.arange(workers)),
            "node_id": named("n", np.arange(workers) % nodes),
            "t_begin": np.zeros(workers, int),
            "t_end": np.full(workers, end.max()),
        },
        "fragments": {
            "fragment_id": named("f", np.arange(tasks)),
            "worker_id": named("w", worker),
            "t_start": start,
            "t_end": end,
            "ftype": named("type", rng.integers(0, 4, tasks)),
        },
        "data": {
            "data_id": named("d", np.arange(tasks)),
            "producer_fragment": named("f", np.arange(tasks)),
            "nbytes": rng.integers(1, 1000, tasks),
        },
        "inputs": {"fragment_id": named("f", reader), "data_id": named("d", datum)},
        "transfers": {
            "data_id": named("d", sent),
            "src_node": named("n", node[sent]),
            "dst_node": named("n", to_node),
            "t_send": send,
            "t_recv": send + rng.integers(1_000, 400_000, len(sent)),
        },
        "runtime": {
            "worker_id": named("w", np.concatenate([worker, worker])),
            "t_start": ran[0],
            "t_end": ran[1],
        },
    }
    folder.mkdir()
    return {name: write(folder / f"{name}.csv", columns) for name, columns in tables.items()}


def named(prefix: str, numbers: np.ndarray) -> pa.Array:
    """Give names of eight digits behind a prefix."""
    import pyarrow.compute as pc

    digits = pc.utf8_lpad(pc.cast(pa.array(numbers), pa.string()), 8, "0")
    return pc.binary_join_element_wise(prefix, digits, "")


def write(path: Path, columns: dict[str, np.ndarray | pa.Array]) -> int:
    """Write a table as CSV; give its number of rows."""
    import pyarrow.csv

    table = pa.table(columns)
    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(quoting_style="none"))
    return len(table)


if __name__ == "__main__":
    main()
