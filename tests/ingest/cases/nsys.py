"""The contract's case of Nsight Systems' SQLite exports.

No GPU was at hand: the report is written after the schema that NVIDIA documents.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "nsys" / "report.sqlite"


def repeat(
    path: Path, times: int, tables: dict[str, tuple[str, ...]], shift: int = 2_000_000
) -> None:
    """Repeat the rows of tables, later by `shift` ns each time; ids count on.

    `tables` has for each the columns that are times, and then the columns that are ids.
    """
    with closing(sqlite3.connect(path)) as con:
        for table, ids in tables.items():
            names = [row[1] for row in con.execute(f"PRAGMA table_info({table})")]
            moved = [
                f'"{n}" + k * {shift}' if n in ("start", "end")
                else f'"{n}" + k * 1000' if n in ids else f'"{n}"'
                for n in names
            ]  # fmt: skip
            con.execute(
                f"WITH RECURSIVE more(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM more "
                f"WHERE k < {times - 1}) INSERT INTO {table} SELECT {', '.join(moved)} "
                f"FROM {table}, more"
            )
        con.commit()


def _enlarge(folder: Path, times: int) -> Path:
    path = Path(shutil.copy(SAMPLE, folder / "large.sqlite"))
    kinds = ("RUNTIME", "KERNEL", "MEMCPY", "MEMSET")
    tables = {f"CUPTI_ACTIVITY_KIND_{kind}": ("correlationId",) for kind in kinds}
    repeat(path, times, tables | {"NVTX_EVENTS": ()})
    return path


CASE = Case(
    reader="nsys",
    sample=SAMPLE,
    golden=(
        ("SELECT machine, round(epoch(started_at), 6), tags FROM runs", [
            ("node1", 1760000000.499995, {"gpu": "NVIDIA A100-SXM4-80GB", "runtime": "CUDA"}),
        ]),
        ("SELECT worker FROM workers ORDER BY 1", [
            ("GPU 0 stream 14",), ("GPU 0 stream 7",), ("thread 4242 (solver)",),
        ]),
        ("SELECT name, count(*), sum(t_end - t_start) FROM tasks GROUP BY 1 ORDER BY 1", [
            ("[CUDA memcpy Host-to-Device]", 1, 40010),
            ("[CUDA memset]", 1, 1001),
            ("cuLaunchKernelEx", 5, 15000),
            ("cudaLaunchKernel", 5, 22500),
            ("cudaMemcpyAsync", 1, 3000),
            ("cudaMemsetAsync", 1, 1500),
            ("reduce(double const*, double*)", 5, 100035),
            ("solve", 8, 110500),
            ("step", 20, 417154),
            ("void stencil<double, 8>(double const*, double*, int)", 5, 311110),
        ]),
        ("SELECT function, seconds, round(inclusive_seconds * 1e9), calls FROM fn_timings "
         "WHERE seconds IS NULL ORDER BY 1", [
            ("checkpoint", None, 900000, 1), ("poll", None, 750000, 5),
            ("solve", None, 1025000, 1), ("step", None, 910000, 5),
        ]),
        ("SELECT worker, starvation, overhead, blamed_worker, flags FROM idle_intervals "
         "WHERE t_start IN (25000, 133201) ORDER BY t_start", [
            ("thread 4242 (solver)", 109708, 2500, "GPU 0 stream 7", None),
        ]),
        ("SELECT left_out FROM sources", [
            ("5 marks of a synchronisation (the calls land)",),
        ]),
    ),
    enlarge=_enlarge,
)  # fmt: skip
