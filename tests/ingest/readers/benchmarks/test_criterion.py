"""Criterion's folder: one run of all its benchmarks for each measurement, without the changes."""

from __future__ import annotations

import json
import shutil

from ingest.walk import find
from tests.helpers.support import land, rows
from tests.ingest.cases.criterion import SAMPLE


def folder_of(tmp_path):
    """Write two benchmarks, measured twice, the second time with samples of one only."""
    root = tmp_path / "sums" / "target" / "criterion"
    for name in ("fib", "group/sum of squares"):
        for measured in ("base", "new"):
            place = root / name / measured
            shutil.copytree(SAMPLE.parent, place)
            document = json.loads((place / "benchmark.json").read_text())
            document["full_id"] = name
            (place / "benchmark.json").write_text(json.dumps(document))
        # What changed is no time.
        (root / name / "change").mkdir()
        estimates = json.loads(SAMPLE.read_text())
        changes = {kind: estimates[kind] for kind in ("mean", "median")}
        (root / name / "change" / "estimates.json").write_text(json.dumps(changes))
    (root / "fib" / "new" / "sample.json").unlink()
    return root


def test_a_folder_is_one_run_of_each_measurement(warehouse, tmp_path):
    root = folder_of(tmp_path)
    found = [one for one in find([root]) if one.reader is not None]
    assert [{part.parent.name for part in one.parts} for one in found] == [{"base"}, {"new"}]
    land(warehouse, root)
    sql = "SELECT count(DISTINCT run_id), count(DISTINCT metric), count(*) FROM metrics"
    assert rows(warehouse, sql) == [(2, 2, 31)]
    assert rows(warehouse, "SELECT DISTINCT app FROM runs") == [("sums",)]


def test_without_samples_the_mean_has_its_deviation(warehouse, tmp_path):
    root = folder_of(tmp_path)
    land(warehouse, root / "fib" / "new")
    estimates = json.loads(SAMPLE.read_text())
    mean, spread = (estimates[name]["point_estimate"] for name in ("mean", "std_dev"))
    sql = "SELECT value, repetition, deviation FROM metrics WHERE metric = 'fib'"
    assert rows(warehouse, sql) == [(mean * 1e-9, None, spread / mean)]


def test_relative_changes_are_not_recognised(tmp_path):
    (found,) = find([folder_of(tmp_path) / "fib" / "change" / "estimates.json"])
    assert found.reader is None
