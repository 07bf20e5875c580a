"""nvidia-smi: two GPUs at ten moments, written by hand after its documentation."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "nvidia-smi" / "gpus.csv"


def _enlarge(folder: Path, times: int) -> Path:
    heading, *lines = SAMPLE.read_text().splitlines(keepends=True)
    path = folder / "large.csv"
    path.write_text(heading + "".join(lines) * times)
    return path


CASE = Case(
    reader="nvidia-smi",
    sample=SAMPLE,
    golden=(
        (
            "SELECT sample, t_start, event, value, unit FROM pmu_samples WHERE region = 'GPU 0' "
            "AND sample < 2 "
            "ORDER BY rowid",
            [
                (0, 0, "temperature.gpu", 35, "C"),
                (0, 0, "utilization.gpu", 0, "%"),
                (0, 0, "memory.used", 3, "MiB"),
                (0, 0, "power.draw", 53.25, "W"),
                (0, 0, "fan.speed", None, "%"),
                (1, 1_000_000_000, "temperature.gpu", 41, "C"),
                (1, 1_000_000_000, "utilization.gpu", 80, "%"),
                (1, 1_000_000_000, "memory.used", 3203, "MiB"),
                (1, 1_000_000_000, "power.draw", 303.25, "W"),
                (1, 1_000_000_000, "fan.speed", None, "%"),
            ],
        ),
        # nothing of a moment adds up over time; power and memory do over the GPUs
        (
            "SELECT event, round(value, 6) FROM counter_summary ORDER BY event",
            [
                ("fan.speed", None),
                ("memory.used", 3207.2),
                ("power.draw", 354.9),
                ("temperature.gpu", 40.4),
                ("utilization.gpu", 26.5),
            ],
        ),
        (
            "SELECT tags['gpu'], left_out FROM runs, sources",
            [("NVIDIA A100-SXM4-40GB", "1 column (it has no unit)")],
        ),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
