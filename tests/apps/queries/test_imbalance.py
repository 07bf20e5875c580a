"""Questions about the imbalance of a run: the same answers on a narrowed cursor."""

from __future__ import annotations

from apps.queries.base import narrowed
from apps.queries.imbalance import (
    function_imbalance,
    rank_times_of,
    scaling_imbalance,
    work_imbalance,
)
from apps.queries.scaling import known_counts, ranks_of, scaling_sets
from tests.helpers.support import given


def test_narrowed_answers_are_those_of_the_views(warehouse):
    given(warehouse, "runs", "run_id app ranks\nr1 a 2\nr2 a 4\nr3 b 2")
    for run, ranks in (("r1", 2), ("r2", 4), ("r3", 2)):
        lines = [f"f {rank} {rank + 1}\nMPI_Wait {rank} 1" for rank in range(ranks)]
        given(warehouse, "fn_timings", "function rank seconds\n" + "\n".join(lines), run_id=run)
    # r2: 1, 2, 3, 4 s of work, mean 2.5
    work = [(4, 2.5, 4.0, 3, 1.0)]
    assert work_imbalance(warehouse, "r2").fetchall() == work
    functions = function_imbalance(warehouse, "r2").fetchall()
    assert [row[0] for row in functions] == ["f", "MPI_Wait"]
    with narrowed(warehouse, rank_times_of("r2")) as of_run:
        assert work_imbalance(of_run, "r2").fetchall() == work
        assert function_imbalance(of_run, "r2").fetchall() == functions
    with narrowed(warehouse, known_counts()) as listed:
        (which,) = scaling_sets(listed, "a")
    scaling = scaling_imbalance(warehouse, which).fetchall()
    assert [(row[0], row[2]) for row in scaling] == [("f", 4), ("MPI_Wait", 4)]
    with narrowed(warehouse, ranks_of(which)) as of_set:
        assert scaling_imbalance(of_set, which).fetchall() == scaling


def test_the_median_of_repetitions_at_the_largest_parallelism(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  parallelism  repetition  rank  seconds
        f         2            0           0     9
        f         2            0           1     1
        f         4            0           0     1
        f         4            0           1     3
        f         4            1           0     1
        f         4            1           1     5
        f         4            2           0     9
        f         4            2           1     1
        """,
    )
    # of the repetitions rank 0 has 1, 1 and 9 s, rank 1 has 3, 5 and 1 s
    assert work_imbalance(warehouse, "r1").fetchall() == [(2, 2.0, 3.0, 1, 0.0)]
    found = function_imbalance(warehouse, "r1")
    ((saved, slow),) = found.select("saved_seconds, slow_ranks").fetchall()
    assert (saved, slow) == (2.0, [1])
