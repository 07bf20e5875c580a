"""Efficiencies by POP's definitions, on sets whose truth is known."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows

# Of each count: the computation of its ranks and the time of the program; each rank waits for the
# slowest and communicates until the end.
RANKS = {1: ([100.0], 100.0), 2: ([60.0, 45.0], 70.0), 4: ([30.0, 30.0, 30.0, 20.0], 50.0)}


def measured(warehouse, sizes):
    lines = ["run_id app ranks problem_size wall_seconds"]
    timings = ["run_id function rank parallelism seconds"]
    for count, (ranks, seconds) in RANKS.items():
        lines.append(f"r{count} pop {count} {sizes[count]} {seconds}")
        for rank, computation in enumerate(ranks):
            timings.append(f"r{count} solve {rank} {count} {computation * 0.75}")
            timings.append(f"r{count} setup {rank} {count} {computation * 0.25}")
            timings.append(f"r{count} MPI_Allreduce {rank} {count} {seconds - computation}")
    given(warehouse, "runs", "\n".join(lines))
    given(warehouse, "fn_timings", "\n".join(timings))


def test_a_set_made_by_hand_has_its_efficiencies(warehouse):
    measured(warehouse, dict.fromkeys(RANKS, 7))
    found = rows(
        warehouse,
        """
        SELECT parallelism, computation_seconds, communication_seconds, load_balance,
          communication_efficiency, parallel_efficiency, computation_scaling, global_efficiency,
          speedup, serial_fraction
        FROM scaling_efficiencies ORDER BY parallelism
        """,
    )
    expected = [
        (1, 100.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, None),
        (2, 52.5, 17.5, 52.5 / 60, 60 / 70, 0.75, 100 / 105, 100 / 140, 10 / 7, 0.4),
        (4, 27.5, 22.5, 27.5 / 30, 0.6, 0.55, 100 / 110, 0.5, 2.0, 1 / 3),
    ]
    assert found == [
        tuple(pytest.approx(one) if one is not None else None for one in row) for row in expected
    ]


def test_weak_scaling_compares_the_work_of_a_rank(warehouse):
    measured(warehouse, {count: count for count in RANKS})
    assert rows(
        warehouse,
        "SELECT computation_scaling, speedup, serial_fraction FROM scaling_efficiencies "
        "WHERE parallelism = 4",
    ) == [(pytest.approx(100 / 27.5), pytest.approx(8.0), None)]


def test_an_ideal_network_parts_serialisation_from_transfer(warehouse):
    measured(warehouse, dict.fromkeys(RANKS, 7))
    # replays of 2 and 4 ranks; of 1 none
    for count, ideal in ((2, "65.0"), (4, "40.0")):
        warehouse.execute(
            "UPDATE runs SET tags = MAP {'ideal_network_seconds': ?} WHERE ranks = ?",
            [ideal, count],
        )
    found = rows(
        warehouse,
        "SELECT serialisation, transfer, communication_efficiency FROM scaling_efficiencies "
        "ORDER BY parallelism",
    )
    assert found == [
        (None, None, 1.0),
        tuple(map(pytest.approx, (60 / 65, 65 / 70, 60 / 70))),
        tuple(map(pytest.approx, (30 / 40, 40 / 50, 30 / 50))),
    ]
