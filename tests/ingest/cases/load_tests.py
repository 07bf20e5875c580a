"""Load tests and benchmarks of machines, of a second each; locust's and vegeta's as documented."""

from __future__ import annotations

from tests.ingest.case import SAMPLES, Case, repeated

FOLDER = SAMPLES / "load-tests"
SAMPLE = FOLDER / "sysbench.txt"


CASE = Case(
    reader="load-tests",
    sample=SAMPLE,
    golden=(
        (
            "SELECT metric, value, unit, better FROM metrics ORDER BY rowid",
            [
                ("events", 1676.85, "1/s", "higher"),
                ("total time", 1.0082, "s", "lower"),
                ("total events", 1692, None, "higher"),
                ("latency", 0.00059, "s", "lower"),
                ("latency max", 0.03792, "s", "lower"),
                ("latency p95", 0.00235, "s", "lower"),
            ],
        ),
        ("SELECT threads, tags['recorder'] FROM runs", [(1, "sysbench")]),
    ),
    enlarge=repeated(SAMPLE),
    others=tuple(sorted(path for path in FOLDER.iterdir() if path != SAMPLE)),
    cut_may_land=True,
)
