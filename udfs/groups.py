"""Groups of threads with similar behaviour."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from udfs.arrays import Integers
from udfs.arrow import returned
from udfs.block_vectors import TooManyThreads, collapse
from udfs.similarity import picture

# The largest distance within a group, as a brightness (0..1).
MAX_BRIGHTNESS = 0.25

_MEMBERS = returned("thread_grouping")


def thread_grouping(
    vectors: pa.ListArray,
    blocks: pa.ListArray,
    weights: pa.ListArray,
    threads: pa.ListArray,
    as_shares: pa.BooleanArray,
) -> pa.ListArray:
    """Group the distinct basic-block vectors of each launch.

    Complete linkage: no two vectors of a group are further apart than a quarter of a white pixel
    (Euclidean). The representative has the smallest sum of distances to the threads of its group.

    Args:
        vectors: n lists of BIGINT, the vector of each element.
        blocks: n lists of INTEGER, its basic block.
        weights: n lists of BIGINT, visits or instructions.
        threads: n lists of BIGINT, how many threads have the element's vector.
        as_shares: n, divide the vectors by their sums.

    Returns:
        n lists of structs (vector; behaviour_group, from 1, the one with most threads first;
        distance to the representative; representative). NULL where a weight is NULL, or where one
        matrix would be too large.
    """
    rows = zip(vectors, blocks, weights, threads, as_shares, strict=True)
    out: list[list[dict[str, object]] | None] = []
    for vector, block, weight, count, divide in rows:
        if not vector.is_valid or weight.values.null_count:
            out.append(None)
            continue
        arrays = [one.values.to_numpy().astype(np.int64) for one in (vector, block, weight, count)]
        try:
            out.append(_group_vectors(*arrays, as_shares=divide.as_py()))
        except TooManyThreads:
            out.append(None)
    return pa.array(out, _MEMBERS)


def _group_vectors(
    vector: Integers, block: Integers, weight: Integers, count: Integers, *, as_shares: bool
) -> list[dict[str, object]]:
    collapsed = collapse(vector, block, weight.astype(np.float64), as_shares=as_shares)
    matrix = picture(collapsed, "euclidean")
    ids, first = np.unique(vector, return_index=True)
    kinds = collapsed.kinds
    distances = matrix.distances[np.ix_(kinds, kinds)]
    label = _link(distances, MAX_BRIGHTNESS * matrix.white)
    times = count[first]
    rank = np.lexsort((np.arange(label.max() + 1), -np.bincount(label, times)))
    number = np.empty_like(rank)
    number[rank] = np.arange(rank.size)
    group = number[label]
    # Distances to other groups do not count.
    costs = np.where(label[:, None] == label[None, :], distances, 0) @ times
    order = np.lexsort((ids, costs, group))
    best = order[np.unique(group[order], return_index=True)[1]]
    names = [field.name for field in _MEMBERS.value_type]
    columns = (ids, group + 1, distances[np.arange(ids.size), best[group]], np.isin(ids, ids[best]))
    lists = (column.tolist() for column in columns)
    return [dict(zip(names, values, strict=True)) for values in zip(*lists, strict=True)]


def _link(distances: np.ndarray, limit: float) -> Integers:
    """Return the cluster of each vector, from 0 in order of appearance."""
    from scipy.cluster.hierarchy import fcluster, linkage
    from scipy.spatial.distance import squareform

    if len(distances) == 1:
        return np.zeros(1, np.int64)
    tree = linkage(squareform(distances, checks=False), "complete")
    found = fcluster(tree, limit, "distance")
    _, first, label = np.unique(found, return_index=True, return_inverse=True)
    place = np.argsort(np.argsort(first))
    ordered: Integers = place[label.ravel()]
    return ordered
