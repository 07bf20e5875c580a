"""gprof: a small program with a pair of functions that call each other, gprof -b of GNU 2.40.

Of the other sample, the units were replaced by those of a profile that counts cycles.
"""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "gprof" / "heat_p1.gprof.txt"


def _enlarge(folder: Path, times: int) -> Path:
    """Repeat functions that took no time under other names, in the flat profile."""
    text = SAMPLE.read_text(encoding="utf-8")
    row = "  0.00      0.73     0.00     1000     0.00   470.69  step"
    copies = "".join(f"{row}_{copy}\n" for copy in range(6 * times))
    path = folder / "large.txt"
    path.write_text(text.replace(f"{row}\n", f"{row}\n{copies}"), encoding="utf-8")
    return path


CASE = Case(
    reader="gprof",
    sample=SAMPLE,
    golden=(
        (
            "SELECT function, seconds, inclusive_seconds, calls FROM fn_timings ORDER BY function",
            [
                ("coarsen", 0.01, None, 3000),
                ("exchange", 0.0, 0.0, 4000),
                ("main", 0.0, 0.73, None),
                ("refine", 0.0, None, 4000),
                ("relax", 0.46, 0.46, 2000),
                ("residual", 0.26, 0.26, 334),
                ("step", 0.0, 0.47, 1000),
            ],
        ),
        (
            """
            SELECT DISTINCT app, ranks, tags['ranks_from'], parallelism, callpath, kind, rank
            FROM fn_timings JOIN runs USING (run_id)
            """,
            [("heat", 1, "file name", 1, None, None, None)],
        ),
    ),
    others=(SAMPLE.with_name("cycles.gprof.txt"),),
    enlarge=_enlarge,
)
