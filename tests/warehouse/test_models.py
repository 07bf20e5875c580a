"""Fitted models as rows: kept, chosen, handed over as a file, and brought in with pwh."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import duckdb
import numpy as np
import pytest

import warehouse as pwh
from tests.helpers.support import rows
from udfs.models import loaded_model
from warehouse import models, shipped
from warehouse.connection import fill, open_unchecked
from warehouse.errors import NothingToAnalyse, WarehouseOutdated
from warehouse.models import Fit

WEIGHTS = {"w": np.arange(6.0).reshape(2, 3), "bias": np.array(0.5), "none": np.zeros((0, 4))}


def fit(subject="lab", **others):
    return Fit("toy", subject, "tree", ("a", "b"), "trained on nothing", WEIGHTS, **others)


def test_a_model_is_rows_and_comes_back_as_it_was(warehouse):
    version = models.store(
        warehouse,
        fit(
            seed=7,
            scores=[
                ("tree", "by program", "accuracy", 0.9),
                ("k-NN", "by program", "accuracy", 0.8),
            ],
            history=[("fine-tuning", 0, "loss", 1.5)],
            search=[(3, 30, "accuracy", 0.7)],
        ),
    )
    loaded = models.load(warehouse, "toy", version)
    assert loaded.keys() == WEIGHTS.keys()
    for name, array in WEIGHTS.items():
        np.testing.assert_array_equal(loaded[name], array)
    assert rows(
        warehouse,
        "SELECT kind, version, subject, inputs, seed, shipped FROM models WHERE kind = 'toy'",
    ) == [("toy", 1, "lab", ["a", "b"], 7, False)]
    assert rows(
        warehouse, "SELECT algorithm, value FROM model_scores WHERE kind = 'toy' ORDER BY value"
    ) == [("k-NN", 0.8), ("tree", 0.9)]
    assert rows(
        warehouse, "SELECT stage, iteration, value FROM model_history WHERE kind = 'toy'"
    ) == [("fine-tuning", 0, 1.5)]
    assert rows(warehouse, "SELECT layers, nodes, value FROM model_search WHERE kind = 'toy'") == [
        (3, 30, 0.7)
    ]


def test_the_chosen_is_in_force_then_the_newest_own_then_the_newest_shipped(warehouse, tmp_path):
    assert models.in_force(warehouse, "toy", "lab") is None
    first = models.store(warehouse, fit())
    models.export(warehouse, "toy", first, tmp_path / "toy.parquet")
    second = models.store(warehouse, fit())
    assert (first, second) == (1, 2)
    assert models.in_force(warehouse, "toy", "lab") == 2
    assert models.land(warehouse, tmp_path / "toy.parquet") == 3
    assert models.in_force(warehouse, "toy", "lab") == 2, "a shipped one does not displace an own"
    models.choose(warehouse, "toy", 1, "ann")
    models.store(warehouse, fit())
    assert models.in_force(warehouse, "toy", "lab") == 1
    assert models.in_force(warehouse, "toy", "other lab") is None
    models.store(warehouse, fit(subject=None))
    assert models.in_force(warehouse, "toy") == 5


@pytest.mark.parametrize(("error", "used"), [(0.3, 1), (0.2, 1), (0.19, 2)])
def test_a_model_of_throughput_is_better_than_the_tightest_bound_or_chosen(warehouse, error, used):
    warehouse.execute("DELETE FROM models; DELETE FROM model_scores")
    split = ("groups held out", "mean error")
    bound = ("tightest bound", *split, 0.2)
    good = replace(fit(scores=[("tree", *split, 0.1), bound]), kind="throughput")
    models.store(warehouse, good)
    models.store(warehouse, replace(good, scores=[("tree", *split, error), bound]))
    assert models.in_force(warehouse, "throughput", "lab") == used
    models.choose(warehouse, "throughput", 2, "ann")
    assert models.in_force(warehouse, "throughput", "lab") == 2


@pytest.mark.parametrize(
    ("right", "of_one_metric", "of_commonest", "used"),
    [(0.9, 0.9, 0.5, 2), (0.8, 0.9, 0.5, 1), (0.5, 0.4, 0.5, 1), (0.0, 0.0, 0.0, 1)],
)
def test_a_model_of_bottlenecks_is_no_worse_than_a_simple_rule(
    warehouse, right, of_one_metric, of_commonest, used
):
    warehouse.execute("DELETE FROM models; DELETE FROM model_scores")
    split = ("programs held out: labelled samples", "accuracy")
    good = replace(fit(scores=[("tree", *split, 0.9)]), kind="bottlenecks")
    models.store(warehouse, good)
    rules = [("one metric", *split, of_one_metric), ("commonest class", *split, of_commonest)]
    models.store(warehouse, replace(good, scores=[("tree", *split, right), *rules]))
    assert models.in_force(warehouse, "bottlenecks", "lab") == used


def test_a_model_goes_from_warehouse_to_warehouse_as_a_file(warehouse, another, tmp_path):
    version = models.store(warehouse, fit(scores=[("tree", "none", "accuracy", 1.0)]))
    models.export(warehouse, "toy", version, tmp_path / "toy.parquet")
    other = another()
    assert models.land(other, tmp_path / "toy.parquet") == 1
    parts = ("model_arrays", "model_scores", "model_history", "model_search")
    for table in parts:
        query = f"SELECT * FROM {table} WHERE kind = 'toy' ORDER BY ALL"
        assert rows(other, query) == rows(warehouse, query)
    assert rows(other, "SELECT shipped, description FROM models WHERE kind = 'toy'") == [
        (True, "trained on nothing")
    ]


@pytest.mark.parametrize("action", ["load", "choose", "export"])
def test_a_model_that_is_not_there_is_named(warehouse, tmp_path, action):
    extra = (tmp_path / "x.parquet",) if action == "export" else ()
    with pytest.raises(NothingToAnalyse, match="there is no model toy/9"):
        getattr(models, action)(warehouse, "toy", 9, *extra)


def test_a_model_is_held_by_its_content(warehouse):
    models.store(warehouse, fit())
    models.store(warehouse, fit())
    hold = (
        "SELECT load_model(map_from_entries(list({'k': name, 'v': {'shape': shape, "
        "'values': \"values\"}} ORDER BY hash(version, name)))) FROM model_arrays "
        "WHERE kind = 'toy' GROUP BY version"
    )
    (one,), (two,) = rows(warehouse, hold)
    assert one == two
    np.testing.assert_array_equal(loaded_model(one)["w"], WEIGHTS["w"])
    assert loaded_model(one)["bias"].shape == ()
    with pytest.raises(ValueError, match="read-only"):
        loaded_model(one)["w"][0, 0] = 1.0
    assert rows(warehouse, "SELECT load_model(NULL)") == [(None,)]


def test_what_ships_is_in_a_new_warehouse_and_brought_in_once(warehouse):
    assert rows(warehouse, "SELECT count(*) > 5, bool_and(shipped) FROM metric_sets") == [
        (True, True)
    ]
    assert len(rows(warehouse, "FROM shipped_files")) == len(shipped.files())
    assert shipped.refresh(warehouse) is False


def test_a_newer_pwh_renews_its_rows_and_leaves_a_persons(warehouse):
    warehouse.execute("UPDATE shipped_files SET sha256 = 'older'")
    warehouse.execute("UPDATE bottleneck_rules SET advice = 'old' WHERE class = 'Mem'")
    warehouse.execute("INSERT INTO bottleneck_rules VALUES ('Mem', 1, 'Mem', 'x', 'mine', false)")
    before = rows(warehouse, "SELECT kind, max(version) FROM models GROUP BY kind ORDER BY kind")
    assert shipped.refresh(warehouse) is True
    assert rows(
        warehouse, "SELECT advice FROM bottleneck_rules WHERE class = 'Mem' ORDER BY shipped"
    ) == [
        ("mine",),
        ("Use on-chip memory, blocking, reuse, prefetch.",),
    ]
    after = rows(warehouse, "SELECT kind, max(version) FROM models GROUP BY kind ORDER BY kind")
    assert [kind for kind, _ in after] == [kind for kind, _ in before]
    assert all(new > old for (_, new), (_, old) in zip(after, before, strict=True))


def test_an_older_warehouse_is_renewed_when_asked(template, tmp_path):
    path = shutil.copy(template, tmp_path / "w.duckdb")
    with pwh.connect(path) as con:
        con.execute("DELETE FROM shipped_files WHERE path LIKE '%event_aliases%'")
    for read_only in (True, False):
        with pytest.raises(WarehouseOutdated, match="migrate"):
            pwh.connect(path, read_only)
    with open_unchecked(path) as con:
        fill(con)
    with pwh.connect(path, read_only=True) as con:
        assert len(rows(con, "FROM shipped_files")) == len(shipped.files())


def test_what_ships_is_small_and_no_pickle():
    for file in shipped.files():
        assert file.stat().st_size < 2_000_000, file.name
        if file.suffix == ".parquet":
            described = duckdb.sql(f"DESCRIBE FROM '{file}'").fetchall()
            assert "BLOB" not in json.dumps(described)
