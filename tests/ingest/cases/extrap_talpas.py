"""TaLPas: a stencil program at two points."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "extrap-talpas" / "stencil.txt"


def _enlarge(folder: Path, times: int) -> Path:
    path = folder / "large.txt"
    with path.open("w") as file:
        for copy in range(times):
            file.write(SAMPLE.read_text().replace('"main', f'"main{copy}'))
    return path


CASE = Case(
    reader="extrap-talpas",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT function, callpath, parallelism, repetition, seconds
            FROM fn_timings ORDER BY ALL
            """,
            [
                ("sweep", "main->sweep", 1, 0, 4.102),
                ("sweep", "main->sweep", 1, 1, 4.098),
                ("sweep", "main->sweep", 2, 0, 2.061),
            ],
        ),
        (
            """
            SELECT ranks, region, event, value
            FROM pmu_samples JOIN runs USING (run_id) ORDER BY ALL
            """,
            [(1, "main->sweep", "visits", 1000.0), (2, "main->sweep", "visits", 1000.0)],
        ),
        (
            """
            SELECT substr(run_id, instr(run_id, '.') + 1), ranks, tags
            FROM runs ORDER BY ALL
            """,
            [
                ("p1.r0", 1, {"p": "1"}),
                ("p1.r1", 1, {"p": "1"}),
                ("p2.r0", 2, {"p": "2"}),
            ],
        ),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
