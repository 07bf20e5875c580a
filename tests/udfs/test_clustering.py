"""CLARA and the gap statistic in Python; through SQL in tests/sql/test_clustering.py."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist, pdist

from udfs.clustering.clara import clara
from udfs.clustering.dispersion import dispersions
from udfs.clustering.gap import MAX_ROWS, gap
from udfs.clustering.points import InsufficientData, Points


def blobs(seed: int, n: int = 300, d: int = 8, k: int = 6, shares=None) -> tuple:
    """Return points around k centres at least 8 standard deviations apart, and their centres."""
    rng = np.random.default_rng(seed)
    while True:
        centres = rng.uniform(-10, 10, (k, d))
        if pdist(centres).min() >= 8:
            break
    of = rng.choice(k, n, p=shares)
    return centres[of] + rng.normal(size=(n, d)), of


@pytest.mark.parametrize("shares", [None, (0.4, 0.25, 0.15, 0.1, 0.06, 0.04)])
@pytest.mark.parametrize("d", [2, 8])
def test_clara_finds_the_clusters(d, shares):
    rows, of = blobs(1, 2000, d, shares=shares)
    found = clara(rows, 6)
    together = np.zeros((6, 6), int)
    np.add.at(together, (of, found.labels), 1)
    assert sorted(together.argmax(axis=1)) == [0, 1, 2, 3, 4, 5]
    assert together.max(axis=1).sum() >= 1995  # some lie half way between two centres
    distances = cdist(rows, rows[found.medoids])
    assert (found.labels == distances.argmin(axis=1)).all()
    assert found.cost == pytest.approx(distances.min(axis=1).sum())


def test_clara_of_few_points_is_the_best_there_is():
    rows = np.array([[0.0], [1.0], [2.0], [10.0], [11.0], [14.0]])
    found = clara(rows, 2)
    assert found.medoids.tolist() == [1, 4]
    assert found.labels.tolist() == [0, 0, 0, 1, 1, 1]
    assert found.cost == pytest.approx(6)


def test_the_result_depends_on_the_seed_only():
    rows = np.random.default_rng(3).normal(size=(5000, 4))
    one, again, threaded, other = (clara(rows, 5, *how) for how in [(7,), (7,), (7, 3), (8,)])
    assert one.medoids.tolist() == again.medoids.tolist() == threaded.medoids.tolist()
    assert one.medoids.tolist() != other.medoids.tolist()


def test_rare_points_are_clusters_of_their_own():
    """No random sample contains three distinct points here."""
    rows = np.zeros((100_000, 2))
    rows[70_000], rows[90_000] = (1, 0), (0, 5)
    found = clara(rows, 3)
    assert found.medoids[1:].tolist() == [70_000, 90_000]
    assert np.bincount(found.labels).tolist() == [99_998, 1, 1]
    assert found.cost == 0


def test_as_many_clusters_as_points_and_no_more():
    rows = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 0.0], [3.0, 0.0]])
    assert clara(rows, 3).labels.tolist() == [0, 0, 1, 2]
    with pytest.raises(InsufficientData, match="3 distinct points cannot form 4 clusters"):
        clara(rows, 4)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9, 1e150])
def test_scale_offset_and_constant_columns_change_nothing(scale):
    rows, _ = blobs(2)
    found = clara(rows, 6)
    moved = np.hstack([rows + 1e6, np.full((len(rows), 1), 7.0)]) * scale
    other = clara(moved, 6)
    assert other.medoids.tolist() == found.medoids.tolist()
    assert other.cost / scale == pytest.approx(found.cost, rel=1e-6)
    chosen, same = gap(rows, 7, 5), gap(moved, 7, 5)
    assert same.k == chosen.k == 6
    assert same.log_w - np.log(scale) == pytest.approx(chosen.log_w, rel=1e-6)


@pytest.mark.parametrize(("n", "d"), [(1, 3), (255, 40), (256, 8), (257, 1), (900, 3), (80, 2000)])
def test_dispersion_is_that_of_clusgap(n, d):
    """0.5 * sum(vapply(split(x, clus), \\(xs) sum(dist(xs) / nrow(xs)), 0)) in R."""
    rng = np.random.default_rng(n)
    rows = rng.normal(size=(n, d)) + 1000
    labels = np.array([np.arange(n) * 0, rng.permutation(np.arange(n) % 7), np.arange(n)], np.int32)
    expected = [
        sum(pdist(rows[of == c]).sum() / (2 * (of == c).sum()) for c in range(of.max() + 1))
        for of in labels
    ]
    points = Points.of(rows)
    assert dispersions(points, labels) * points.scale == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shares", [None, (0.4, 0.25, 0.15, 0.1, 0.06, 0.04)])
def test_the_gap_statistic_finds_six(seed, shares):
    found = gap(blobs(seed, shares=shares)[0], 8, 20, seed)
    assert (found.k, found.reason, found.rows) == (6, None, 300)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("d", [2, 5, 8])
def test_the_gap_statistic_finds_one_in_one_cloud(seed, d):
    assert gap(np.random.default_rng(seed).normal(size=(300, d)), 5, 20, seed).k == 1


def test_k_follows_from_the_returned_figures():
    found = gap(blobs(5, k=3)[0], 6, 20)
    assert found.gap == pytest.approx(found.expected - found.log_w)
    satisfied = found.gap[:-1] >= found.gap[1:] - found.s[1:]
    assert satisfied.tolist().index(True) + 1 == found.k == 3


def test_threads_change_nothing_and_seeds_do():
    rows = blobs(6)[0]
    one, threaded, other = gap(rows, 4, 6, 1), gap(rows, 4, 6, 1, 3), gap(rows, 4, 6, 2)
    assert one.gap.tolist() == threaded.gap.tolist()
    assert one.gap.tolist() != other.gap.tolist()


def test_a_gap_that_keeps_rising_is_reported():
    found = gap(blobs(7)[0], 4, 10)
    assert found.k == 4
    assert found.reason == (
        "the gap still rises at k = 4: no k meets the rule, there may be more clusters"
    )


def test_the_knee_of_a_gap_that_keeps_rising_is_the_number_of_clusters():
    # three clouds, each of three that are near each other
    rng = np.random.default_rng(1)
    far, near = np.array([[0, 0], [60, 0], [0, 60]]), np.array([[0, 0], [6, 0], [0, 6]])
    centres = (far[:, None] + near[None]).reshape(-1, 2)
    found = gap(np.repeat(centres, 20, axis=0) + rng.normal(0, 0.1, (180, 2)), 5, 10)
    assert found.k == 3
    assert found.reason is None or found.reason.endswith("its knee is 3")


def test_repeated_points_end_the_search():
    rows = np.repeat(np.eye(3) * 9, 50, axis=0)
    found = gap(rows, 8, 20)
    assert (found.k, found.gap[2], len(found.s)) == (3, np.inf, 3)
    assert found.reason == "k is limited to 3: there are no more distinct points"


def test_k_ends_before_every_point_is_a_cluster():
    assert len(gap(np.array([[1.0], [2.0], [4.0], [8.0]]), 9, 20).gap) == 3


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([[1.0], [2.0]], "the gap statistic needs 3 rows, found 2 rows"),
        ([[1.0, 2.0]], "the gap statistic needs 3 rows, found 1 row"),
        ([[1.0, 2.0]] * 5, "all rows are the same point"),
    ],
)
def test_insufficient_data(rows, reason):
    with pytest.raises(InsufficientData, match=reason):
        gap(np.array(rows), 4)


def test_many_rows_are_represented_by_a_sample():
    found = gap(blobs(8, MAX_ROWS + 5000, 2, 2)[0], 3, 2)
    assert (found.k, found.rows) == (2, MAX_ROWS)
