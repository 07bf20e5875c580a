"""Scalars of runs: kept at ingest, right without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.derive import keep_scalars
from ingest.forget import forget_run, forget_source
from tests.helpers.support import given, land, rows

SAMPLES = Path(__file__).parents[1] / "samples"
METRICS = "SELECT run_id, metric, value FROM run_metrics ORDER BY ALL"
KEPT = "SELECT run_id, metric, value FROM run_scalars ORDER BY ALL"


def csv(folder, name: str, cycles: int):
    path = folder / f"{name}.csv"
    path.write_text(f"event,value\ncycles,{cycles}\n")
    return path


def test_every_sample_keeps_what_its_rows_add_up_to(warehouse):
    land(warehouse, SAMPLES)
    added_up = rows(warehouse, METRICS)

    assert keep_scalars(warehouse) == len(rows(warehouse, "FROM runs"))

    assert len(added_up) > 400
    kept = rows(warehouse, METRICS)
    assert [one[:2] for one in kept] == [one[:2] for one in added_up]
    # The order in which numbers are added up is not always the same.
    assert [one[2] for one in kept] == pytest.approx([one[2] for one in added_up], rel=1e-12)
    assert rows(warehouse, "FROM _run_scalars_of('_new_')") == []


def test_a_second_file_of_a_run_outdates_what_is_kept(warehouse, tmp_path):
    land(warehouse, csv(tmp_path, "one", 1), run_id="r")
    keep_scalars(warehouse)
    land(warehouse, csv(tmp_path, "two", 10), run_id="r")
    assert rows(warehouse, KEPT) == []
    summed = [("r", "counter:cycles", 11.0), ("r", "per_cycle:cycles", 1.0)]
    assert rows(warehouse, METRICS) == summed
    keep_scalars(warehouse)
    assert rows(warehouse, KEPT) == rows(warehouse, METRICS) == summed


def test_what_is_forgotten_is_not_kept(warehouse, tmp_path):
    land(warehouse, csv(tmp_path, "one", 1), run_id="r")
    (second,) = land(warehouse, csv(tmp_path, "two", 10), run_id="r")
    land(warehouse, csv(tmp_path, "three", 100), run_id="s")
    keep_scalars(warehouse)

    forget_source(warehouse, second.source_id)
    keep_scalars(warehouse)
    assert ("r", "counter:cycles", 1.0) in rows(warehouse, KEPT)

    forget_run(warehouse, "r")
    assert {run for run, *_ in rows(warehouse, KEPT)} == {"s"}
    assert rows(warehouse, "FROM kept_runs") == [("s",)]


def test_rows_written_by_hand_count_once_their_run_is_no_longer_kept(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    given(warehouse, "pmu_samples", "event value\ncycles 1")
    keep_scalars(warehouse)
    given(warehouse, "pmu_samples", "event value\ncycles 2")
    assert ("r1", "counter:cycles", 1.0) in rows(warehouse, METRICS)
    warehouse.execute("DELETE FROM kept_runs WHERE run_id = 'r1'")
    assert ("r1", "counter:cycles", 3.0) in rows(warehouse, METRICS)
    keep_scalars(warehouse)
    assert ("r1", "counter:cycles", 3.0) in rows(warehouse, KEPT)


def test_a_run_without_scalars_is_not_gone_through_again(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    assert keep_scalars(warehouse) == 1
    assert keep_scalars(warehouse) == 0
