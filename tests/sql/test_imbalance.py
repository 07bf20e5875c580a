"""Imbalance across ranks: what the ranks of a run spend in each function, and how that changes."""

from __future__ import annotations

import math

import pytest

from tests.helpers.support import given, land, rows, shared

WAITING = "waiting: a rank that comes late waits least, so the longest time names no slow rank"


def imbalance(con, columns, where="true"):
    return rows(con, f"SELECT {columns} FROM rank_imbalance WHERE {where} ORDER BY ALL")


def test_least_mean_and_most_over_the_ranks(warehouse):
    given(warehouse, "runs", "run_id ranks\nr1 4")
    given(
        warehouse,
        "fn_timings",
        """
        function  rank  seconds
        solve     0     1
        solve     1     2
        solve     2     1
        solve     3     4
        setup     0     2
        setup     1     2
        setup     2     2
        setup     3     2
        """,
    )
    # solve: mean 2, most 4; ranks beyond 3 are slow. setup takes as long as solve on average.
    assert imbalance(
        warehouse,
        "function, waiting, ranks, min_seconds, mean_seconds, max_seconds, imbalance, "
        "saved_seconds, slowest_ranks, share, flag_sentences(flags)",
    ) == [
        ("setup", False, 4, 2.0, 2.0, 2.0, 0.0, 0.0, [], 0.5, []),
        ("solve", False, 4, 1.0, 2.0, 4.0, 1.0, 2.0, [3], 0.5, []),
    ]


def test_equal_times_are_balanced_to_the_last_digit(warehouse):
    times = "\n".join(f"f {rank} 0.1" for rank in range(7))
    given(warehouse, "fn_timings", f"function rank seconds\n{times}")
    assert imbalance(warehouse, "imbalance, saved_seconds, slowest_ranks") == [(0.0, 0.0, [])]


def test_call_paths_are_added_and_the_longest_thread_of_a_rank_counts(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  callpath  rank  thread  seconds
        loop      a         0     0       1
        loop      b         0     0       2
        loop      a         0     1       5
        loop      a         1     0       4
        loop      b         1     1       2
        own       a         0     NULL    1
        own       b         0     NULL    2
        own       a         1     NULL    5
        """,
    )
    assert imbalance(warehouse, "function, min_seconds, mean_seconds, max_seconds") == [
        ("loop", 4.0, 4.5, 5.0),
        ("own", 3.0, 4.0, 5.0),
    ]


def test_a_rank_on_which_a_function_did_not_run_spent_no_time_in_it(warehouse):
    given(
        warehouse,
        "fn_timings",
        "function rank seconds\nf 0 1\nf 1 1\nf 2 1\nf 3 1\nread 0 8",
    )
    assert imbalance(
        warehouse,
        "min_seconds, mean_seconds, imbalance, slowest_ranks, flag_sentences(flags)",
        "function = 'read'",
    ) == [(0.0, 2.0, 3.0, [0], ["called on 1 of 4 ranks"])]
    assert imbalance(warehouse, "imbalance, flag_sentences(flags)", "function = 'f'") == [(0.0, [])]


def test_no_more_than_five_slow_ranks_the_slowest_first(warehouse):
    times = "\n".join(f"f {rank} {100 + rank if rank < 7 else 1}" for rank in range(20))
    given(warehouse, "fn_timings", f"function rank seconds\n{times}")
    assert imbalance(warehouse, "slowest_ranks") == [([6, 5, 4, 3, 2],)]


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ("f 0 1", (1, 1.0, 1.0, None, None, ["one rank: nothing to compare it with"])),
        (
            "f NULL 3",
            (None, 3.0, None, None, None, ["ranks unknown: there is one time for all of them"]),
        ),
        ("f 0 0\nf 1 0", (2, 0.0, 0.0, None, None, ["no time: 0 s on all ranks"])),
        (
            "f 0 1\nf 1 3\nf 2 -5",
            (2, 2.0, 3.0, 0.5, 1.0, ["unknown times: 1 of 3 ranks left out"]),
        ),
        (
            "f 0 1\nf 1 3\nf 2 nan\nf 3 inf",
            (2, 2.0, 3.0, 0.5, 1.0, ["unknown times: 2 of 4 ranks left out"]),
        ),
        # other is measured on the rank, so the time of f there is unknown, not 0
        (
            "f 0 1\nf 1 3\nf 2 NULL\nother 2 1",
            (2, 2.0, 3.0, 0.5, 1.0, ["unknown times: 1 of 3 ranks left out"]),
        ),
        (
            "f 0 -1\nf 1 nan\nother 0 1",
            (None, None, None, None, None, ["unknown times: 2 of 2 ranks left out"]),
        ),
    ],
)
def test_what_cannot_be_compared_says_why(warehouse, times, expected):
    given(warehouse, "fn_timings", f"function rank seconds\n{times}")
    assert imbalance(
        warehouse,
        "ranks, mean_seconds, max_seconds, imbalance, saved_seconds, flag_sentences(flags)",
        "function = 'f'",
    ) == [expected]


def test_ranks_that_were_not_measured_are_not_taken_for_idle(warehouse):
    given(warehouse, "runs", "run_id ranks\nr1 4")
    given(warehouse, "fn_timings", "function rank seconds\nf 0 1\nf 2 3")
    assert imbalance(warehouse, "ranks, imbalance, flag_sentences(flags)") == [
        (2, 0.5, ["measured on 2 of 4 ranks"])
    ]


def test_a_time_without_rank_beside_times_with_ranks_counts_once(warehouse):
    given(
        warehouse,
        "fn_timings",
        "function rank seconds\nf 0 1\nf 1 3\nf NULL 2\nio NULL 6",
    )
    assert imbalance(warehouse, "function, ranks, mean_seconds, imbalance, share") == [
        ("f", 2, 2.0, 0.5, 0.25),
        ("io", None, 6.0, None, 0.75),
    ]


@pytest.mark.parametrize(
    "function",
    [
        "MPI_Barrier",
        "pmpi_allreduce_",
        "MPI_Waitall()",
        "main=>MPI_Recv",
        "MPI_Win_unlock",
        "shmem_barrier_all",
        "wait_for_halo",
    ],
)
def test_the_largest_waiter_is_not_called_slow(warehouse, function):
    given(warehouse, "fn_timings", f"function rank seconds\n{function} 0 1\n{function} 1 3")
    assert imbalance(
        warehouse, "waiting, imbalance, saved_seconds, slowest_ranks, flag_sentences(flags)"
    ) == [(True, 0.5, None, None, [WAITING])]


@pytest.mark.parametrize("function", ["MPI_Isend", "MPI_Pack", "solve", "await_nothing"])
def test_what_does_not_wait_for_other_ranks(warehouse, function):
    given(warehouse, "fn_timings", f"function rank seconds\n{function} 0 1\n{function} 1 3")
    assert imbalance(warehouse, "waiting, saved_seconds") == [(False, 1.0)]


def test_kinds_of_the_user_and_of_the_tool_say_what_waits(warehouse):
    warehouse.execute("INSERT INTO function_kinds VALUES ('halo_*', 'n-to-n collective', false)")
    given(
        warehouse,
        "fn_timings",
        "function kind rank seconds\nhalo_x NULL 0 1\nexchange n2n 0 1\nsolve comp 0 1",
    )
    assert rows(warehouse, "SELECT function, waiting FROM rank_times ORDER BY ALL") == [
        ("exchange", True),
        ("halo_x", True),
        ("solve", False),
    ]


def test_times_of_whole_runs_are_left_out(warehouse):
    given(
        warehouse,
        "fn_timings",
        "function kind rank seconds\nf NULL 0 1\nf NULL 1 3\nwhole total 0 9\ntotal NULL 0 9"
        "\ntotal NULL NULL 9",
    )
    assert imbalance(warehouse, "function, share") == [("f", 1.0)]


def test_repetitions_and_counts_of_a_file_are_measurements_of_their_own(warehouse):
    given(
        warehouse,
        "fn_timings",
        """
        function  parallelism  repetition  rank  seconds
        f         2            0           0     1
        f         2            0           1     3
        f         2            1           0     2
        f         2            1           1     2
        f         4            0           0     1
        """,
    )
    assert imbalance(warehouse, "parallelism, repetition, ranks, imbalance") == [
        (2, 0, 2, 0.5),
        (2, 1, 2, 0.0),
        (4, 0, 1, None),
    ]


def uneven(con, of_counts):
    """Put runs into the warehouse whose last rank takes longer, so that max / mean - 1 is as given.

    With p ranks of 1 s, the last of them of d s more, that is d * (p - 1) / (p + d).
    """
    for count, wanted in of_counts.items():
        extra = wanted * count / (count - 1 - wanted)
        con.execute("INSERT INTO runs (run_id, app, ranks) VALUES (?, 'a', ?)", [count, count])
        con.executemany(
            "INSERT INTO fn_timings (run_id, source_id, function, rank, seconds) "
            "VALUES (?, 1, 'f', ?, ?)",
            [[count, rank, 1 + extra * (rank == count - 1)] for rank in range(count)],
        )


def test_the_imbalance_grows_with_the_count(warehouse):
    uneven(warehouse, {p: 0.02 * p**0.5 for p in (4, 16, 64)})
    found = rows(
        warehouse,
        "SELECT parallelism, ranks, measurements, imbalance, slow_ranks, exponent "
        "FROM imbalance_scaling ORDER BY ALL",
    )
    assert [row[:3] for row in found] == [(4, 4, 1), (16, 16, 1), (64, 64, 1)]
    assert [row[3] for row in found] == pytest.approx([0.04, 0.08, 0.16])
    assert [row[4] for row in found] == [[3], [15], [63]]
    assert [row[5] for row in found] == pytest.approx([0.5] * 3)


def test_two_counts_have_no_growth_and_balanced_counts_do_not_count(warehouse):
    uneven(warehouse, {4: 0.0, 8: 0.1, 16: 0.2})
    assert rows(warehouse, "SELECT parallelism, exponent FROM imbalance_scaling ORDER BY ALL") == [
        (4, None),
        (8, None),
        (16, None),
    ]


def test_the_median_of_repetitions_and_the_ranks_that_are_slow_in_half_of_them(warehouse):
    given(warehouse, "runs", "run_id app ranks\nr1 a 4\nr2 a 4\nr3 a 4")
    for run, slow, seconds in (("r1", 1, 5), ("r2", 1, 9), ("r3", 3, 2)):
        times = "\n".join(f"f {rank} {seconds if rank == slow else 1}" for rank in range(4))
        given(warehouse, "fn_timings", f"function rank seconds\n{times}", run_id=run)
    # imbalances 5/2 - 1, 9/3 - 1 and 2/1.25 - 1
    assert rows(
        warehouse,
        "SELECT measurements, imbalance, saved_seconds, slow_ranks FROM imbalance_scaling",
    ) == [(3, 1.5, 3.0, [1])]


def test_runs_without_ranks_have_no_scaling_of_imbalance(warehouse):
    given(warehouse, "runs", "run_id app ranks\nr1 a 2\nr2 a 4\nr3 a 8")
    given(warehouse, "fn_timings", "run_id function seconds\nr1 f 1\nr2 f 1\nr3 f 1")
    assert rows(warehouse, "FROM imbalance_scaling") == []


def test_gromacs_on_marenostrum(warehouse):
    for count in (2, 4, 8):
        land(warehouse, shared(f"scaling/tau_gromacs/{count}.ppk"), facts={"app": "gromacs"})
    # against the landed rows themselves, a function at a time in Python
    nonbonded = "function LIKE 'void do_nonbonded(%'"
    for run, ranks in rows(warehouse, "SELECT run_id, ranks FROM runs"):
        times = [0.0] * ranks
        for rank, seconds in rows(
            warehouse,
            f"SELECT rank, sum(seconds) FROM fn_timings WHERE run_id = ? AND {nonbonded} "
            "GROUP BY rank",
            run,
        ):
            times[rank] = seconds
        mean = math.fsum(times) / ranks
        found = imbalance(
            warehouse,
            "ranks, min_seconds, mean_seconds, max_seconds, imbalance, slowest_ranks[1]",
            f"run_id = '{run}' AND {nonbonded}",
        )
        assert found == [
            (
                ranks,
                min(times),
                pytest.approx(mean),
                max(times),
                pytest.approx(max(times) / mean - 1),
                times.index(max(times)),
            )
        ]
    assert rows(
        warehouse,
        "SELECT bool_and(imbalance BETWEEN 0 AND ranks - 1 + 1e-9), "
        "bool_and(saved_seconds IS NULL = waiting), count(DISTINCT function) > 600 "
        "FROM rank_imbalance WHERE imbalance IS NOT NULL",
    ) == [(True, True, True)]
    assert rows(
        warehouse,
        f"SELECT count(*), count(exponent) FROM imbalance_scaling WHERE {nonbonded}",
    ) == [(3, 3)]


@pytest.mark.parametrize(
    ("recording", "ranks"),
    [
        ("cube/blast.p64.r1/profile.cubex", 64),
        ("local_mpi/mpip/mini.8.9450.1.mpiP", 8),
        ("hatchet_formats/tau-cpi-mpi", 4),
    ],
)
def test_profiles_of_several_tools_have_ranks(warehouse, recording, ranks):
    land(warehouse, shared(f"scaling/{recording}"))
    assert rows(
        warehouse,
        "SELECT max(ranks), count(imbalance) > 0, abs(sum(share) - 1) < 1e-9 FROM rank_imbalance",
    ) == [(ranks, True, True)]
