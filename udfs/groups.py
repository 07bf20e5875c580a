"""Groups of threads that behave alike."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from udfs.block_vectors import Integers, TooManyThreads, collapse
from udfs.similarity import picture

# No two threads of a group are further apart than this brightness.
WIDEST = 0.25

_MEMBER = pa.struct(
    [
        ("vector", pa.int64()),
        ("behaviour_group", pa.int32()),
        ("distance", pa.float64()),
        ("representative", pa.bool_()),
    ]
)


def thread_grouping(
    vectors: pa.ListArray,
    bbs: pa.ListArray,
    weights: pa.ListArray,
    times: pa.ListArray,
    shares: pa.BooleanArray,
) -> pa.ListArray:
    """Group the different basic-block vectors of each launch.

    Complete linkage: no two vectors of a group are further apart than a quarter of a white pixel
    (Euclidean). The representative has the smallest sum of distances to the threads of its group.

    Args:
        vectors: n lists of BIGINT, the vector of each element.
        bbs: n lists of INTEGER, its basic block.
        weights: n lists of BIGINT, visits or instructions.
        times: n lists of BIGINT, how many threads have the element's vector.
        shares: n, divide the vectors by their sums.

    Returns:
        n lists of structs (vector; behaviour_group, from 1, the one of most threads first;
        distance to the representative; representative). NULL where a weight is, or vectors or
        blocks are too many for one matrix.
    """
    rows = zip(vectors, bbs, weights, times, shares, strict=True)
    out: list[list[dict[str, object]] | None] = []
    for vector, bb, weight, count, divide in rows:
        if not vector.is_valid or weight.values.null_count:
            out.append(None)
            continue
        arrays = [one.values.to_numpy().astype(np.int64) for one in (vector, bb, weight, count)]
        try:
            out.append(_grouped(*arrays, shares=divide.as_py()))
        except TooManyThreads:
            out.append(None)
    return pa.array(out, pa.list_(_MEMBER))


def _grouped(
    vector: Integers, bb: Integers, weight: Integers, count: Integers, *, shares: bool
) -> list[dict[str, object]]:
    given = collapse(vector, bb, weight.astype(np.float64), shares=shares)
    seen = picture(given, "euclidean")
    ids, first = np.unique(vector, return_index=True)
    kinds = given.kinds
    apart = seen.distances[np.ix_(kinds, kinds)]
    label = _linked(apart, WIDEST * seen.white)
    times = count[first]
    rank = np.lexsort((np.arange(label.max() + 1), -np.bincount(label, times)))
    number = np.empty_like(rank)
    number[rank] = np.arange(rank.size)
    group = number[label]
    # Distances to other groups do not count.
    costs = np.where(label[:, None] == label[None, :], apart, 0) @ times
    order = np.lexsort((ids, costs, group))
    best = order[np.unique(group[order], return_index=True)[1]]
    names = [field.name for field in _MEMBER]
    columns = (ids, group + 1, apart[np.arange(ids.size), best[group]], np.isin(ids, ids[best]))
    lists = (column.tolist() for column in columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*lists, strict=True)]


def _linked(apart: np.ndarray, widest: float) -> Integers:
    """Give the cluster of each vector, from 0 in order of appearance."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(apart) == 1:
        return np.zeros(1, np.int64)
    tree = linkage(squareform(apart, checks=False), "complete")
    found = fcluster(tree, widest, "distance")
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    ordered: Integers = place[label.ravel()]
    return ordered
