"""How far the counts of a deterministic tool vary between equal runs: callgrind's of Python.

Python's sets and dicts are ordered by hashes that differ from run to run, and it asks for the time:
as much as any program that does not choose its work at random. `_count_deviation` of
sql/views/comparison.sql stands on what this prints. Needs valgrind.

    python -m tests.bench.bench_counts
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import warehouse
from tests.helpers.support import land

PROGRAM = "import random, time; print(sum(sorted(random.random() for _ in range(3000))))"
RUNS = 5
MANY = 10_000  # instructions of a function that matters
SPREADS = """
    WITH spreads AS (
      SELECT metric, avg(value) AS value, stddev_samp(value) / avg(value) AS deviation
      FROM run_metrics
      WHERE starts_with(metric, 'cost:') OR metric = 'functions:cost'
      GROUP BY metric
      HAVING count(*) = $runs
    )
    SELECT
      any_value(deviation) FILTER (metric = 'functions:cost'),
      quantile_cont(deviation, [0.9, 0.99, 1]) FILTER (metric <> 'functions:cost' AND value > $many)
    FROM spreads
"""


def main() -> None:
    """Print the relative standard deviation of the total, and of functions."""
    con = warehouse.connect(":memory:")
    with TemporaryDirectory() as folder:
        for run in range(RUNS):
            out = Path(folder) / f"callgrind.out.{run}"
            tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
            env = {**os.environ, "PADDING": "x" * (37 * run)}
            subprocess.run([*tool, sys.executable, "-c", PROGRAM], check=True, env=env)
            land(con, out, facts={"app": "program"})
    found = con.execute(SPREADS, {"runs": RUNS, "many": MANY}).fetchone()
    assert found is not None
    total, functions = found
    print(f"total {total:.5f}; functions, 90 %, 99 % and all: {[round(x, 4) for x in functions]}")


if __name__ == "__main__":
    main()
