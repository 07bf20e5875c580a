"""The functions for SQL: clusters, their number, principal components and maps of points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from udfs.arrow import Column, returned
from udfs.clustering.clara import clara
from udfs.clustering.columns import Rows, cells, list_column, matrix, numbers
from udfs.clustering.components import principal_components as components_of
from udfs.clustering.gap import gap
from udfs.clustering.kmeans import kmeans
from udfs.clustering.points import WORKERS, Floats, InsufficientData
from udfs.clustering.som import self_organising_map as train_map

Found: TypeAlias = dict[str, Any]

_CLUSTERS = returned("cluster_clara")
_GAP = returned("gap_statistic")
_CENTRES = returned("cluster_kmeans")
_COMPONENTS = returned("principal_components")
_MAP = returned("self_organising_map")
_MOST_CELLS = 10_000  # of a map: each is compared with each point


def cluster_clara(points: Column, k: Column, seed: Column | None = None) -> pa.StructArray:
    """Cluster the rows of each cell around k of them; see `udfs.clustering.clara.clara`.

    A row that is NULL or contains NULL, NaN or an infinity is left out and has no label.

    Args:
        points: n cells DOUBLE[][], a list of rows of metrics that are on one scale.
        k: n numbers of clusters.
        seed: n numbers from 0 that choose the random samples; default 0.

    Returns:
        n structs: medoids (row numbers from 0, ascending), labels (of each row the position of
        its medoid in `medoids`, from 0), cost (sum of the Euclidean distances to the medoids, in
        the unit of the metrics), left_out (rows without label), reason (why there is no answer;
        NULL where there is one). NULL where an argument is NULL.
    """
    lists = cells(points)
    count = len(lists)
    rows_and_arguments = zip(lists, numbers(k, count), numbers(seed, count), strict=True)

    def one(rows: Rows, k: int, seed: int) -> Found:
        found = clara(rows.known, k, seed, WORKERS)
        return {
            "medoids": pa.array(rows.numbers[found.medoids]),
            "labels": _labels(rows, found.labels),
            "cost": found.cost,
        }

    minima = {"k": 1, "seed": 0}
    return _structs(_CLUSTERS, [_answer(one, minima, *row) for row in rows_and_arguments])


def cluster_kmeans(points: Column, k: Column, seed: Column | None = None) -> pa.StructArray:
    """Cluster the rows of each cell around k means; see `udfs.clustering.kmeans.kmeans`.

    Rows are left out as in `cluster_clara`.

    Args:
        points: n cells DOUBLE[][], a list of rows of metrics that are on one scale.
        k: n numbers of clusters.
        seed: n numbers from 0 that choose the starts; default 0.

    Returns:
        n structs: centres (k rows of metrics), labels (of each row the position of its centre,
        from 0), cost (sum of the squared distances to the centres), left_out, reason. NULL where
        an argument is NULL.
    """
    lists = cells(points)
    rows_and_arguments = zip(lists, numbers(k, len(lists)), numbers(seed, len(lists)), strict=True)

    def one(rows: Rows, k: int, seed: int) -> Found:
        found = kmeans(rows.known, k, seed)
        return {
            "centres": _matrix(found.centres),
            "labels": _labels(rows, found.labels),
            "cost": found.cost,
        }

    minima = {"k": 1, "seed": 0}
    return _structs(_CENTRES, [_answer(one, minima, *row) for row in rows_and_arguments])


def principal_components(points: Column, components: Column | None = None) -> pa.StructArray:
    """Return the principal components of each cell's rows; see `udfs.clustering.components`.

    Rows are left out as in `cluster_clara`; they have no scores.

    Args:
        points: n cells DOUBLE[][], a list of rows of metrics that are on one scale.
        components: n numbers of components; default 2.

    Returns:
        n structs: mean (of each metric), components (rows of weights of the metrics), variances
        and shares (0..1 of all variance) of the components, scores (of each row, along the
        components), left_out, reason. NULL where an argument is NULL.
    """
    lists = cells(points)
    rows_and_arguments = zip(lists, numbers(components, len(lists), 2), strict=True)

    def one(rows: Rows, components: int) -> Found:
        found = components_of(rows.known, components)
        scores = np.full((rows.count, found.scores.shape[1]), np.nan)
        scores[rows.numbers] = found.scores
        few = len(found.variances)
        return {
            "mean": pa.array(found.mean),
            "components": _matrix(found.components),
            "variances": pa.array(found.variances),
            "shares": pa.array(found.shares),
            "scores": _matrix(scores, rows),
            "reason": None if few == components else f"there are no more than {few} components",
        }

    return _structs(
        _COMPONENTS, [_answer(one, {"components": 1}, *row) for row in rows_and_arguments]
    )


def self_organising_map(points: Column, height: Column, width: Column) -> pa.StructArray:
    """Train a self-organising map on each cell's rows; see `udfs.clustering.som`.

    Rows are left out as in `cluster_clara`; they have no cell.

    Args:
        points: n cells DOUBLE[][], a list of rows of metrics that are on one scale.
        height, width: n numbers of cells of the grid, 10 000 in all at most.

    Returns:
        n structs: prototypes (rows of metrics, one a cell, the grid row by row), cells (of each row
        the position of its prototype, from 0), quantisation_error (mean distance to the prototype),
        topographic_error (share of rows whose two nearest cells are not neighbours, 0..1),
        left_out, reason. NULL where an argument is NULL.
    """
    lists = cells(points)
    sides = (numbers(height, len(lists)), numbers(width, len(lists)))
    rows_and_arguments = zip(lists, *sides, strict=True)

    def one(rows: Rows, height: int, width: int) -> Found:
        if height * width > _MOST_CELLS:
            raise InsufficientData(f"a map has at most {_MOST_CELLS} cells, not {height * width}")
        found = train_map(rows.known, height, width)
        return {
            "prototypes": _matrix(found.prototypes),
            "cells": _labels(rows, found.cells),
            "quantisation_error": found.quantisation_error,
            "topographic_error": found.topographic_error,
        }

    minima = {"height": 1, "width": 1}
    return _structs(_MAP, [_answer(one, minima, *row) for row in rows_and_arguments])


def gap_statistic(
    points: Column, k_max: Column, references: Column | None = None, seed: Column | None = None
) -> pa.StructArray:
    """Choose the number of clusters of each cell's rows; see `udfs.clustering.gap.gap`.

    Rows are left out as in `cluster_clara`, whose clusters these are.

    Args:
        points: n cells DOUBLE[][], a list of rows of metrics that are on one scale.
        k_max: n largest numbers of clusters to try.
        references: n numbers of reference sets; default 50.
        seed: n numbers from 0; default 0.

    Returns:
        n structs: k, the lists gap, s, log_w and expected over k = 1..k_max, rows
        (used), left_out (rows with unknown values), reason (what limits the answer, or why there is
        none; else NULL). NULL where an argument is NULL.
    """
    lists = cells(points)
    count = len(lists)
    others = (numbers(k_max, count), numbers(references, count, 50), numbers(seed, count))
    rows_and_arguments = zip(lists, *others, strict=True)

    def one(rows: Rows, k_max: int, references: int, seed: int) -> Found:
        found = gap(rows.known, k_max, references, seed, WORKERS)
        arrays = {
            name: pa.array(getattr(found, name)) for name in ("gap", "s", "log_w", "expected")
        }
        return {"k": found.k, **arrays, "rows": found.rows, "reason": found.reason}

    minima = {"k_max": 2, "references": 2, "seed": 0}
    return _structs(_GAP, [_answer(one, minima, *row) for row in rows_and_arguments])


def _answer(
    one: Callable[..., Found],
    minima: dict[str, int],
    cell: pa.ListArray | None,
    *arguments: int | None,
) -> Found | None:
    """Return the fields of one answer, only a reason if there is none, or None for NULL."""
    if cell is None or None in arguments:
        return None
    try:
        for (name, bound), value in zip(minima.items(), arguments, strict=True):
            if value is not None and value < bound:
                raise InsufficientData(f"{name} must be at least {bound}, not {value}")
        rows = matrix(cell)
        return {"left_out": rows.left_out, **one(rows, *arguments)}
    except InsufficientData as error:
        return {"reason": str(error)}


def _labels(rows: Rows, known: NDArray[np.int32]) -> pa.Array:
    """Return a number for every row, NULL for those that were left out."""
    labels = np.zeros(rows.count, np.int32)
    labels[rows.numbers] = known
    unknown = np.ones(rows.count, bool)
    unknown[rows.numbers] = False
    return pa.array(labels, mask=unknown if rows.left_out else None)


def _matrix(values: Floats, rows: Rows | None = None) -> pa.ListArray:
    """Return a matrix as a list of rows; those that were left out of `rows` are NULL."""
    ends = np.arange(len(values) + 1, dtype=np.int32) * values.shape[1]
    mask = None
    if rows is not None and rows.left_out:
        unknown = np.ones(rows.count, bool)
        unknown[rows.numbers] = False
        mask = pa.array(unknown)
    return pa.ListArray.from_arrays(pa.array(ends), pa.array(values.ravel()), mask=mask)


def _structs(kind: pa.StructType, answers: Sequence[Found | None]) -> pa.StructArray:
    """Return a column of structs; fields that an answer lacks are NULL."""
    columns = []
    for field in kind:
        values = [None if answer is None else answer.get(field.name) for answer in answers]
        is_list = pa.types.is_list(field.type)
        columns.append(
            list_column(values, field.type.value_type) if is_list else pa.array(values, field.type)
        )
    missing = pa.array([answer is None for answer in answers], pa.bool_())
    return pa.StructArray.from_arrays(columns, fields=list(kind), mask=missing)
