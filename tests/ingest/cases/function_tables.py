"""Tables of other profilers, written by their documentation and as their sources print them."""

from __future__ import annotations

from tests.ingest.case import SAMPLES, Case, repeated

SAMPLE = SAMPLES / "function-tables" / "nsys.txt"


CASE = Case(
    reader="function-tables",
    sample=SAMPLE,
    golden=(
        (
            "SELECT function, kind, round(seconds * 1e9), calls FROM fn_timings ORDER BY rowid",
            [
                ("cudaMalloc", "api", 121456789.0, 3),
                ("cudaLaunchKernel", "api", 2222220.0, 10),
                ("saxpy(int, float, float *)", "kernel", 1250000.0, 10),
                ("void reduce<int, (int)4>(const T1 *)", "kernel", 750000.0, 5),
            ],
        ),
        ("SELECT left_out FROM sources", [("1 table (it has no times by function)",)]),
    ),
    enlarge=repeated(SAMPLE.with_name("nvprof.txt")),
    others=tuple(path for path in sorted(SAMPLE.parent.iterdir()) if path != SAMPLE),
    cut_may_land=True,
)
