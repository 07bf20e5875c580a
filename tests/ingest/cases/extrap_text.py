"""Extra-P text: a stencil program at four points, three repetitions each."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "extrap-text" / "stencil.txt"


def _enlarge(folder: Path, times: int) -> Path:
    head, regions = SAMPLE.read_text().split("METRIC time\n\nREGION", 1)
    path = folder / "large.txt"
    with path.open("w") as file:
        file.write(head)
        for copy in range(times):
            file.write(("METRIC time\nREGION" + regions).replace("main", f"main{copy}"))
    return path


CASE = Case(
    reader="extrap-text",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT function, callpath, parallelism, repetition, seconds, inclusive_seconds, calls
            FROM fn_timings WHERE parallelism = 8 ORDER BY ALL
            """,
            [
                ("exchange", "main->exchange", 8, 0, 0.1302, None, None),
                ("exchange", "main->exchange", 8, 1, 0.1288, None, None),
                ("exchange", "main->exchange", 8, 2, 0.1319, None, None),
                ("main", None, 8, 0, 0.5811, None, None),
                ("main", None, 8, 1, 0.5774, None, None),
                ("main", None, 8, 2, 0.5806, None, None),
                ("sweep", "main->sweep", 8, 0, 4.19, None, None),
                ("sweep", "main->sweep", 8, 1, 4.171, None, None),
                ("sweep", "main->sweep", 8, 2, 4.202, None, None),
            ],
        ),
        (
            """
            SELECT ranks, region, event, value, unit, sample, rank
            FROM pmu_samples JOIN runs USING (run_id) ORDER BY ALL
            """,
            [
                (1, "main->exchange", "bytes_sent", 0.0, None, None, None),
                (2, "main->exchange", "bytes_sent", 160000.0, None, None, None),
                (4, "main->exchange", "bytes_sent", 480000.0, None, None, None),
                (8, "main->exchange", "bytes_sent", 1120000.0, None, None, None),
            ],
        ),
        (
            """
            SELECT substr(run_id, instr(run_id, '.') + 1), ranks, problem_size, tags, count(*)
            FROM runs JOIN fn_timings USING (run_id)
            WHERE ranks IN (1, 8) GROUP BY ALL ORDER BY ALL
            """,
            [
                ("p1.size100.r0", 1, 100.0, {"p": "1", "size": "100"}, 3),
                ("p1.size100.r1", 1, 100.0, {"p": "1", "size": "100"}, 3),
                ("p1.size100.r2", 1, 100.0, {"p": "1", "size": "100"}, 3),
                ("p8.size100.r0", 8, 100.0, {"p": "8", "size": "100"}, 3),
                ("p8.size100.r1", 8, 100.0, {"p": "8", "size": "100"}, 3),
                ("p8.size100.r2", 8, 100.0, {"p": "8", "size": "100"}, 3),
            ],
        ),
    ),
    enlarge=_enlarge,
    cut_may_land=True,  # after the last row of a region the file may end
)
