"""The contract's case of benchmark results: Google Benchmark 1.9.5, three repetitions each.

Of the other forms, those of JMH, Criterion and libtest are written by their documentation; the
others were recorded with the tool.
"""

from __future__ import annotations

import json
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "benchmarks" / "google.json"


def _enlarge(folder: Path, times: int) -> Path:
    document = json.loads(SAMPLE.read_text(encoding="utf-8"))
    document["benchmarks"] *= times
    (folder / "large.json").write_text(json.dumps(document))
    return folder / "large.json"


CASE = Case(
    reader="benchmarks",
    sample=SAMPLE,
    golden=(
        (
            "SELECT metric, repetition, round(value * 1e9, 3), unit, better FROM metrics "
            "WHERE metric LIKE 'BM_sort/8%' AND repetition < 2 ORDER BY rowid",
            [
                ("BM_sort/8", 0, 1321.897, "s", "lower"),
                ("BM_sort/8 cpu_time", 0, 387.901, "s", "lower"),
                ("BM_sort/8 items", 0, 598208082643.643, None, None),
                ("BM_sort/8", 1, 1962.133, "s", "lower"),
                ("BM_sort/8 cpu_time", 1, 386.163, "s", "lower"),
                ("BM_sort/8 items", 1, 600900735179.516, None, None),
            ],
        ),
        ("SELECT app, machine, started_at IS NOT NULL FROM runs", [("gb.py", "node1", True)]),
        (
            "SELECT round(value * 1e9, 1), unit FROM run_metrics WHERE metric = 'metric:BM_sort/8'",
            [(1623.0, "s")],
        ),
    ),
    others=tuple(path for path in sorted(SAMPLE.parent.iterdir()) if path != SAMPLE),
    enlarge=_enlarge,
)
