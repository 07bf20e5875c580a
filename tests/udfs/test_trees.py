"""Trees as flat arrays return the same values as scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingRegressor, RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

from udfs import trees


@pytest.fixture
def sample():
    chance = np.random.default_rng(3)
    points = chance.normal(size=(400, 5)).astype(np.float32)
    return points, np.sin(points[:, 0]) + points[:, 1] * points[:, 2]


def test_a_single_tree(sample):
    points, target = sample
    model = DecisionTreeRegressor(random_state=0).fit(points, target)
    forest = trees.flatten([model.tree_], [model.tree_.value[:, :, 0]])
    np.testing.assert_allclose(trees.evaluate(points, forest)[:, 0], model.predict(points))


def test_a_forest(sample):
    points, target = sample
    model = RandomForestRegressor(20, random_state=0).fit(points, target)
    grown = [one.tree_ for one in model.estimators_]
    forest = trees.flatten(grown, [tree.value[:, :, 0] / 20 for tree in grown])
    np.testing.assert_allclose(trees.evaluate(points, forest)[:, 0], model.predict(points))


def test_boosting(sample):
    points, target = sample
    model = GradientBoostingRegressor(n_estimators=30, random_state=0).fit(points, target)
    grown = [one.tree_ for one in model.estimators_[:, 0]]
    forest = trees.flatten(grown, [tree.value[:, :, 0] * model.learning_rate for tree in grown])
    got = trees.evaluate(points, forest)[:, 0] + target.mean()
    # It sums in single precision.
    np.testing.assert_allclose(got, model.predict(points), atol=1e-6)


def test_no_points(sample):
    points, target = sample
    model = DecisionTreeRegressor(random_state=0).fit(points, target)
    forest = trees.flatten([model.tree_], [model.tree_.value[:, :, 0]])
    assert trees.evaluate(points[:0], forest).shape == (0, 1)


def test_unknown_values_go_right():
    # x <= 1 ? 10 : (y <= 5 ? 20 : 30)
    forest = {
        "feature": np.array([0.0, 0, 1, 0, 0]),
        "threshold": np.array([1.0, 0, 5, 0, 0]),
        "left": np.array([1.0, 1, 3, 3, 4]),
        "right": np.array([2.0, 1, 4, 3, 4]),
        "value": np.array([[0.0], [10], [0], [20], [30]]),
        "root": np.array([0.0]),
    }
    points = np.array([[1, 9], [2, 5], [2, 6], [np.nan, 5], [np.nan, np.nan]])
    assert trees.evaluate(points, forest)[:, 0].tolist() == [10, 20, 30, 20, 30]


def test_many_points_are_the_same_as_few(sample):
    points, target = sample
    model = RandomForestRegressor(3, random_state=0).fit(points, target)
    grown = [one.tree_ for one in model.estimators_]
    forest = trees.flatten(grown, [tree.value[:, :, 0] for tree in grown])
    many = np.tile(points, (100, 1))
    assert (trees.evaluate(many, forest) == np.tile(trees.evaluate(points, forest), (100, 1))).all()
