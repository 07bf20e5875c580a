"""Lanes of warps: which launches diverge, which warps in them, and what a part of a trace shows."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import given, rows, shared


def land(warehouse, launch, visits, *, blocks=2, size=64, traced=None, shape=True, totals=None):
    """Land a launch in which a thread visits block 0 once and block b visits(thread)[b - 1] times.

    Only `traced` threads (of each thread block) have visits, all by default. `totals` are the
    launch's instructions and warp instructions.
    """
    warehouse.execute(
        "INSERT INTO bb_launches (run_id, source_id, launch, kernel, warp_size, granularity, "
        "grid, block_size, instructions, warp_instructions) "
        "VALUES ('r1', 1, ?, 'k', 32, 'thread', ?, ?, ?, ?)",
        [launch, *(([blocks, 1, 1], size) if shape else (None, None)), *(totals or (None, None))],
    )
    # As one insert: the tests land many threads.
    found = [
        (block, thread, bb, n)
        for block in range(blocks)
        for thread in (range(size) if traced is None else traced)
        for bb, n in enumerate((1, *visits(thread + size * block)))
        if n
    ]
    warehouse.execute(
        "INSERT INTO bb_visits "
        "(run_id, source_id, launch, kernel, block, warp, thread, bb, visits, instructions) "
        "SELECT 'r1', 1, ?, 'k', f[1], f[2] // 32, f[2], f[3], f[4], 4 * f[4] "
        "FROM (SELECT unnest(CAST(? AS INTEGER[][])) AS f)",
        [launch, [list(row) for row in found]],
    )


def test_lanes_that_wait_are_divergent_and_whole_warps_are_not(warehouse):
    cases = {
        "all the same": (lambda t: (9, 0), {}),
        "one lane of 32 works": (lambda t: (99 if t % 32 == 7 else 0, 0), {}),
        "half a warp works": (lambda t: (99 if t % 32 < 16 else 0, 0), {}),
        "lanes leave a loop one by one": (lambda t: (1 + t % 32, 0), {}),
        "two ways in turn": (lambda t: (9, 0) if t % 2 else (0, 9), {}),
        "whole warps part": (lambda t: (40, 0) if t // 32 % 2 else (0, 40), {}),
        "lanes and warps part": (
            lambda t: (99 if t % 32 < 3 else 0, 0) if t // 32 % 2 else (0, 99),
            {},
        ),
        "a few warps among many": (
            lambda t: (1 + t % 32 if t // 32 in (5, 9) else 32, 0),
            {"blocks": 16},
        ),
        "one visit more": (lambda t: (20 + t % 2, 0), {}),
        "a few lanes that are all there is": (lambda t: (9, 0), {"size": 8}),
        "one thread in a thread block": (lambda t: (9, 0), {"size": 1}),
        "the last warp is not full": (lambda t: (9, 0), {"size": 48}),
    }
    for launch, (visits, shape) in enumerate(cases.values()):
        land(warehouse, launch, visits, **shape)
    found = rows(
        warehouse,
        "SELECT divergent, kind, round(simt_efficiency, 2), round(idle_lane_share, 2), "
        "round(idle_warp_share, 2), warps, divergent_warps FROM thread_behaviour ORDER BY launch",
    )
    assert dict(zip(cases, found, strict=True)) == {
        "all the same": (False, "neither", 1, 0, 0, 4, 0),
        "one lane of 32 works": (True, "lanes", 0.04, 0.96, 0, 4, 4),
        "half a warp works": (True, "lanes", 0.51, 0.5, 0, 4, 4),
        "lanes leave a loop one by one": (True, "lanes", 0.53, 0.47, 0, 4, 4),
        "two ways in turn": (True, "lanes", 0.53, 0.47, 0, 4, 4),
        "whole warps part": (False, "warps", 1, 0, 0.49, 4, 0),
        "lanes and warps part": (True, "both", 0.55, 0.45, 0.5, 4, 2),
        "a few warps among many": (False, "neither", 0.97, 0.03, 0, 32, 2),
        "one visit more": (False, "neither", 0.98, 0.02, 0, 4, 0),
        "a few lanes that are all there is": (False, "neither", 0.25, 0, 0, 2, 0),
        "one thread in a thread block": (False, "neither", 0.03, 0, 0, 2, 0),
        "the last warp is not full": (False, "neither", 0.75, 0, 0, 4, 0),
    }
    contradictions = rows(
        warehouse,
        "SELECT launch, flag_text(contradiction) FROM thread_behaviour "
        "WHERE contradiction IS NOT NULL "
        "ORDER BY launch",
    )
    assert [(list(cases)[launch], text.split(",")[0]) for launch, text in contradictions] == [
        ("one lane of 32 works", "few neighbouring threads differ"),
        ("half a warp works", "few neighbouring threads differ"),
        ("lanes leave a loop one by one", "few neighbouring threads differ"),
        ("lanes and warps part", "few neighbouring threads differ"),
        ("one visit more", "neighbouring threads differ"),
    ]
    few = list(cases).index("a few warps among many")
    named = [{"block": 2, "warp": 1}, {"block": 4, "warp": 1}]
    assert rows(warehouse, "SELECT worst_warps FROM thread_behaviour WHERE launch = ?", few) == [
        (named,)
    ]
    assert rows(
        warehouse,
        "SELECT block, warp, lanes, simt_efficiency > 0.5 FROM warp_divergence "
        "WHERE launch = ? AND divergent ORDER BY rank, block",
        few,
    ) == [(2, 1, 32, True), (4, 1, 32, True)]


def test_a_trace_of_some_threads_states_its_share(warehouse):
    land(warehouse, 0, lambda t: (9, 0), traced=[5], blocks=1)
    land(warehouse, 1, lambda t: (99 if t % 32 == 7 else 0, 0), traced=range(40), blocks=1)
    land(warehouse, 2, lambda t: (9, 0), traced=range(32))
    # Sums over the traced threads only, then over the whole launch.
    land(warehouse, 3, lambda t: (9, 0), traced=[5], blocks=1, totals=(40, 40))
    land(warehouse, 4, lambda t: (9, 0), traced=[5], blocks=1, totals=(1280, 80))
    land(warehouse, 5, lambda t: (9, 0), traced=range(8), blocks=1, shape=False)
    found = rows(
        warehouse,
        "SELECT traced_share, divergent, kind, round(simt_efficiency, 2), "
        "flag_text(simt_note), flag_text(note) "
        "FROM thread_behaviour ORDER BY launch",
    )
    barriers = "barriers are not known: synchronisation is unknown"
    one = "1 of 64 threads are traced (1.56 %): figures are of these"
    none = "no warp has all its threads traced"
    assert found == [
        (1 / 64, None, None, None, none, one),
        (
            *(40 / 64, True, None, 0.04),
            "1 of 2 traced warps have all their threads traced, and figures on warps are of these",
            "40 of 64 threads are traced (62.5 %): figures are of these",
        ),
        (
            *(0.5, False, None, 1.0, "figures on warps are of those that are traced"),
            "64 of 128 threads are traced (50 %): figures are of these",
        ),
        (1 / 64, None, None, None, none, one),
        (1 / 64, True, None, 0.5, None, one),
        (
            *(None, False, "neither", None),
            "the size of thread blocks is not known, and warps are not full",
            barriers,
        ),
    ]
    assert rows(
        warehouse,
        "SELECT launch, round(simt_efficiency, 2) FROM launch_summary WHERE launch > 2 "
        "ORDER BY launch",
    ) == [(3, None), (4, 0.5), (5, None)]


@pytest.mark.parametrize(
    ("launch", "expected"),
    [
        ("warp 32 64 64 4", (0.5, True, None)),
        ("warp 32 64 128 4", (1.0, False, None)),
        ("warp 32 16 64 4", (0.5, False, None)),
        (
            "warp 32 NULL 64 4",
            (
                *(0.5, None),
                "the size of thread blocks is not known: lanes may idle because warps are not full",
            ),
        ),
        ("warp 32 NULL 120 4", (0.9375, False, None)),
        (
            "warp 32 64 129 4",
            (
                *(None, None),
                "there are more thread instructions than the warp instructions have lanes",
            ),
        ),
        (
            "warp 32 64 64 NULL",
            (None, None, "the trace does not state executed warp instructions"),
        ),
        ("warp 32 64 0 0", (None, None, "the trace does not state executed warp instructions")),
    ],
)
def test_sums_of_a_launch_are_judged_without_threads(launch, expected, warehouse):
    header = "launch granularity warp_size block_size instructions warp_instructions"
    given(warehouse, "bb_launches", f"{header}\n0 {launch}")
    assert rows(
        warehouse, "SELECT simt_efficiency, divergent, flag_text(simt_note) FROM thread_behaviour"
    ) == [expected]


def test_instructions_of_visits_follow_from_the_sizes_of_blocks(warehouse):
    land(warehouse, 0, lambda t: (9 if t % 32 == 0 else 0, 0), blocks=1)
    warehouse.execute("UPDATE bb_visits SET instructions = NULL")
    query = (
        "SELECT divergent, round(simt_efficiency, 3), flag_text(simt_note) FROM thread_behaviour"
    )
    unknown = (
        "the sizes of basic blocks are not known, so that each visit counts as one instruction"
    )
    assert rows(warehouse, query) == [(True, 0.128, unknown)]
    given(warehouse, "bb_blocks", "kernel bb size\nk 0 4")
    unknown = "the instructions of basic blocks are not known"
    assert rows(warehouse, query) == [(None, None, unknown)]
    given(warehouse, "bb_blocks", "kernel bb size\nk 1 4")
    assert rows(warehouse, query) == [(True, 0.128, None)]


def test_without_warps_only_equal_or_fluctuating_threads_are_judged(warehouse):
    lines = [
        f"{launch} k 0 {thread} {bb} {n}"
        for launch, visits in enumerate(
            (lambda t: 5, lambda t: 1 + t % 4 * 8, lambda t: 99 if t == 0 else 1)
        )
        for thread in range(32)
        for bb, n in ((0, 1), (1, visits(thread)))
    ]
    given(warehouse, "bb_visits", "launch kernel block thread bb visits\n" + "\n".join(lines))
    assert rows(
        warehouse,
        "SELECT divergent, kind, flag_text(simt_note) FROM thread_behaviour ORDER BY launch",
    ) == [(d, None, "the warps of threads are not known") for d in (False, True, None)]


@pytest.mark.parametrize(
    ("count", "simt_note", "note"),
    [
        (
            "NULL",
            "the instructions of basic blocks are not known",
            "neither visits nor instructions of basic blocks are known",
        ),
        (
            "0",
            "the threads executed nothing",
            "barriers are not known: synchronisation is unknown",
        ),
    ],
)
def test_threads_of_which_nothing_is_known_have_no_verdict(count, simt_note, note, warehouse):
    given(warehouse, "bb_launches", "launch granularity warp_size block_size\n0 thread 32 2")
    given(
        warehouse,
        "bb_visits",
        f"launch block warp thread bb visits instructions\n"
        f"0 0 0 0 0 {count} {count}\n0 0 0 1 0 {count} {count}",
    )
    assert rows(
        warehouse,
        "SELECT divergent, kind, simt_efficiency, flag_text(simt_note), flag_text(note) "
        "FROM thread_behaviour",
    ) == [(None, None, None, simt_note, note)]


def test_warps_numbered_over_the_grid_are_known_by_their_full_lanes(warehouse):
    land(warehouse, 0, lambda t: (99 if t % 32 == 0 else 0, 0))
    warehouse.execute("UPDATE bb_visits SET warp = warp + 2 * block")
    assert rows(
        warehouse, "SELECT divergent, kind, warps, divergent_warps FROM thread_behaviour"
    ) == [(True, "lanes", 4, 4)]


def measured(warehouse):
    """Write visits that threads of a GPU counted themselves, and what its hardware counted."""
    warehouse.execute(
        "INSERT INTO bb_visits BY NAME SELECT 'r1' AS run_id, 1 AS source_id, * FROM read_csv(?)",
        [str(shared("h100/blocks/visits.csv.gz"))],
    )
    facts = json.loads(shared("h100/blocks/simt.json").read_text())
    return {kernel: counted["plain"]["simt_efficiency"] for kernel, counted in facts.items()}


@pytest.mark.parametrize("is_device_known", [False, True])
def test_warps_follow_from_their_size_and_are_as_efficient_as_the_hardware_says(
    warehouse, is_device_known
):
    hardware = measured(warehouse)
    if is_device_known:
        warehouse.execute(
            "INSERT INTO runs (run_id, tags) VALUES ('r1', MAP {'gpu': 'NVIDIA H100 80GB HBM3'})"
        )
    else:
        warehouse.execute(
            "INSERT INTO bb_launches (run_id, source_id, launch, warp_size) "
            "SELECT DISTINCT 'r1', 1, launch, 32 FROM bb_visits"
        )
    found = {
        kernel: (efficiency, note)
        for kernel, efficiency, note in rows(
            warehouse, "SELECT kernel, simt_efficiency, simt_note.code FROM thread_behaviour"
        )
    }
    assert set(found) == set(hardware)
    # There the compiler predicates instead of branching.
    assert found.pop("tree_sum")[0] == pytest.approx(0.956, abs=0.001)
    for kernel, (efficiency, note) in found.items():
        assert efficiency == pytest.approx(hardware[kernel], abs=0.03)
        assert note == "visits_weigh_one"
