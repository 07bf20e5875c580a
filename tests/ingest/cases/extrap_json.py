"""Extra-P JSON: a stencil program at three points, two repetitions each."""

from __future__ import annotations

import json
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "extrap-json" / "stencil.json"


def _enlarge(folder: Path, times: int) -> Path:
    document = json.loads(SAMPLE.read_text())
    document["measurements"] = {
        f"{callpath}{copy}": metrics
        for copy in range(times)
        for callpath, metrics in document["measurements"].items()
    }
    path = folder / "large.json"
    path.write_text(json.dumps(document, indent=2))
    return path


CASE = Case(
    reader="extrap-json",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT function, callpath, parallelism, repetition, seconds, inclusive_seconds
            FROM fn_timings ORDER BY ALL
            """,
            [
                ("exchange", "main->exchange", 1, 0, 0.0, None),
                ("exchange", "main->exchange", 1, 1, 0.0, None),
                ("exchange", "main->exchange", 2, 0, 0.0311, None),
                ("exchange", "main->exchange", 2, 1, 0.0309, None),
                ("exchange", "main->exchange", 4, 0, 0.0627, None),
                ("exchange", "main->exchange", 4, 1, 0.0619, None),
                ("sweep", None, 1, 0, 4.102, None),
                ("sweep", None, 1, 1, 4.098, None),
                ("sweep", None, 2, 0, 2.061, None),
                ("sweep", None, 2, 1, 2.055, None),
                ("sweep", None, 4, 0, 1.043, None),
                ("sweep", None, 4, 1, 1.039, None),
            ],
        ),
        (
            """
            SELECT substr(run_id, instr(run_id, '.') + 1), region, event, value
            FROM pmu_samples ORDER BY ALL
            """,
            [
                ("p1.r0", "sweep", "visits", 1000.0),
                ("p2.r0", "sweep", "visits", 1000.0),
                ("p4.r0", "sweep", "visits", 1000.0),
            ],
        ),
        (
            """
            SELECT substr(run_id, instr(run_id, '.') + 1), ranks, problem_size, tags
            FROM runs ORDER BY ALL
            """,
            [
                (f"p{p}.r{repetition}", p, None, {"p": str(p)})
                for p in (1, 2, 4)
                for repetition in (0, 1)
            ],
        ),
    ),
    enlarge=_enlarge,
)
