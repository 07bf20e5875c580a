"""sysstat 12.6 and vmstat of procps 4.0: a busy machine with two processors, second by second."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

FOLDER = SAMPLES / "sysstat"
SAMPLE = FOLDER / "mpstat.txt"


def _enlarge(folder: Path, times: int) -> Path:
    title, *lines = SAMPLE.read_text().splitlines(keepends=True)
    path = folder / "large.txt"
    path.write_text(title + "".join(lines) * times)
    return path


CASE = Case(
    reader="sysstat",
    sample=SAMPLE,
    golden=(
        (
            "SELECT cpu, sample, t_start, value, unit FROM pmu_samples WHERE event = '%usr' "
            "ORDER BY rowid",
            [
                (None, 0, 0, 88.29, "%"),
                (0, 0, 0, 89.32, "%"),
                (1, 0, 0, 87.25, "%"),
                (None, 1, 1_000_000_000, 89.5, "%"),
                (0, 1, 1_000_000_000, 94, "%"),
                (1, 1, 1_000_000_000, 85, "%"),
            ],
        ),
        # of all processors, which mpstat prints the mean of as 88.89 and 11.11
        (
            "SELECT event, round(value, 6), samples FROM counter_summary WHERE value > 0 "
            "ORDER BY event",
            [("%sys", 11.105, 2), ("%usr", 88.895, 2)],
        ),
        ("SELECT machine FROM runs", [("vm",)]),
    ),
    enlarge=_enlarge,
    others=tuple(
        FOLDER / name
        for name in ("sadf.csv", "sadf.json", "iostat.json", "pidstat.txt", "vmstat.txt")
    ),
    cut_may_land=True,
)
