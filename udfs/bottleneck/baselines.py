"""The classifiers that the autoencoder is compared with: trained by scikit-learn, kept as arrays.

Every `fit_...` takes standardised metrics (n x m) and labels (n, positions in CLASSES), and returns
arrays from which its `..._probabilities` are computed (n x 6) without scikit-learn. A class without
samples has probability 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from udfs import trees
from udfs.arrays import Floats, Integers
from udfs.bottleneck.training import CLASSES, Arrays, Singles

NEIGHBOURS = 15  # nearest points that vote
_TREES = 60  # trees of the forest
_ROUNDS = 40  # trees a class of the boosting
_LEAF = 4  # samples of a leaf, at least
# Rows of the distance matrix computed at a time.
_CHUNK = 1 << 12


def commonest_class(_metrics: Floats, labels: Integers) -> Callable[[Floats], Integers]:
    """Return the rule that every sample has the commonest class of these samples."""
    most = np.bincount(labels).argmax()
    return lambda others: np.full(len(others), most)


def one_metric(metrics: Floats, labels: Integers) -> Callable[[Floats], Integers]:
    """Return the rule by thresholds of the one metric that tells most of these samples apart."""
    from sklearn.tree import DecisionTreeClassifier

    leaves = max(2, len(np.unique(labels)))
    rules = [
        DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(metrics[:, [i]], labels)
        for i in range(metrics.shape[1])
    ]
    best = max(range(len(rules)), key=lambda i: rules[i].score(metrics[:, [i]], labels))
    return lambda others: np.asarray(rules[best].predict(others[:, [best]]))


# What a model has to beat on held-out programs (models_in_force).
SIMPLE_RULES = {"commonest class": commonest_class, "one metric": one_metric}


def fit_logistic(points: Singles, labels: Integers, seed: int) -> Arrays:
    """Fit multinomial logistic regression: `softmax_w` (m x 6), `softmax_b` (6)."""
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=3.0, max_iter=1000, random_state=seed)
    model.fit(points, labels)
    weight = np.zeros((points.shape[1], len(CLASSES)))
    bias = np.full(len(CLASSES), -1e3)
    if len(model.classes_) == 2:
        weight[:, model.classes_[1]], bias[model.classes_] = (
            model.coef_[0],
            [0, model.intercept_[0]],
        )
    else:
        weight[:, model.classes_], bias[model.classes_] = model.coef_.T, model.intercept_
    return {"softmax_w": weight, "softmax_b": bias}


def logistic_probabilities(points: Singles, arrays: Arrays) -> Singles:
    """Apply what `fit_logistic` returned."""
    weight, bias = arrays["softmax_w"].astype("f4"), arrays["softmax_b"].astype("f4")
    return softmax(points @ weight + bias)


def fit_tree(points: Singles, labels: Integers, seed: int) -> Arrays:
    """Fit a decision tree (CART; Breiman et al. 1984)."""
    from sklearn.tree import DecisionTreeClassifier

    model = DecisionTreeClassifier(min_samples_leaf=_LEAF, random_state=seed).fit(points, labels)
    return _forest([model.tree_], model.classes_)


def fit_forest(points: Singles, labels: Integers, seed: int) -> Arrays:
    """Fit a random forest (Breiman, Machine Learning 45, 2001)."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(
        _TREES, min_samples_leaf=_LEAF, max_leaf_nodes=64, random_state=seed
    )
    model.fit(points, labels)
    return _forest([one.tree_ for one in model.estimators_], model.classes_)


def fit_boosting(points: Singles, labels: Integers, seed: int) -> Arrays:
    """Fit gradient boosting (Friedman, Annals of Statistics 29, 2001)."""
    from sklearn.ensemble import GradientBoostingClassifier

    model = GradientBoostingClassifier(
        n_estimators=_ROUNDS, max_depth=3, subsample=0.7, random_state=seed
    )
    model.fit(points, labels)
    grown = model.estimators_
    classes = model.classes_ if grown.shape[1] > 1 else model.classes_[1:]
    chosen, values = [], []
    for column, label in enumerate(classes):
        for tree in (one.tree_ for one in grown[:, column]):
            value = np.zeros((tree.node_count, len(CLASSES)))
            value[:, label] = model.learning_rate * tree.value[:, 0, 0]
            chosen.append(tree)
            values.append(value)
    start = np.full(len(CLASSES), -1e3)
    start[model.classes_] = 0
    start[classes] = np.log(np.maximum([np.mean(labels == c) for c in classes], 1e-9))
    if grown.shape[1] == 1:
        start[classes] -= np.log(np.mean(labels == model.classes_[0]))
    return {**trees.flatten(chosen, values), "start": start}


def tree_probabilities(points: Singles, arrays: Arrays) -> Singles:
    """Apply what `fit_tree` or `fit_forest` returned."""
    return np.asarray(trees.evaluate(points, arrays), np.float32)


def boosting_probabilities(points: Singles, arrays: Arrays) -> Singles:
    """Apply what `fit_boosting` returned."""
    return softmax((trees.evaluate(points, arrays) + arrays["start"]).astype(np.float32))


def fit_neighbours(points: Singles, labels: Integers, seed: int) -> Arrays:  # noqa: ARG001
    """Keep the points themselves: `points` (n x m) and `labels` (n)."""
    return {"points": points.astype(float), "labels": labels.astype(float)}


def neighbours_probabilities(points: Singles, arrays: Arrays) -> Singles:
    """Return the share of each class among the nearest points that `fit_neighbours` kept."""
    kept = arrays["points"].astype(np.float32)
    one_hot = np.eye(len(CLASSES), dtype=np.float32)[arrays["labels"].astype(int)]
    k = min(NEIGHBOURS, len(kept))
    out = np.empty((len(points), len(CLASSES)), np.float32)
    for begin in range(0, len(points), _CHUNK):
        some = points[begin : begin + _CHUNK]
        # The point's own square is the same for all neighbours, so it is omitted.
        squared = (kept * kept).sum(axis=1) - 2 * some @ kept.T
        near = np.argpartition(squared, k - 1, axis=1)[:, :k]
        out[begin : begin + _CHUNK] = one_hot[near].mean(axis=1)
    return out


def softmax(scores: NDArray[Any]) -> Singles:
    """Return probabilities (n x k) of scores (n x k)."""
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=1, keepdims=True), np.float32)


def _forest(grown: list[Any], classes: Integers) -> Arrays:
    values: list[Floats] = []
    for tree in grown:
        value = np.zeros((tree.node_count, len(CLASSES)))
        counts = tree.value[:, 0, :]
        value[:, classes] = counts / counts.sum(axis=1, keepdims=True) / len(grown)
        values.append(value)
    return trees.flatten(grown, values)
