"""TAU's text profiles: what lands, in one set that counts every time once."""

from __future__ import annotations

import gzip

import pytest

from ingest.readers.profiles.tau.folder import Tau
from tests.helpers.support import land, rows, shared
from tests.ingest.profiles import quoted, text_profile, write_profiles

MAIN = ("main", 1, 10, 100)
SOLVE = ("solve", 4, 60, 90)
SEND = ("MPI_Send()  ", 8, 30, 30)
FLAT = [MAIN, SOLVE, SEND]
TIMES = """
    SELECT function, callpath, seconds * 1e6, inclusive_seconds * 1e6, calls
    FROM fn_timings ORDER BY rowid
"""


def landed(con, folder, texts):
    path = write_profiles(folder, texts)
    land(con, path)
    return rows(con, TIMES)


def test_a_flat_profile(warehouse, tmp_path):
    assert landed(warehouse, tmp_path, {"profile.0.0.0": text_profile(FLAT)}) == [
        ("main", None, 10.0, 100.0, 1),
        ("solve", None, 60.0, 90.0, 4),
        ("MPI_Send()", None, 30.0, 30.0, 8),
    ]


def test_call_paths_replace_their_functions(warehouse, tmp_path):
    paths = [
        ("main => solve", 4, 60, 90),
        ("main => solve => MPI_Send()  ", 6, 25, 25),
        ("main => MPI_Send()  ", 2, 5, 5),
    ]
    assert landed(warehouse, tmp_path, {"profile.0.0.0": text_profile(FLAT + paths)}) == [
        ("main", None, 10.0, 100.0, 1),
        ("solve", "main->solve", 60.0, 90.0, 4),
        ("MPI_Send()", "main->solve->MPI_Send()", 25.0, 25.0, 6),
        ("MPI_Send()", "main->MPI_Send()", 5.0, 5.0, 2),
    ]


def test_an_arrow_in_a_name_parts_no_call_path(warehouse, tmp_path):
    flat = [("main", 1, 10, 40), ("run<fn() -> int>", 1, 30, 30)]
    paths = [("main => run<fn() -> int>", 1, 30, 30)]
    assert landed(warehouse, tmp_path, {"profile.0.0.0": text_profile(flat + paths)}) == [
        ("main", None, 10.0, 40.0, 1),
        ("run<fn() → int>", "main->run<fn() → int>", 30.0, 30.0, 1),
    ]


def test_paths_of_two_functions_add_up_too(warehouse, tmp_path):
    """TAU_CALLPATH_DEPTH=2 keeps the last two functions of each path."""
    paths = [("main => solve", 4, 60, 90), ("solve => MPI_Send()  ", 8, 30, 30)]
    land(warehouse, write_profiles(tmp_path, {"profile.0.0.0": text_profile(FLAT + paths)}))
    assert rows(warehouse, "SELECT sum(seconds), max(inclusive_seconds) FROM fn_timings") == [
        (0.0001, 0.0001)
    ]


def test_what_paths_leave_of_a_function_is_a_row_of_its_own(warehouse, tmp_path):
    """A function that calls itself is its own root, with time of no path."""
    lines = [("walk", 5, 100, 100), ("walk => walk", 4, 75, 80)]
    assert landed(warehouse, tmp_path, {"profile.0.0.0": text_profile(lines)}) == [
        ("walk", "walk->walk", 75.0, 80.0, 4),
        ("walk", None, 25.0, None, 1),
    ]


def test_paths_that_have_more_time_than_their_function_are_not_trusted(warehouse, tmp_path):
    lines = [*FLAT, ("main => solve", 4, 60, 90), ("x => solve", 4, 60, 90)]
    assert landed(warehouse, tmp_path, {"profile.0.0.0": text_profile(lines)}) == [
        ("main", None, 10.0, 100.0, 1),
        ("solve", None, 60.0, 90.0, 4),
        ("MPI_Send()", None, 30.0, 30.0, 8),
    ]


@pytest.mark.parametrize(
    "line",
    [
        quoted(("solve [ <size> = <100> ]", 2, 30, 45), "TAU_PARAM | TAU_USER"),
        quoted(("solve => MPI_Send()", 6, 25, 25), "TAU_CALLPATH_DERIVED|MPI"),
        quoted(("[SAMPLE] kernel [{solve.c} {12}]", 3, 30, 30), "TAU_SAMPLE"),
        quoted(("main => [CONTEXT] main", 3, 30, 30), "TAU_SAMPLE_CONTEXT"),
        quoted(("main => [CONTEXT] main => [SUMMARY] f [{a.c}]", 3, 30, 30), "TAU_SAMPLE"),
    ],
    ids=["parameter", "derived", "sample", "context", "summary"],
)
def test_rows_that_split_the_time_of_others_are_left_out(warehouse, tmp_path, line):
    landed(warehouse, tmp_path, {"profile.0.0.0": text_profile([*FLAT, line])})
    assert rows(warehouse, "SELECT count(*), round(sum(seconds), 9) FROM fn_timings") == [
        (3, 0.0001)
    ]
    kind = "row of parameters, samples or ends of call paths"
    note = f"1 {kind} (the time of other rows, split up)"
    assert rows(warehouse, "SELECT left_out FROM sources") == [(note,)]


def test_names_with_quotes_and_functions_that_did_not_run(warehouse, tmp_path):
    lines = [('say "hi" 1 2 3', 1, 7, 7), ("idle()", 0, 0, 0), ("mean", 2.5, 3, 3)]
    assert landed(warehouse, tmp_path, {"profile.0.0.0": text_profile(lines)}) == [
        ('say "hi" 1 2 3', None, 7.0, 7.0, 1),
        ("mean", None, 3.0, 3.0, None),
    ]


def test_nodes_are_ranks_and_threads_stay_threads(warehouse, tmp_path):
    names = ["profile.0.0.0", "profile.0.0.1", "profile.1.0.0", "profile.10.0.0"]
    land(warehouse, write_profiles(tmp_path, {name: text_profile([MAIN]) for name in names}))
    places = "SELECT rank, thread, parallelism FROM fn_timings ORDER BY ALL"
    assert rows(warehouse, places) == [(0, 0, 11), (0, 1, 11), (1, 0, 11), (10, 0, 11)]
    assert rows(warehouse, "SELECT ranks, threads, tags['ranks_missing'] FROM runs") == [
        (11, 2, "2, 3, 4, 5, 6, 7, 8, 9")
    ]


def test_contexts_of_a_node_are_processes(warehouse, tmp_path):
    names = ["profile.0.0.0", "profile.0.1.0", "profile.1.0.0"]
    land(warehouse, write_profiles(tmp_path, {name: text_profile([MAIN]) for name in names}))
    assert rows(warehouse, "SELECT DISTINCT rank FROM fn_timings ORDER BY 1") == [(0,), (1,), (2,)]
    assert rows(warehouse, "SELECT ranks FROM runs") == [(3,)]


@pytest.mark.parametrize(("metadata", "expected"), [({}, 3), ({"MPI Processor Name": "n"}, 1)])
def test_a_lone_process_is_scaled_by_its_threads_without_mpi(
    warehouse, tmp_path, metadata, expected
):
    text = text_profile([MAIN], metadata=metadata)
    names = [f"profile.0.0.{thread}" for thread in range(3)]
    land(warehouse, write_profiles(tmp_path, dict.fromkeys(names, text)))
    assert rows(warehouse, "SELECT DISTINCT parallelism, ranks, threads FROM fn_timings, runs") == [
        (expected, 1, 3)
    ]


@pytest.mark.parametrize(
    ("metadata", "folder", "app"),
    [
        ({"Executable": "/opt/my apps/heat"}, "16", "heat"),
        ({"Command Line": "./heat -n 3"}, "16", "heat"),
        ({}, "heat/16", "heat"),
        ({}, "heat/p16", "heat"),
        ({}, "heat/16-ranks", "heat"),
        ({}, "heat2d", "heat2d"),
    ],
)
def test_the_app_is_the_program_or_the_folder(warehouse, tmp_path, metadata, folder, app):
    text = text_profile([MAIN], metadata=metadata)
    land(warehouse, write_profiles(tmp_path / folder, {"profile.0.0.0": text}))
    assert rows(warehouse, "SELECT app FROM runs") == [(app,)]


def test_a_folder_of_folders_named_by_count_is_a_scaling_set(warehouse, tmp_path):
    for count in (2, 4):
        texts = {f"heat/{count}/profile.{rank}.0.0": text_profile(FLAT) for rank in range(count)}
        write_profiles(tmp_path, texts)
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT app, ranks FROM runs ORDER BY ranks") == [
        ("heat", 2),
        ("heat", 4),
    ]


def test_metrics_in_folders_of_their_own(warehouse, tmp_path):
    cycles = [("main", 1, 21, 210), ("main => solve", 4, 126, 189), ("solve", 4, 126, 189)]
    texts = {
        f"run/MULTI__{metric}/profile.{rank}.0.0": text_profile(lines, metric)
        for metric, lines in (("CPU_TIME", [MAIN]), ("PAPI_TOT_CYC", cycles), ("TIME", FLAT))
        for rank in (0, 1)
    }
    write_profiles(tmp_path, texts)
    (done,) = land(warehouse, tmp_path)
    assert done.rows == {"fn_timings": 6, "pmu_samples": 6}
    sql = """
        SELECT rank, thread, region, sample, event, value, unit FROM pmu_samples
        WHERE rank = 1 ORDER BY event, region
    """
    assert rows(warehouse, sql) == [
        (1, 0, "main", 0, "CPU_TIME", 1e-05, "s"),
        (1, 0, "main", 0, "PAPI_TOT_CYC", 21.0, None),
        (1, 0, "solve", 0, "PAPI_TOT_CYC", 126.0, None),
    ]
    assert rows(warehouse, "SELECT app, ranks, wall_seconds FROM runs") == [("run", 2, 0.0001)]
    (again,) = land(warehouse, tmp_path / "run" / "MULTI__TIME" / "profile.1.0.0")
    assert again.known


def test_a_value_of_a_counter_that_is_no_number_is_unknown(warehouse, tmp_path):
    lines = ['"f" 1 0 nan 0 0 GROUP="X"\n', '"g" 1 0 2.5 2 0 GROUP="X"\n']
    text = text_profile(lines, "(PAPI_FP_INS / TIME)")
    land(warehouse, write_profiles(tmp_path, {"profile.0.0.0": text}))
    assert rows(warehouse, "SELECT region, value FROM pmu_samples ORDER BY ALL") == [
        ("f", None),
        ("g", 2.5),
    ]


def test_older_forms(warehouse, tmp_path):
    text = (
        "2 templated_functions\n# Name Calls Subrs Excl Incl SumExclSqr ProfileCalls\n"
        '"main" 1 1 1.5e+01 4.5E1 9 0\n"f" 2 0 30 30 5 0 GROUP="A"\n0 aggregates\n'
    )
    assert landed(warehouse, tmp_path, {"profile.0.0.0": text}) == [
        ("main", None, 15.0, 45.0, 1),
        ("f", None, 30.0, 30.0, 2),
    ]


def test_a_compressed_twin_is_read_once(warehouse, tmp_path):
    text = text_profile(FLAT)
    path = write_profiles(tmp_path, {"profile.0.0.0": text})
    (tmp_path / "profile.0.0.0.gz").write_bytes(gzip.compress(text.encode()))
    (tmp_path / "profile.1.0.0.gz").write_bytes(gzip.compress(text.encode()))
    assert [part.name for part in Tau().parts(path)] == ["profile.0.0.0", "profile.1.0.0.gz"]
    land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT rank, count(*) FROM fn_timings GROUP BY 1 ORDER BY 1") == [
        (0, 3),
        (1, 3),
    ]


def test_real_profiles_count_every_time_once(warehouse):
    sum_and_root = """
        SELECT app, rank, count(*), count(callpath), round(sum(seconds), 6),
            max(inclusive_seconds)
        FROM fn_timings JOIN runs USING (run_id) GROUP BY ALL ORDER BY ALL
    """
    land(warehouse, shared("scaling/tau_profile"))
    land(warehouse, shared("scaling/hatchet_formats/tau-cpi-mpi"))
    assert rows(warehouse, sum_and_root) == [
        ("app", 0, 5, 0, 1.049725, 1.049725),
        ("cpi-mpi", 0, 12, 11, 0.051781, 0.051781),
        ("cpi-mpi", 1, 12, 11, 0.055329, 0.055329),
        ("cpi-mpi", 2, 12, 11, 0.054029, 0.054029),
        ("cpi-mpi", 3, 12, 11, 0.052908, 0.052908),
        ("reader2", 0, 17, 0, 62.404509, 62.404509),
    ]
