"""The contract's case of Criterion's folder: one benchmark, written by the structures of 0.5."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "criterion" / "estimates.json"


def _enlarge(folder: Path, times: int) -> Path:
    for name in ("estimates.json", "benchmark.json"):
        shutil.copy(SAMPLE.with_name(name), folder)
    document = json.loads(SAMPLE.with_name("sample.json").read_text())
    document["iters"] *= times
    document["times"] *= times
    (folder / "sample.json").write_text(json.dumps(document))
    return folder / "estimates.json"


CASE = Case(
    reader="criterion",
    sample=SAMPLE,
    golden=(
        (
            "SELECT metric, repetition, round(value * 1e9, 2), unit, better FROM metrics "
            "WHERE repetition < 2 ORDER BY ALL",
            [
                ("fib/recursive/20", 0, 26274.86, "s", "lower"),
                ("fib/recursive/20", 1, 26578.13, "s", "lower"),
            ],
        ),
        ("SELECT count(*) FROM metrics", [(10,)]),
    ),
    enlarge=_enlarge,
)
