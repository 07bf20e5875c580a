"""Score-P: times of tests/samples/mpi at four ranks as a cube; its counters are made up."""

from __future__ import annotations

from pathlib import Path

from tests.ingest.case import SAMPLES, Case
from tests.ingest.cubes import Metric, cube

SAMPLE = SAMPLES / "scorep-cube" / "profile.cubex"


def _enlarge(folder: Path, times: int) -> Path:
    path = folder / "large.cubex"
    ranks = 4 * times
    tree = [("main", None), *((f"f{n}", 0) for n in range(10))]
    seconds = [[11.0 if node == 0 else 1.0] * ranks for node in range(len(tree))]
    counts = [[7] * ranks] * len(tree)
    metrics = {
        "visits": Metric("EXCLUSIVE", "UINT64", "occ", counts),
        "time": Metric("INCLUSIVE", "DOUBLE", "sec", seconds),
        "bytes_sent": Metric("EXCLUSIVE", "UINT64", "bytes", counts),
        "PAPI_TOT_CYC": Metric("EXCLUSIVE", "UINT64", "#", counts),
    }
    path.write_bytes(cube(tree, metrics, threads=[1] * ranks))
    return path


CASE = Case(
    reader="scorep-cube",
    sample=SAMPLE,
    golden=(
        (
            """
            SELECT callpath, round(sum(seconds), 7), round(sum(inclusive_seconds), 7),
                CAST(sum(calls) AS INTEGER)
            FROM fn_timings GROUP BY callpath ORDER BY min(rowid)
            """,
            [
                ("stencil", 0.0, 8.3769199, 4),
                ("stencil->main", 0.0029333, 8.3769199, 4),
                ("stencil->main->MPI_Bcast", 0.0490124, 0.0490124, 4),
                ("stencil->main->exchange", 0.0002641, 6.2804569, 400),
                ("stencil->main->exchange->MPI_Irecv", 0.0066945, 0.0066945, 600),
                ("stencil->main->exchange->MPI_Isend", 0.0053167, 0.0053167, 600),
                ("stencil->main->exchange->MPI_Waitall", 6.2681816, 6.2681816, 400),
                ("stencil->main->relax", 0.6550841, 0.6550841, 400),
                ("stencil->main->residual", 0.086, 1.373374, 80),
                ("stencil->main->residual->MPI_Allreduce", 1.287374, 1.287374, 80),
                ("stencil->main->MPI_Reduce", 0.0160592, 0.0160592, 4),
            ],
        ),
        (
            """
            SELECT region, event, list(value ORDER BY rank), any_value(unit) FROM pmu_samples
            WHERE region LIKE '%exchange' OR region LIKE '%Isend' GROUP BY ALL ORDER BY min(rowid)
            """,
            [
                ("stencil->main->exchange", "PAPI_TOT_INS", [5000.0, 5001.0, None, 5003.0], None),
                (
                    "stencil->main->exchange->MPI_Isend",
                    "PAPI_TOT_INS",
                    [5000.0, 5001.0, 5002.0, 5003.0],
                    None,
                ),
                ("stencil->main->exchange", "bytes_sent", [0.0, 0.0, 0.0, 0.0], "bytes"),
                ("stencil->main->exchange->MPI_Isend", "bytes_sent", [819200.0] * 4, "bytes"),
            ],
        ),
        (
            """
            SELECT DISTINCT app, machine, nodes, ranks, threads, problem_size, parallelism,
                repetition, thread, tags['below_zero']
            FROM runs JOIN fn_timings USING (run_id)
            """,
            [
                (
                    *("stencil", "Atlas", 1, 4, 1, None, 4, None, 0),
                    "PAPI_TOT_INS: 1 of 44 own values, left unknown",
                )
            ],
        ),
    ),
    enlarge=_enlarge,
)
