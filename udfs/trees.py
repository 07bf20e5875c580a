"""Forests and boosted trees as flat arrays, applied without the library that trained them.

All trees of an ensemble lie one after the other in the same arrays, so that a step down happens in
every tree of every sample at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Arrays = dict[str, Floats]

_AT_ONCE = 1 << 22


def flat(trees: Iterable[Any], values: Iterable[Floats]) -> Arrays:
    """Give scikit-learn's trees as arrays.

    Args:
        trees: fitted `tree_` objects (sklearn.tree.DecisionTreeRegressor.tree_ and the like).
        values: what each node of each tree gives (nodes x k); an ensemble gives the sum over its
            trees, so a forest's are divided by their number before.

    Returns:
        `feature`, `threshold`, `left`, `right` (nodes), `value` (nodes x k), `root` (trees) and
        `depth` (1): a sample goes left where its feature is at most the threshold; a leaf leads to
        itself.
    """
    parts: dict[str, list[Floats]] = {k: [] for k in ("feature", "threshold", "left", "right")}
    roots, leaves, depth, start = [], [], 0, 0
    for tree, value in zip(trees, values, strict=True):
        here = np.arange(tree.node_count)
        leaf = tree.children_left < 0
        parts["feature"].append(np.where(leaf, 0, tree.feature).astype(float))
        parts["threshold"].append(np.where(leaf, 0, tree.threshold))
        parts["left"].append(start + np.where(leaf, here, tree.children_left).astype(float))
        parts["right"].append(start + np.where(leaf, here, tree.children_right).astype(float))
        leaves.append(np.asarray(value, float).reshape(tree.node_count, -1))
        roots.append(float(start))
        depth = max(depth, int(tree.max_depth))
        start += tree.node_count
    joined = {name: np.concatenate(part) for name, part in parts.items()}
    return {
        **joined,
        "value": np.concatenate(leaves),
        "root": np.array(roots),
        "depth": np.array([float(depth)]),
    }


def evaluate(points: NDArray[Any], forest: Arrays) -> Floats:
    """Give the sum over all trees (n x k) for points (n x m); NaN goes right.

    Comparison is in single precision, as scikit-learn does it.
    """
    feature, left, right = (forest[k].astype(np.int32) for k in ("feature", "left", "right"))
    threshold, root = forest["threshold"], forest["root"].astype(np.int32)
    points = np.ascontiguousarray(points, np.float32)
    n, m = points.shape
    out = np.empty((n, forest["value"].shape[1]))
    step = max(1, _AT_ONCE // len(root))
    for begin in range(0, n, step):
        some = points[begin : begin + step]
        row = (np.arange(len(some)) * m)[:, None]
        node = np.repeat(root[None, :], len(some), axis=0)
        for _ in range(int(forest["depth"][0])):
            below = some.ravel().take(row + feature.take(node)) <= threshold.take(node)
            node = np.where(below, left.take(node), right.take(node))
        for k in range(out.shape[1]):
            out[begin : begin + step, k] = forest["value"][:, k].take(node).sum(axis=1)
    return out
