"""LIKWID: two marked regions on two hardware threads, written after its documentation."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "likwid" / "regions.csv"


def _enlarge(folder: Path, times: int) -> Path:
    head, tables = SAMPLE.read_text().split("TABLE", 1)
    path = folder / "large.csv"
    path.write_text(head + ("TABLE" + tables) * times)
    return path


CASE = Case(
    reader="likwid",
    sample=SAMPLE,
    others=(SAMPLE.with_name("regions.txt"),),
    golden=(
        (
            """
            SELECT region, cpu, event, value, unit FROM pmu_samples
            WHERE region = 'init' ORDER BY rowid
            """,
            [
                ("init", 0, "INSTR_RETIRED_ANY", 1000.0, None),
                ("init", 1, "INSTR_RETIRED_ANY", 1200.0, None),
                ("init", 0, "CPU_CLK_UNHALTED_CORE", 2000.0, None),
                ("init", 1, "CPU_CLK_UNHALTED_CORE", 2100.0, None),
                ("init", 0, "CPU_CLK_UNHALTED_REF", 1900.0, None),
                ("init", 1, "CPU_CLK_UNHALTED_REF", None, None),
                ("init", 0, "Runtime (RDTSC)", 0.5, "s"),
                ("init", 1, "Runtime (RDTSC)", 0.5, "s"),
                ("init", 0, "CPI", 2.0, None),
                ("init", 1, "CPI", 1.75, None),
            ],
        ),
        (
            "SELECT region, sample, count(*) FROM pmu_samples GROUP BY ALL ORDER BY region",
            [("init", 0, 10), ("solve", 0, 10)],
        ),
        ("SELECT threads, tags['clock'] FROM runs", [(2, "2.50 GHz")]),
        (
            "SELECT environment FROM runs",
            [({"cpu": "A processor with two hardware threads", "cpu_type": "Generic"},)],
        ),
    ),
    enlarge=_enlarge,
    # Counters have the length that the table of metrics behind them states.
    sums_records=True,
)
