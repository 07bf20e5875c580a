"""strace 6.1 over ls -R, ltrace 0.7.3 over a small program."""

from __future__ import annotations

from tests.ingest.case import SAMPLES, Case, repeated

SAMPLE = SAMPLES / "strace" / "strace.txt"


CASE = Case(
    reader="strace",
    sample=SAMPLE,
    golden=(
        (
            "SELECT function, kind, seconds, calls FROM fn_timings ORDER BY seconds DESC LIMIT 2",
            [("getdents64", "syscall", 0.001882, 58), ("openat", "syscall", 0.000176, 62)],
        ),
        ("SELECT sum(calls), round(sum(seconds), 6) FROM fn_timings", [(318, 0.002399)]),
        (
            "SELECT region, event, value FROM pmu_samples ORDER BY value DESC LIMIT 1",
            [("openat", "errors", 13.0)],
        ),
        ("SELECT tags FROM runs", [({"recorder": "strace"},)]),
    ),
    enlarge=repeated(SAMPLE),
    others=(SAMPLE.with_name("ltrace.txt"),),
)
