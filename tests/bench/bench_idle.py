"""Idle attribution at ingest: what it adds to landing the same rows, and how it grows.

python -m tests.bench.bench_idle [--tasks 100000 1000000] [--runs 3] [--folder FOLDER]

For each size a schedule is generated; landed without attribution, with that of the direct mode
alone, and with that of all modes and latency rules (as pwh ingest does), by turns in processes of
their own; and asked for its readings. Ten million tasks need about 10 GB of disk.
"""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import ingest.load
import warehouse
from ingest.derive import derive
from ingest.load import load
from ingest.parsed import Options
from ingest.readers.tasks.task_tables.reader import TaskTables
from ingest.recording import Recording
from tests.bench.common import fresh
from tests.bench.schedule import generate
from udfs import idle

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


@dataclass(frozen=True)
class Cost:
    """What landing took in a process of its own: s of wall and processor time, peak MiB."""

    wall: float
    cpu: float
    attribution: float
    peak: float


NOBODY = idle._Waits(*(np.empty(0, np.int64) for _ in range(5)))
HOW = ("without", "direct", "all")


def main() -> None:
    """Print some lines a size, and the slopes from the smallest to the largest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--one", choices=HOW, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.one:
        one(asked.folder, asked.one)
        return
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        costs = {n: measured(Path(folder), n, asked.workers, asked.runs) for n in asked.tasks}
    small, large = min(costs), max(costs)
    if small < large:
        worst = slope(small * math.log(small), large * math.log(large), small, large)
        wall = slope(costs[small].wall, costs[large].wall, small, large)
        cpu = slope(costs[small].cpu, costs[large].cpu, small, large)
        print(
            f"slope of all of it from {small} to {large} tasks: {wall:.2f}, "
            f"of its processor time {cpu:.2f} (n log n: {worst:.2f})"
        )


def slope(cost: float, other: float, small: int, large: int) -> float:
    """Return the power of the size that a cost grows with."""
    return math.log(other / cost) / math.log(large / small)


def measured(folder: Path, tasks: int, workers: int, runs: int) -> Cost:
    """Print what a schedule of that size takes; return the best with all readings."""
    source = folder / str(tasks)
    rows = generate(source, tasks, workers)
    print(f"{tasks} tasks, {sum(rows.values())} rows, {workers} workers; best of {runs} in turn")
    turns = [{how: alone(source, how) for how in HOW} for _ in range(runs)]
    best = {
        how: Cost(*map(min, zip(*(astuple(t[how]) for t in turns), strict=True))) for how in HOW
    }
    plain = best["without"]
    for how, name in (("without", "landing"), ("direct", "direct mode"), ("all", "all readings")):
        cost = best[how]
        print(
            f"  {name:12} {cost.wall:7.2f} s, ratio {cost.wall / plain.wall:.2f}; processor "
            f"{cost.cpu:7.2f} s, ratio {cost.cpu / plain.cpu:.2f}; peak "
            f"{max(turn[how].peak for turn in turns):.0f} MiB"
        )
    every, direct = best["all"].attribution, best["direct"].attribution
    print(f"  attribution: all readings {every:.2f} s, direct {direct:.2f} s, {every / direct:.2f}")
    questions(source)
    return best["all"]


def alone(source: Path, how: str) -> Cost:
    """Land a schedule in a process of its own."""
    command = [sys.executable, "-m", "tests.bench.bench_idle", "--one", how, "--folder", source]
    found = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return Cost(*map(float, found))


def one(source: Path, how: str) -> None:
    """Land the schedule in `source`; print what it took."""
    spent = 0.0

    def timed(*asked: Any) -> None:
        nonlocal spent
        began = time.perf_counter()
        if how != "without":
            derive(*asked)
        spent += time.perf_counter() - began

    ingest.load.derive = timed
    if how == "direct":
        # Nobody looks into the waits of those waited for, so nothing is inherited.
        idle.Attribution._round = lambda *_: NOBODY
    con = warehouse.connect(fresh(source / "warehouse.duckdb"))
    reader = TaskTables()
    before, began = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    load(con, Recording(reader.parts(source / "fragments.csv")), reader, Options(run_id="r"))
    con.close()
    took, used = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_SELF)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    print(took, cpu, spent, used.ru_maxrss / 1024)


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


if __name__ == "__main__":
    main()
