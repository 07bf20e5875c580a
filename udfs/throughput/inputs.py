"""Inputs of throughput models: the names of the features, and their form for a network."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats
from udfs.throughput.features import FEATURES
from udfs.throughput.traces import DISTRIBUTIONS, TRACE_FEATURES

Arrays = dict[str, Floats]


@dataclass(frozen=True, slots=True)
class Inputs:
    """Features of one form of segments, by position in `names`.

    The sum of the features `offset` is the logarithm of cycles from which models start; only
    the first of these is also an input. For a network, the features `counts` are divided by the
    feature `per`, which is then replaced by its logarithm. Features `left_out` are no inputs.
    """

    names: tuple[str, ...]
    offset: tuple[int, ...]
    counts: tuple[int, ...] = ()
    per: int | None = None
    left_out: tuple[int, ...] = ()

    def arrays(self) -> Arrays:
        """Return the arrays that a stored network needs for its inputs."""
        unused = {*self.offset[1:], *self.left_out}
        used = [i for i in range(len(self.names)) if i not in unused]
        return {
            "used": np.array(used, float),
            "offset": np.array(self.offset, float),
            "counts": np.array(self.counts, float),
            "per": np.array([] if self.per is None else [self.per], float),
        }


def start(x: NDArray[np.floating], arrays: Arrays) -> Floats:
    """Return the logarithm of cycles that a network starts from (n) for features (n x m)."""
    offset: Floats = x[:, arrays["offset"].astype(int)].sum(axis=1, dtype=float)
    return offset


def network_inputs(x: NDArray[np.floating], arrays: Arrays) -> NDArray[np.floating]:
    """Return the inputs of a network for features (n x m): counts are per instruction."""
    if len(arrays["per"]):
        per, counts = int(arrays["per"][0]), arrays["counts"].astype(int)
        x = x.copy()
        x[:, counts] /= x[:, [per]]
        x[:, per] = np.log(x[:, per])
    return x[:, arrays["used"].astype(int)]


def feature_range(x: Floats, arrays: Arrays) -> Floats:
    """Return the least and the largest of each input of a network (2 x k) for features (n x m)."""
    inputs = network_inputs(x, arrays)
    return np.stack([np.fmin.reduce(inputs, axis=0), np.fmax.reduce(inputs, axis=0)])


def is_outside(x: NDArray[np.floating], arrays: Arrays) -> Flags:
    """Return which segments (n) have an input beyond those that the model was fitted to.

    Beyond is by a quarter of the range of the input and more. An input that no segment had in
    training is ignored, as models of traces take it for unknown.
    """
    if "range" not in arrays:
        return np.zeros(len(x), bool)
    low, high = arrays["range"]
    margin = _MARGIN * (high - low) + 1e-6
    inputs = network_inputs(x, arrays)
    return np.asarray(((inputs < low - margin) | (inputs > high + margin)).any(axis=1))


# Share of its range by which an input may leave it.
_MARGIN = 0.25

TRACE = Inputs(
    TRACE_FEATURES,
    offset=(0, 1),
    left_out=tuple(TRACE_FEATURES.index(name) for name in DISTRIBUTIONS),
)
_PER = "n_instructions"
CODE = Inputs(
    FEATURES,
    offset=(FEATURES.index("log_best"),),
    counts=tuple(
        i
        for i, name in enumerate(FEATURES)
        if not name.startswith(("log_", "ratio_")) and name not in ("path_mean", _PER)
    ),
    per=FEATURES.index(_PER),
)
