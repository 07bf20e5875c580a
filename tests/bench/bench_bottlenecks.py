"""Bottlenecks of a million samples through the SQL view, and of one run among many.

python -m tests.bench.bench_bottlenecks [--samples 1000000] [--runs 3] [--threads 4]

Samples carry the events of the metric set gem5 and are judged by the model that ships. Beside the
wall time stands the processor time, which says what it would take on an idle machine.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import TYPE_CHECKING

import warehouse as pwh

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

EVENTS = """
    SELECT DISTINCT event FROM metric_definitions WHERE metric_set = 'gem5' ORDER BY event
"""
# Windows of 10 000 instructions; counts are spread like those of real windows, from none to many.
FILL = """
    INSERT INTO pmu_samples BY NAME
    SELECT
      'run' || (i // $samples_of_a_run) AS run_id, 1 AS source_id, 0 AS rank, i AS sample, event,
      CASE event
        WHEN 'issue_width' THEN 4
        WHEN 'uops' THEN 12000
        WHEN 'cycles' THEN 4000 + hash(i) % 60000
        ELSE floor(power(10, (hash(i, event) % 4000) / 1000.0)) - 1
      END AS value
    FROM range($samples) t(i), (SELECT unnest($events) AS event)
"""
RUNS = "INSERT INTO runs (run_id, app) SELECT DISTINCT run_id, 'bench' FROM pmu_samples"
CLASSES = "SELECT class, count(*), avg(probability) FROM bottlenecks GROUP BY class"
QUESTIONS = {
    "class and probability": CLASSES,
    "every column": "SELECT count(COLUMNS(*)) FROM bottlenecks",
    "standardised metrics": "SELECT metric, avg(standardised) FROM pmu_standardised GROUP BY 1",
    "classes by process": "SELECT class, sum(processes) FROM bottleneck_summary GROUP BY class",
    "class of one run": CLASSES.replace("GROUP", "WHERE run_id = 'run0' GROUP"),
}


def main() -> None:
    """Print a line a question, for one long run, many runs, and runs of one sample."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=4)
    asked = parser.parse_args()
    layouts = (
        ("one run", asked.samples, asked.samples),
        ("runs of 100 samples", asked.samples, 100),
        ("10 000 runs of one sample", 10_000, 1),
    )
    print(f"medians of {asked.runs}; wall time (processor time); target 5 s for 1 000 000 samples")
    for name, samples, of_a_run in layouts:
        con = filled(samples, of_a_run)
        con.execute(f"SET threads = {asked.threads}")
        print(f"{samples} samples, {name}")
        for question, query in QUESTIONS.items():
            wall, processor = timed(con, query, asked.runs)
            print(f"  {question:22} {wall:6.2f} s ({processor:6.2f} s)")
        con.close()


def filled(samples: int, of_a_run: int) -> DuckDBPyConnection:
    """Return a warehouse in memory with counters of so many samples."""
    con = pwh.connect(":memory:")
    con.execute("SET enable_progress_bar = false")
    events = [event for (event,) in con.execute(EVENTS).fetchall()]
    con.execute(FILL, {"samples": samples, "samples_of_a_run": of_a_run, "events": events})
    con.execute(RUNS)
    return con


def timed(con: DuckDBPyConnection, query: str, runs: int) -> tuple[float, float]:
    """Return the medians of wall and processor time of a query, s."""
    found = []
    for _ in range(runs):
        wall, processor = time.perf_counter(), time.process_time()
        con.execute(query).fetchall()
        found.append((time.perf_counter() - wall, time.process_time() - processor))
    return tuple(statistics.median(times) for times in zip(*found, strict=True))


if __name__ == "__main__":
    main()
