"""Contested places: counters that programs of different bottlenecks share.

Two samples have nearly equal counters where every rate is within a factor of 1.5 and IPC within
0.05 of the width: kernels of equal cost differ by as much. Where training samples of different
programs are so alike, but not their classes, no model of these counters can tell them apart; what
can be stated of another sample there is how many of the programs have each class.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Floats, Integers
from udfs.bottleneck.training import (
    CLASSES,
    WIDTH_METRIC,
    Arrays,
    Singles,
    Training,
    causal_class,
    decode_names,
)

# Counts of two kernels of equal cost (15 % off each, `training.jitter`) differ by less in 95 %.
_FACTOR = 1.5
# Windows of one real program differ by less in 90 % (gem5).
_IPC_STEP = 0.05
# Places that a model keeps: every sample is compared with all of them.
_MOST = 256
_NONE = (CLASSES.index("Balance"), CLASSES.index("Other"))


def find(training: Training, arrays: Arrays) -> Arrays:
    """Return `contested_points` (c x m) and `contested_shares` (c x 6) of training samples.

    A point has the coordinates of `_coordinates`; its shares are those of the classes among the
    programs with nearly equal counters, each of which counts once. Balance and Other are one class
    where costs were measured, as IPC alone decides between them. Empty where nothing is contested.

    Args:
        training: samples with classes by labels, or by measured shares.
        arrays: the scaling (`training.scale`).
    """
    from scipy.spatial import cKDTree

    classes = training.labels
    if WIDTH_METRIC in training.names and training.costed.any():
        ipc = training.metrics[:, training.names.index(WIDTH_METRIC)]
        # A sample without events of the component that its run waited for did not wait for it.
        measured = causal_class(training.own_shares, ipc)
        classes = np.where(training.costed, measured, classes)
        classes = np.where(classes == _NONE[1], _NONE[0], classes)
    known = classes >= 0
    points = _coordinates(training.metrics[known], arrays)
    _, programs = np.unique(training.programs[known], return_inverse=True)
    points, programs, classes = _merged(points, programs, classes[known])
    pairs = cKDTree(points).query_pairs(1.0, p=np.inf, output_type="ndarray")
    alone = np.arange(len(points))
    here = np.concatenate([alone, pairs[:, 0], pairs[:, 1]])
    near = np.concatenate([alone, pairs[:, 1], pairs[:, 0]])
    shares = _votes(here, programs[near], classes[near], len(points))
    largest = shares.max(axis=1)
    chosen = np.flatnonzero(largest < 1)
    chosen = chosen[np.argsort(largest[chosen], kind="stable")][:_MOST]
    if not len(chosen):
        return {}
    return {"contested_points": points[chosen], "contested_shares": shares[chosen]}


def shares_of_classes(metrics: Floats, arrays: Arrays) -> Singles:
    """Return the shares of the classes (n x 6) at the nearest contested place.

    NaN where no contested place has nearly equal counters.

    Args:
        metrics: n x m, per cycle.
        arrays: a model, with what `find` returned.
    """
    shares = np.full((len(metrics), len(CLASSES)), np.nan, np.float32)
    if "contested_points" not in arrays:
        return shares
    points, places = _coordinates(metrics, arrays), arrays["contested_points"]
    # Most samples are beside all places by one coordinate or another.
    within = (points > places.min(axis=0) - 1) & (points < places.max(axis=0) + 1)
    rows = np.flatnonzero(within.all(axis=1))
    nearest = np.ones(len(rows))
    for place, mixed in zip(places, arrays["contested_shares"], strict=True):
        distance = np.abs(points[rows] - place).max(axis=1)
        nearer = distance < nearest
        shares[rows[nearer]], nearest[nearer] = mixed, distance[nearer]
    return shares


def _coordinates(metrics: Floats, arrays: Arrays) -> Floats:
    """Return coordinates (n x m) in which a difference of 1 is the largest of equal counters."""
    logs = np.log(np.maximum(metrics, 0) + arrays["log_offset"]) / np.log(_FACTOR)
    names = decode_names(arrays["names"])
    if WIDTH_METRIC in names:
        ipc = names.index(WIDTH_METRIC)
        logs[:, ipc] = metrics[:, ipc] / _IPC_STEP
    return np.asarray(logs)


def _merged(
    points: Floats, programs: NDArray[np.intp], classes: Integers
) -> tuple[Floats, NDArray[np.intp], Integers]:
    """Return one point for those of a program and class with the same rounded coordinates."""
    keys = np.column_stack([programs, classes, np.round(points)])
    _, first, place = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    place = place.ravel()
    sums = np.zeros((len(first), points.shape[1]))
    np.add.at(sums, place, points)
    return sums / np.bincount(place)[:, None], programs[first], classes[first]


def _votes(
    here: NDArray[np.intp], programs: NDArray[np.intp], classes: Integers, count: int
) -> Floats:
    """Return the shares of the classes (count x 6) at points, each program near counting once.

    The i-th neighbour is that of the point `here[i]`, of the program and class given.
    """
    keys, number = np.unique(np.column_stack([here, programs]), axis=0, return_inverse=True)
    by_program = np.zeros((len(keys), len(CLASSES)))
    np.add.at(by_program, (number.ravel(), classes), 1)
    by_program /= by_program.sum(axis=1, keepdims=True)
    shares = np.zeros((count, len(CLASSES)))
    np.add.at(shares, keys[:, 0], by_program)
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
