"""toplev: shares of one core and of intervals, written by hand after real ones."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "toplev" / "toplev.csv"


def _enlarge(folder: Path, times: int) -> Path:
    version, heading, *lines = SAMPLE.read_text().splitlines()
    path = folder / "large.csv"
    large = [line.replace("S0-C0", f"S0-C{core}", 1) for core in range(times) for line in lines]
    path.write_text("\n".join([version, heading, *large]) + "\n")
    return path


CASE = Case(
    reader="toplev",
    sample=SAMPLE,
    golden=(
        (
            "SELECT event, value, unit, region, running FROM pmu_samples ORDER BY rowid LIMIT 5",
            [
                ("Frontend_Bound", 8.2, "% Slots", "S0-C0", 0.5),
                ("Bad_Speculation", 1.4, "% Slots", "S0-C0", 0.5),
                ("Backend_Bound", 78.1, "% Slots", "S0-C0", 0.5),
                ("Retiring", 12.3, "% Slots", "S0-C0", 0.5),
                ("Backend_Bound.Memory_Bound", 66.0, "% Slots", "S0-C0", 0.25),
            ],
        ),
        ("SELECT class, model FROM bottlenecks", [("Mem", "top-down rules")]),
        (
            "SELECT environment['cpu'] FROM runs",
            [("Intel(R) Xeon(R) Gold 6252 CPU @ 2.10GHz",)],
        ),
    ),
    enlarge=_enlarge,
    others=(SAMPLES / "toplev" / "intervals.csv",),
    cut_may_land=True,
)
