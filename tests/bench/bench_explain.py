"""How long explanations take in a warehouse of some million rows.

python -m tests.bench.bench_explain [--runs 500] [--threads 2]

Ten programs, a run a day, all with function times and counters, every tenth with a block trace; one
program becomes slower at three fifths of its history. How often they err is that of comparisons
(bench_compare): the test is the same.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import warehouse

_EVENTS = ("cycles", "uops", "mem_reads", "mem_writes", "l3_misses", "dtb_misses", "mispredicts")
_RUNS = """
    CREATE TEMP TABLE made AS
    SELECT
      format('program{}-{:04d}', p, v) AS run_id, p, v, p = 3 AND v >= 0.6 * {days} AS slower
    FROM range(10) AS t(p), range({days}) AS u(v);
    INSERT INTO runs (run_id, app, version, machine, started_at, ranks, wall_seconds)
    SELECT
      run_id, 'program' || p, '1.' || v, 'm',
      TIMESTAMPTZ '2026-01-01 00:00:00+00' + to_days(CAST(v AS INTEGER)), 8,
      10 + hash(run_id) % 100 / 1000.0 + if(slower, 2, 0)
    FROM made;
    INSERT INTO fn_timings (run_id, source_id, function, seconds, rank)
    SELECT
      run_id, 1, 'f' || f,
      0.04 * (1 + hash(run_id, f, r) % 100 / 2000.0) * if(slower AND f = 7, 50, 1), r
    FROM made, range(250) AS g(f), range(8) AS s(r);
    INSERT INTO bb_visits (run_id, source_id, launch, kernel, block, thread, bb, visits)
    SELECT run_id, 1, l, 'k', b, b * 64 + t, bb, 1 + hash(l, t, bb) % 5
    FROM made, range(2) AS l(l), range(8) AS b(b), range(64) AS t(t), range(20) AS x(bb)
    WHERE v % 10 = 0;
"""
_COUNTERS = """
    INSERT INTO pmu_samples (run_id, source_id, rank, sample, event, value)
    SELECT
      run_id, 1, r, s, event,
      if(event = 'cycles', 1e9, 1e6 * (1 + hash(run_id, r, s, event) % 100 / 2000.0))
        * if(slower AND event = 'mem_reads', 20, 1)
    FROM made, range(8) AS t(r), range(40) AS u(s), (SELECT unnest(?) AS event)
"""


def main() -> None:
    """Print seconds of each question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=500)
    parser.add_argument("--threads", type=int, default=2)
    asked = parser.parse_args()
    con = warehouse.connect(":memory:")
    con.execute(f"SET threads = {asked.threads}")
    con.execute(_RUNS.replace("{days}", str(asked.runs // 10)))
    con.execute(_COUNTERS, [list(_EVENTS)])
    for table in ("runs", "fn_timings", "pmu_samples", "bb_visits"):
        print(f"{table:12} {con.execute(f'SELECT count(*) FROM {table}').fetchall()[0][0]:>9} rows")

    def ask(name: str, sql: str, **params: Any) -> list[tuple[Any, ...]]:
        began = time.perf_counter()
        rows = con.execute(sql, params or None).fetchall()
        print(f"{name:34} {time.perf_counter() - began:6.2f} s  {len(rows):4} rows")
        return rows

    run = con.execute("SELECT max(run_id) FROM made WHERE slower").fetchall()[0][0]
    ((_, _, runs, against, _),) = ask(
        "explanations/baseline", "FROM explain_baseline($run)", run=run
    )
    both = {"runs": runs, "against": against}
    ask(
        f"explain_run, {len(runs)} and {len(against)} runs",
        "FROM explain_run($runs, $against)",
        **both,
    )
    ask("explain_run, two runs", "FROM explain_run($a, $b)", a=runs[0], b=against[-1])
    ask("explanations/coverage", "FROM explain_coverage($runs, $against)", **both)
    ask("explanations, of all programs", "FROM explanations")


if __name__ == "__main__":
    main()
