"""Functions for one thing at hand: the answers of the views, and of the textbook."""

from __future__ import annotations

import re

import duckdb
import numpy as np
import pytest

import warehouse as pwh
from apps.queries.schema import schema_objects
from tests.helpers.support import rows
from udfs.clustering.components import principal_components
from udfs.clustering.kmeans import kmeans
from udfs.clustering.points import InsufficientData
from udfs.clustering.som import self_organising_map

SAMPLE = {
    **{"IPC": 0.1, "L1ICAPC": 0.2, "L2ICAPC": 1e-3, "L2ICMPC": 1e-4, "ITBMPC": 0.0},
    **{"DTBMPC": 1e-4, "L3MPC": 0.01, "MEMRPC": 0.02, "MEMWPC": 5e-3, "DMAGPC": 0, "DMABPC": 0},
    "BRMPC": 1e-4,
}


@pytest.fixture(scope="module")
def con(template):
    """Return an empty warehouse, opened read-only."""
    with pwh.connect(template, read_only=True) as con:
        yield con


@pytest.fixture(scope="module")
def demo(demo_warehouse):
    """Return the demo's warehouse, opened read-only."""
    with pwh.connect(demo_warehouse, read_only=True) as con:
        yield con


def classified(con, metrics, columns="class, probability, model, flag_text(reason), frac_mem"):
    (found,) = rows(con, f"SELECT {columns} FROM classify({metrics})")
    return found


def test_every_example_runs(con):
    examples = [
        (name, found[1])
        for _, name, _, text in schema_objects(con).fetchall()
        if text and (found := re.search(r"Example: (.+)$", text))
    ]
    at_hand = {"predict_block", "classify", "scaling_fit", "principal_components"}
    at_hand |= {"self_organising_map", "cluster_kmeans", "cluster_clara", "gap_statistic"}
    assert {name for name, _ in examples} == at_hand
    assert all(con.execute(example).fetchall() for _, example in examples)


def test_classify_has_the_verdict_of_the_view(con):
    ((names, number),) = rows(
        con,
        "SELECT names, load_model(arrays) FROM _bottleneck_models "
        "JOIN _set_layout USING (metric_set) "
        "WHERE metric_set = 'gem5'",
    )
    assert set(names) == set(SAMPLE)
    values = [float(SAMPLE[name]) for name in names]
    call = "SELECT classify_bottleneck(?::DOUBLE[], 'NaN', ?::UBIGINT)"
    ((judged,),) = rows(con, call, values, number)
    found = classified(con, SAMPLE)
    assert found == (judged["class"], judged["probability"], "bottlenecks/1", None,
                     judged["cost"][0])  # fmt: skip
    assert found[0] == "Mem"


def test_shares_of_issue_slots_name_a_class_without_a_model(con):
    ((example,),) = con.execute(
        "SELECT regexp_extract(comment, 'Example: (.*)', 1) FROM duckdb_functions() "
        "WHERE function_name = 'classify'"
    ).fetchall()
    assert con.execute(f"SELECT class FROM ({example})").fetchall() == [("Mem",)]


def test_what_classify_cannot_judge_and_why(con):
    few = classified(con, "{'IPC': 0.3, 'MEMAPC': 0.001}", "class, reason.code, metric_set")
    assert few == ("Unknown", "counts_unclear", "linux")
    slots = "{'retiring': 0.2, 'backend_bound': 0.7}"
    assert classified(con, slots, "class, flag_text(reason)") == (
        "Unknown",
        "top-down shares of level 1 name a class only where all four are known",
    )
    few = classified(
        con, "{'IPC': 0.3, 'MEMRPC': 'nan'::DOUBLE}", "class, flag_text(reason), len(missing)"
    )
    assert few[0] == "Unknown" and few[1].startswith("not measured: L1ICAPC") and few[2] == 10


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("classify([1, 2])", "metrics are a struct or map of values by name"),
        ("classify({'IPC': 1, 'NOPE': 2})", "no metric set has all of IPC, NOPE"),
        ("classify({'IPC': 'much', 'MEMRPC': 1})", "IPC is no number"),
        ("classify({'IPC': 1}, set_name := 'nope')", "there is no metric set nope"),
        ("(SELECT scaling_fit([1, 2], [1.0]))", "counts has 2 elements and seconds has 1"),
        ("(SELECT scaling_fit([1, 0], [1, 2]))", "counts are numbers from 1 on, and one is 0"),
        ("(SELECT cluster_kmeans([[0, 1]]))", "has 2 to 3 arguments, not 1"),
        ("(SELECT principal_components([0, 1]))", "points must be DOUBLE[][]"),
    ],
)
def test_bad_arguments_are_refused_in_words(call, problem, con):
    with pytest.raises(duckdb.InvalidInputException, match=re.escape(problem)):
        con.execute(f"FROM {call}").fetchall()


def test_scaling_fit_is_the_model_of_the_view(demo):
    fits = dict(
        rows(
            demo,
            """
            SELECT function, scaling_fit(list(p ORDER BY t), list(t ORDER BY t))
            FROM (
              SELECT m.function, coalesce(m.parallelism, r.parallelism) AS p, m.seconds AS t
              FROM _function_measurements AS m
              JOIN scaling_runs AS r USING (run_id)
              WHERE r.app = 'heat-processes'
            )
            GROUP BY function
            """,
        )
    )
    models = rows(
        demo,
        "SELECT function, formula, exponent, exponent_low, points, kind FROM scaling_models "
        "WHERE app = 'heat-processes'",
    )
    of_kind = [row for row in models if row[-1] == "computation"]
    assert of_kind and len(fits) == len(models)
    for function, *model, _ in of_kind:
        fit = fits[function]
        assert [fit[n] for n in ("formula", "exponent", "exponent_low", "points")] == model


def test_scaling_fit_flags_what_it_drops(con):
    ((fit,),) = rows(con, "SELECT scaling_fit([1, 2, 4, 8], [4, 2, 0, -1])")
    assert fit["points"] == 2 and fit["formula"] is None
    assert [flag["code"] for flag in fit["flags"][1:]] == ["zero_times", "negative_times"]


def test_components_are_those_of_the_covariance():
    rng = np.random.default_rng(7)
    points = rng.normal(size=(200, 3)) @ np.diag([5, 2, 0.5]) + [1e3, -5, 0]
    found = principal_components(points, 5)
    values, vectors = np.linalg.eigh(np.cov(points.T))
    assert np.allclose(found.variances, values[::-1])
    assert np.allclose(np.abs(found.components @ vectors[:, ::-1]), np.eye(3), atol=1e-9)
    assert np.allclose(found.mean + found.scores @ found.components, points)
    assert found.shares.sum() == pytest.approx(1)
    assert (np.take_along_axis(found.components, np.abs(found.components).argmax(1)[:, None], 1)
            > 0).all()  # fmt: skip


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e100])
def test_means_of_groups_that_are_far_apart(scale):
    rng = np.random.default_rng(3)
    middles = np.array([[0, 0], [20, 0], [0, 20], [20, 20.0]])
    group = np.concatenate([np.arange(4), rng.integers(0, 4, 300)])
    points = (middles[group] + rng.normal(size=(304, 2))) * scale
    found = kmeans(points, 4, seed=1)
    assert (found.labels == group).all()
    for one in range(4):
        assert np.allclose(found.centres[one], points[group == one].mean(axis=0), rtol=1e-9)


def test_as_many_means_as_distinct_points_cost_nothing():
    found = kmeans(np.array([[0.0], [0], [0.5], [1], [1]]), 3)
    assert found.labels.tolist() == [0, 0, 1, 2, 2] and found.cost == 0


@pytest.mark.parametrize("points", [[0, 0, 1e-170, 1, 1], [-1, 0, 1e-170, 1]])
def test_points_that_no_arithmetic_tells_apart_are_no_clusters(points):
    with pytest.raises(InsufficientData):
        kmeans(np.array(points, float)[:, None], len(set(points)))


def test_a_map_keeps_neighbours_together():
    line = np.linspace(0, 1, 200)[:, None] * [3.0, 4.0] + [100, 0]
    found = self_organising_map(line, 1, 8)
    steps = np.diff(found.cells)
    assert set(found.cells) == set(range(8)) and (steps >= 0).all() and steps.max() == 1
    assert found.topographic_error == 0 and found.quantisation_error < 5 / 8
    again = self_organising_map(line, 1, 8)
    assert (again.prototypes == found.prototypes).all()


def test_rows_left_out_have_neither_label_nor_score_nor_cell(con):
    points = "[[0, 1], [NULL, 1], [9, 9], [1, 1], NULL]"
    ((kmeans_of, pca, som),) = rows(
        con,
        f"SELECT cluster_kmeans({points}, 2), principal_components({points}, 1), "
        f"self_organising_map({points}, 2, 2)",
    )
    assert kmeans_of["labels"] == [0, None, 1, 0, None]
    assert [score is None for score in pca["scores"]] == [False, True, False, False, True]
    assert [cell is None for cell in som["cells"]] == [False, True, False, False, True]
    assert {one["left_out"] for one in (kmeans_of, pca, som)} == {2}


def test_why_there_is_no_answer(con):
    ((few, same, large),) = rows(
        con,
        "SELECT cluster_kmeans([[1], [1]], 2)['reason'], "
        "principal_components([[1, 2], [1, 2]])['reason'], "
        "self_organising_map([[1], [2]], 1000, 1000)['reason']",
    )
    assert few == "1 distinct point cannot form 2 clusters"
    assert same == "all rows are the same point"
    assert large == "a map has at most 10000 cells, not 1000000"
