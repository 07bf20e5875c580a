"""Effect of each group of features on a predicted throughput, against a typical segment.

The effects are baseline Shapley values (Shapley, "A value for n-person games", 1953; Lundberg and
Lee, "A unified approach to interpreting model predictions", NeurIPS 2017; Sundararajan and Najmi,
"The many Shapley values for model explanation", ICML 2020): the change of the logarithm
of the cycles of one instruction when a group replaces that of a typical segment, averaged over all
orders of replacing groups. All subsets of groups are evaluated, so the values are exact, and the
factors multiply to the ratio of the prediction and that of the typical segment.
"""

from __future__ import annotations

from functools import cache
from itertools import product
from math import factorial
from typing import Any

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats
from udfs.throughput.groups import CODE_FORM, GROUPS, TRACE_FORM, Form
from udfs.throughput.network import Arrays
from udfs.throughput.predict import by_model, log_cycles

_FORMS = {len(form.group): form for form in (CODE_FORM, TRACE_FORM)}
# Segments whose subsets are evaluated at a time.
_CHUNK = 1 << 7


def throughput_effects(features: Any, model: Any) -> pa.ListArray:
    """Return the factors by which groups of features change the predicted cycles of segments.

    Args:
        features: n lists of the model's inputs in its order; NULL or NaN inside where one is
            unknown, which then counts as unknown for the typical segment, too.
        model: n numbers that `load_model` returned; rows of one call may have different models.

    Returns:
        n lists of structs `feature_group` (one of GROUPS), `factor` of the predicted cycles of one
        instruction; NULL where the list or the model is NULL, where the list has another number of
        features than the model has inputs, or where the model has no typical segment.
    """
    out = np.full((len(features), len(GROUPS)), np.nan)
    for rows, x, arrays in by_model(features, model):
        form = _FORMS.get(x.shape[1])
        if form is not None and "typical" in arrays:
            out[rows] = np.exp(effects(x, arrays, form))
    known = ~np.isnan(out[:, 0])
    ends = np.concatenate([[0], np.cumsum(known * len(GROUPS))]).astype(np.int32)
    names = pa.array(GROUPS * int(known.sum()), pa.string())
    factors = pa.array(out[known].ravel())
    structs = pa.StructArray.from_arrays([names, factors], names=["feature_group", "factor"])
    return pa.ListArray.from_arrays(pa.array(ends), structs, mask=pa.array(~known))


def effects(x: Any, arrays: Arrays, form: Form) -> Floats:
    """Return the logarithms of the factors (n x GROUPS) for features of one form (n x m)."""
    typical = form.parts(arrays["typical"][None])[0]
    subsets, weights = _subsets()
    inside = np.ascontiguousarray(subsets[:, form.group])[:, None]
    out = np.empty((len(x), len(GROUPS)))
    for begin in range(0, len(x), _CHUNK):
        some = np.asarray(x[begin : begin + _CHUNK], np.float64)
        parts = form.parts(some)
        reference = form.reference(parts, typical)
        mixed = np.where(inside, parts, reference).reshape(-1, x.shape[1])
        joined = form.join(mixed).reshape(len(subsets), *some.shape)
        # The features themselves, not joined parts, so that rounding leads to no other leaves.
        joined[-1] = some
        logs = log_cycles(joined.reshape(-1, x.shape[1]), arrays) - mixed[:, form.size]
        out[begin : begin + _CHUNK] = logs.reshape(len(subsets), -1).T @ weights
    return out


@cache
def _subsets() -> tuple[Any, Floats]:
    """Return all subsets of groups (2^G x G, the full one last), and the weights of their values.

    The weights (2^G x G) yield the Shapley values: a subset counts positively for a group in it, by
    the share of orders in which the group completes it, and negatively for other groups, by the
    share of orders in which they come next.
    """
    count = len(GROUPS)
    subsets = np.array(list(product((False, True), repeat=count)))
    weights = np.empty(subsets.shape)
    for row, inside in zip(weights, subsets, strict=True):
        size = int(inside.sum())
        last = factorial(size - 1) * factorial(count - size) if size else 0
        next_ = factorial(size) * factorial(count - size - 1) if size < count else 0
        row[:] = np.where(inside, last, -next_) / factorial(count)
    return subsets, weights
