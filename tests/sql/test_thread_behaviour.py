"""Verdicts on threads, their figures, and why there are none."""

from __future__ import annotations

import pytest

from tests.helpers.support import given, rows

FIGURES = (
    "SELECT divergent, synchronising, flag_text(contradiction), flag_text(note) "
    "FROM thread_behaviour"
)


def threads(warehouse, visits, *, block_size=64, warp_size=32, barriers=0, kernel="k"):
    """Land one thread block; thread t visits block 0 once and block 1 visits(t) times."""
    warehouse.execute(
        "INSERT INTO bb_launches (run_id, source_id, launch, kernel, warp_size, granularity) "
        "VALUES ('r1', 1, 0, ?, ?, 'thread')",
        [kernel, warp_size],
    )
    for bb, bars in ((0, 0), (1, barriers)):
        warehouse.execute(
            "INSERT INTO bb_blocks (run_id, source_id, kernel, bb, size, barriers) "
            "VALUES ('r1', 1, ?, ?, 4, ?)",
            [kernel, bb, bars],
        )
    data = [(t, bb, n) for t in range(block_size) for bb, n in ((0, 1), (1, visits(t))) if n]
    warehouse.executemany(
        "INSERT INTO bb_visits "
        "(run_id, source_id, launch, kernel, block, warp, thread, bb, visits, instructions) "
        "VALUES ('r1', 1, 0, ?, 0, ?, ?, ?, ?, ?)",
        [(kernel, t // warp_size, t, bb, n, 4 * n) for t, bb, n in data],
    )


def test_neighbours_that_differ_are_divergent(warehouse):
    threads(warehouse, lambda t: 1 + t % 4 * 8)
    assert rows(warehouse, FIGURES) == [(True, False, None, None)]
    assert rows(
        warehouse,
        "SELECT threads, blocks, basic_blocks, visits, barriers, distinct_vectors, fluctuation, "
        "simt_efficiency, simt_is_bound FROM thread_behaviour",
    ) == [(64, 1, 2, 64 * 14, 0, 4, 1.0, pytest.approx(14 / 26), True)]


def test_one_visit_more_or_less_is_no_divergence(warehouse):
    threads(warehouse, lambda t: 400 + t % 2)
    assert rows(warehouse, FIGURES) == [(False, False, None, None)]


def test_one_visit_more_or_less_is_none_either_where_warps_are_not_known(warehouse):
    threads(warehouse, lambda t: 100 + t % 2)
    warehouse.execute("UPDATE bb_visits SET warp = NULL")
    ((divergent, fluctuation, contradiction),) = rows(
        warehouse, "SELECT divergent, fluctuation, flag_text(contradiction) FROM thread_behaviour"
    )
    assert (divergent, fluctuation) == (False, 1.0)
    assert contradiction.startswith("neighbouring threads differ, yet their lanes hardly wait")
    warehouse.execute("UPDATE bb_visits SET visits = 50, instructions = 200 WHERE thread % 2 = 0")
    assert rows(warehouse, "SELECT divergent FROM thread_behaviour") == [(True,)]


def test_barriers_over_visits_may_pass_one(warehouse):
    threads(warehouse, lambda t: 3, barriers=2)
    assert rows(
        warehouse,
        "SELECT barriers, sync_rate, sync_consistency, synchronising FROM thread_behaviour",
    ) == [(64 * 6, 1.5, 1.0, True)]


def test_threads_that_miss_a_barrier_lower_the_consistency(warehouse):
    threads(warehouse, lambda t: 2 if t < 48 else 0, barriers=1)
    pairs = (48 * 47 + 16 * 15) / (64 * 63)
    assert rows(warehouse, "SELECT sync_consistency FROM thread_behaviour") == [
        (pytest.approx(pairs),)
    ]
    assert rows(
        warehouse,
        "SELECT thread_a, thread_b, distance FROM sync_distances('r1', 0, 0) "
        "WHERE thread_a = 47 AND thread_b IN (46, 48) ORDER BY thread_b",
    ) == [(47, 46, 0.0), (47, 48, 2.0)]


def test_the_rate_of_a_launch_is_the_mean_over_thread_blocks(warehouse):
    given(
        warehouse,
        "bb_visits",
        """
        launch  block  thread  bb  visits
        0       0      0       0   1
        0       0      1       0   9
        0       1      0       0   1
        0       1      1       0   1
        0       2      0       0   7
        """,
    )
    assert rows(
        warehouse,
        "SELECT block, fluctuation, mean_distance FROM block_behaviour('r1', 0) ORDER BY block",
    ) == [(0, 1.0, 8.0), (1, 0.0, 0.0), (2, None, None)]
    assert rows(warehouse, "SELECT threads, blocks, fluctuation FROM thread_behaviour") == [
        (5, 3, 0.5)
    ]


def test_warps_without_threads_give_rates_but_no_similarity(warehouse):
    given(warehouse, "bb_launches", "launch granularity warp_size\n0 warp 32")
    given(warehouse, "bb_visits", "launch block warp bb visits\n0 0 0 0 4\n0 0 1 0 6")
    given(warehouse, "bb_blocks", "bb size barriers\n0 5 1")
    ((divergent, synchronising, _, note),) = rows(warehouse, FIGURES)
    assert (divergent, synchronising) == (None, True)
    assert note == "the trace records warps, not threads: their similarity is unknown"


def test_threads_without_thread_blocks_are_compared_but_not_judged(warehouse):
    given(
        warehouse,
        "bb_visits",
        """
        launch  thread  bb  visits  instructions
        0       1       0   NULL    10
        0       2       0   NULL    20
        0       3       1   NULL    5
        """,
    )
    ((divergent, synchronising, _, note),) = rows(warehouse, FIGURES)
    assert (divergent, synchronising) == (None, None)
    assert note.startswith("visits are not known, only instructions")
    assert rows(
        warehouse,
        "SELECT thread_b, distance FROM thread_distances('r1', 0, NULL, metric := 'manhattan') "
        "WHERE thread_a = 1 ORDER BY thread_b",
    ) == [(1, 0.0), (2, 0.0), (3, 2.0)]


def test_a_launch_without_visits_says_so(warehouse):
    given(warehouse, "bb_launches", "launch granularity\n3 thread")
    assert rows(warehouse, FIGURES) == [
        (
            None,
            None,
            None,
            "no visits of basic blocks are recorded: the behaviour of threads is unknown",
        )
    ]


def test_barriers_that_are_not_known_are_no_zero(warehouse):
    given(warehouse, "bb_visits", "launch block thread bb visits\n0 0 0 0 1\n0 0 1 0 1")
    assert rows(
        warehouse,
        "SELECT barriers, sync_rate, synchronising, flag_text(note) FROM thread_behaviour",
    ) == [(None, None, None, "barriers are not known: synchronisation is unknown")]


def test_without_references_there_is_no_verdict(warehouse):
    threads(warehouse, lambda t: t)
    warehouse.execute("DELETE FROM behaviour_references")
    assert rows(warehouse, FIGURES) == [
        (None, None, None, "no threshold: see behaviour_thresholds")
    ]


def test_another_metric_is_refused_in_plain_words(warehouse):
    with pytest.raises(Exception, match="the metric can be euclidean or manhattan, not cosine"):
        rows(warehouse, "FROM thread_distances('r1', 0, 0, metric := 'cosine')")


def test_warps_are_ranked_by_idle_lanes(warehouse):
    threads(warehouse, lambda t: 5 if t < 32 else t % 2)
    assert rows(
        warehouse,
        "SELECT warp, threads, instructions, warp_instructions, simt_efficiency, idle_lanes, rank "
        "FROM warp_divergence ORDER BY rank",
    ) == [(1, 32, 192, 8, 0.75, 64, 1), (0, 32, 768, 24, 1.0, 0, 2)]


def test_groups_have_one_representative_each(warehouse):
    threads(warehouse, lambda t: 1 if t < 40 else 90 + t % 2)
    assert rows(
        warehouse,
        "SELECT behaviour_group, kernel, threads, share, distinct_vectors, block, thread, radius "
        "FROM thread_groups ORDER BY behaviour_group",
    ) == [(1, "k", 40, 0.625, 1, 0, 0, 0.0), (2, "k", 24, 0.375, 2, 0, 40, 1.0)]
    assert rows(
        warehouse,
        "SELECT behaviour_group, count(*) FROM thread_group_members GROUP BY ALL ORDER BY ALL",
    ) == [(1, 40), (2, 24)]


def test_groups_name_the_kernel_of_a_launch_that_only_visits_describe(warehouse):
    given(warehouse, "bb_visits", "launch kernel block thread bb visits\n0 k 0 0 0 4\n0 k 0 1 0 4")
    assert rows(warehouse, "SELECT launch, kernel, threads FROM thread_groups") == [(0, "k", 2)]


def test_opcodes_have_classes_and_launches_a_balance(warehouse):
    given(
        warehouse,
        "bb_opcodes",
        """
        launch  kernel  bb  opcode         count
        0       k       0   ld.global.f32  20
        0       k       1   ld.shared.f32  5
        0       k       1   FFMA           40
        0       k       1   LDG.E.64       10
        0       k       1   BAR.SYNC       5
        0       k       1   @%p1 bra       0
        0       k       1   S2R            10
        0       k       1   frobnicate     10
        """.replace("@%p1 bra", "bra"),
    )
    given(
        warehouse,
        "bb_dependences",
        "launch kernel bb distance count\n0 k 0 1 30\n0 k 1 1 10\n0 k 1 4 40\n0 k 1 NULL 20",
    )
    assert rows(
        warehouse,
        "SELECT class, list(opcode ORDER BY opcode), sum(share) FROM opcode_mix "
        "GROUP BY class ORDER BY class",
    ) == [
        ("arithmetic", ["FFMA"], 0.4),
        ("barrier", ["BAR.SYNC"], 0.05),
        ("control", ["bra"], 0.0),
        ("memory", ["LDG.E.64", "ld.global.f32"], pytest.approx(0.3)),
        ("move", ["S2R"], 0.1),
        ("on-core memory", ["ld.shared.f32"], 0.05),
        ("other", ["frobnicate"], 0.1),
    ]
    assert rows(
        warehouse,
        "SELECT memory_share, arithmetic_per_memory, mean_distance, chained_share, bound "
        "FROM launch_balance",
    ) == [(pytest.approx(0.3), pytest.approx(4 / 3), 2.5, 0.4, "data-bound")]


def test_only_equal_thread_blocks_share_a_matrix(warehouse):
    # Whatever block differs: thread blocks are told apart by sums of hashes, also that of block 0.
    for launch in range(30):
        given(
            warehouse,
            "bb_visits",
            f"""
            launch    block  thread  bb        visits
            {launch}  0      0       {launch}  1
            {launch}  0      1       {launch}  9
            {launch}  1      0       {launch}  1
            {launch}  1      1       {launch}  1
            """,
        )
    found = "SELECT DISTINCT fluctuation, distinct_vectors FROM thread_behaviour"
    assert rows(warehouse, found) == [(0.5, 2)]


@pytest.mark.parametrize(("size", "synchronising"), [(20, True), (5000, False)])
def test_a_barrier_in_a_long_block_is_none_that_matters(warehouse, size, synchronising):
    """As often per visit in both, but another share of the executed instructions."""
    threads(warehouse, lambda _: 9, barriers=1)
    warehouse.execute("UPDATE bb_blocks SET size = ?", [size])
    warehouse.execute("UPDATE bb_visits SET instructions = visits * ?", [size])
    assert (
        rows(
            warehouse,
            "SELECT sync_rate, sync_share, synchronising FROM thread_behaviour "
            "UNION ALL SELECT sync_rate, sync_share, synchronising FROM kernel_behaviour",
        )
        == [(0.9, pytest.approx(0.9 / size), synchronising)] * 2
    )


def test_equal_threads_that_were_logged_one_after_the_other_did_not_part(warehouse):
    threads(warehouse, lambda _: 9)
    warehouse.execute(
        "UPDATE bb_launches SET grid = [1, 1, 1], block_size = 64, instructions = 64 * 40, "
        "warp_instructions = 64 * 40"
    )
    assert rows(warehouse, "SELECT divergent, simt_efficiency FROM thread_behaviour") == [
        (False, 1.0)
    ]
