"""ncu --page details, as versions of 2024 and of 2020 print it: written by its documentation."""

from __future__ import annotations

from tests.ingest.case import SAMPLES, Case, repeated

SAMPLE = SAMPLES / "ncu-text" / "details.txt"


CASE = Case(
    reader="ncu-text",
    sample=SAMPLE,
    golden=(
        (
            "SELECT region, sample, event, round(value, 8), unit FROM pmu_samples ORDER BY rowid",
            [
                *(
                    ("saxpy(int, float, float *, float *)", 0, *metric)
                    for metric in (
                        ("DRAM Frequency", 1.21e9, "cycle/second"),
                        ("Elapsed Cycles", 14321.0, "cycle"),
                        ("Memory Throughput [%]", 88.04, "%"),
                        ("Duration", 0.00001245, "second"),
                        ("Block Size", 256.0, None),
                        ("Registers Per Thread", 16.0, "register/thread"),
                    )
                ),
                ("reduce(float *)", 1, "Elapsed Cycles", 1500.0, "cycle"),
                ("reduce(float *)", 1, "SM Frequency", 1.05e9, "cycle/second"),
            ],
        ),
        ("SELECT app, environment FROM runs", [("solver", {"compute_capability": "8.0"})]),
    ),
    enlarge=repeated(SAMPLE),
    cut_may_land=True,
)
