"""What commands and pages ask, over DuckLake against a file: times of the same queries.

Both get the same counters, by one ingest. Needs PostgreSQL and pip install 'pwh[lake]'.
Usage: python -m tests.bench.bench_lake [--rows 10000000]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import duckdb

import warehouse
from apps.queries import overview
from apps.queries.runs import list_runs
from apps.reports.runs import run_report
from tests.helpers.postgres import running_postgres
from tests.helpers.support import land
from warehouse.maintenance import maintain

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

RUNS = 100
REPETITIONS = 5
QUESTIONS: dict[str, Callable[[DuckDBPyConnection], object]] = {
    "list of runs": lambda con: list_runs(con).fetchall(),
    "overview: counts": lambda con: overview.warehouse_counts(con).fetchall(),
    "overview: latest runs": lambda con: overview.latest_runs(con, 10).fetchall(),
    "overview: watched series": lambda con: overview.watched_series(con, 6, most=20).fetchall(),
    "report of a run": lambda con: run_report(con, "r7"),
    "counters of a run": lambda con: con.execute(
        "SELECT event, sum(value) FROM pmu_samples WHERE run_id = 'r7' GROUP BY event"
    ).fetchall(),
    "counters of all runs": lambda con: con.execute(
        "SELECT run_id, event, sum(value) FROM pmu_samples GROUP BY ALL"
    ).fetchall(),
    "scalars of all runs": lambda con: con.execute(
        "SELECT metric, median(value) FROM run_metrics GROUP BY metric"
    ).fetchall(),
}


def main() -> None:
    """Print the time of each question over both, and their ratio."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=10_000_000)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as scratch, running_postgres() as server:
        folder = Path(scratch)
        counters = folder / "counters.parquet"
        duckdb.execute(
            "COPY (SELECT 'r' || i // ($rows // $runs) AS run_id, 'heat' AS app, "
            "i // ($rows // $runs) // 10 || '.0' AS version, "
            "TIMESTAMPTZ '2026-01-01' + to_hours(CAST(i // ($rows // $runs) AS INTEGER)) "
            "AS started_at, i AS sample, 'event' || i % 8 AS event, random() AS value "
            f"FROM range($rows) AS t (i)) TO '{counters}'",
            {"rows": rows, "runs": RUNS},
        )
        file = folder / "w.duckdb"
        lake = f"ducklake:postgres:{server.settings} data_path={folder / 'lake'}"
        for address in (file, lake):
            with warehouse.connect(address) as con:
                began = time.perf_counter()
                land(con, counters)
                print(f"ingest {str(address)[:9]:9}: {time.perf_counter() - began:.2f} s")
                maintain(con, 0)
        with (
            warehouse.connect(file, read_only=True) as one,
            warehouse.connect(lake, read_only=True) as other,
        ):
            for name, ask in QUESTIONS.items():
                plain, over = (_seconds(ask, con) for con in (one, other))
                print(f"{name:24} {plain:7.3f} s  {over:7.3f} s  {over / plain:5.1f} times")


def _seconds(ask: Callable[[DuckDBPyConnection], object], con: DuckDBPyConnection) -> float:
    """Return the median time of a question, after one that fills caches."""
    ask(con)
    times = []
    for _ in range(REPETITIONS):
        began = time.perf_counter()
        ask(con)
        times.append(time.perf_counter() - began)
    return median(times)


if __name__ == "__main__":
    main()
