"""Idle attribution: landing task tables with it against landing the same rows without.

    python -m tests.bench.bench_idle [--sizes 100000,1000000] [--runs 3]

The schedule is made for this: 4 nodes of 4 workers, tasks in slots of a microsecond, each reading
two outputs of the slot before, half of them from other nodes; the runtime works before each task.
"""

from __future__ import annotations

import argparse
import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import duckdb

import ingest.load
import warehouse
from ingest.walk import find
from tests.bench.common import fresh, in_turn, peak_child_mib, timed

TABLES = {
    "nodes": "SELECT 'n' || i AS node_id, 0 AS clock_offset_ns FROM range(4) t(i)",
    "workers": "SELECT 'w' || i AS worker_id, 'n' || i // 4 AS node_id FROM range(16) t(i)",
    "fragments": """
        SELECT 'f' || i AS fragment_id, 'w' || i % 16 AS worker_id,
          1000 * (i // 16) + hash(i) % 150 + 100 AS t_start,
          1000 * (i // 16) + 500 + hash(i) % 350 AS t_end, 'type' || i % 5 AS ftype
        FROM range({n}) t(i)""",
    "data": "SELECT 'd' || i AS data_id, 'f' || i AS producer_fragment FROM range({n}) t(i)",
    "inputs": """
        SELECT 'f' || i AS fragment_id, 'd' || 16 * (i // 16 - 1) + (i + 5 * k) % 16 AS data_id
        FROM range(16, {n}) t(i), range(2) u(k)""",
    "transfers": """
        SELECT DISTINCT 'd' || p AS data_id, 'n' || p % 16 // 4 AS src_node,
          'n' || i % 16 // 4 AS dst_node, 1000 * (p // 16) + 860 AS t_send,
          1000 * (p // 16) + 900 + hash(p) % 150 AS t_recv
        FROM (
          SELECT i, 16 * (i // 16 - 1) + (i + 5 * k) % 16 AS p
          FROM range(16, {n}) t(i), range(2) u(k)
        )
        WHERE p % 16 // 4 <> i % 16 // 4""",
    "runtime": """
        SELECT 'w' || i % 16 AS worker_id, 1000 * (i // 16) + 20 AS t_start,
          1000 * (i // 16) + 90 AS t_end
        FROM range({n}) t(i)""",
}


def write(folder: Path, tasks: int) -> None:
    """Write the neutral tables of a schedule as Parquet."""
    folder.mkdir()
    for name, query in TABLES.items():
        duckdb.sql(f"COPY ({query.format(n=tasks)}) TO '{folder / name}.parquet'")


def land(db: Path, folder: Path, attribute: bool) -> None:
    """Land a folder; without attribution the step that derives it is left out."""
    if not attribute:
        ingest.load.derive = lambda *_: None
    con = warehouse.connect(db)
    for found in find([folder]):
        if found.reader is not None:
            ingest.load.load(con, found.recording(), found.reader)
    con.close()


def read_all(db: Path, mode: str) -> float:
    """Sum one mode of the stored attribution; give the seconds it took."""
    with warehouse.connect(db, read_only=True) as con:
        began = time.perf_counter()
        con.execute(
            "SELECT sum(starvation), sum(latency), sum(overhead) FROM idle_attribution "
            "WHERE mode = ? AND latency_rule = 'union'",
            [mode],
        ).fetchall()
        return time.perf_counter() - began


def process(db: Path, folder: Path, attribute: bool) -> Callable[[], float]:
    """Give a function that lands in a process of its own and gives the time."""
    command = [sys.executable, "-m", "tests.bench.bench_idle", "--land", str(folder)]
    command += ["--db", str(db)] + (["--attribute"] if attribute else [])

    def run() -> float:
        warehouse.connect(fresh(db)).close()
        return timed(command)

    return run


def main() -> None:
    """Print a line a size, and the slope between the first and the last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="100000,1000000")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--land", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--db", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--attribute", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.land:
        land(asked.db, asked.land, asked.attribute)
        return
    spent = []
    print("tasks     landed and attributed  landed only  ratio (target 1.5)  largest process")
    for size in [int(text) for text in asked.sizes.split(",")]:
        with tempfile.TemporaryDirectory() as folder:
            tables, db = Path(folder) / "schedule", Path(folder) / "w.duckdb"
            write(tables, size)
            without = process(Path(folder) / "without.duckdb", tables, attribute=False)
            a, b, ratio = in_turn(process(db, tables, attribute=True), without, asked.runs)
            print(f"{size:8}  {a:19.2f} s  {b:9.2f} s  {ratio:18.2f}  {peak_child_mib():11.0f} MiB")
            modes = {mode: read_all(db, mode) for mode in ("direct", "transitive")}
            print(f"          asked afterwards: {modes}")
            spent.append((size, a - b))
    if len(spent) > 1:
        (small, little), (large, much) = spent[0], spent[-1]
        slope = math.log(much / little) / math.log(large / small)
        print(f"cost of attribution grows as n^{slope:.2f}")


if __name__ == "__main__":
    main()
