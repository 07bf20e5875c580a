"""Gradient-boosted trees on log cycles, with bands: fitted by scikit-learn, kept as arrays.

The trees (Friedman 2001; histograms as in LightGBM, Ke et al. 2017) minimise the absolute error of
the logarithm, so that cycles are right in the median ratio. Bands are conformal (Lei et al.,
"Distribution-free predictive inference for regression", JASA 2018): residuals of held-out samples
over a second ensemble's prediction of their size, of which two quantiles are kept.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from udfs import trees
from udfs.arrays import Floats, Integers

Arrays = dict[str, Floats]

# 150 trees of 63 leaves have 5 % smaller errors, but take four times as many lookups.
ROUNDS, RATE, LEAVES = 60, 0.25, 31
_SPREAD_ROUNDS, _SPREAD_RATE, _SPREAD_LEAVES = 20, 0.2, 15  # of the trees of the bands
_FOLDS = 3  # groups of blocks, each held out for the bands
# Features that trees may use: more of them are no more accurate, and slower.
_FEATURES = 32
# Share of held-out samples outside each end of the band.
_TAIL = 0.05
# Samples up to which one thread fits trees. Several wait for each other at each split, and long
# where other programs run: five fits to 2,000 blocks took 191 s on two busy cores, by one 10 s.
_ALONE = 10_000
# Below this, differences of logarithms are measurement noise.
_NOISE = 0.005


def fit_boosting(
    x: Any,
    log_cycles: Floats,
    weights: Floats | None = None,
    seed: int = 0,
    *,
    offset: int | None = None,
    groups: Integers | None = None,
    banded: bool = True,
) -> Arrays:
    """Fit to features and the logarithm of cycles.

    Args:
        x: features (n x m).
        log_cycles: logarithm of the cycles of one pass, or of a cycle's share (n).
        weights: weight of each sample (n); equal where omitted.
        seed: of all random numbers.
        offset: column of x that is a first estimate of log_cycles; the trees learn its error.
        groups: samples of one group (n whole numbers) are held out together for the bands; each
            sample is its own group where omitted.
        banded: whether to fit the bands, too, which takes four times as long; without, the band
            has no width.

    Returns:
        Arrays for `predict_boosting`.
    """
    x = np.ascontiguousarray(x, np.float32)
    base = _base(x, offset)
    target = np.asarray(log_cycles, np.float64) - base
    weights = np.ones(len(x)) if weights is None else np.asarray(weights, np.float64)
    # Its library of threads is loaded before it is limited.
    import sklearn.ensemble  # noqa: F401

    with threadpool_limits(1 if len(x) <= _ALONE else None, "openmp"):
        x = _select_features(x, target, weights, seed)
        arrays = {
            **_named("boost", _trees(x, target, weights, seed)),
            "offset": np.array([-1.0 if offset is None else float(offset)]),
        }
        if banded:
            groups = np.arange(len(x)) if groups is None else groups
            arrays |= _band(x, target, weights, seed, folds(groups, _FOLDS, seed))
    return arrays


def _band(x: Any, target: Floats, weights: Floats, seed: int, fold: Integers) -> Arrays:
    """Fit the expected size of errors, and the quantiles of errors relative to it."""
    residual, expected = np.empty(len(x)), np.empty(len(x))
    for k in range(_FOLDS):
        test = fold == k
        model = _trees(x[~test], target[~test], weights[~test], seed)
        residual[test] = target[test] - model.predict(x[test])
    size = np.log(np.abs(residual) + _NOISE)
    for half in (fold == 0, fold != 0):
        expected[half] = _spread(x[~half], size[~half], seed).predict(x[half])
    scaled = residual / np.exp(expected)
    return {
        **_named("spread", _spread(x, size, seed)),
        "quantiles": np.quantile(scaled, [_TAIL, 1 - _TAIL]),
    }


def predict_boosting(x: Any, arrays: Arrays) -> tuple[Floats, Floats, Floats]:
    """Return the logarithm of cycles, and the low and high end of its 90 % band.

    Args:
        x: features (n x m), as at fitting.
        arrays: from `fit_boosting`.

    Returns:
        Three arrays (n); low <= value <= high.
    """
    x = np.ascontiguousarray(x, np.float32)
    offset = int(arrays["offset"][0])
    value = _applied(x, arrays, "boost") + _base(x, None if offset < 0 else offset)
    if "quantiles" not in arrays:
        return value, value, value
    size = np.exp(_applied(x, arrays, "spread"))
    low, high = arrays["quantiles"]
    return value, value + min(low, 0.0) * size, value + max(high, 0.0) * size


def folds(groups: Integers, count: int, seed: int) -> Integers:
    """Return the fold of each sample (n), of `count`; the same within a group."""
    _, group = np.unique(groups, return_inverse=True)
    order = np.random.default_rng(seed).permutation(int(group.max()) + 1)
    return np.asarray(order[group] % count, np.int64)


def _base(x: NDArray[np.float32], offset: int | None) -> Floats:
    return np.zeros(len(x)) if offset is None else x[:, offset].astype(np.float64)


def _select_features(x: NDArray[np.float32], target: Floats, weights: Floats, seed: int) -> Any:
    """Return the features (n x m), all set to 0 except those with most gain in a first fit."""
    if x.shape[1] <= _FEATURES:
        return x
    gain = np.zeros(x.shape[1])
    for (predictor,) in _trees(x, target, weights, seed)._predictors:
        inner = predictor.nodes[predictor.nodes["is_leaf"] == 0]
        np.add.at(gain, inner["feature_idx"], inner["gain"])
    chosen = np.argsort(-gain)[:_FEATURES]
    out = np.zeros_like(x)
    out[:, chosen] = x[:, chosen]
    return out


def _trees(x: Any, target: Floats, weights: Floats, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        loss="absolute_error",
        learning_rate=RATE,
        max_iter=ROUNDS,
        max_leaf_nodes=LEAVES,
        min_samples_leaf=8,
        l2_regularization=1.0,
        early_stopping=False,
        random_state=seed,
    )
    return model.fit(x, target, sample_weight=weights)


def _spread(x: Any, size: Floats, seed: int) -> Any:
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        learning_rate=_SPREAD_RATE,
        max_iter=_SPREAD_ROUNDS,
        max_leaf_nodes=_SPREAD_LEAVES,
        min_samples_leaf=40,
        early_stopping=False,
        random_state=seed,
    )
    return model.fit(x, size)


def _named(name: str, model: Any) -> Arrays:
    """Return a fitted model's trees as the arrays of `trees.evaluate`, each under name_..."""
    parts: dict[str, list[Floats]] = {k: [] for k in ("feature", "threshold", "left", "right")}
    values, roots, start = [], [], 0
    for (predictor,) in model._predictors:
        nodes = predictor.nodes
        own = np.arange(len(nodes))
        leaf = nodes["is_leaf"].astype(bool)
        parts["feature"].append(np.where(leaf, 0, nodes["feature_idx"]).astype(float))
        parts["threshold"].append(np.where(leaf, 0, nodes["num_threshold"]))
        for side in ("left", "right"):
            parts[side].append(start + np.where(leaf, own, nodes[side]).astype(float))
        values.append(np.where(leaf, nodes["value"], 0).astype(np.float32).astype(float))
        roots.append(float(start))
        start += len(nodes)
    forest = {key: np.concatenate(part) for key, part in parts.items()}
    forest["value"] = np.concatenate(values)[:, None]
    forest["root"] = np.array(roots)
    forest["baseline"] = np.array([float(np.ravel(model._baseline_prediction)[0])])
    return {f"{name}_{key}": array for key, array in forest.items()}


def _applied(x: NDArray[np.float32], arrays: Arrays, name: str) -> Floats:
    keys = ("feature", "threshold", "left", "right", "value", "root")
    forest = {key: arrays[f"{name}_{key}"] for key in keys}
    return np.asarray(trees.evaluate(x, forest)[:, 0] + arrays[f"{name}_baseline"][0])
