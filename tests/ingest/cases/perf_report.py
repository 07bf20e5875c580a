"""perf 6.1: cpu-clock and page faults of a C program, perf report --stdio -n -g none."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "perf-report" / "clock.txt"


def _enlarge(folder: Path, times: int) -> Path:
    lines = SAMPLE.read_text().splitlines(keepends=True)
    row = next(at for at, line in enumerate(lines) if "[.] inner" in line)
    more = [lines[row].replace("inner", f"inner{n}") for n in range(6 * times)]
    (folder / "large.txt").write_text("".join([*lines[:row], *more, *lines[row:]]))
    return folder / "large.txt"


CASE = Case(
    reader="perf-report",
    sample=SAMPLE,
    golden=(
        (
            "SELECT function, round(seconds, 6), round(inclusive_seconds, 6) FROM fn_timings "
            "ORDER BY rowid",
            [
                ("__libc_start_call_main", 0.0, 0.79397),
                ("main", 0.0, 0.79397),
                ("inner", 0.592937, 0.592937),
                ("outer", 0.201033, 0.201033),
            ],
        ),
        (
            "SELECT region, event, round(value), round(inclusive) FROM pmu_samples "
            "WHERE region = 'main' ORDER BY rowid",
            [
                ("main", "samples of cpu-clock:u", 0.0, None),
                ("main", "page-faults:u", 8158.0, 8158.0),
                ("main", "samples of page-faults:u", 1.0, None),
            ],
        ),
        ("SELECT app, tags FROM runs", [("pw", {"recorder": "perf"})]),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
    sums_records=True,  # what is not printed is the rest of the total
)
