"""The functions for SQL: `cluster_clara` and `gap_statistic`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from udfs.arrow import Column
from udfs.clustering.clara import clara
from udfs.clustering.columns import Rows, cells, list_column, matrix, numbers
from udfs.clustering.gap import gap
from udfs.clustering.points import WORKERS, InsufficientData

Found: TypeAlias = dict[str, Any]

_CLUSTERS = pa.struct(
    [
        ("medoids", pa.list_(pa.int32())),
        ("labels", pa.list_(pa.int32())),
        ("cost", pa.float64()),
        ("left_out", pa.int32()),
        ("reason", pa.string()),
    ]
)
_GAP = pa.struct(
    [
        ("k", pa.int32()),
        ("gap", pa.list_(pa.float64())),
        ("s", pa.list_(pa.float64())),
        ("log_w", pa.list_(pa.float64())),
        ("expected", pa.list_(pa.float64())),
        ("rows", pa.int32()),
        ("left_out", pa.int32()),
        ("reason", pa.string()),
    ]
)


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
        labels = np.zeros(rows.count, np.int32)
        labels[rows.numbers] = found.labels
        unknown = np.ones(rows.count, bool)
        unknown[rows.numbers] = False
        return {
            "medoids": pa.array(rows.numbers[found.medoids]),
            "labels": pa.array(labels, mask=unknown if rows.left_out else None),
            "cost": found.cost,
        }

    minima = {"k": 1, "seed": 0}
    return _structs(_CLUSTERS, [_answer(one, minima, *row) for row in rows_and_arguments])


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
    """Return the fields of one answer, only a reason where there is none, or None for NULL."""
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
