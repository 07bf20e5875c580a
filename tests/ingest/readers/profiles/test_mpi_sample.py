"""The project's own MPI program, recorded at four counts: one scaling set by itself."""

from __future__ import annotations

from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES


def test_the_folder_is_one_scaling_set_of_four_counts(warehouse):
    assert len(land(warehouse, SAMPLES / "mpi")) == 12
    sql = """
        SELECT app, version, machine, problem_size, parallelism, count(DISTINCT run_id),
            count(DISTINCT repetition), count(DISTINCT rank), any_value(ranks)
        FROM fn_timings JOIN runs USING (run_id) GROUP BY ALL ORDER BY parallelism
    """
    assert rows(warehouse, sql) == [
        ("stencil", None, None, 4194304.0, count, 3, 3, count, count) for count in (1, 2, 4, 8)
    ]


def test_own_times_add_up_to_the_time_in_main(warehouse):
    land(warehouse, SAMPLES / "mpi")
    sql = """
        SELECT count(*), max(abs(own - whole)) < 1e-6 FROM (
            SELECT sum(seconds) AS own, max(inclusive_seconds) AS whole
            FROM fn_timings GROUP BY run_id, rank
        )
    """
    assert rows(warehouse, sql) == [(45, True)]


def test_calls_of_mpi_are_those_of_the_program(warehouse):
    land(warehouse, SAMPLES / "mpi" / "stencil_p8_r2.csv")
    sql = """
        SELECT function, min(calls), max(calls), CAST(sum(calls) AS INTEGER)
        FROM fn_timings WHERE function LIKE 'MPI%' GROUP BY function ORDER BY function
    """
    # A hundred steps, a residual every fifth; the first and the last rank have one neighbour.
    assert rows(warehouse, sql) == [
        ("MPI_Allreduce", 20, 20, 160),
        ("MPI_Bcast", 1, 1, 8),
        ("MPI_Irecv", 100, 200, 1400),
        ("MPI_Isend", 100, 200, 1400),
        ("MPI_Reduce", 1, 1, 8),
        ("MPI_Waitall", 100, 100, 800),
    ]
