"""The function for SQL that classifies a sample's bottleneck by a stored model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats
from udfs.arrow import contiguous, elements, is_known, lengths, numbers, returned
from udfs.bottleneck.judging import Judged, judge
from udfs.bottleneck.training import CLASSES, UNKNOWN
from udfs.flags import FLAG
from udfs.models import loaded_model

_VERDICT = returned("classify_bottleneck")
_NAMES = np.array([*CLASSES, UNKNOWN], object)


def classify_bottleneck(
    metrics: pa.ListArray, cycles: pa.DoubleArray, model: pa.UInt64Array
) -> pa.StructArray:
    """Return the bottleneck of samples, and what removing each component can gain at most.

    Args:
        metrics: n lists of the model's inputs in its order, per cycle; NULL or NaN where a metric
            was not measured.
        cycles: of the samples (n); NaN where unknown.
        model: n numbers that `load_model` returned; rows of one call may have different models.

    Returns:
        n structs. `class` is one of CLASSES or Unknown, and then `reason` is why (else NULL).
        `probability` is that of the likeliest class, `probabilities` those of all (Balance, Mem,
        DTB, ICache, DMA, Other). `drivers` are the three metrics (position from 0) that add most to
        the logarithm of the class's odds, by a logistic regression of the same samples, and their
        standardised values. `cost`, `cost_low` and `cost_high` are shares of the cycles (Mem, DTB,
        ICache, DMA; 0..1) with 90 % bands; NULL where the model has none. `hidden` is which of
        these four have events that would make it the bottleneck, but cost too little, as they
        overlap. All but `class` and `reason` are NULL where a metric is missing, or the sample is
        too short or unlike those of the training; a struct is NULL where the list, the cycles or
        the model are NULL.
    """
    metrics, cycles, model = (contiguous(column) for column in (metrics, cycles, model))
    models, valid = numbers(model), is_known(metrics) & is_known(model)
    if not valid.any():
        return pa.nulls(len(metrics), _VERDICT)
    chosen = np.unique(models[valid])
    if len(chosen) == 1 and valid.all():
        return _classify(metrics, cycles, int(chosen[0]))
    parts, place = [], np.full(len(metrics), -1)
    start = 0
    for number in chosen:
        rows = np.flatnonzero(valid & (models == number))
        mine = pa.array(rows)
        parts.append(_classify(metrics.take(mine), cycles.take(mine), int(number)))
        place[rows] = start + np.arange(len(rows))
        start += len(rows)
    return pa.concat_arrays(parts).take(pa.array(place, mask=place < 0))


def _classify(metrics: pa.ListArray, cycles: pa.DoubleArray, number: int) -> pa.StructArray:
    """Classify samples by one model; lists of another length than its inputs are unmeasured."""
    arrays = loaded_model(number)
    wide = len(arrays["mean"])
    widths = lengths(metrics)
    flat = elements(metrics).to_numpy(zero_copy_only=False).astype(np.float64, copy=False)
    if (widths == wide).all():
        matrix = flat.reshape(-1, wide)
    else:
        matrix = np.full((len(metrics), wide), np.nan)
        matrix[widths == wide] = flat[np.repeat(widths == wide, widths)].reshape(-1, wide)
    return _struct(judge(matrix, arrays, cycles.to_numpy(zero_copy_only=False)))


def _struct(judged: Judged) -> pa.StructArray:
    absent = ~judged.familiar
    reasons = pa.array([*judged.reasons, None], FLAG)
    drivers = pa.StructArray.from_arrays(
        [
            pa.array(judged.drivers.ravel().astype(np.int32)),
            pa.array(judged.contributions.ravel().astype(np.float64)),
            pa.array(judged.deviations.ravel().astype(np.float64)),
        ],
        fields=list(_VERDICT.field("drivers").type.value_type),
    )
    return pa.StructArray.from_arrays(
        [
            pa.array(_NAMES[judged.classes], pa.string()),
            pa.array(judged.probability, mask=absent),
            _lists(judged.probabilities, absent),
            _of_lists(drivers, judged.drivers.shape[1], absent),
            *(_lists(c, absent) for c in (judged.cost, judged.cost_low, judged.cost_high)),
            _of_lists(pa.array(judged.hidden.ravel()), judged.hidden.shape[1], absent),
            reasons.take(pa.array(judged.reason % len(reasons))),
        ],
        fields=list(_VERDICT),
    )


def _lists(rows: NDArray[Any] | None, absent: Flags) -> pa.ListArray:
    if rows is None:
        return pa.nulls(len(absent), pa.list_(pa.float64()))
    values: Floats = rows.ravel().astype(np.float64)
    return _of_lists(pa.array(values), rows.shape[1], absent)


def _of_lists(values: pa.Array, wide: int, absent: Flags) -> pa.ListArray:
    offsets = np.arange(len(absent) + 1, dtype=np.int32) * wide
    known = np.packbits(~absent, bitorder="little")
    buffers = [pa.py_buffer(known), pa.py_buffer(offsets)]
    return pa.ListArray.from_buffers(pa.list_(values.type), len(absent), buffers, children=[values])
