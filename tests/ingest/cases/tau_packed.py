"""TAU packed: the sample of the reader tau, both metrics and both ranks in one packed profile."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case
from tests.ingest.profiles import packed_bytes, write_packed

SAMPLE = SAMPLES / "tau-packed" / "stencil_p2.ppk"


def _enlarge(folder: Path, times: int) -> Path:
    """Write a profile of many ranks with as many functions as a real one."""
    functions = [(f"f{number}", "TAU_USER") for number in range(400)]
    rows = [(number, 10, 5.0, 9.0, 700.0, 900.0) for number in range(len(functions))]
    threads = {(rank, 0, 0): rows for rank in range(2 * times)}
    return write_packed(
        folder / "large.ppk", packed_bytes(threads, functions, ("TIME", "PAPI_TOT_CYC"))
    )


CASE = Case(
    reader="tau-packed",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT rank, function, callpath, seconds, inclusive_seconds, calls
            FROM fn_timings WHERE seconds > 0.03 OR callpath IS NULL ORDER BY ALL
            """,
            [
                (0, "MPI_Waitall()", "main->exchange->MPI_Waitall()", 0.141536, 0.141536, 100),
                (0, "main", None, 8.5e-05, 0.613355, 1),
                (0, "relax", "main->relax", 0.377954, 0.377954, 100),
                (0, "residual", "main->residual", 0.067358, 0.092982, 20),
                (
                    1,
                    "MPI_Allreduce()",
                    "main->residual->MPI_Allreduce()",
                    0.046671,
                    0.046671,
                    20,
                ),
                (1, "MPI_Waitall()", "main->exchange->MPI_Waitall()", 0.19862, 0.19862, 100),
                (1, "main", None, 6.6e-05, 0.613441, 1),
                (1, "relax", "main->relax", 0.319644, 0.319644, 100),
                (1, "residual", "main->residual", 0.047529, 0.0942, 20),
            ],
        ),
        (
            """
            SELECT rank, thread, event, count(*), sum(value), count(unit)
            FROM pmu_samples GROUP BY ALL ORDER BY ALL
            """,
            [
                (0, 0, "PAPI_TOT_CYC", 10, 1288054731.0, 0),
                (1, 0, "PAPI_TOT_CYC", 10, 1288235331.0, 0),
            ],
        ),
        (
            """
            SELECT app, ranks, threads, nodes, wall_seconds, epoch(started_at)
            FROM runs
            """,
            [("stencil", 2, 1, 1, 0.613441, 1795219380.0)],
        ),
    ),
    enlarge=_enlarge,
)
