"""VTune: counts by function and a summary, written by hand after real ones."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "vtune" / "hw_events.csv"


def _enlarge(folder: Path, times: int) -> Path:
    heading, *lines = SAMPLE.read_text().splitlines()
    path = folder / "large.csv"
    large = [f"f{number}_{line}" for number in range(times) for line in lines]
    path.write_text("\n".join([heading, *large]) + "\n")
    return path


CASE = Case(
    reader="vtune",
    sample=SAMPLE,
    golden=(
        (
            "SELECT region, event, value FROM pmu_samples WHERE event LIKE 'INST_%' ORDER BY rowid",
            [("triad", "INST_RETIRED.ANY", 2e9), ("search", "INST_RETIRED.ANY", 3e9)],
        ),
        ("SELECT count(DISTINCT event) FROM pmu_samples", [(11,)]),
        (
            "SELECT region, class FROM bottlenecks ORDER BY region",
            [("search", "Other"), ("triad", "Mem")],
        ),
    ),
    enlarge=_enlarge,
    others=(SAMPLES / "vtune" / "summary.csv",),
    cut_may_land=True,
)
