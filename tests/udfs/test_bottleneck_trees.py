"""Trees as flat arrays give what scikit-learn gives."""

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
    forest = trees.flat([model.tree_], [model.tree_.value[:, :, 0]])
    np.testing.assert_allclose(trees.evaluate(points, forest)[:, 0], model.predict(points))


def test_a_forest(sample):
    points, target = sample
    model = RandomForestRegressor(20, random_state=0).fit(points, target)
    grown = [one.tree_ for one in model.estimators_]
    forest = trees.flat(grown, [tree.value[:, :, 0] / 20 for tree in grown])
    np.testing.assert_allclose(trees.evaluate(points, forest)[:, 0], model.predict(points))


def test_boosting(sample):
    points, target = sample
    model = GradientBoostingRegressor(n_estimators=30, random_state=0).fit(points, target)
    grown = [one.tree_ for one in model.estimators_[:, 0]]
    forest = trees.flat(grown, [tree.value[:, :, 0] * model.learning_rate for tree in grown])
    got = trees.evaluate(points, forest)[:, 0] + target.mean()
    # It sums in single precision.
    np.testing.assert_allclose(got, model.predict(points), atol=1e-6)


def test_no_points(sample):
    points, target = sample
    model = DecisionTreeRegressor(random_state=0).fit(points, target)
    forest = trees.flat([model.tree_], [model.tree_.value[:, :, 0]])
    assert trees.evaluate(points[:0], forest).shape == (0, 1)
