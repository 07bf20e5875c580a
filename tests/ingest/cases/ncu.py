"""Nsight Compute: three launches of two kernels, written after its documentation."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "ncu" / "details.csv"


def _enlarge(folder: Path, times: int) -> Path:
    lines = SAMPLE.read_text().splitlines(keepends=True)
    path = folder / "large.csv"
    path.write_text("".join(lines[:3]) + "".join(lines[3:-1]) * times + lines[-1])
    return path


CASE = Case(
    reader="ncu",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT sample, region, event, value, unit FROM pmu_samples
            WHERE sample IN (0, 2) ORDER BY sample, rowid
            """,
            [
                (0, "saxpy(int, float, float *)", "Duration", 1.25e-05, "second"),
                (0, "saxpy(int, float, float *)", "Elapsed Cycles", 10500.0, "cycle"),
                (0, "saxpy(int, float, float *)", "Memory Throughput", 1.5e9, "byte/second"),
                (0, "saxpy(int, float, float *)", "Achieved Occupancy", 50.5, "%"),
                (0, "saxpy(int, float, float *)", "Uniform Branches", None, None),
                (2, "reduce<float>(float *)", "Duration", 0.001024, "second"),
                (2, "reduce<float>(float *)", "Elapsed Cycles", 12500.0, "cycle"),
                (2, "reduce<float>(float *)", "Memory Throughput", 2e8, "byte/second"),
                (2, "reduce<float>(float *)", "Achieved Occupancy", 52.5, "%"),
                (2, "reduce<float>(float *)", "Uniform Branches", None, None),
            ],
        ),
        ("SELECT app, environment FROM runs", [("solver", {"compute_capability": "8.0"})]),
    ),
    enlarge=_enlarge,
    cut_may_land=True,
)
