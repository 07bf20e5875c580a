"""The gap statistic: the number of clusters, which can be one."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from udfs.clustering.clara import count, medoids_of
from udfs.clustering.dispersion import dispersions
from udfs.clustering.points import (
    Doubles,
    Floats,
    InsufficientData,
    Ints,
    Points,
    assign,
    distinct,
    map_in_threads,
)

MAX_ROWS = 10_000  # points, of more a random sample
_MIN_ROWS = 3  # rows


@dataclass(frozen=True, slots=True)
class Gap:
    """The chosen k, and for k = 1, 2, ... Gap(k), s(k), log W(k) and its expectation.

    `rows` is the number of points used, `reason` what limits the answer, if anything.
    """

    k: int
    gap: Doubles
    s: Doubles
    log_w: Doubles
    expected: Doubles
    rows: int
    reason: str | None


def gap(rows: Floats, k_max: int, references: int = 50, seed: int = 0, workers: int = 1) -> Gap:
    """Choose the number of clusters by the gap statistic (Tibshirani, Walther, Hastie 2001).

    Gap(k) = E*[log W(k)] - log W(k), with E* over reference sets that are uniform in the box of
    the points' principal components; s(k) = sd(k) sqrt(1 + 1 / references); the chosen k is the
    smallest with Gap(k) >= Gap(k + 1) - s(k + 1), and where none is, the knee of the gap, with a
    reason. All clusters are CLARA's. W(k) is the sum over
    clusters of the Euclidean distances of all pairs within, each pair once, divided by twice the
    cluster's size, and sd(k) divides by references - 1, as R's clusGap by default (d.power = 1).
    With squared distances six even clusters are mistaken for one or three far more often.

    More than 10 000 points are represented by 10 000 of them, drawn at random.

    Args:
        rows: n x d finite numbers.
        k_max: largest number of clusters to try, at least 2.
        references: number of reference sets, at least 2.
        seed: of all random choices; the same seed returns the same answer.
        workers: threads; their number does not change the answer.

    Returns:
        Arrays over k = 1..k_max. They are shorter where there are not as many distinct points:
        they end before every point is a cluster of its own, and at the number of distinct points
        where points repeat (there W is 0 and the gap infinite).

    Raises:
        InsufficientData: fewer than three points, or all of them the same.
    """
    if len(rows) < _MIN_ROWS:
        raise InsufficientData(
            f"the gap statistic needs {_MIN_ROWS} rows, found {count(len(rows), 'row')}"
        )
    if len(rows) > MAX_ROWS:
        chosen = np.random.default_rng(seed).choice(len(rows), MAX_ROWS, replace=False)
        rows = rows[np.sort(chosen)]
    first = distinct(rows, min(k_max, len(rows) - 1))
    if len(first) == 1:
        raise InsufficientData("all rows are the same point")
    points = Points.of(rows)
    log_w = _log_dispersions(points, first, seed)
    if len(distinct(rows, len(first) + 1)) == len(first):
        log_w[-1] = -np.inf
    drawn = _references(points, first, references, seed, workers)
    return _choose_k(log_w, drawn, points, k_max)


def _choose_k(log_w: Doubles, drawn: Doubles, points: Points, k_max: int) -> Gap:
    """Apply the rule to log W(k) of the points (K) and of the reference sets (B x K)."""
    references, largest = drawn.shape
    expected = drawn.mean(axis=0)
    s = drawn.std(axis=0, ddof=1) * np.sqrt(1 + 1 / references)
    gaps = expected - log_w
    eligible = np.flatnonzero(gaps[:-1] >= gaps[1:] - s[1:])
    reason, k = None, largest
    if len(eligible):
        k = int(eligible[0]) + 1
    elif largest == k_max:
        k = _knee(gaps)
        end = "there may be more clusters" if k == largest else f"its knee is {k}"
        reason = f"the gap still rises at k = {largest}: no k meets the rule, {end}"
    if largest < k_max:
        reason = f"k is limited to {largest}: there are no more distinct points"
    unit = np.log(points.scale)
    return Gap(k, gaps, s, log_w + unit, expected + unit, len(points), reason)


def _knee(gaps: Doubles) -> int:
    """Return the k at which a curve is highest above the line between its ends, else the last."""
    above = gaps - np.linspace(gaps[0], gaps[-1], len(gaps))
    return int(above.argmax()) + 1 if above.max() > 1e-9 else len(gaps)


def _log_dispersions(points: Points, first: Ints, seed: int) -> Doubles:
    """Return log W(k) for k = 1..K clusters by CLARA, with K the number of rows in `first`."""
    labels = np.zeros((len(first), len(points)), np.int32)
    for k in range(2, len(first) + 1):
        medoids = medoids_of(points, first[:k], np.random.default_rng(seed))
        labels[k - 1], _ = assign(points, medoids)
    with np.errstate(divide="ignore"):
        return np.log(dispersions(points, labels))


def _references(points: Points, first: Ints, number: int, seed: int, workers: int) -> Doubles:
    """Return log W(k) of reference sets, number x K.

    They stay in the axes of the principal components, because a rotation changes no distance.
    Single precision is enough for them: uniform points are never so close together that it
    would distort their distances.
    """
    axes = np.linalg.svd(points.x, full_matrices=False)[2]
    box = points.x @ axes.T
    low, high = box.min(axis=0), box.max(axis=0)
    shape = (len(points), len(low))
    width = (high - low).astype(np.float32)

    def reference(own: np.random.SeedSequence) -> Doubles:
        uniform = np.random.default_rng(own).random(shape, dtype=np.float32)
        uniform -= np.float32(0.5)
        uniform *= width
        return _log_dispersions(Points.centred(uniform, points.scale), first, seed)

    own = np.random.SeedSequence(seed).spawn(number)
    return np.array(map_in_threads(reference, own, workers))
