"""Scalars of runs: kept in the transaction that lands their rows."""

from __future__ import annotations

import shutil

import pytest

from apps.queries.runs import rows_by_run
from ingest import scalars
from ingest.forget import forget_run, forget_source
from ingest.scalars import outdated_scalars
from tests.helpers.support import given, keep, keep_scalars, land, rows
from warehouse import connect

METRICS = "SELECT run_id, metric, value FROM run_metrics ORDER BY ALL"
KEPT = "SELECT run_id, metric, value FROM run_scalars ORDER BY ALL"
COUNTED = "SELECT run_id, rows FROM kept_runs ORDER BY ALL"


def csv(folder, name: str, cycles: int):
    path = folder / f"{name}.csv"
    path.write_text(f"event,value\ncycles,{cycles}\n")
    return path


def test_every_sample_keeps_what_its_rows_add_up_to(samples_warehouse, tmp_path):
    warehouse = connect(shutil.copy(samples_warehouse, tmp_path))
    failed = "SELECT analysis, key, failed FROM analysis_states WHERE failed IS NOT NULL"
    assert rows(warehouse, failed) == []
    kept, counted = rows(warehouse, KEPT), dict(rows(warehouse, COUNTED))
    keep_scalars(warehouse)
    added_up = rows(warehouse, KEPT)

    assert counted == dict(rows(warehouse, COUNTED))
    warehouse.execute("DELETE FROM kept_runs")
    assert counted == rows_by_run(warehouse, list(counted))
    keep_scalars(warehouse)

    assert len(added_up) > 400
    assert [one[:2] for one in kept] == [one[:2] for one in added_up]
    # The order in which numbers are added up is not always the same.
    assert [one[2] for one in kept] == pytest.approx([one[2] for one in added_up], rel=1e-12)
    assert outdated_scalars(warehouse) == []
    left = "SELECT view_name FROM duckdb_views() WHERE temporary AND NOT internal"
    assert rows(warehouse, left) == []
    warehouse.close()


def test_a_second_file_of_a_run_adds_to_what_is_kept(warehouse, tmp_path):
    land(warehouse, csv(tmp_path, "one", 1), run_id="r")
    assert ("r", "counter:cycles", 1.0) in rows(warehouse, KEPT)
    land(warehouse, csv(tmp_path, "two", 10), run_id="r")
    times = tmp_path / "times.csv"
    times.write_text("function,seconds\nsolve,1\n")
    (third,) = land(warehouse, times, run_id="r")
    assert rows(warehouse, COUNTED) == [("r", {"fn_timings": 1, "pmu_samples": 2})]
    forget_source(warehouse, third.source_id)
    assert rows(warehouse, COUNTED) == [("r", {"pmu_samples": 2})]
    summed = [("r", "counter:cycles", 11.0), ("r", "per_cycle:cycles", 1.0)]
    assert rows(warehouse, KEPT) == rows(warehouse, METRICS) == summed


def test_a_file_into_one_of_two_runs_of_another_file_leaves_the_other_alone(warehouse, tmp_path):
    both = tmp_path / "both.csv"
    both.write_text("run_id,event,value\nr,misses,1\ns,misses,2\n")
    land(warehouse, both)
    land(warehouse, csv(tmp_path, "one", 10), run_id="r")
    assert (
        rows(warehouse, KEPT)
        == rows(warehouse, METRICS)
        == [
            ("r", "counter:cycles", 10.0),
            ("r", "counter:misses", 1.0),
            ("r", "per_cycle:cycles", 1.0),
            ("r", "per_cycle:misses", 0.1),
            ("s", "counter:misses", 2.0),
        ]
    )


def test_many_rows_are_added_up_in_parts_to_the_same(warehouse, tmp_path, monkeypatch):
    lines = ["rank,event,region,value", *(f"{i % 3},cycles,f,{i}" for i in range(5000))]
    path = tmp_path / "many.csv"
    path.write_text("\n".join(lines) + "\n")
    (landed,) = land(warehouse, path, run_id="r")
    together = rows(warehouse, KEPT)
    assert ("r", "cost:f", sum(range(5000))) in together
    forget_source(warehouse, landed.source_id)

    in_parts = scalars._in_parts
    parts = []
    monkeypatch.setattr(scalars, "_MANY", 10)
    monkeypatch.setattr(
        scalars, "_in_parts", lambda *args: parts.append(in_parts(*args)) or parts[-1]
    )
    warehouse.execute("SET threads = 3")
    land(warehouse, path, run_id="r")
    assert rows(warehouse, KEPT) == together
    assert [part.count("UNION ALL") for part in parts] == [2]


def test_costs_are_those_of_the_events_of_each_run(warehouse, tmp_path):
    both = tmp_path / "both.csv"
    both.write_text(
        "run_id,region,event,value,inclusive\n"
        # instructions before cycles; an unknown event is a cost where it has one with callees
        "r,f,Ir,3,\nr,f,cycles:u,4,\nr,f,misses,5,\n"
        "s,f,cycles:u,6,\ns,f,Ir,,\ns,f,misses,7,\n"
        "t,f,misses,8,9\nt,g,misses,8,\nu,f,misses,7,\n"
    )
    land(warehouse, both)
    costs = "SELECT run_id, metric, value FROM {} WHERE metric LIKE '%cost%' ORDER BY ALL"
    assert (
        rows(warehouse, costs.format("run_scalars"))
        == rows(warehouse, costs.format("run_metrics"))
        == [
            ("r", "cost:f", 3.0),
            ("r", "functions:cost", 3.0),
            ("s", "cost:f", 6.0),
            ("s", "functions:cost", 6.0),
            ("t", "cost:f", 8.0),
            ("t", "functions:cost", 8.0),
        ]
    )


def test_what_is_forgotten_is_not_kept(warehouse, tmp_path):
    land(warehouse, csv(tmp_path, "one", 1), run_id="r")
    (second,) = land(warehouse, csv(tmp_path, "two", 10), run_id="r")
    land(warehouse, csv(tmp_path, "three", 100), run_id="s")

    forget_source(warehouse, second.source_id)
    assert ("r", "counter:cycles", 1.0) in rows(warehouse, KEPT)

    forget_run(warehouse, "r")
    assert {run for run, *_ in rows(warehouse, KEPT)} == {"s"}
    assert rows(warehouse, "SELECT run_id FROM kept_runs") == [("s",)]


def test_rows_written_by_hand_are_found_and_added(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    given(warehouse, "pmu_samples", "event value\ncycles 1")
    assert outdated_scalars(warehouse) == [("r1", False)]
    keep(warehouse)
    given(warehouse, "pmu_samples", "event value\ncycles 2")
    assert outdated_scalars(warehouse) == [("r1", False)]
    assert ("r1", "counter:cycles", 1.0) in rows(warehouse, METRICS)
    keep(warehouse)
    assert ("r1", "counter:cycles", 3.0) in rows(warehouse, METRICS)


def test_a_run_without_scalars_is_not_gone_through_again(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    keep(warehouse)
    assert outdated_scalars(warehouse) == []
    warehouse.execute("UPDATE kept_runs SET revision = 'other'")
    assert outdated_scalars(warehouse) == [("r1", True)]


def test_nothing_is_kept_of_what_did_not_land(warehouse, tmp_path):
    bad = tmp_path / "bad.csv"
    bad.write_text("event,value,t_start,t_end\ncycles,1,5,1\n")
    with pytest.raises(Exception, match="ends"):
        land(warehouse, bad, run_id="r")
    assert rows(warehouse, KEPT) == rows(warehouse, "FROM kept_runs") == []
