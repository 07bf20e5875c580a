"""perf stat: a shell that sleeps and reads folders, -x, -I 100, recorded with perf 6.1 on a VM."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "perf-stat" / "intervals.csv"


def _enlarge(folder: Path, times: int) -> Path:
    head, counts = SAMPLE.read_text().split("\n\n")
    rows = [line.strip().split(",", 1) for line in counts.splitlines()]
    path = folder / "large.csv"
    with path.open("w") as file:
        file.write(f"{head}\n\n")
        for copy in range(times):
            file.writelines(f"{float(time) + copy:16.9f},{rest}\n" for time, rest in rows)
    return path


CASE = Case(
    reader="perf-stat",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT sample, t_start, t_end, event, value, unit, running
            FROM pmu_samples WHERE event IN ('task-clock', 'page-faults') ORDER BY sample, event
            """,
            [
                (0, 0, 100150260, "page-faults", 121.0, None, 1.0),
                (0, 0, 100150260, "task-clock", 1.47, "msec", 1.0),
                (1, 100150260, 203936686, "page-faults", 161.0, None, 1.0),
                (1, 100150260, 203936686, "task-clock", 38.38, "msec", 1.0),
                (2, 203936686, 304165895, "page-faults", 802.0, None, 1.0),
                (2, 203936686, 304165895, "task-clock", 52.29, "msec", 1.0),
                (3, 304165895, 404401658, "page-faults", None, None, None),
                (3, 304165895, 404401658, "task-clock", None, "msec", None),
                (4, 404401658, 504619520, "page-faults", None, None, None),
                (4, 404401658, 504619520, "task-clock", None, "msec", None),
                (5, 504619520, 526194749, "page-faults", 1.0, None, 1.0),
                (5, 504619520, 526194749, "task-clock", 0.1, "msec", 1.0),
            ],
        ),
        (
            """
            SELECT event, count(*), count(value), sum(value) FROM pmu_samples
            WHERE event IN ('context-switches', 'cycles') GROUP BY event ORDER BY event
            """,
            [("context-switches", 6, 4, 899.0), ("cycles", 6, 0, None)],
        ),
        (
            """
            SELECT DISTINCT rank, thread, cpu, region, deviation, app, wall_seconds,
                epoch(started_at)::BIGINT
            FROM pmu_samples JOIN runs USING (run_id)
            """,
            [(None, None, None, None, None, None, None, 1795227084)],
        ),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
