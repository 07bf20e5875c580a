"""Slurm: four jobs of a solver with their steps, written by hand after sacct(1)."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "slurm" / "sacct.txt"


def _enlarge(folder: Path, times: int) -> Path:
    heading, *lines = SAMPLE.read_text().splitlines(keepends=True)
    path = folder / "large.txt"
    more = [f"{n}{line}" for n in range(1, times + 1) for line in lines]
    path.write_text(heading + "".join(more))
    return path


CASE = Case(
    reader="slurm",
    sample=SAMPLE,
    golden=(
        (
            "SELECT tags['job'], app, nodes, ranks, wall_seconds, "
            "CAST(started_at AT TIME ZONE 'UTC' AS VARCHAR) FROM runs ORDER BY ALL",
            [
                ("101", "solve", 2, 16, 100, "2026-03-01 08:00:00"),
                ("102", "solve", 4, None, 86452, "2026-03-02 08:00:00"),
                ("103", "solve", 8, 64, 5, "2026-03-03 08:00:00"),
            ],
        ),
        (
            "SELECT tags['job'], metric, value, unit FROM metrics JOIN runs USING (run_id) "
            "ORDER BY ALL",
            [
                ("101", "cpu_time", 1530.5, "s"),
                ("101", "max_rss", 2.5 * 1024**3, "bytes"),
                ("103", "cpu_time", 4.1, "s"),
                ("103", "max_rss", 900 * 1024**2, "bytes"),
            ],
        ),
        (
            "SELECT wall_seconds, exit_code, interrupted FROM failed_runs JOIN runs USING (run_id) "
            "ORDER BY ALL",
            [(5, "139", False), (86452, None, True)],
        ),
        (
            "SELECT function, kind, seconds FROM fn_timings ORDER BY seconds DESC LIMIT 1",
            [("whole program", "total", 86452)],
        ),
        ("SELECT left_out FROM sources", [("1 job (it has not ended)",)]),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
    sums_records=True,
)
