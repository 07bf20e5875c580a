"""The function for SQL that predicts the cycles of segments by a stored model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrays import Floats
from udfs.arrow import contiguous, elements, is_known, lengths, numbers, returned
from udfs.models import loaded_model
from udfs.throughput.algorithms import apply_network
from udfs.throughput.boosting import predict_boosting
from udfs.throughput.combination import predict_combination
from udfs.throughput.inputs import is_outside
from udfs.throughput.network import Arrays

_PREDICTED = returned("predict_throughput")
# Factor on the width of a band outside of what a model was fitted to.
_WIDER = 3.0


def predict_throughput(features: Any, model: Any) -> pa.StructArray:
    """Predict the cycles of one pass of segments, with a 90 % band.

    Args:
        features: n lists of the model's inputs in its order; NULL or NaN inside where one is
            unknown.
        model: n numbers that `load_model` returned; rows of one call may have different models.

    Returns:
        n structs `predicted_cycles`, `low_cycles`, `high_cycles`, `is_outside`: whether the segment
        is unlike all that the model was fitted to, and its band three times as wide for that; NULL
        where the list or the model is NULL, or where the list has another number of features than
        the model has inputs.
    """
    out = np.full((len(features), 3), np.nan)
    outside = np.zeros(len(features), bool)
    for rows, x, arrays in by_model(features, model):
        outside[rows] = is_outside(x, arrays)
        out[rows] = predicted(x, arrays)
        out[rows] *= (out[rows] / out[rows, :1]) ** ((_WIDER - 1) * outside[rows, None])
    absent = pa.array(np.isnan(out[:, 0]))
    columns = [pa.array(np.ascontiguousarray(out[:, i])) for i in range(3)]
    columns.append(pa.array(outside))
    return pa.StructArray.from_arrays(columns, fields=list(_PREDICTED), mask=absent)


def by_model(
    features: Any, model: Any
) -> Iterator[tuple[NDArray[np.intp], NDArray[np.floating], Arrays]]:
    """Yield for each model of n rows the rows that fit it, their features and its arrays.

    Args:
        features: n lists of features; NULL inside where one is unknown.
        model: n numbers that `load_model` returned.

    Yields:
        Rows whose list is not NULL and has as many features as the model has inputs (k), the
        features (k x m), and the model.
    """
    features, model = contiguous(features), contiguous(model)
    models, valid = numbers(model), is_known(features) & is_known(model)
    for number in np.unique(models[valid]):
        arrays = loaded_model(int(number))
        rows = np.flatnonzero(valid & (models == number))
        some = features if len(rows) == len(features) else features.take(pa.array(rows))
        widths = lengths(some)
        wide = int(arrays["inputs"][0]) if "inputs" in arrays else int(widths.max(initial=0))
        fits = widths == wide
        if not fits.all():
            some, rows = some.filter(pa.array(fits)), rows[fits]
        if len(rows):
            flat = elements(some).to_numpy(zero_copy_only=False)
            yield rows, flat.reshape(-1, wide), arrays


def predicted(x: NDArray[np.floating], arrays: Arrays) -> Floats:
    """Return cycles of one pass and its band, n x 3 (cycles, low, high), for features (n x m)."""
    if "band" in arrays:
        middle = log_cycles(x, arrays)
        low, high = arrays["band"]
        logs = np.stack([middle, middle + low, middle + high], axis=1)
    else:
        logs = np.stack(predict_boosting(x, arrays), axis=1)
    cycles: Floats = np.exp(logs)
    return cycles


def log_cycles(x: NDArray[np.floating], arrays: Arrays) -> Floats:
    """Return the logarithm of the cycles of one pass (n), without a band, for features (n x m)."""
    if "w0" in arrays:
        return apply_network(x, arrays)
    if "combination" in arrays:
        return predict_combination(x, arrays)
    return predict_boosting(x, {k: v for k, v in arrays.items() if k != "quantiles"})[0]
