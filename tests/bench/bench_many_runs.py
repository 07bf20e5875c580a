"""What a command costs in a warehouse of many runs, against one of few.

Processor time, as other processes of the machine do not count: of landing a small file, of opening
the warehouse, and of listing its last runs; and the size that single landings leave (25 MB at most
of 300 with 60 metrics). Usage: python -m tests.bench.bench_many_runs [--singly 300]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import warehouse
from apps.landing import Lander
from apps.queries.base import ask
from ingest.parsed import Options
from ingest.walk import find
from ingest.writer import Landed
from warehouse.transactions import transaction

SIZES = (10, 10_000, 100_000)
REPETITIONS = 21
_SMALL_FILES = {"small files": 2000, "small task traces": 200}
_TRACE = Path(__file__).parents[1] / "samples" / "task-tables"
_FILL = """
    INSERT INTO {table} BY NAME
    SELECT * EXCLUDE (i) REPLACE ({changed}) FROM {table} CROSS JOIN range(1, $runs) AS t (i)
    ORDER BY i
"""
# What one landed file leaves, and what differs from file to file.
_RUN = "'run' || i AS run_id"
_SOURCE = "CAST(source_id + i AS BIGINT) AS source_id"
_TABLES = {
    "sources": f"{_SOURCE}, path || i AS path, sha256 || i AS sha256",
    "runs": f"{_RUN}, started_at + to_minutes(CAST(i AS INTEGER)) AS started_at",
    "run_facts": f"{_RUN}, {_SOURCE}",
    "pmu_samples": f"{_RUN}, {_SOURCE}, value + i % 97 AS value",
    "run_scalars": f"{_RUN}, value + i % 97 AS value",
    "kept_runs": _RUN,
}


def main() -> None:
    """Print the median processor time of each, and its ratio to that of few runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--singly", type=int, default=0, help="only land so many, one by one")
    if singly := parser.parse_args().singly:
        land_singly(singly)
        return
    print(f"{'runs':>8} {'land a file':>14} {'open':>14} {'list 20 runs':>14}")
    few: list[float] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for runs in SIZES:
            found = [
                _seconds(action) for action in _actions(_filled(folder / f"{runs}.duckdb", runs))
            ]
            few = few or found
            cells = (f"{t * 1e3:6.1f} ms {t / f:4.2f}" for t, f in zip(found, few, strict=True))
            print(f"{runs:8} " + " ".join(f"{cell:>14}" for cell in cells), flush=True)
        warehouse.connect(folder / "small.duckdb").close()
        for (what, count), made in zip(_SMALL_FILES.items(), (_counters, _trace), strict=True):
            files = [made(folder, number) for number in range(count)]
            began = time.process_time()
            _land(folder / "small.duckdb", files)
            spent = time.process_time() - began
            print(f"{count} {what}: {spent / count * 1e3:.1f} ms each")


def land_singly(runs: int) -> None:
    """Land runs of 60 metrics one by one; print the processor time of each and the size left."""
    with tempfile.TemporaryDirectory() as name:
        db, file = Path(name) / "w.duckdb", Path(name) / "results.csv"
        began = time.process_time()
        for run in range(runs):
            lines = [f"m{place},{100 + (run * 7919 + place) % 97 / 97},s" for place in range(59)]
            file.write_text("\n".join(["metric,value,unit", *lines, f"turn,{run},1"]) + "\n")
            facts = {"app": "app", "version": str(run), "machine": "machine"}
            _land(db, [file], Options(run_id=f"run{run}", facts=facts))
        spent = (time.process_time() - began) / runs
        size = db.stat().st_size / 1e6
        print(f"{runs} single landings of 60 metrics: {spent:.3f} s each, {size:.1f} MB")


def _filled(db: Path, runs: int) -> Path:
    """Return a warehouse of so many runs of four counters each."""
    _land(db, [_counters(db.parent, 0)])
    with warehouse.connect(db) as con, transaction(con):
        for table, changed in _TABLES.items():
            con.execute(_FILL.format(table=table, changed=changed), {"runs": runs})
    return db


def _actions(db: Path) -> tuple[Callable[[int], None], ...]:
    def land_one(turn: int) -> None:
        _land(db, [_counters(db.parent, 1000 + turn)])

    def open_it(turn: int) -> None:
        warehouse.connect(db, read_only=True).close()

    def list_last(turn: int) -> None:
        with warehouse.connect(db, read_only=True) as con:
            ask(con, "runs/list", app=None).limit(20).fetchall()

    return land_one, open_it, list_last


def _seconds(action: Callable[[int], None]) -> float:
    """Return the median processor time of an action, s."""
    spent = []
    for turn in range(REPETITIONS):
        began = time.process_time()
        action(turn)
        spent.append(time.process_time() - began)
    return statistics.median(spent)


def _land(db: Path, files: list[Path], options: Options | None = None) -> None:
    with Lander(db, wait=None, dry_run=False) as lander:
        landed = list(lander.land_all((found, options or Options()) for found in find(files)))
    assert all(isinstance(one, Landed) for _, one in landed)


def _counters(folder: Path, number: int) -> Path:
    path = folder / f"counters{number}.csv"
    events = ("cycles", "instructions", "branches", "misses")
    lines = [f"{event},{1000 + number * 10 + place}" for place, event in enumerate(events)]
    path.write_text("\n".join(["event,value", *lines]) + "\n")
    return path


def _trace(folder: Path, number: int) -> Path:
    path = shutil.copytree(_TRACE, folder / f"trace{number}")
    (path / "nodes.csv").write_text(f"node_id,clock_offset_ns\nn0,0\nn1,{number}\n")
    return path


if __name__ == "__main__":
    main()
