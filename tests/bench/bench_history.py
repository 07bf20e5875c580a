"""A run of 60 metrics into a long history: processor time of whole processes, medians.

And how many times that of `pwh sql "select 1"` they are: to land it, to judge it (`pwh gate`,
against the version before it, which is stored, and the last ten runs, which are not), and `trend`;
and what Python, DuckDB and the detection of changes in the whole history take by themselves.

python -m tests.bench.bench_history [--runs 5100 20500] [--repeats 5]
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tests.bench.bench_start import processor_seconds, shown
from tests.bench.common import PWH, fresh

METRICS = 60
DETECTION = """
import sys
import duckdb, numpy, pyarrow
from udfs.changes import series_findings
runs, metrics = map(int, sys.argv[1:])
duckdb.connect().execute("SELECT 1")
values = pyarrow.array(list(numpy.random.default_rng(1).normal(100, 1, (metrics, runs))))
names = pyarrow.array([[f"v{run}" for run in range(runs)]] * metrics)
none = pyarrow.array([[None] * runs] * metrics, names.type)
series_findings(values, pyarrow.array([0.002] * metrics), none, names)
"""


def history(path: Path, runs: range) -> Path:
    """Write runs, an hour apart, of which every tenth metric is 5 % worse from 60 % of them on."""
    began = datetime(2010, 1, 1, tzinfo=UTC)
    noise = random.Random(runs.start)
    with path.open("w") as file:
        print("run_id,app,version,machine,started_at,metric,value,unit", file=file)
        for run in runs:
            at = (began + timedelta(hours=run)).isoformat()
            for metric in range(METRICS):
                level = 100 + metric + 5 * (metric % 10 == 0 and run >= 3000)
                value = level * (1 + noise.gauss(0, 0.01))
                row = (f"r{run}", "app", f"v{run}", "m1", at, f"m{metric}", f"{value:.6g}", "s")
                print(*row, sep=",", file=file)
    return path


def commands(db: Path, runs: int) -> Iterator[tuple[str, list[object]]]:
    """Yield what is asked of a history, with its name."""
    on = [*PWH, "--db", db]
    yield 'pwh sql "select 1"', [*on, "sql", "select 1"]
    gate = [*on, "gate", "app", "--limit", "50%", "--baseline"]
    yield "pwh gate, the version before", [*gate, f"v{runs - 2}"]
    yield "pwh gate, last:10", [*gate, "last:10"]
    yield "pwh trend", [*on, "trend", "app"]


def main() -> None:
    """Print a line a command, for each length of the history."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, nargs="+", default=[5100, 20500])
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for runs in options.runs:
            print(f"{runs} runs of {METRICS} metrics")
            db, copy = folder / f"{runs}.duckdb", folder / "copy.duckdb"
            first = processor_seconds(
                [*PWH, "--db", db, "ingest", history(folder / "h.csv", range(runs))]
            )
            shown("pwh ingest, all of them", [first])
            least = 0.0
            for text, command in commands(db, runs):
                spent = [processor_seconds(command) for _ in range(options.repeats)]
                median = shown(text, spent, least)
                least = least or median
            alone = [sys.executable, "-c", DETECTION, runs, METRICS]
            spent = [processor_seconds(alone) for _ in range(options.repeats)]
            shown("Python, DuckDB and the detection", spent, least)
            one = history(folder / "one.csv", range(runs, runs + 1))
            landed = []
            for _ in range(options.repeats):
                fresh(copy)
                shutil.copy(db, copy)
                landed.append(processor_seconds([*PWH, "--db", copy, "ingest", one]))
            shown("pwh ingest, one more", landed, least)


if __name__ == "__main__":
    main()
