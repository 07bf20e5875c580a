"""LAMMPS: a Lennard-Jones melt, two runs of steps on two ranks."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "lammps" / "melt.log"


def _enlarge(folder: Path, times: int) -> Path:
    head, loop, rest = SAMPLE.read_text().partition("Loop time of")
    path = folder / "large.lammps"
    body, end, last = (loop + rest).partition("Total wall time")
    path.write_text(head + body * times + end + last)
    return path


CASE = Case(
    reader="lammps",
    sample=SAMPLE,
    golden=(
        (
            "SELECT app, version, ranks, threads, problem_size, wall_seconds, tags FROM runs",
            [("lammps", "22 Jul 2025 - Update 4", 2, 1, 864.0, 8.17955, {"steps": "300"})],
        ),
        (
            """
            SELECT function, callpath, kind, seconds FROM fn_timings
            WHERE function IN ('Pair', 'Comm', 'Other') ORDER BY ALL
            """,
            [
                ("Comm", "loop 1->Comm", "blocking point-to-point", 1.6116),
                ("Comm", "loop 2->Comm", "blocking point-to-point", 2.5237),
                ("Other", "loop 1->Other", None, 1.471),
                ("Other", "loop 2->Other", None, 2.313),
                ("Pair", "loop 1->Pair", None, 0.021206),
                ("Pair", "loop 2->Pair", None, 0.043024),
            ],
        ),
    ),
    enlarge=_enlarge,
)
