"""The contract's case of AMD's traces: a rocpd database.

No GPU was at hand: database and CSV files are laid out as AMD documents rocprofv3's. The CSV files
are in tests/ingest/readers/tasks/test_rocprof.py: one that is cut between lines has other sums.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.ingest.case import SAMPLES, Case
from tests.ingest.cases.nsys import repeat

SAMPLE = SAMPLES / "rocpd" / "results.db"
CSV = SAMPLES / "rocprof" / "238_kernel_trace.csv"
GOLDEN = (
    ("SELECT name, count(*), sum(t_end - t_start) FROM tasks WHERE worker LIKE '%stream 0' "
     "AND name NOT ILIKE 'memory_copy%' GROUP BY 1 ORDER BY 1", [
        ("norm(float const*, float*)", 4, 72012),
        ("void sweep<float>(float*, float const*, int)", 4, 284662),
    ]),
    ("SELECT name, count(*), sum(t_end - t_start) FROM tasks WHERE worker = 'thread 238' "
     "GROUP BY 1 ORDER BY 1", [
        ("hipDeviceSynchronize", 1, 0), ("hipLaunchKernel", 8, 32000),
        ("hipMemcpyAsync", 2, 10000), ("step", 16, 16000),
    ]),
    ("SELECT function, round(seconds * 1e9), calls FROM fn_timings WHERE function LIKE 'hip%' "
     "ORDER BY 1", [
        ("hipDeviceSynchronize", 4500, 1), ("hipLaunchKernel", 32000, 8),
        ("hipMemcpyAsync", 10000, 2), ("hipStreamSynchronize", 18300, 4),
    ]),
    ("SELECT sum(starvation), sum(overhead), count(DISTINCT blamed_worker) FROM idle_intervals "
     "WHERE worker LIKE '%stream 0' AND kind <> 'tail'", [(153550, 20300, 1)]),
    ("SELECT sum(starvation), sum(overhead), count(DISTINCT blamed_worker) FROM idle_intervals "
     "WHERE worker = 'thread 238' AND kind <> 'tail'", [(407984, 137550, 1)]),
)  # fmt: skip
SUFFIX = "_00006409_00d1_70d1_a5cb_b5ab88214544"


def _enlarge(folder: Path, times: int) -> Path:
    path = Path(shutil.copy(SAMPLE, folder / "large.db"))
    ids = {
        "event": ("id", "stack_id"),
        "region": ("id", "event_id"),
        "kernel_dispatch": ("id", "event_id"),
        "memory_copy": ("id", "event_id"),
    }
    repeat(path, times, {f"rocpd_{name}{SUFFIX}": columns for name, columns in ids.items()})
    return path


CASE = Case(
    reader="rocprof",
    sample=SAMPLE,
    golden=(
        ("SELECT app, machine, tags FROM runs", [
            ("sweep", "node1", {"gpu": "AMD Instinct MI300X", "runtime": "ROCm"}),
        ]),
        ("SELECT worker FROM workers ORDER BY 1", [("GPU 0 stream 0",), ("thread 238",)]),
        *GOLDEN,
    ),
    enlarge=_enlarge,
    others=(CSV.with_name("rocprofv2.csv"),),
)  # fmt: skip
