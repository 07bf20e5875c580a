"""PAPI: two ranks, two threads, a section entered twice; written after its documentation."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "papi" / "rank_000000.json"


def _enlarge(folder: Path, times: int) -> Path:
    content = SAMPLE.read_text()
    for rank in range(2 * times):
        (folder / f"rank_{rank:06}.json").write_text(content)
    return folder / "rank_000000.json"


CASE = Case(
    reader="papi",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT rank, thread, region, sample, value FROM pmu_samples
            WHERE event = 'PAPI_TOT_CYC' ORDER BY rank, thread, region, sample
            """,
            [
                (0, 0, "halo", 0, 290.0),
                (0, 0, "halo", 1, 295.0),
                (0, 0, "step", 0, 1900.0),
                (0, 1, "step", 0, 1950.0),
                (1, 0, "halo", 0, 290.0),
                (1, 0, "halo", 1, 295.0),
                (1, 0, "step", 0, 1901.0),
                (1, 1, "step", 0, 1950.0),
            ],
        ),
        (
            "SELECT event, count(*) FROM pmu_samples GROUP BY event ORDER BY event",
            [("PAPI_TOT_CYC", 8), ("PAPI_TOT_INS", 8), ("real_cycles", 8), ("real_time_nsec", 8)],
        ),
        (  # the core's cycles, not those of the clock
            """
            SELECT DISTINCT cycles, per_cycle FROM pmu_per_cycle
            WHERE event = 'PAPI_TOT_INS' AND region = 'step' AND rank = 0 AND thread = 0
            """,
            [(1900.0, 1500 / 1900)],
        ),
        ("SELECT ranks, threads, tags['cpu'] FROM runs", [(2, 2, "A processor")]),
    ),
    enlarge=_enlarge,
)
