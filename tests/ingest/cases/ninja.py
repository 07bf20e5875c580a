"""ninja 1.11.1: a build of five outputs by two jobs, two of which were built again."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "ninja-log" / "build.ninja_log"


def _enlarge(folder: Path, times: int) -> Path:
    head, *steps = SAMPLE.read_text().splitlines(keepends=True)
    cells = [step.split("\t") for step in steps]
    more = [
        "\t".join([*one[:3], f"{n}/{one[3]}", f"{n:x}\n"]) for n in range(times) for one in cells
    ]
    (folder / "large.ninja_log").write_text("".join([head, *more]))
    return folder / "large.ninja_log"


CASE = Case(
    reader="ninja-log",
    sample=SAMPLE,
    golden=(
        (
            "SELECT function, kind, seconds, calls FROM fn_timings ORDER BY function",
            [
                ("a.o", "build step", 0.055, 1),
                ("b.o", "build step", 0.029, 1),
                ("g.h g.c", "build step", 0.036, 1),
                ("prog", "build step", 0.017, 1),
            ],
        ),
        ("SELECT wall_seconds FROM runs", [(None,)]),
        ("SELECT left_out FROM sources", [("2 steps (its output was built again later)",)]),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
    sums_records=True,
)
