"""Long counter files: pwh ingest against DuckDB's own CREATE TABLE AS, whole processes in turn.

python -m tests.bench.bench_plain [--rows 10000000] [--runs 3]
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import duckdb

import warehouse
from tests.bench.common import PWH, fresh, in_turn, peak_child_mib, timed

GENERATE = """
    SELECT {columns}
      (i // 40) % 64 AS rank, 0 AS thread, {region} i // 2560 AS sample, {times}
      ['cycles', 'instructions', 'branches', 'branch-misses', 'cache-misses'][1 + i % 5] AS event,
      floor(hash(i) / 1e10) AS value
    FROM range({rows}) t(i)
"""
REGION = "'kernel' || (i % 7) AS region,"
TIMES = "1000000 * (i // 2560) AS t_start, 1000000 * (1 + i // 2560) AS t_end,"
RUN_ID = "'run' || (i // 1000000) AS run_id,"
RUN_COLUMNS = "'stencil' AS app, 'v' || (i // 1000000) AS version,"
VARIANTS = {
    "all, ten runs by run_id": {"columns": RUN_ID, "region": REGION, "times": TIMES},
    "all, one run": {"columns": "", "region": REGION, "times": TIMES},
    "five of them, one run": {"columns": "", "region": "", "times": ""},
    "five, app and version": {"columns": RUN_COLUMNS, "region": "", "times": ""},
}
CREATE_AS = (
    "import sys, duckdb; con = duckdb.connect(sys.argv[1]); "
    "con.execute(f\"CREATE TABLE t AS FROM '{sys.argv[2]}'\"); con.close()"
)


def main() -> None:
    """Print a line a file format and variant: both times and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    print(f"{asked.rows} rows of counters; medians of {asked.runs} runs in turn")
    print("file     columns                  pwh ingest  CREATE TABLE AS  ratio (target 1.3)")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "parquet"):
            for name, columns in VARIANTS.items():
                file = Path(folder) / f"counters.{kind}"
                query = GENERATE.format(**columns, rows=asked.rows)
                duckdb.sql(f"COPY ({query}) TO '{file}'")
                ours, theirs, ratio = compare(file, Path(folder), asked.runs)
                print(f"{kind:7}  {name:23}  {ours:8.2f} s  {theirs:13.2f} s  {ratio:5.2f}")
                file.unlink()
    print(f"largest process {peak_child_mib():.0f} MiB")


def compare(file: Path, folder: Path, runs: int) -> tuple[float, float, float]:
    """Time both over one file, each into a fresh database."""

    def ours() -> float:
        # Making a warehouse, a quarter of a second, happens once in its life.
        db = fresh(folder / "pwh.duckdb")
        warehouse.connect(db).close()
        return timed([*PWH, "--db", db, "ingest", file])

    def theirs() -> float:
        db = fresh(folder / "plain.duckdb")
        return timed([sys.executable, "-c", CREATE_AS, db, file])

    return in_turn(ours, theirs, runs)


if __name__ == "__main__":
    main()
