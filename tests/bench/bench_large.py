"""What commands and the overview take over a large warehouse, with 8 GiB of memory.

Usage: python -m tests.bench.bench_large [--rows 1000000000] [--runs 20000] [--db FILE]

Fills FILE with traces of every kind, unless it is there, which takes most of an hour. Prints median
and 95th percentile of wall and processor time: of opening, of lists, of the overview's queries and
of reports of runs; then the time in which a file of as many rows as a run has lands, as the tenth
run of an empty warehouse and as the next one of this.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import warehouse
from apps.queries.base import ask
from apps.queries.runs import rows_by_run
from apps.reports.runs import run_report
from ingest.forget import forget_source
from tests.bench.large_warehouse import KINDS_OF_TRACE, fill
from tests.helpers.support import land

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_MEMORY = "8GiB"
_REPETITIONS = 20


def main() -> None:
    """Print a line for each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000_000)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--db", type=Path, default=Path("bench_large.duckdb"))
    options = parser.parse_args()
    if not options.db.exists():
        fill(options.db, options.rows, options.runs)
    _report("open", [partial(_open, options.db)] * _REPETITIONS)
    with warehouse.connect(options.db, read_only=True) as con:
        con.execute(f"SET memory_limit = '{_MEMORY}'")
        for name, ask in QUESTIONS.items():
            _report(name, [partial(ask, con)] * _REPETITIONS)
        for kind in KINDS_OF_TRACE:
            runs = some_runs(con, kind.name)
            _report(f"report of {kind.name}", [partial(run_report, con, run) for run in runs])
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [_counters(folder, turn, options.rows // options.runs) for turn in range(18)]
        with warehouse.connect(folder / "few.duckdb") as con:
            for path in files[:9]:
                land(con, path)
            _report("land as the 10th run", [partial(land, con, path) for path in files[9:]])
        with warehouse.connect(options.db) as con:
            _report("land as the next run", [partial(land, con, path) for path in files[9:]])
            for path in files[9:]:
                forget_source(con, land(con, path)[0].source_id)


def _open(db: Path) -> None:
    warehouse.connect(db, read_only=True).close()


def _watched(con: DuckDBPyConnection) -> None:
    ask(con, "overview/watched", number=6, most=20, app=None).fetchall()
    ask(con, "overview/provisional", number=10, app=None).fetchall()


def _traces(con: DuckDBPyConnection) -> None:
    rows_by_run(con, [run_id for run_id, *_ in ask(con, "overview/last_runs").fetchall()])


QUESTIONS: dict[str, Callable[[DuckDBPyConnection], object]] = {
    "list of all runs": lambda con: ask(con, "runs/list", app=None).fetchall(),
    "last 20 runs": lambda con: ask(con, "runs/list", app=None).limit(20).fetchall(),
    "overview: counts": lambda con: ask(con, "overview/counts").fetchall(),
    "overview: latest runs": lambda con: ask(con, "overview/latest", number=10).fetchall(),
    "overview: series, changes": _watched,
    "overview: latest traces": _traces,
}


def some_runs(con: DuckDBPyConnection, kind: str) -> list[str]:
    """Return some runs of a kind of trace, from all of the time."""
    sql = (
        "SELECT run_id FROM runs WHERE starts_with(run_id, $kind || '-') AND app IS NOT NULL "
        "ORDER BY hash(run_id) LIMIT $most"
    )
    rows = con.execute(sql, {"kind": kind, "most": _REPETITIONS}).fetchall()
    return [run_id for (run_id,) in rows]


def _counters(folder: Path, turn: int, rows: int) -> Path:
    """Write a file of counters that differs from turn to turn."""
    path = folder / f"counters{turn}.csv"
    lines = [f"{i},{event},{1000 * turn + i}" for i in range(rows // 8) for event in "abcdefgh"]
    path.write_text("\n".join(["sample,event,value", *lines]) + "\n")
    return path


def _report(name: str, actions: Iterable[Callable[[], object]]) -> None:
    """Print median and 95th percentile of the times of actions."""
    walls: list[float] = []
    cpus: list[float] = []
    for action in actions:
        began, spent = time.perf_counter(), time.process_time()
        action()
        walls.append(time.perf_counter() - began)
        cpus.append(time.process_time() - spent)
    print(f"{name:30} wall {_figures(walls)}, processor {_figures(cpus)}", flush=True)


def _figures(seconds: Sequence[float]) -> str:
    middle, high = np.percentile(seconds, [50, 95])
    return f"{middle:7.3f} s (95 %: {high:7.3f} s)"


if __name__ == "__main__":
    main()
