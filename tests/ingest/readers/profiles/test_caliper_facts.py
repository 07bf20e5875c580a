"""Real Caliper profiles land with the facts that are known of them."""

from __future__ import annotations

import pytest

from tests.helpers.support import land, rows, shared

TOPDOWN = """
    SELECT round(min(value), 3), round(max(value), 3), count(*) FROM pmu_samples
    WHERE event = ? AND region LIKE ?
"""


def test_lulesh_at_five_counts_is_one_scaling_set(warehouse):
    land(warehouse, shared("scaling/lulesh_caliper"))
    sql = """
        SELECT app, version, machine, problem_size, list(ranks ORDER BY ranks)
        FROM runs GROUP BY ALL
    """
    assert rows(warehouse, sql) == [
        ("lulesh2.0", "2.0.3-v3", "opal", 30.0, [27, 64, 125, 216, 343])
    ]
    sql = """
        SELECT parallelism, round(inclusive_seconds, 6) FROM fn_timings
        WHERE callpath = 'main' ORDER BY parallelism
    """
    assert rows(warehouse, sql) == [
        (27, 47.238297),
        (64, 55.112951),
        (125, 56.238243),
        (216, 42.838467),
        (343, 52.588103),
    ]


def test_own_times_of_lulesh_add_up_to_the_whole(warehouse):
    land(warehouse, shared("scaling/lulesh_caliper"))
    # What is not in main: the roots of other call paths, and time outside of all regions.
    sql = """
        SELECT count(*), count(seconds), round(sum(seconds), 9) = round(
            sum(inclusive_seconds) FILTER (coalesce(callpath, '') NOT LIKE '%->%'), 9
        )
        FROM fn_timings GROUP BY run_id
    """
    assert rows(warehouse, sql) == [(46, 46, True)] * 5


@pytest.mark.parametrize(
    ("event", "region", "least", "most", "files"),
    [
        ("backend_bound", "%->Stream_TRIAD", 0.959, 0.96, 6),
        ("memory_bound", "%->Stream_TRIAD", 0.87, 0.874, 6),
        ("retiring", "%->Apps_VOL3D", 0.651, 0.696, 12),
        ("bad_speculation", "%->Algorithm_SORT", 0.553, 0.581, 12),
    ],
)
def test_top_down_shares_of_real_kernels(warehouse, event, region, least, most, files):
    folder = shared("pmu/rajaperf_topdown")
    for path in sorted(folder.glob("clang*" if files == 6 else "*")):
        land(warehouse, path)
    assert rows(warehouse, TOPDOWN, f"topdown.{event}", region) == [(least, most, files)]


def test_rajaperf_lands_whole(warehouse):
    land(warehouse, shared("pmu/rajaperf_topdown/clang_1406_BaseSeq_O3_8388608_01.cali"))
    sql = """
        SELECT app, machine, problem_size, tags['compiler'], epoch(started_at), count(*),
            round(sum(seconds), 3)
        FROM runs JOIN fn_timings USING (run_id) GROUP BY ALL
    """
    assert rows(warehouse, sql) == [
        ("clang14.0.6_O3.exe", "quartz", 8388608.0, "clang++-14.0.6", 1703202677.0, 75, 2003.047)
    ]
    assert rows(warehouse, "SELECT count(DISTINCT event), count(*) FROM pmu_samples") == [
        (20, 1500)
    ]


@pytest.mark.parametrize(
    ("path", "landed"),
    [
        ("caliper-example-cali/example-profile.cali", (25, 24, None, 0.301407, 0.303039)),
        ("caliper-lulesh-cali/lulesh-annotation-profile.cali", (20, 19, None, None, 0.493788)),
        ("caliper-lulesh-json/lulesh-annotation-profile.json", (200, 24, 8, 5.905595, 47.247337)),
        ("caliper-cpi-json/cpi-callpath-profile.json", (86, 55, 4, None, 2.299906)),
    ],
)
def test_samples_of_other_versions(warehouse, path, landed):
    land(warehouse, shared(f"scaling/hatchet_formats/{path}"))
    sql = """
        SELECT count(*), count(DISTINCT callpath), nullif(count(DISTINCT rank), 0),
            max(inclusive_seconds), round(sum(seconds), 6)
        FROM fn_timings
    """
    assert rows(warehouse, sql) == [landed]
