"""The contract's case of massif: valgrind 3.19 over a program that allocates in steps."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "massif" / "massif.out.4242"


def _enlarge(folder: Path, times: int) -> Path:
    """Repeat the last snapshot."""
    head, last = SAMPLE.read_text().rsplit("#-----------\nsnapshot=33\n", 1)
    more = "".join(f"#-----------\nsnapshot={33 + n}\n{last}" for n in range(34 * times))
    (folder / "large.out").write_text(head + more)
    return folder / "large.out"


CASE = Case(
    reader="massif",
    sample=SAMPLE,
    golden=(
        (
            "SELECT event, value, unit FROM pmu_samples WHERE sample = 1 ORDER BY ALL",
            [
                ("instructions", 137273.0, "instructions"),
                ("mem_heap", 50000.0, "bytes"),
                ("mem_heap_extra", 8.0, "bytes"),
                ("mem_stacks", 0.0, "bytes"),
            ],
        ),
        (
            "SELECT region, event, value FROM pmu_samples WHERE region IS NOT NULL",
            [("main->grow", "peak bytes", 1000000.0)],
        ),
        (
            "SELECT metric, value, unit, better FROM metrics",
            [("peak_heap", 1000160.0, "bytes", "lower")],
        ),
        ("SELECT app, tags FROM runs", [("heat", {"command": "./heat", "profiler": "massif"})]),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
