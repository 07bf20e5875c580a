"""Algorithms that predict the cycles of segments, each fitted to the same segments."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Floats, Integers
from udfs.throughput.boosting import fit_boosting, predict_boosting
from udfs.throughput.combination import fit_combination, predict_combination
from udfs.throughput.groups import CODE_FORM, TRACE_FORM, Form
from udfs.throughput.inputs import Inputs, network_inputs, start
from udfs.throughput.network import Arrays, Training, fit_network, predict_network
from udfs.throughput.traces import poorer_traces

Predict = Callable[["Samples"], Floats]

# The network whose inputs are all of TRACE_FEATURES.
WITH_DISTRIBUTIONS = "network with distributions"
_TRACES = Training(iterations=200, members=3, decay=5e-3)
_CODE = Training(iterations=300, members=2, decay=1e-5)


@dataclass(frozen=True, slots=True)
class Samples:
    """Measured segments to learn from.

    `x` (n x m) are features, `cycles` (n) those of one pass, `bounds` (n x b) cycles by each
    bound, `instructions` (n), `groups` (n) the group of near-duplicates, `width` (n) of
    the core. `inputs` describes the features, `is_code` is whether they are of machine code,
    `weights` (n) are the weights of the measurements: equal where omitted.
    """

    x: Floats
    cycles: Floats
    bounds: Floats
    instructions: Floats
    groups: NDArray[np.str_]
    width: Floats
    inputs: Inputs
    is_code: bool
    weights: Floats | None = None

    @property
    def form(self) -> Form:
        """The form of the features: machine code or traces."""
        return CODE_FORM if self.is_code else TRACE_FORM

    @property
    def trust(self) -> Floats:
        """The weight of each measurement (n)."""
        return np.ones(len(self.cycles)) if self.weights is None else self.weights

    def whole(self) -> Samples:
        """Return the samples with all features as inputs."""
        return replace(self, inputs=replace(self.inputs, left_out=()))

    def at(self, rows: Integers) -> Samples:
        """Return a part of the samples."""
        names = ("x", "cycles", "bounds", "instructions", "groups", "width")
        some = {name: getattr(self, name)[rows] for name in names}
        return replace(self, **some, weights=self.trust[rows])


def algorithms(part: Samples, weights: Floats, seed: int, **training: Any) -> dict[str, Predict]:
    """Fit all algorithms; each returns log cycles of other segments.

    `training` are fields of `udfs.throughput.network.Training` that differ from the defaults.
    """
    per_instruction = float(np.median(np.log(part.cycles / part.instructions)))
    line = _linear(part, weights)
    network = train_network(part, weights, seed, **training)
    found: dict[str, Predict] = {
        "constant": lambda s: per_instruction + np.log(s.instructions),
        "tightest bound": lambda s: np.log(np.fmax.reduce(s.bounds, axis=1)),
        "linear regression": lambda s: _inputs(s) @ line + _start(s),
        "network": lambda s: apply_network(s.x, network),
    }
    if not part.is_code:
        whole = train_network(part.whole(), weights, seed, **training)
        found[WITH_DISTRIBUTIONS] = lambda s: apply_network(s.x, whole)
        combination = train_combination(part, weights)
        found["combined bounds"] = lambda s: predict_combination(s.x, combination)
    return found | {"boosting": _boosted(part, weights, seed)}


def train_network(part: Samples, weights: Floats, seed: int, **training: Any) -> Arrays:
    """Train the network of `udfs.throughput.network` on the log cycles above its start."""
    arrays = part.inputs.arrays()
    x, y = part.x, np.log(part.cycles)
    if not part.is_code:
        x, y, weights = _with_poorer(x, y, weights)
    way = replace(_CODE if part.is_code else _TRACES, **training)
    rest = y - start(x, arrays)
    return arrays | fit_network(network_inputs(x, arrays), rest, weights, seed=seed, training=way)


def train_combination(part: Samples, weights: Floats) -> Arrays:
    """Fit the combination of bounds of `udfs.throughput.combination` to traced segments."""
    return fit_combination(*_with_poorer(part.x, np.log(part.cycles), weights))


def _with_poorer(x: Floats, y: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return traced segments, and the same again as less detailed traces describe them."""
    x = np.concatenate([x, *poorer_traces(x)])
    return x, np.tile(y, 3), np.concatenate([weights, 0.3 * weights, 0.3 * weights])


def apply_network(x: NDArray[np.floating], arrays: Arrays) -> Floats:
    """Return the log cycles of segments by a network from `train_network`."""
    return predict_network(network_inputs(x, arrays), arrays) + start(x, arrays)


def train_boosting(part: Samples, weights: Floats, seed: int, *, banded: bool = True) -> Arrays:
    """Fit boosted trees to blocks of machine code."""
    groups = np.unique(part.groups, return_inverse=True)[1]
    offset, y = part.inputs.offset[0], np.log(part.cycles)
    return fit_boosting(part.x, y, weights, seed, offset=offset, groups=groups, banded=banded)


def _boosted(part: Samples, weights: Floats, seed: int) -> Predict:
    """Return boosted trees: for blocks those of `train_boosting`, without bands."""
    if part.is_code:
        arrays = train_boosting(part, weights, seed, banded=False)
        return lambda s: predict_boosting(s.x, arrays)[0]
    from sklearn.ensemble import HistGradientBoostingRegressor

    model = HistGradientBoostingRegressor(
        loss="absolute_error",
        learning_rate=0.05,
        max_iter=100,
        max_leaf_nodes=8,
        random_state=seed,
    )
    known = np.isfinite(part.x).any(axis=0)
    model.fit(part.x[:, known], np.log(part.cycles) - _start(part), sample_weight=weights)
    return lambda s: np.asarray(model.predict(s.x[:, known])) + _start(s)


def _start(samples: Samples) -> Floats:
    return start(samples.x, samples.inputs.arrays())


def _inputs(samples: Samples) -> Floats:
    x = np.nan_to_num(network_inputs(samples.x, samples.inputs.arrays()))
    return np.column_stack([x, np.ones(len(x))])


def _linear(part: Samples, weights: Floats) -> Floats:
    """Return least squares coefficients, with a small ridge because of constant features."""
    x, root = _inputs(part), np.sqrt(weights)[:, None]
    scale = np.maximum(np.abs(x).max(axis=0), 1e-9)
    a = x / scale * root
    y = (np.log(part.cycles) - _start(part)) * root[:, 0]
    ridge = 1e-4 * np.trace(a.T @ a) / a.shape[1]
    solved: Floats = np.linalg.solve(a.T @ a + ridge * np.eye(a.shape[1]), a.T @ y) / scale
    return solved
