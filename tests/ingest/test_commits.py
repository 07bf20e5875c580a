"""Histories along commits: runs that were measured in any order, on branches, and landed anyhow."""

from __future__ import annotations

import random
import shutil
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest

import warehouse as pwh
from ingest.acknowledge import acknowledge
from ingest.analyse import until_analysed
from ingest.commits import take_all_commits
from ingest.forget import forget_run
from ingest.git import Repository, head_of
from tests.helpers.postgres import programs, running_postgres
from tests.helpers.repositories import Repository as Made
from tests.helpers.serving import WRITING, served
from tests.helpers.support import land, rows
from warehouse.series import Acknowledgement
from warehouse.transactions import transaction

pytestmark = pytest.mark.usefixtures("only_events")
TABLE = "run_id,app,commit,branch,started_at,wall_seconds\n"
SERIES = "SELECT list_transform(series, lambda p: p.run_id) FROM metric_series"
FOUND = (
    "SELECT * FROM change_points ORDER BY ALL",
    "SELECT * FROM provisional_changes ORDER BY ALL",
    "SELECT * FROM series_states ORDER BY ALL",
    "SELECT * FROM disturbances ORDER BY ALL",
)


def table(path, lines):
    """Write runs: (run_id, commit, branch, hour of the day, seconds)."""
    path.write_text(
        TABLE
        + "".join(
            f"{run},prog,{commit},{branch},2026-06-01T{hour:02}:00:00Z,{seconds}\n"
            for run, commit, branch, hour, seconds in lines
        )
    )
    return path


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Return a repository with the commits c0 to c23 of main, in which the test runs."""
    one = Made(tmp_path / "repo")
    one.commit(*(f"c{number}" for number in range(24)))
    monkeypatch.chdir(one.folder)
    head_of.cache_clear()
    return one


def backfilled(made, seed):
    """Return runs of all commits, slower from c12 on, measured in an order of their own."""
    hours = list(range(24))
    random.Random(seed).shuffle(hours)
    return [
        (f"r{n}", made.commits[f"c{n}"][:10], "", hours[n], 10 + 2 * (n >= 12) + n * 7 % 5 / 50)
        for n in range(24)
    ]


def test_a_history_measured_in_any_order_is_told_as_if_in_order(made, another, tmp_path):
    told = []
    for seed in (None, 1, 2):
        con = another()
        lines = backfilled(made, seed)
        if seed is None:
            lines = [(run, commit, "", n, s) for n, (run, commit, _, _, s) in enumerate(lines)]
        else:
            random.Random(-seed).shuffle(lines)
        # In two files, of which the second has commits before those of the first.
        for part in (0, 1):
            land(con, table(tmp_path / f"{part}.csv", lines[part::2]))
        told.append([rows(con, query) for query in FOUND])
        assert rows(con, "SELECT run_id, previous_run_id, change > 0 FROM change_points") == [
            ("r12", "r11", True)
        ]
    assert told[0] == told[1] == told[2]


def test_a_commit_measured_late_takes_its_place(made, warehouse, tmp_path):
    land(warehouse, table(tmp_path / "a.csv", backfilled(made, 3)))
    again = [(f"late{n}", made.commits[f"c{n}"], "", 23, 10) for n in (2, 5)]
    land(warehouse, table(tmp_path / "b.csv", again))
    ((series,),) = rows(warehouse, SERIES)
    assert series[:9] == ["r0", "r1", "r2", "late2", "r3", "r4", "r5", "late5", "r6"]


def test_runs_of_another_branch_are_candidates(made, warehouse, tmp_path):
    made.checkout("-b", "topic", "main~12")
    made.commit("t")
    lines = [
        *backfilled(made, 4),
        ("by_name", "", "topic", 1, 99),
        ("by_git", made.commits["t"], "", 2, 99),
        ("main_too", "", "main", 3, 12),
    ]
    land(warehouse, table(tmp_path / "a.csv", lines))
    ((series,),) = rows(warehouse, SERIES)
    assert len(series) == 25 and not {"by_name", "by_git"} & set(series)
    assert rows(warehouse, "SELECT DISTINCT branch FROM _run_commits WHERE is_candidate") == [
        ("topic",)
    ]
    query = "SELECT run_id, fork_position FROM run_groups WHERE fork_position IS NOT NULL"
    assert rows(warehouse, query) == [("by_git", 12)]


def test_a_merge_or_a_fast_forward_brings_runs_into_the_history(made, warehouse, tmp_path):
    made.checkout("-b", "topic")
    made.commit("t")
    runs = [*backfilled(made, 5), ("t", made.commits["t"], "topic", 1, 12)]
    land(warehouse, table(tmp_path / "a.csv", runs))
    ((series,),) = rows(warehouse, SERIES)
    assert "t" not in series
    made.checkout("main")
    made.git("merge", "-q", "--ff-only", "topic")
    made.commit("after")
    # What lands later shows that the branch is part of it now.
    land(warehouse, table(tmp_path / "b.csv", [("after", made.commits["after"], "", 2, 12)]))
    ((series,),) = rows(warehouse, SERIES)
    assert series[-2:] == ["t", "after"]


def test_what_a_push_took_off_the_default_branch_leaves_the_history(made, warehouse, tmp_path):
    land(warehouse, table(tmp_path / "a.csv", backfilled(made, 6)))
    made.git("reset", "-q", "--hard", made.commits["c20"])
    made.commit("new")
    # As in a new clone, which has none of what was there before.
    made.git("reflog", "expire", "--expire=now", "--all")
    made.git("gc", "-q", "--prune=now")
    land(warehouse, table(tmp_path / "b.csv", [("new", made.commits["new"], "", 2, 12)]))
    for _ in range(2):
        ((series,),) = rows(warehouse, SERIES)
        assert series[-2:] == ["r20", "new"]
        with transaction(warehouse):
            take_all_commits(warehouse, Repository(made.folder))


def test_options_win_over_files_tags_and_what_is_checked_out(made, warehouse):
    file = made.folder / "t.csv"
    file.write_text("run_id,app,wall_seconds\na,prog,1\n")
    land(warehouse, file)
    query = 'SELECT "commit", branch FROM runs'
    assert rows(warehouse, query) == [(made.commits["c23"], "main")]
    land(warehouse, file, tags={"commit": "abcdef1", "branch": "x"}, replace=True)
    assert rows(warehouse, query) == [("abcdef1", "x")]
    land(warehouse, file, facts={"commit": "abcdef2"}, tags={"commit": "abcdef1"}, replace=True)
    assert rows(warehouse, query) == [("abcdef2", None)], "the branch of another commit is not its"
    land(warehouse, file, facts={"version": "v1"}, replace=True)
    assert rows(warehouse, query) == [(None, None)], "another version than what is checked out"


@pytest.mark.parametrize("stated", ["version", "started_at"])
def test_what_is_checked_out_is_not_of_a_run_of_another_version_or_time(made, warehouse, stated):
    """One file of the run says nothing of it, the other that it is older."""
    counters, walls = made.folder / "counters.csv", made.folder / "walls.csv"
    counters.write_text("run_id,app,event,value\na,prog,cycles,5\n")
    value = {"version": "1.0", "started_at": "2001-01-01T00:00:00Z"}[stated]
    walls.write_text(f"run_id,app,{stated},wall_seconds\na,prog,{value},1\n")
    land(warehouse, counters)
    assert rows(warehouse, 'SELECT "commit" FROM runs') == [(made.commits["c23"],)]
    land(warehouse, walls)
    assert rows(warehouse, 'SELECT "commit", branch FROM runs') == [(None, None)]


def test_commits_of_runs_that_landed_elsewhere_are_read_later(
    made, warehouse, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    land(warehouse, table(tmp_path / "a.csv", backfilled(made, 6)))
    assert rows(warehouse, "FROM commits") == []
    found, run_ids = take_all_commits(warehouse, Repository(made.folder))
    assert (len(found), len(run_ids)) == (24, 24)
    assert rows(warehouse, "SELECT min(position), max(position) FROM commits") == [(1, 24)]


@pytest.fixture(params=["file", "lake", "server"])
def anywhere(request, template, tmp_path, monkeypatch):
    """Return a warehouse in a file, in a lake, or that another process serves."""
    with ExitStack() as stack:
        file = shutil.copy(template, tmp_path / "w.duckdb")
        address = str(file)
        if request.param == "lake":
            if programs() is None or find_spec("duckdb_extension_ducklake") is None:
                pytest.skip("PostgreSQL or DuckLake is not installed")
            (tmp_path / "lake").mkdir()
            server = stack.enter_context(running_postgres())
            address = f"ducklake:postgres:{server.settings} data_path={tmp_path / 'lake'}"
        if request.param == "server":
            address = stack.enter_context(served(Path(file))).address
            monkeypatch.setenv("PWH_TOKEN", WRITING)
        yield stack.enter_context(pwh.connect(address))


def test_a_history_is_told_wherever_the_warehouse_is_and_forgotten(made, anywhere, tmp_path):
    con, lines = anywhere, backfilled(made, 7)
    land(con, table(tmp_path / "a.csv", lines[:12]))
    land(con, table(tmp_path / "b.csv", lines[12:]))
    assert rows(con, SERIES) == [([f"r{n}" for n in range(24)],)]
    told = [(1, "new", "r12", made.commits["c12"])]
    asked = 'SELECT event_id, state, run_id, "commit" FROM change_events'
    assert rows(con, asked) == told
    acknowledge(con, "r12", Acknowledgement("expected"))
    assert rows(con, "SELECT event_id FROM acknowledgements") == [(1,)]
    # Of a commit that no run is of, there is nothing left.
    until_analysed(partial(_forgotten, con, "r3"))
    assert rows(con, "SELECT count(*) FROM commits") == [(23,)]
    land(con, table(tmp_path / "c.csv", [("again", made.commits["c4"], "", 1, 10)]))
    until_analysed(partial(_forgotten, con, "r4"))
    assert rows(con, "SELECT count(*) FROM commits") == [(23,)]
    assert rows(con, asked) == [(1, "expected", *told[0][2:])]


def _forgotten(con, run_id, failed):
    with transaction(con):
        forget_run(con, run_id, failed)


def test_runs_of_one_commit_are_repetitions_of_one_point(made, warehouse, tmp_path):
    lines = [(f"r{n}", made.commits[f"c{n}"], "", n, 10 + n * 7 % 5 / 50) for n in range(20)]
    again = [(f"s{n}", made.commits["c9"], "", n, 12 + n * 3 % 5 / 50) for n in range(12)]
    land(warehouse, table(tmp_path / "a.csv", lines + again))
    # However often it was measured, one commit is no level.
    assert rows(warehouse, "SELECT run_id FROM change_points") == []
    assert rows(warehouse, "SELECT points, state FROM series_states") == [(32, "steady")]
    more = [(f"t{n}", made.commits[f"c{n}"], "", n, 12 + n * 3 % 5 / 50) for n in range(20, 24)]
    land(warehouse, table(tmp_path / "b.csv", more + [(f"{r}b", *of) for r, *of in more]))
    assert rows(warehouse, 'SELECT run_id, "index", more_runs FROM provisional_changes') == [
        ("t20", 32, 1)
    ]


def test_a_commit_that_was_measured_again_is_told_until_another_shows_it(made, warehouse, tmp_path):
    lines = [(f"r{n}", made.commits[f"c{n}"], "", n, 10 + n * 7 % 5 / 50) for n in range(20)]
    again = [(f"s{n}", made.commits["c20"], "", n, 12 + n * 3 % 5 / 50) for n in range(6)]
    land(warehouse, table(tmp_path / "a.csv", lines + again))
    assert rows(warehouse, "SELECT latest_outlier_run_id FROM series_states") == [("s5",)]
