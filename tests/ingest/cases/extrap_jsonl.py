"""Extra-P JSON Lines: a stencil program at two points."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "extrap-jsonl" / "stencil.jsonl"


def _enlarge(folder: Path, times: int) -> Path:
    path = folder / "large.jsonl"
    with path.open("w") as file:
        for copy in range(times):
            file.write(SAMPLE.read_text().replace('"main', f'"main{copy}'))
    return path


CASE = Case(
    reader="extrap-jsonl",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT function, callpath, parallelism, repetition, seconds, inclusive_seconds
            FROM fn_timings ORDER BY ALL
            """,
            [
                ("main", None, 1, 0, 0.5121, None),
                ("main", None, 2, 0, 0.5230, None),
                ("sweep", "main->sweep", 1, 0, 4.102, None),
                ("sweep", "main->sweep", 1, 1, 4.098, None),
                ("sweep", "main->sweep", 2, 0, 2.061, None),
                ("sweep", "main->sweep", 2, 1, 2.055, None),
            ],
        ),
        (
            """
            SELECT substr(run_id, instr(run_id, '.') + 1), region, event, value
            FROM pmu_samples ORDER BY ALL
            """,
            [
                ("p1.size100.r0", "main->sweep", "PAPI_TOT_INS", 9.0e9),
                ("p2.size100.r0", "main->sweep", "PAPI_TOT_INS", 9.1e9),
            ],
        ),
        (
            """
            SELECT substr(run_id, instr(run_id, '.') + 1), ranks, problem_size, tags
            FROM runs ORDER BY ALL
            """,
            [
                (f"p{p}.size100.r{repetition}", p, 100.0, {"p": str(p), "size": "100"})
                for p in (1, 2)
                for repetition in (0, 1)
            ],
        ),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
