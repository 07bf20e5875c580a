"""Rows that somebody writes with any client of DuckDB: what is stored is outdated, and says so."""

from __future__ import annotations

import duckdb
import pytest

from apps.reports.freshness import not_fresh
from ingest.analyse import analyse_all, outdated_keys
from ingest.refresh import Outdated, Refreshed, outdated, refresh
from ingest.scalars import differing_scalars
from tests.helpers.support import given, land, rows

UP_TO_DATE = Outdated([], [], [])
TASKS = """
    task worker t_start t_end
    t1   w1     0       60
    t2   w2     70      100
"""


def landed(con, folder, name, text):
    path = folder / f"{name}.csv"
    path.write_text(text)
    land(con, path)


def refreshed(con):
    differing = [found for _, found in differing_scalars(con)]
    asked = outdated(con, differing)
    for _ in refresh(con, asked, Refreshed()):
        pass
    analyse_all(con)
    return asked


@pytest.fixture
def two(warehouse, tmp_path):
    """Return a warehouse with two runs of one application."""
    for run, value in (("a", 1), ("b", 2)):
        landed(warehouse, tmp_path, run, f"run_id,app,event,value\n{run},x,cycles,{value}\n")
    return warehouse


def test_what_landed_is_up_to_date(two):
    assert not_fresh(two) == [] and not outdated_keys(two)
    assert outdated(two) == UP_TO_DATE
    assert rows(two, "FROM outdated_runs") == []


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO pmu_samples BY NAME SELECT * REPLACE (2 AS rank) FROM pmu_samples "
        "WHERE run_id = 'a'",
        "INSERT INTO bb_edges BY NAME SELECT 'a' AS run_id, 7 AS source_id, 0 AS launch, "
        "'k' AS kernel, 0 AS thread, 0 AS src, 1 AS dst, 1 AS count",
        "DELETE FROM pmu_samples WHERE run_id = 'a'",
    ],
)
def test_rows_added_or_removed_make_their_run_outdated_until_refresh(two, change):
    two.execute(change)
    (sentence,) = not_fresh(two)
    assert sentence.startswith("1 run had rows added or removed by hand")
    assert sentence.endswith(": a; pwh refresh computes them anew")
    assert list(refreshed(two).whole) == ["a"]
    assert not_fresh(two) == [] and outdated(two) == UP_TO_DATE and not outdated_keys(two)


def test_refresh_finds_values_that_changed(two):
    two.execute("UPDATE pmu_samples SET value = 5 WHERE run_id = 'b'")
    assert list(refreshed(two).whole) == ["b"]
    value = "SELECT value FROM run_metrics WHERE run_id = 'b' AND metric = 'counter:cycles'"
    assert rows(two, value) == [(5,)]
    assert refreshed(two) == UP_TO_DATE


def test_where_time_went_is_unknown_until_it_is_attributed(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    given(warehouse, "tasks", TASKS)
    idle = "SELECT DISTINCT starvation, busy FROM slo_by_run"
    window = "SELECT DISTINCT starvation, busy FROM slo_window('r1', 0, 1000)"
    assert rows(warehouse, idle) == []
    assert rows(warehouse, window) == [(None, None)]
    refreshed(warehouse)
    (found,) = rows(warehouse, idle)
    assert found != (None, None) and (None, None) not in rows(warehouse, window)


def test_an_answer_that_could_not_be_computed_is_named_with_the_reason(two):
    two.execute(
        "UPDATE analysis_states SET failed = 'too odd' WHERE analysis = 'run_groups' AND key = 'a'"
    )
    (sentence,) = not_fresh(two)
    assert sentence.startswith("1 answer could not be computed: run_groups of a (too odd);")
    analyse_all(two)
    assert not_fresh(two) == []


def test_facts_written_by_hand_survive_files_of_the_run(warehouse, tmp_path):
    given(warehouse, "runs", "run_id app version ranks\nhand mine 1.5 8")
    text = "run_id,app,machine,event,value\nhand,theirs,m,cycles,1\n"
    landed(warehouse, tmp_path, "first", text)
    facts = "SELECT app, version, machine, ranks FROM runs"
    assert rows(warehouse, facts) == [("mine", "1.5", "m", 8)]
    landed(warehouse, tmp_path, "second", "run_id,event,value\nhand,branches,1\n")
    assert rows(warehouse, facts) == [("mine", "1.5", "m", 8)]
    land(warehouse, tmp_path / "first.csv", facts={"app": "option"}, replace=True)
    assert rows(warehouse, facts) == [("option", "1.5", "m", 8)]


def test_a_second_row_of_a_run_is_refused(two):
    with pytest.raises(duckdb.ConstraintException, match="Duplicate key"):
        two.execute("INSERT INTO runs (run_id) VALUES ('a')")


def test_metrics_have_their_series_and_the_order_of_versions(warehouse, tmp_path):
    given(
        warehouse,
        "runs",
        """
        run_id app version started_at ranks threads wall_seconds
        a      x   1.10    NULL       4     2       1
        b      x   1.9     2024-01-01 4     2       2
        c      x   2       NULL       4     2       3
        d      y   2       2024-01-02 4     2       3
        e      y   3       2024-01-01 4     2       3
        f      y   3       2024-01-03 4     2       3
        """,
    )
    of = "SELECT run_id, version_order, ranks, threads FROM run_metrics ORDER BY run_id"
    assert rows(warehouse, of)[0] == ("a", None, 4, 2)
    refreshed(warehouse)
    order = {run: place for run, place, *_ in rows(warehouse, of)}
    # what has no time at all is the oldest
    assert order == {"a": 1, "b": 3, "c": 2, "d": 2, "e": 1, "f": 1}
    ids = rows(warehouse, "SELECT run_id FROM run_metrics JOIN series USING (series_id) ORDER BY 1")
    assert ids == [("b",), ("d",), ("e",), ("f",)]
    assert rows(warehouse, "FROM run_metrics WHERE run_id = 'a' AND series_id IS NOT NULL") == []
