"""Score-P cubes: own times and counts, locations, names of folders, damage."""

from __future__ import annotations

import csv

import pytest
from pycubexr import CubexParser

from ingest.readers.profiles.scorep.rows import experiment
from tests.helpers.support import land, rows, shared
from tests.ingest.cubes import Metric, archive, cube, files_of

TREE = [("main", None), ("solve", 0), ("dot", 1), ("io", 0)]
VISITS = Metric("EXCLUSIVE", "UINT64", "occ", [[1, 1], [3, 3], [9, 9], [1, 0]])
TIME = Metric("INCLUSIVE", "DOUBLE", "sec", [[10, 9], [6, 5], [2, 2.5], [1, 0]])
CYCLES = Metric("INCLUSIVE", "UINT64", "#", [[100, 90], [60, 60], [10, 61], [5, 0]])
SENT = Metric("EXCLUSIVE", "UINT64", "bytes", [[0, 8], [8, 0], [0, 0], [0, 0]])
METRICS = {"visits": VISITS, "time": TIME, "PAPI_TOT_CYC": CYCLES, "bytes_sent": SENT}
TIMINGS = """
    SELECT callpath, rank, thread, seconds, inclusive_seconds, calls FROM fn_timings
    ORDER BY rank, thread, min(rowid) OVER (PARTITION BY callpath)
"""


@pytest.fixture
def landed(warehouse, tmp_path):
    """Land a cube from a folder of that name and return the rows of a query."""

    def query(data, sql=TIMINGS, folder="run"):
        path = tmp_path / folder / "profile.cubex"
        path.parent.mkdir(parents=True)
        path.write_bytes(data)
        land(warehouse, path)
        return rows(warehouse, sql)

    return query


def test_own_times_are_without_the_callees_of_the_same_location(landed):
    assert landed(cube(TREE, METRICS, threads=(1, 1))) == [
        ("main", 0, 0, 3.0, 10.0, 1),
        ("main->solve", 0, 0, 4.0, 6.0, 3),
        ("main->solve->dot", 0, 0, 2.0, 2.0, 9),
        ("main->io", 0, 0, 1.0, 1.0, 1),
        ("main", 1, 0, 4.0, 9.0, 1),
        ("main->solve", 1, 0, 2.5, 5.0, 3),
        ("main->solve->dot", 1, 0, 2.5, 2.5, 9),
        ("main->io", 1, 0, 0.0, 0.0, 0),
    ]


def test_counters_are_without_the_callees_and_one_that_lost_counts_is_unknown(landed):
    sql = """
        SELECT region, event, list(value ORDER BY rank), any_value(unit) FROM pmu_samples
        GROUP BY region, event ORDER BY min(rowid)
    """
    assert landed(cube(TREE, METRICS, threads=(1, 1)), sql) == [
        ("main", "PAPI_TOT_CYC", [35.0, 30.0], None),
        ("main->solve", "PAPI_TOT_CYC", [50.0, None], None),
        ("main->solve->dot", "PAPI_TOT_CYC", [10.0, 61.0], None),
        ("main->io", "PAPI_TOT_CYC", [5.0, 0.0], None),
        ("main", "bytes_sent", [0.0, 8.0], "bytes"),
        ("main->solve", "bytes_sent", [8.0, 0.0], "bytes"),
        ("main->solve->dot", "bytes_sent", [0.0, 0.0], "bytes"),
        ("main->io", "bytes_sent", [0.0, 0.0], "bytes"),
    ]


def test_a_count_that_wrapped_is_unknown_and_one_just_below_zero_is_zero(warehouse, landed):
    # As Cube's own library has it.
    counts = [[2**64 - 2000, 2**64 - 7], [1, 2], [3, 4], [5, 6]]
    metric = Metric("EXCLUSIVE", "UINT64", "#", counts)
    sql = "SELECT value FROM pmu_samples WHERE region = 'main' ORDER BY rank"
    data = cube(TREE, {"time": TIME, "PAPI_L2_DCM": metric}, threads=(1, 1))
    assert landed(data, sql) == [(None,), (0.0,)]
    assert rows(warehouse, "SELECT tags['below_zero'] FROM runs") == [
        ("PAPI_L2_DCM: 1 of 8 own values, left unknown",)
    ]


def test_threads_of_ranks(landed):
    two = [[1, 2], [1, 1], [0, 1], [0, 0]]
    data = cube(TREE, {"time": Metric("INCLUSIVE", "DOUBLE", "sec", two)}, threads=(2,))
    sql = """
        SELECT DISTINCT rank, thread, ranks, threads, nodes, machine, parallelism, calls
        FROM fn_timings JOIN runs USING (run_id) ORDER BY thread
    """
    assert landed(data, sql) == [
        (0, 0, 1, 2, 1, "Atlas", 1, None),
        (0, 1, 1, 2, 1, "Atlas", 1, None),
    ]


def test_call_paths_of_one_name_are_distinguished_by_their_sample(landed):
    tree = [("main", None), ("f", 0), ("f", 0)]
    counts = Metric("EXCLUSIVE", "UINT64", "#", [[1], [2], [3]])
    sql = "SELECT region, sample, value FROM pmu_samples ORDER BY rowid"
    assert landed(cube(tree, {"PAPI_TOT_CYC": counts}), sql) == [
        ("main", 0, 1.0),
        ("main->f", 0, 2.0),
        ("main->f", 1, 3.0),
    ]


@pytest.mark.parametrize(
    ("path", "app", "parallelism", "size", "repetition"),
    [
        ("mm.x1000y1z1.r1/profile.cubex", "mm", 1000, 1.0, 1),
        ("kripke.p8.d2.g32.r3/profile.cubex", "kripke", 8, 2.0, 3),
        ("blast.p64.postfix.r2/profile.cubex", "blast", 64, None, 2),
        ("set/solver.p8.size500/profile.cubex", "solver", 8, 500.0, None),
        ("solver.n500.r1/profile.cubex", "solver", None, 500.0, 1),
        ("solver.x0,5/profile.cubex", "solver", None, None, None),
        ("jacobi/p16/r2/profile.cubex", "jacobi", 16, None, 2),
        ("jacobi/16/profile.cubex", "jacobi", None, None, None),
        ("jacobi/16ranks/profile.cubex", "jacobi", None, None, None),
        ("jacobi/scorep-20260301_1200_123456/profile.cubex", "jacobi", None, None, None),
        ("scorep_jacobi_16x4_sum/summary.cubex", "jacobi", None, None, None),
        ("set/jacobi.p4.r1.cubex", "jacobi", 4, None, 1),
        ("jacobi/run7/profile.cubex", "run7", None, None, None),
    ],
)
def test_what_names_of_folders_say(tmp_path, path, app, parallelism, size, repetition):
    found = experiment(tmp_path / path)
    assert (found.app, found.parallelism, found.problem_size, found.repetition) == (
        *(app, parallelism, size),
        repetition,
    )


def test_the_program_that_the_cube_names_comes_first(landed):
    data = cube(TREE, METRICS, threads=(1, 1), role=("measurement", "artificial"))
    sql = "SELECT app, ranks, problem_size, tags['size'] FROM runs"
    assert landed(data, sql, folder="set.p2.size9.r1") == [("main", 2, 9.0, "9")]


@pytest.mark.parametrize(
    ("metrics", "message"),
    [
        (
            {"time": Metric("INCLUSIVE", "DOUBLE", "min", TIME.values)},
            "anchor.xml: the metric time",
        ),
        (
            {"time": Metric("INCLUSIVE", "DOUBLE", "sec", [[-1, 0], *TIME.values[1:]])},
            "0.data: time has an implausible value",
        ),
        (
            {"time": Metric("INCLUSIVE", "DOUBLE", "sec", [[float("nan"), 0], *TIME.values[1:]])},
            "0.data: time has an implausible value",
        ),
    ],
)
def test_values_that_are_refused(refusal, metrics, message):
    data = cube(TREE, metrics, threads=(1, 1))
    assert refusal(data, name="profile.cubex").startswith(message)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("1.data", lambda data: data[:-8], "1.data, metric time: the cube is damaged"),
        ("1.data", lambda data: b"CUBEX.ATAD" + data[10:], "1.data, metric time: the cube is"),
        ("1.index", lambda data: data[:-4], "1.data, metric time: the cube is damaged"),
        ("1.index", lambda data: data[:-4] + b"\x63\0\0\0", "1.data, metric time: the cube is"),
        ("anchor.xml", lambda data: data[:-20], "the archive: the cube is damaged"),
        (
            "anchor.xml",
            lambda data: data.replace(b'<location Id="1"', b'<location Id="5"'),
            "anchor.xml: the locations",
        ),
        ("anchor.xml", lambda data: data.replace(b">main<", b"><"), "anchor.xml: a region has no"),
        ("anchor.xml", lambda data: data.replace(b"<rank>1<", b"<rank>-1<"), "anchor.xml: a rank"),
    ],
)
def test_damage_is_reported_with_its_place(refusal, name, change, message):
    files = files_of(cube(TREE, METRICS, threads=(1, 1)))
    files[name] = change(files[name])
    assert refusal(archive(files), name="profile.cubex").startswith(message)


@pytest.mark.parametrize(
    ("name", "largest"), [("blast.p64.r1", 5e-5), ("time.p4.n2000.x1.r0", 5e-7)]
)
def test_real_own_times_are_those_that_cube_dump_prints(warehouse, name, largest):
    folder = shared(f"scaling/cube/{name}")
    land(warehouse, folder / "profile.cubex")
    with (folder / "excl.csv").open() as file:
        lines = [[cell.strip() for cell in line] for line in csv.reader(file)]
    warehouse.execute(
        "CREATE OR REPLACE TEMP TABLE dumped (node INT, rank INT, calls BIGINT, seconds DOUBLE)"
    )
    warehouse.executemany(
        "INSERT INTO dumped VALUES (?, ?, ?, ?)", [line[:4] for line in lines[1:]]
    )
    with CubexParser(folder / "profile.cubex") as cubex:
        nodes = [node.id for node in cubex.all_cnodes()]
    sql = """
        WITH landed AS (
            SELECT *, row_number() OVER (PARTITION BY rank ORDER BY rowid) AS turn FROM fn_timings
        )
        SELECT count(*), max(abs(l.seconds - d.seconds)) <= ?, bool_and(l.calls = d.calls)
        FROM landed AS l JOIN dumped AS d ON d.node = ?[l.turn] AND d.rank = l.rank
    """
    assert rows(warehouse, sql, largest, nodes) == [(len(lines) - 1, True, True)]


@pytest.mark.parametrize(
    ("path", "app", "ranks", "paths"),
    [
        ("scaling/cube/blast.p64.r1", "blast", 64, 32),
        ("scaling/cube/time.p4.n2000.x1.r0", "bg_time", 4, 46),
        ("scaling/cube/kripke.p8.d2.g32.r1", "kripke", 8, 14),
        ("scaling/cube/fastest.p16.size131072.r1", "fastest", 16, 584),
        ("scaling/hatchet_formats/scorep-cpi-cubex", "cpi", 4, 11),
    ],
)
def test_real_cubes_land_whole(warehouse, path, app, ranks, paths):
    land(warehouse, shared(path) / "profile.cubex")
    sql = """
        SELECT app, ranks, parallelism, count(*), abs(
            sum(seconds) / sum(inclusive_seconds) FILTER (callpath NOT LIKE '%->%') - 1
        ) < 1e-12
        FROM fn_timings JOIN runs USING (run_id) GROUP BY ALL
    """
    assert rows(warehouse, sql) == [(app, ranks, ranks, ranks * paths, True)]


def test_the_one_real_count_below_zero_is_unknown(warehouse):
    land(warehouse, shared("pmu/cube_papi/L2_DCM_negative.cubex"))
    sql = """
        SELECT event, count(*), count(*) - count(value) FROM pmu_samples
        WHERE event LIKE 'PAPI%' GROUP BY event ORDER BY event
    """
    assert rows(warehouse, sql) == [
        ("PAPI_L1_DCM", 35840, 0),
        ("PAPI_L1_ICM", 35840, 0),
        ("PAPI_L1_TCM", 35840, 0),
        ("PAPI_L2_DCM", 35840, 1),
        ("PAPI_L2_ICM", 35840, 0),
    ]
    assert rows(warehouse, "SELECT app, ranks, nodes, tags['below_zero'] FROM runs") == [
        ("kripke.exe", 128, 2, "PAPI_L2_DCM: 1 of 35840 own values, left unknown")
    ]


def test_a_real_set_of_cubes_is_one_scaling_set(warehouse):
    land(warehouse, shared("scaling/extrap_formats/cubeset/single_parameter"))
    sql = """
        SELECT app, list(DISTINCT parallelism ORDER BY parallelism), count(DISTINCT run_id)
        FROM fn_timings JOIN runs USING (run_id) GROUP BY app
    """
    assert rows(warehouse, sql) == [("mm", [1, 10, 25, 50, 100, 250, 500, 1000, 2000], 9)]
