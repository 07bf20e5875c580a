"""Verdicts on kernels and programs: launches count by their instructions."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows

LAUNCH = "run_id launch kernel granularity warp_size block_size instructions warp_instructions"


def launches(warehouse, *found):
    """Land launches: run, kernel, instructions, warp instructions."""
    lines = [
        f"{run} {number} {kernel} warp 32 64 {instructions} {warp_instructions}"
        for number, (run, kernel, instructions, warp_instructions) in enumerate(found)
    ]
    given(warehouse, "bb_launches", "\n".join([LAUNCH, *lines]))


def test_tiny_launches_do_not_outvote_a_large_one(warehouse):
    launches(
        warehouse,
        # twenty tiny launches in which one lane of 32 works, next to a large full one
        *(("r1", "k", 10, 10) for _ in range(20)),
        ("r1", "k", 320_000, 10_000),
        # the same the other way round, with two kernels
        *(("r2", "full", 320, 10) for _ in range(20)),
        ("r2", "thin", 10_000, 10_000),
    )
    assert rows(
        warehouse,
        "SELECT run_id, launches, kernels, divergent_launches, divergent, "
        "round(divergent_share, 3), round(simt_efficiency, 3), judged_share "
        "FROM program_behaviour ORDER BY run_id",
    ) == [
        ("r1", 21, 1, 20, False, 0.001, 0.981, 1),
        ("r2", 21, 2, 1, True, 0.61, 0.05, 1),
    ]
    assert rows(
        warehouse,
        "SELECT kernel, launches, divergent, simt_efficiency FROM kernel_behaviour "
        "WHERE run_id = 'r2' ORDER BY kernel",
    ) == [("full", 20, False, 1.0), ("thin", 1, True, 1 / 32)]


def test_launches_without_a_verdict_matter_by_their_instructions(warehouse):
    launches(
        warehouse,
        *(("few", "k", 3200, 100), ("few", "k", 100, "NULL")),
        *(("most", "k", 320, 10), ("most", "k", 3200, "NULL")),
        *(("unsized", "k", 320, 10), ("unsized", "k", "NULL", "NULL")),
        ("none", "k", 320, "NULL"),
    )
    barriers = "barriers or visits are not known: synchronisation is unknown"
    judged = "instructions have a verdict on divergence"
    assert rows(
        warehouse,
        "SELECT run_id, divergent, round(judged_share, 3), flag_text(note) FROM program_behaviour "
        "ORDER BY run_id",
    ) == [
        ("few", False, 0.97, barriers),
        ("most", None, 0.091, f"launches with 9.09 % of the {judged}"),
        ("none", None, 0.0, "no launch has a verdict on divergence"),
        ("unsized", None, None, "the instructions of some launches are not known"),
    ]


def test_synchronisation_is_that_of_all_visits_together(warehouse):
    given(warehouse, "bb_blocks", "kernel bb size barriers\na 0 4 1\nb 0 4 0")
    visits = ["launch kernel block warp thread bb visits instructions"]
    visits += [f"0 a 0 0 {t} 0 1 4" for t in range(4)]
    visits += [f"1 b 0 0 {t} 0 1000 4000" for t in range(4)]
    given(warehouse, "bb_visits", "\n".join(visits))
    assert rows(
        warehouse,
        "SELECT kernel, synchronising FROM kernel_behaviour ORDER BY kernel",
    ) == [("a", True), ("b", False)]
    assert rows(warehouse, "SELECT sync_rate, synchronising FROM program_behaviour") == [
        (pytest.approx(1 / 1001), False)
    ]


def test_launches_of_which_a_part_is_traced_count_in_full(warehouse):
    header = "launch kernel granularity grid block_size warp_size"
    given(
        warehouse, "bb_launches", f"{header}\n0 k thread [1,1,1] 32 32\n1 k thread [100,1,1] 32 32"
    )
    # Launch 0 has one busy lane; of launch 1, which is full, one of 100 thread blocks is traced.
    visits = ["launch kernel block warp thread bb visits instructions"]
    for thread in range(32):
        visits += [f"0 k 0 0 {thread} 0 1 {400 if thread == 0 else 4}"]
        visits += [f"1 k 0 0 {thread} 0 1 100"]
    given(warehouse, "bb_visits", "\n".join(visits))
    assert rows(
        warehouse,
        "SELECT divergent, round(divergent_share, 4), round(least_traced_share, 2) "
        "FROM program_behaviour",
    ) == [(False, 0.0016, 0.01)]
