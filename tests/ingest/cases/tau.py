"""TAU: the times of tests/samples/mpi/stencil_p2_r0.csv in the form of TAU 2.34, in microseconds.

The cycles are made up: 2100 a microsecond and 17 a call.
"""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case

TIMES = SAMPLES / "tau" / "times" / "profile.0.0.0"
CYCLES = SAMPLES / "tau" / "cycles" / "profile.0.0.0"


def _enlarge_times(folder: Path, times: int) -> Path:
    """Write the two ranks' profiles as those of many ranks."""
    for rank in range(2 * times):
        part = TIMES.with_name(f"profile.{rank % 2}.0.0").read_bytes()
        (folder / f"profile.{rank}.0.0").write_bytes(part)
    return folder / "profile.0.0.0"


def _enlarge_cycles(folder: Path, times: int) -> Path:
    """Write a profile of many functions."""
    first, second, *rows = CYCLES.read_text(encoding="utf-8").splitlines(keepends=True)
    functions = [
        row.replace('"', f'"{copy}_', 1) for copy in range(times) for row in rows if "GROUP" in row
    ]
    head = first.replace("10", str(len(functions)), 1) + second
    path = folder / "profile.0.0.0"
    path.write_text(head + "".join(functions) + "0 aggregates\n", encoding="utf-8")
    return path


CASES = (
    Case(
        reader="tau",
        sample=TIMES,
        golden=(
            (
                """
                SELECT function, callpath, seconds, inclusive_seconds, calls
                FROM fn_timings WHERE rank = 0 ORDER BY callpath NULLS FIRST
                """,
                [
                    ("main", None, 8.5e-05, 0.613355, 1),
                    ("MPI_Bcast()", "main->MPI_Bcast()", 1.5e-05, 1.5e-05, 1),
                    ("MPI_Reduce()", "main->MPI_Reduce()", 5.8e-05, 5.8e-05, 1),
                    ("exchange", "main->exchange", 3.5e-05, 0.142261, 100),
                    ("MPI_Irecv()", "main->exchange->MPI_Irecv()", 0.000445, 0.000445, 100),
                    ("MPI_Isend()", "main->exchange->MPI_Isend()", 0.000245, 0.000245, 100),
                    ("MPI_Waitall()", "main->exchange->MPI_Waitall()", 0.141536, 0.141536, 100),
                    ("relax", "main->relax", 0.377954, 0.377954, 100),
                    ("residual", "main->residual", 0.067358, 0.092982, 20),
                    ("MPI_Allreduce()", "main->residual->MPI_Allreduce()", 0.025624, 0.025624, 20),
                ],
            ),
            (
                """
                SELECT rank, thread, parallelism, count(*), round(sum(seconds), 9),
                    max(inclusive_seconds)
                FROM fn_timings GROUP BY ALL ORDER BY ALL
                """,
                [(0, 0, 2, 10, 0.613355, 0.613355), (1, 0, 2, 10, 0.613441, 0.613441)],
            ),
            (
                """
                SELECT app, ranks, threads, nodes, wall_seconds, epoch(started_at),
                    tags['command'], tags['tau_version']
                FROM runs
                """,
                [("stencil", 2, 1, 1, 0.613441, 1795219380.0, "./stencil 2048 0", "2.34")],
            ),
        ),
        enlarge=_enlarge_times,
    ),
    Case(
        reader="tau",
        sample=CYCLES,
        golden=(
            (
                """
                SELECT rank, thread, region, sample, event, value, unit
                FROM pmu_samples ORDER BY value DESC LIMIT 3
                """,
                [
                    (0, 0, "relax", 0, "PAPI_TOT_CYC", 793705100.0, None),
                    (0, 0, "MPI_Waitall()", 0, "PAPI_TOT_CYC", 297227300.0, None),
                    (0, 0, "residual", 0, "PAPI_TOT_CYC", 141452140.0, None),
                ],
            ),
            ("SELECT count(*), sum(value) FROM pmu_samples", [(10, 1288054731.0)]),
            ("SELECT app, ranks, threads, wall_seconds FROM runs", [("stencil", 1, 1, None)]),
        ),
        enlarge=_enlarge_cycles,
    ),
)
