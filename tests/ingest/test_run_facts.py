"""What files and their rows show of runs: their start, wall time, and stable names."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.helpers.support import land, rows
from warehouse.errors import InputError

SAMPLES = Path(__file__).parents[1] / "samples"

MODIFIED = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)


@pytest.fixture
def landed(warehouse, tmp_path):
    """Land a file of that text, last modified at MODIFIED."""

    def land_text(name, text, **options):
        path = tmp_path / name
        path.write_text(text)
        os.utime(path, (MODIFIED.timestamp(),) * 2)
        land(warehouse, path, **options)
        return warehouse

    return land_text


def test_a_run_without_a_start_takes_the_time_of_its_file(landed):
    con = landed("a.csv", "function,seconds\nf,1\n")
    assert rows(con, "SELECT started_at FROM runs") == [(MODIFIED,)]
    assert rows(con, "SELECT stated_by, started_at FROM run_facts ORDER BY 1") == [
        ("file", None),
        ("file_time", MODIFIED),
    ]


def test_what_is_stated_wins_over_the_time_of_the_file(landed):
    landed("a.csv", "run_id,function,seconds\nr,f,1\n")
    con = landed("b.csv", "run_id,started_at,event,value\nr,2026-01-01T00:00:00Z,widgets,1\n")
    assert rows(con, "SELECT started_at FROM runs") == [(datetime(2026, 1, 1, tzinfo=UTC),)]


def test_runs_of_one_file_have_no_time_of_their_own(landed):
    con = landed("a.csv", "run_id,function,seconds\nr,f,1\nq,f,1\n")
    assert rows(con, "SELECT DISTINCT started_at FROM runs") == [(None,)]


def test_an_implausible_time_of_a_file_is_no_start(warehouse, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("function,seconds\nf,1\n")
    os.utime(path, (0, 0))
    land(warehouse, path)
    assert rows(warehouse, "SELECT started_at FROM runs") == [(None,)]


def test_tasks_that_count_from_1970_state_the_start_and_the_makespan(landed):
    start = int(MODIFIED.timestamp()) * 10**9 + 5 * 10**9
    con = landed(
        "t.csv",
        "task,worker,t_ready,t_start,t_end\n"
        f"a,w,{start},{start},{start + 10**9}\nb,w,{start},{start + 10**9},{start + 3 * 10**9}\n",
    )
    assert rows(con, "SELECT started_at, wall_seconds FROM runs") == [
        (MODIFIED.replace(second=12), 3.0)
    ]
    assert rows(con, "SELECT value FROM run_metrics WHERE metric = 'wall_seconds'") == [(3.0,)]


def test_the_makespan_does_not_replace_a_stated_wall_time(landed):
    con = landed(
        "t.csv",
        "run_id,task,worker,t_ready,t_start,t_end\nr,a,w,0,0,1000000000\n",
    )
    landed("f.csv", "run_id,function,seconds\nr,f,1\n")
    con.execute("UPDATE run_facts SET wall_seconds = 5 WHERE stated_by = 'file'")
    landed("c.csv", "run_id,event,value\nr,widgets,1\n")
    assert rows(con, "SELECT wall_seconds FROM runs") == [(5.0,)]


def test_duration_time_of_perf_is_the_wall_time(landed):
    con = landed(
        "a.perf",
        "# started on Sat Nov 21 00:04:58 2026\n\n"
        "1500000000,ns,duration_time,1500000000,100.00,,\n"
        "20.5,msec,task-clock,20500000,100.00,0.9,CPUs utilized\n",
    )
    assert rows(con, "SELECT wall_seconds, started_at FROM runs") == [
        (1.5, datetime(2026, 11, 21, 0, 4, 58, tzinfo=UTC))
    ]


def test_names_with_addresses_or_process_numbers_are_one_function(landed):
    con = landed(
        "a.csv",
        "function,callpath,seconds\n"
        "<method f of <A object at 0x7f3a1c2d>>,main-><method f of <A object at 0x7f3a1c2d>>,1\n"
        "<method f of <A object at 0x7f3affff>>,main-><method f of <A object at 0x7f3affff>>,2\n"
        "worker (pid 12),,1\nworker (pid 345),,1\n"
        "0x000000000010a2b0,,1\n0x000000000010a2c0,,1\n",
    )
    assert rows(con, "SELECT function, seconds FROM function_shares ORDER BY function") == [
        ("0x000000000010a2b0", 1.0),
        ("0x000000000010a2c0", 1.0),
        ("<method f of <A object at 0x...>>", 3.0),
        ("worker (pid N)", 2.0),
    ]
    assert rows(con, "SELECT DISTINCT callpath FROM fn_timings WHERE callpath IS NOT NULL") == [
        ("main-><method f of <A object at 0x...>>",)
    ]


def profile_of(lines):
    """A table of functions in pstats' names, each called once, by name and its line."""
    rows = (f"{place},1,1" for place in lines)
    return "\n".join(("function,calls,seconds", *rows)) + "\n"


def test_lines_are_no_part_of_names(landed):
    before = profile_of(["a.py:3(f)", "a.py:9(g)", "a.py:12(<lambda>)", "b.py:3(f)", "{len}"])
    after = profile_of(["a.py:4(f)", "a.py:10(g)", "a.py:13(<lambda>)", "b.py:3(f)", "{len}"])
    con = landed("before.csv", before)
    names = "SELECT DISTINCT function FROM fn_timings ORDER BY ALL"
    found = rows(con, names)
    assert found == [("a.py(<lambda>)",), ("a.py(f)",), ("a.py(g)",), ("b.py(f)",), ("{len}",)]
    landed("after.csv", after)
    assert rows(con, names) == found
    lines = (
        "SELECT list(source_line ORDER BY source_line) FROM fn_timings WHERE function = 'a.py(g)'"
    )
    assert rows(con, lines) == [([9, 10],)]


def test_lines_of_pythons_frames_in_kineto_are_no_part_of_names(landed):
    names = ["torch/x.py(12): f", "torch/x.py(3): <lambda>", "<built-in method (1): g>", "a(1): b"]
    con = landed("a.csv", profile_of(names))
    assert rows(con, "SELECT function, source_line FROM fn_timings ORDER BY ALL") == [
        ("<built-in method (1): g>", None),
        ("a(1): b", None),
        ("torch/x.py(<lambda>)", 3),
        ("torch/x.py(f)", 12),
    ]


def test_lines_tell_functions_of_one_name_apart(landed):
    con = landed("a.csv", profile_of(["a.py:3(__init__)", "a.py:9(__init__)", "a.py:5(f)"]))
    assert rows(con, "SELECT function, source_line FROM fn_timings ORDER BY ALL") == [
        ("a.py(f)", 5),
        ("a.py:3(__init__)", None),
        ("a.py:9(__init__)", None),
    ]


def test_functions_without_a_name_keep_their_lines_where_not_all_are_seen(landed):
    sampled = "function,callpath,seconds\n" + "".join(
        f"{path.split('->')[-1]},{path},1\n"
        for path in ("f (a.js:3)", "f (a.js:3)->(anonymous) (a.js:7)", "f (a.js:3)->std::g(int)")
    )
    con = landed("a.csv", sampled)
    assert rows(con, "SELECT callpath, source_line FROM fn_timings ORDER BY ALL") == [
        ("f (a.js)", 3),
        ("f (a.js)->(anonymous) (a.js:7)", None),
        ("f (a.js)->std::g(int)", None),
    ]


def test_files_of_one_run_do_not_share_workers_or_tasks(warehouse, tmp_path):
    trace = SAMPLES / "chrome-trace" / "viztracer.json"
    other = tmp_path / "again.json"
    other.write_bytes(trace.read_bytes().replace(b"\n", b"") + b"\n\n")
    land(warehouse, trace, run_id="r")
    before = rows(warehouse, "SELECT count(*) FROM tasks")
    with pytest.raises(InputError, match="the run r has the node .* from another file"):
        land(warehouse, other, run_id="r")
    assert rows(warehouse, "SELECT count(*) FROM tasks") == before
    land(warehouse, other)
    # Files without keys of their own share a run, as counters of the same program do.
    counters = tmp_path / "c.csv"
    counters.write_text("event,value\ncycles,7\n")
    land(warehouse, counters, run_id="r")


@pytest.mark.parametrize(("zone", "is_naive"), [("", True), ("Z", False), ("+05:00", False)])
def test_times_of_tables_without_a_zone_are_noted(warehouse, tmp_path, zone, is_naive):
    path = tmp_path / "a.csv"
    path.write_text(f"run_id,started_at,metric,value,unit\nr,2026-03-01 12:00:00{zone},t,1,s\n")
    (landed,) = land(warehouse, path)
    assert landed.without_zone == is_naive
    copy = tmp_path / "b.parquet"
    kind = "TIMESTAMP" if is_naive else "TIMESTAMPTZ"
    warehouse.execute(
        f"COPY (SELECT 'q' AS run_id, CAST(started_at AS {kind}) AS started_at, 't' AS metric, "
        f"1.0 AS value, 's' AS unit FROM runs) TO '{copy}'"
    )
    assert land(warehouse, copy)[0].without_zone == is_naive
