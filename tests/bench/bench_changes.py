"""Change detection beside Apache Otava and asv: false alarms, power, speed; and the view.

python -m tests.bench.bench_changes [--series 1000] [--otava PYTHON] [--runs 100] [--metrics 1000]

PYTHON is one that has apache-otava, asv, or both; it gets the very same series. Otava runs with
its defaults (window 50, p = 0.001); asv's steps are all that its detect_steps gives, its alarms
what its detect_regressions makes of them: only steps up. A change counts as found within five
points. Times are CPU seconds of one process; the others are timed over 100 of the 1000 series.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import warehouse
from tests.bench.change_cases import CHANGES, HARD_NULLS, NULLS, Case, Floats, ar1, gauss, steps
from tests.helpers.support import keep
from udfs.changes import detect_changes

PEERS = Path(__file__).with_name("change_peers.py")
NEAR = 5
TIMED = 100
SPEED = (
    Case("Gaussian, no change", 500, gauss),
    Case("1 sigma at 250", 500, gauss, steps((250, 1)), (250,)),
    Case("three changes", 500, gauss, steps((125, 2), (250, -2), (375, 1)), (125, 250, 375)),
    Case("AR(1) 0.5, no change", 500, ar1(0.5)),
)
GENERATE = """
    INSERT INTO runs (run_id, app, version, machine, started_at)
    SELECT
      'r' || i, 'generated', 'v' || i, 'm',
      TIMESTAMPTZ '2026-01-01 00:00:00Z' + INTERVAL 1 DAY * i
    FROM range({runs}) t(i);
    INSERT INTO fn_timings (run_id, source_id, function, seconds)
    SELECT
      'r' || i, 1, 'function' || f,
      10 + hash(i, f) % 1000 / 1000.0 + CASE WHEN f % 10 = 0 AND i >= {runs} // 2 THEN 1 ELSE 0 END
    FROM range({runs}) t(i), range({metrics}) u(f);
"""
Results = dict[str, dict[str, dict[str, Any]]]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=1000)
    parser.add_argument("--otava", metavar="PYTHON")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--metrics", type=int, default=1000)
    asked = parser.parse_args()
    cases = (*NULLS, *HARD_NULLS, *CHANGES)
    results = every_tool({case.name: case.series(1, asked.series) for case in cases}, asked.otava)
    print(f"{asked.series} series a case")
    table("series with a false alarm, %", (*NULLS, *HARD_NULLS), results)
    table(f"changes found within {NEAR} points, %", CHANGES, results)
    table("changes too many, in 100 series", CHANGES, results, too_many)
    timed = every_tool({case.name: case.series(2, 1000) for case in SPEED}, asked.otava, TIMED)
    print(f"\n{'CPU s, 1000 series of 500':30}" + "".join(f"{name:>12}" for name in timed))
    for case in SPEED:
        pwh, *others = (tool[case.name]["cpu"] for tool in timed.values())
        seconds = [pwh, *(1000 / TIMED * cpu for cpu in others)]
        ratios = "".join(f"{s / seconds[0]:10.1f} x" for s in seconds[1:])
        print(f"{case.name:30}" + "".join(f"{s:12.3f}" for s in seconds) + ratios)
    view(asked.runs, asked.metrics)


def every_tool(series: dict[str, Floats], python: str | None, most: int | None = None) -> Results:
    """Run all tools over all series, the others over the first so many: tool -> case -> results."""
    detect_changes(pa.array([[0.0]]))
    results: Results = {"pwh": {name: ours(values) for name, values in series.items()}}
    if python:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "cases.npz"
            np.savez(file, **{name: values[:most] for name, values in series.items()})
            said = subprocess.run([python, PEERS, file], check=True, capture_output=True)
        results |= json.loads(said.stdout)
    return results


def ours(values: Floats) -> dict[str, Any]:
    """Run detect_changes as SQL does: one column of lists."""
    column = pa.array(list(values))
    began = time.process_time()
    changes = detect_changes(column)
    cpu = time.process_time() - began
    return {"found": [[c["index"] for c in row] for row in changes.to_pylist()], "cpu": cpu}


def table(title: str, cases: tuple[Case, ...], results: Results, measure: Any = None) -> None:
    """Print a line a case, a column a tool."""
    print(f"\n{title:36}" + "".join(f"{name:>12}" for name in results))
    for case in cases:
        of = measure or (share_found if case.changes else share_alarmed)
        print(
            f"{case.name:36}"
            + "".join(
                f"{100 * of(case, tool[case.name]['found']):12.1f}" for tool in results.values()
            )
        )


def share_alarmed(case: Case, found: list[list[int]]) -> float:
    """Return the share of series in which anything was found."""
    return float(np.mean([bool(row) for row in found]))


def share_found(case: Case, found: list[list[int]]) -> float:
    """Return the share of true changes that were found."""
    near = [[any(abs(at - true) <= NEAR for at in row) for true in case.changes] for row in found]
    return float(np.mean(near))


def too_many(case: Case, found: list[list[int]]) -> float:
    """Return how many more changes than there are were found, per series."""
    return float(np.mean([max(len(row) - len(case.changes), 0) for row in found]))


def view(runs: int, metrics: int) -> None:
    """Print how long the view change_points takes over function times."""
    con = warehouse.connect(":memory:")
    con.execute("SET threads = 1")
    con.execute(GENERATE.format(runs=runs, metrics=metrics))
    keep(con)
    for query in (
        "SELECT count(*) FROM change_points",
        "SELECT count(*) FROM change_points WHERE metric = 'seconds:function0'",
    ):
        began = time.perf_counter()
        ((count,),) = con.execute(query).fetchall()
        print(
            f"\n{query}\n  {runs} runs of {metrics} functions, one thread: {count} changes, "
            f"{time.perf_counter() - began:.2f} s"
        )


if __name__ == "__main__":
    main()
