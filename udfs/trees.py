"""Forests and boosted trees as flat arrays, applied without the library that trained them.

Trees are applied by QuickScorer (Lucchese et al., "QuickScorer: a fast algorithm to rank documents
with additive ensembles of regression trees", SIGIR 2015): each comparison that fails clears the
leaves below its left child in a word of 64 bits, and the lowest bit still set is the leaf. Here the
comparisons of one feature are looked up together, by the interval that contains its value, for many
samples at once.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats, Integers

Arrays = dict[str, Floats]

Singles = NDArray[np.float32]
Words = NDArray[np.uint64]

_WORD = 64  # bits
_AT_ONCE = 1 << 14  # points of a part that one thread evaluates
_WORKERS = 4  # threads

# Ensembles whose tables are cached.
_MAX_CACHED = 16
_lock = threading.Lock()
_small_job = threading.Lock()
_cached: dict[tuple[int, ...], tuple[list[Floats], _Scorer]] = {}


def flatten(trees: Iterable[Any], values: Iterable[Floats]) -> Arrays:
    """Return scikit-learn's trees as arrays.

    Args:
        trees: fitted `tree_` objects (sklearn.tree.DecisionTreeRegressor.tree_ and the like).
        values: the output of each node of each tree (nodes x k); an ensemble returns the sum over
            its trees, so divide those of a forest by the number of trees.

    Returns:
        `feature`, `threshold`, `left`, `right` (nodes), `value` (nodes x k) and `root`
        (trees): a sample goes left where its feature is at most the threshold; a leaf leads to
        itself.
    """
    parts: dict[str, list[Floats]] = {k: [] for k in ("feature", "threshold", "left", "right")}
    roots, leaves, start = [], [], 0
    for tree, value in zip(trees, values, strict=True):
        own = np.arange(tree.node_count)
        leaf = tree.children_left < 0
        parts["feature"].append(np.where(leaf, 0, tree.feature).astype(float))
        parts["threshold"].append(np.where(leaf, 0, tree.threshold))
        parts["left"].append(start + np.where(leaf, own, tree.children_left).astype(float))
        parts["right"].append(start + np.where(leaf, own, tree.children_right).astype(float))
        leaves.append(np.asarray(value, float).reshape(tree.node_count, -1))
        roots.append(float(start))
        start += tree.node_count
    joined = {name: np.concatenate(part) for name, part in parts.items()}
    return {
        **joined,
        "value": np.concatenate(leaves),
        "root": np.array(roots),
    }


def evaluate(points: NDArray[Any], forest: Arrays) -> Floats:
    """Return the sum over all trees (n x k) for points (n x m); NaN goes right.

    Points are taken in single precision, as scikit-learn does it.
    """
    points = np.ascontiguousarray(points, np.float32)
    scorer = _prepared(forest)
    out = np.empty((len(points), forest["value"].shape[1]))
    parts = [slice(at, at + _AT_ONCE) for at in range(0, len(points), _AT_ONCE)]
    if len(parts) == 1:
        # On such small pieces, threads that contend for Python's lock take twice the time that they
        # take one after the other.
        with _small_job:
            scorer.score(points, out, parts[0])
        return out
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_WORKERS) as workers:
        list(workers.map(partial(scorer.score, points, out), parts))
    return out


def _prepared(forest: Arrays) -> _Scorer:
    """Return the tables of an ensemble; those of the last few read-only ensembles are cached."""
    arrays = [forest[name] for name in ("feature", "threshold", "left", "right", "value", "root")]
    if any(array.flags.writeable for array in arrays):
        return _Scorer.of(forest)
    key = tuple(map(id, arrays))
    with _lock:
        # The arrays are cached, too, so that no others can get their identity.
        _cached[key] = _cached.pop(key) if key in _cached else (arrays, _Scorer.of(forest))
        while len(_cached) > _MAX_CACHED:
            del _cached[next(iter(_cached))]
        return _cached[key][1]


@dataclass(frozen=True, slots=True)
class _Word:
    """Up to 64 leaves of a tree: their values (leaves x k), and the leaves that remain possible.

    `tables` are by feature: the leaves that remain in each interval between its cuts. The words of
    a tree follow each other, the one with the `last` leaves first.
    """

    last: bool
    values: Floats
    tables: list[tuple[int, Words]]


@dataclass(frozen=True, slots=True)
class _Scorer:
    """An ensemble as tables: the thresholds of each used feature, and the words."""

    cuts: dict[int, Singles]
    words: list[_Word]

    @classmethod
    def of(cls, forest: Arrays) -> _Scorer:
        feature, threshold = forest["feature"].astype(np.int64), _floor(forest["threshold"])
        leaves = _Leaves.of(forest)
        used = np.unique(feature[leaves.inner]).tolist()
        cuts = {f: np.unique(threshold[leaves.inner & (feature == f)]) for f in used}
        words: dict[tuple[int, int], _Word] = {}
        for start in reversed(range(0, max(leaves.count[leaves.root]), _WORD)):
            for tree in np.flatnonzero(leaves.count[leaves.root] > start).tolist():
                values = leaves.values[leaves.start[tree] + start :][:_WORD]
                end = leaves.count[leaves.root[tree]] - start
                words[tree, start] = _Word(bool(end <= _WORD), values[:end], [])
            cleared = leaves.left_of(start, forest)
            for f in used:
                at = np.flatnonzero((feature == f) & (cleared != 0))
                trees, column = np.unique(leaves.tree[at], return_inverse=True)
                remain = np.full((len(cuts[f]) + 1, len(trees)), ~np.uint64(0))
                # Above the threshold's place among the cuts the comparison fails.
                place = np.searchsorted(cuts[f], threshold[at]) + 1
                np.bitwise_and.at(remain, (place, column), ~cleared[at])
                tables = np.ascontiguousarray(np.bitwise_and.accumulate(remain).T)
                for tree, table in zip(trees.tolist(), tables, strict=True):
                    words[tree, start].tables.append((f, table))
        order = sorted(words, key=lambda word: (word[0], -word[1]))
        return cls(cuts, [words[key] for key in order])

    def score(self, points: Singles, out: Floats, part: slice) -> None:
        """Write the sums of some of the points to their rows of `out`."""
        columns = np.ascontiguousarray(points[part].T)
        bins = {f: np.searchsorted(cuts, columns[f]) for f, cuts in self.cuts.items()}
        possible, remaining = np.empty((2, columns.shape[1]), np.uint64)
        total = np.zeros((columns.shape[1], out.shape[1]))
        value = np.zeros_like(total)
        for word in self.words:
            possible.fill(~np.uint64(0))
            for f, table in word.tables:
                table.take(bins[f], out=remaining, mode="clip")
                possible &= remaining
            # The exponent of the lowest bit is the number of the leaf plus one, and 0 of none.
            leaf = np.frexp((possible & (~possible + np.uint64(1))).astype(np.float64))[1] - 1
            found = word.values.take(leaf, axis=0, mode="clip")
            if word.last:
                total += value
                value = found
            else:
                value = np.where((leaf >= 0)[:, None], found, value)
        out[part] = total + value


@dataclass(frozen=True, slots=True)
class _Leaves:
    """The leaves of all trees, numbered in each from left to right.

    By node: whether it is `inner` (compares a feature), its `tree`, the number of the `first` leaf
    below it, the `count` of them. By tree: its `root`, and where its `values` (leaves x k) start.
    """

    inner: Flags
    tree: Integers
    first: Integers
    count: Integers
    root: Integers
    start: Integers
    values: Floats

    @classmethod
    def of(cls, forest: Arrays) -> _Leaves:
        left, right, root = (forest[k].astype(np.int64) for k in ("left", "right", "root"))
        inner = left != np.arange(len(left))
        levels = [root]
        while (parents := levels[-1][inner[levels[-1]]]).size:
            levels.append(np.concatenate([left[parents], right[parents]]))
        inners = [level[inner[level]] for level in levels]
        count = np.where(inner, 0, 1)
        for parents in reversed(inners):
            count[parents] = count[left[parents]] + count[right[parents]]
        tree, first = np.zeros((2, len(left)), np.int64)
        tree[root] = np.arange(len(root))
        for parents in inners:
            tree[left[parents]] = tree[right[parents]] = tree[parents]
            first[left[parents]] = first[parents]
            first[right[parents]] = first[parents] + count[left[parents]]
        start = np.cumsum(count[root]) - count[root]
        ends = np.flatnonzero(~inner)
        values = np.empty((len(ends), forest["value"].shape[1]))
        values[start[tree[ends]] + first[ends]] = forest["value"][ends]
        return cls(inner, tree, first, count, root, start, values)

    def left_of(self, start: int, forest: Arrays) -> Words:
        """Return by node the leaves below its left child, as bits of the word from leaf `start`."""
        left = forest["left"].astype(np.int64)
        begin = np.clip(self.first - start, 0, _WORD)
        end = np.clip(self.first + np.where(self.inner, self.count[left], 0) - start, 0, _WORD)
        return _ones(end) & ~_ones(begin)


def _floor(numbers: Floats) -> Singles:
    """Round down to single precision, which changes no comparison with single numbers."""
    near = numbers.astype(np.float32)
    return np.where(near > numbers, np.nextafter(near, np.float32(-np.inf)), near)


def _ones(count: Integers) -> Words:
    """Return words whose lowest bits are set, 0 to 64 of them."""
    word = (np.uint64(1) << np.minimum(count, _WORD - 1).astype(np.uint64)) - np.uint64(1)
    return np.where(count == _WORD, ~np.uint64(0), word)
