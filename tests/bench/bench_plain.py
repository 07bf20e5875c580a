"""Long counter files: pwh ingest against DuckDB's own CREATE TABLE AS, whole processes in turn.

Next to both is what DuckDB's INSERT of the same file into pwh's table takes, with run_id, source_id
and the columns that the file does not have: what pwh adds is the rest.

python -m tests.bench.bench_plain [--rows 10000000] [--runs 3]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import duckdb

import warehouse
from tests.bench.common import PWH, cost, fresh, peak_child_mib

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
INSERT = '''
import sys, duckdb
con = duckdb.connect(sys.argv[1], config={"storage_compatibility_version": "latest"})
con.execute(f"""
    INSERT INTO pmu_samples BY NAME
    SELECT
      'counters-12345678' AS run_id, 1795402361243078 AS source_id,
      COLUMNS(c -> c NOT IN ('run_id', 'app', 'version'))
    FROM '{sys.argv[2]}'
""")
con.close()
'''


def main() -> None:
    """Print two lines a file format and variant: wall and processor time, and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=[*VARIANTS])
    asked = parser.parse_args()
    print(f"{asked.rows} rows of counters; medians of {asked.runs} runs in turn")
    print("file     columns                  time       CREATE TABLE AS  INSERT alone  pwh ingest")
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("csv", "parquet"):
            for name in asked.variants:
                file = Path(folder) / f"counters.{kind}"
                query = GENERATE.format(**VARIANTS[name], rows=asked.rows)
                duckdb.sql(f"COPY ({query}) TO '{file}'")
                turns = [turn(file, Path(folder)) for _ in range(asked.runs)]
                for number, time in enumerate(("wall", "processor")):
                    figures = compared([[cost[number] for cost in costs] for costs in turns])
                    print(f"{kind:7}  {name:23}  {time:9}  {figures}")
                file.unlink()
    print(f"largest process {peak_child_mib():.0f} MiB")


def turn(file: Path, folder: Path) -> list[tuple[float, float]]:
    """Return what each takes for one file, into a fresh database."""
    db = folder / "bench.duckdb"

    def new_warehouse() -> Path:
        # Making a warehouse, a quarter of a second, happens once in its life.
        warehouse.connect(fresh(db)).close()
        return db

    return [
        cost([sys.executable, "-c", CREATE_AS, fresh(db), file]),
        cost([sys.executable, "-c", INSERT, new_warehouse(), file]),
        cost([*PWH, "--db", new_warehouse(), "ingest", file]),
    ]


def compared(turns: list[list[float]]) -> str:
    """Return the medians, and the medians of the ratios to the first, in words."""
    least, inserted, ours = (statistics.median(times) for times in zip(*turns, strict=True))
    insert_ratio, ratio = (statistics.median(t[at] / t[0] for t in turns) for at in (1, 2))
    return (
        f"{least:13.2f} s  {inserted:5.2f} s {insert_ratio:4.2f}  {ours:5.2f} s {ratio:4.2f} "
        "(target 1.4)"
    )


if __name__ == "__main__":
    main()
