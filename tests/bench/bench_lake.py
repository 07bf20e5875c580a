"""What commands and pages ask of a large warehouse: DuckLake against a file with the same rows.

Needs PostgreSQL and pip install 'pwh[lake]'.
Usage: python -m tests.bench.bench_lake [--rows 20000000] [--runs 400] [--db FILE]

Fills FILE as bench_large does, unless it is there, and copies it into a lake. Both are asked in
turn, each time on a cursor of its own, as pages have it. Prints medians of wall and
processor time, that of PostgreSQL not included, and their ratios.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import warehouse
from apps.reports.runs import run_report
from tests.bench.bench_large import QUESTIONS, some_runs
from tests.bench.large_warehouse import KINDS_OF_TRACE, fill
from tests.helpers.postgres import running_postgres
from warehouse.connection import cursor
from warehouse.maintenance import maintain
from warehouse.transactions import transaction

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_REPETITIONS = 5
_BOOKKEEPING = ("migrations", "view_modules")


def main() -> None:
    """Print a line for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=20_000_000)
    parser.add_argument("--runs", type=int, default=400)
    parser.add_argument("--db", type=Path, default=Path("bench_lake.duckdb"))
    options = parser.parse_args()
    if not options.db.exists():
        fill(options.db, options.rows, options.runs)
    with tempfile.TemporaryDirectory() as folder, running_postgres() as server:
        lake = f"ducklake:postgres:{server.settings}"
        with warehouse.connect(f"{lake} data_path={folder}") as con:
            _copy(con, options.db)
            maintain(con, 0)
        _compare("open", [partial(_open, options.db)], [partial(_open, lake)])
        with (
            warehouse.connect(options.db, read_only=True) as one,
            warehouse.connect(lake, read_only=True) as other,
        ):
            for name, ask in QUESTIONS.items():
                _compare(name, *([partial(_on_cursor, con, ask)] for con in (one, other)))
            for kind in KINDS_OF_TRACE:
                reports = [partial(run_report, run_id=run) for run in some_runs(one, kind.name)[:3]]
                _compare(
                    f"report of {kind.name}",
                    *([partial(_on_cursor, con, ask) for ask in reports] for con in (one, other)),
                )


def _copy(con: DuckDBPyConnection, file: Path) -> None:
    """Copy the rows of all tables of a file into a lake, in one transaction."""
    con.execute(f"ATTACH '{file}' AS file (READ_ONLY)")
    sql = "SELECT table_name FROM duckdb_tables() WHERE database_name = 'lake'"
    tables = {name for (name,) in con.execute(sql).fetchall()}
    with transaction(con):
        for table in sorted(tables.difference(_BOOKKEEPING)):
            con.execute(f"DELETE FROM {table}")
            con.execute(f"INSERT INTO {table} BY NAME FROM file.{table}")
    con.execute("DETACH file")


def _open(address: str | Path) -> None:
    warehouse.connect(address, read_only=True).close()


def _on_cursor(con: DuckDBPyConnection, ask: Callable[[DuckDBPyConnection], object]) -> None:
    own = cursor(con)
    ask(own)
    own.close()


def _compare(
    name: str, ours: Sequence[Callable[[], None]], theirs: Sequence[Callable[[], None]]
) -> None:
    """Print the median times of what a file and a lake are asked, after one round of both."""
    times = [
        [_seconds(action) for action in pair]
        for _ in range(1 + _REPETITIONS)
        for pair in zip(ours, theirs, strict=True)
    ][len(ours) :]
    (wall, cpu), (lake_wall, lake_cpu) = np.median(times, axis=0)
    print(
        f"{name:28} wall {wall:7.3f} s {lake_wall:7.3f} s {lake_wall / wall:5.1f} times, "
        f"processor {cpu:7.3f} s {lake_cpu:7.3f} s {lake_cpu / cpu:5.1f} times",
        flush=True,
    )


def _seconds(action: Callable[[], None]) -> tuple[float, float]:
    """Return the wall and processor time of an action, s."""
    began, spent = time.perf_counter(), time.process_time()
    action()
    return time.perf_counter() - began, time.process_time() - spent


if __name__ == "__main__":
    main()
