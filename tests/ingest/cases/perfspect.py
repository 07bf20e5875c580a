"""PerfSpect: a summary, written by hand after real ones."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "perfspect" / "summary.csv"


def _enlarge(folder: Path, times: int) -> Path:
    heading, *lines = SAMPLE.read_text().splitlines()
    path = folder / "large.csv"
    large = [line.replace(",", f" {copy},", 1) for copy in range(times) for line in lines]
    path.write_text("\n".join([heading, *large]) + "\n")
    return path


CASE = Case(
    reader="perfspect",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT event, value, unit, deviation FROM pmu_samples
            WHERE NOT regexp_matches(event, ' (p95|min|max)$') ORDER BY rowid
            """,
            [
                ("metric_CPU operating frequency (in GHz)", 3.1, "GHz", None),
                ("metric_CPU utilization %", 98.4, "%", None),
                ("metric_CPI", 1.25, None, None),
                ("metric_memory bandwidth read (MB/sec)", 5120.5, "MB/sec", None),
                ("metric_LLC total HITM (per instr)", None, None, None),
                ("metric_TMAM_Frontend_Bound(%)", 20.5, "%", None),
                ("metric_TMAM_Bad_Speculation(%)", 4.5, "%", None),
                ("metric_TMAM_Backend_bound(%)", 50.0, "%", None),
                ("metric_TMAM_Retiring(%)", 25.0, "%", None),
            ],
        ),
        (
            "SELECT event, value FROM pmu_samples WHERE event LIKE 'metric_CPI %' ORDER BY rowid",
            [("metric_CPI p95", 1.5), ("metric_CPI min", 1.0), ("metric_CPI max", 1.75)],
        ),
        ("SELECT count(*), count(region), count(cpu) FROM pmu_samples", [(36, 0, 0)]),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
