"""Distances, pictures and fluctuation rates of threads, as functions of arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import cdist

from tests.helpers.thorough import cases
from udfs.block_vectors import MAX_THREADS, TooManyThreads, collapse
from udfs.similarity import FLOOR, TOLERANCE, distances, fluctuation, picture
from udfs.threads import thread_matrix, thread_pixels, thread_similarity

SCIPY = {"euclidean": "euclidean", "manhattan": "cityblock"}


def sparse(matrix):
    """Return the elements of a matrix of threads x blocks, zeros of a first block included."""
    threads, bbs = np.nonzero(matrix + (np.arange(matrix.shape[1]) == 0))
    return threads, bbs, matrix[threads, bbs].astype(np.float64)


def plain_fluctuation(matrix, metric):
    """Return the fluctuation by its definition, pixel by pixel."""
    found = cdist(matrix, matrix, SCIPY[metric])
    order = 2 if metric == "euclidean" else 1
    white = max(found.max(), FLOOR * np.linalg.norm(matrix, order, axis=1).max()) or 1.0
    return float((np.abs(np.diff(found / white, axis=1)) > TOLERANCE).mean())


@settings(max_examples=cases(30, 500), deadline=None)
@given(
    arrays(np.int64, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.integers(0, 9)),
    st.sampled_from(sorted(SCIPY)),
)
def test_fluctuation_is_that_of_the_whole_picture(matrix, metric):
    found = picture(collapse(*sparse(matrix)), metric)
    expected = plain_fluctuation(matrix.astype(np.float64), metric)
    assert fluctuation(found) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("metric", sorted(SCIPY))
@pytest.mark.parametrize("largest", [1, 9, 40_000, 10**7, 10**12])
def test_distances_between_counts_are_those_of_scipy(metric, largest):
    matrix = np.random.default_rng(0).integers(0, largest, (40, 700), endpoint=True)
    matrix = matrix.astype(np.float64)
    expected = cdist(matrix, matrix, SCIPY[metric])
    assert distances(matrix, metric, counts=True) == pytest.approx(expected, rel=1e-9, abs=0)


@pytest.mark.parametrize("largest", [10**6, 10**12, 10**15])
def test_vectors_close_together_do_not_cancel(largest):
    matrix = np.array([[largest, 5], [largest, 6], [largest - 1, 5], [0, 5]], np.float64)
    found = distances(matrix, "euclidean", counts=True)
    assert found[0].tolist() == [0, 1, 1, largest]
    shares = distances(matrix / matrix.sum(axis=1, keepdims=True), "euclidean", counts=False)
    assert shares[0, 1] == pytest.approx(np.sqrt(2) / largest, rel=1e-4 if largest < 1e9 else 1)


def test_equal_vectors_are_collapsed_in_order_of_appearance():
    found = collapse(
        np.array([9, 4, 4, 7, 9, 8]),
        np.array([1, 2, 1, 2, 2, 1]),
        np.array([3.0, 1, 2, 5, 1, 2]),
    )
    assert found.threads.tolist() == [4, 7, 8, 9]
    assert found.kinds.tolist() == [0, 1, 2, 3]
    assert found.distinct.tolist() == [[2, 1], [0, 5], [2, 0], [3, 1]]


def test_parts_of_a_vector_add_up_and_equal_threads_are_one_kind():
    found = collapse(np.array([0, 0, 1, 2]), np.array([5, 5, 5, 5]), np.array([1.0, 2, 3, 4]))
    assert found.kinds.tolist() == [0, 0, 1]
    assert found.distinct.tolist() == [[3], [4]]


def test_shares_do_not_depend_on_how_long_a_thread_ran():
    found = collapse(
        np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]), np.array([1.0, 3, 10, 30]), as_shares=True
    )
    assert picture(found, "manhattan").distances.max() == 0


def test_one_visit_more_in_a_long_loop_is_no_divergence():
    alternating = np.array([[1000 + k % 2] for k in range(64)])
    assert fluctuation(picture(collapse(*sparse(alternating)), "euclidean")) == 0.0
    short = np.array([[2 + k % 2] for k in range(64)])
    assert fluctuation(picture(collapse(*sparse(short)), "euclidean")) == 1.0


def test_a_single_thread_has_no_neighbours():
    one = collapse(np.array([3]), np.array([0]), np.array([7.0]))
    assert fluctuation(picture(one, "euclidean")) is None


def test_an_unknown_metric_is_rejected_by_name():
    with pytest.raises(ValueError, match="'cosine'; choose euclidean or manhattan"):
        distances(np.zeros((2, 2)), "cosine", counts=True)


def test_a_matrix_that_would_be_too_large_is_refused():
    many = np.arange(MAX_THREADS + 1)
    with pytest.raises(TooManyThreads, match="select one thread block"):
        picture(collapse(many, np.zeros_like(many), many.astype(np.float64)), "euclidean")


LISTS = (pa.list_(pa.int64()), pa.list_(pa.int32()), pa.list_(pa.int64()))


def columns(*rows):
    """Return Arrow columns of rows (threads, blocks, weights, as_shares, metric)."""
    lists = [pa.array([row[k] for row in rows], kind) for k, kind in enumerate(LISTS)]
    return [*lists, pa.array([row[3] for row in rows]), pa.array([row[4] for row in rows])]


def test_matrices_have_all_ordered_pairs():
    found = thread_matrix(
        *columns(
            ([5, 6], [0, 0], [1, 4], False, "manhattan"),
            ([0], [0], [None], False, "manhattan"),
            ([2], [0], [3], False, "euclidean"),
        )
    ).to_pylist()
    assert [tuple(pair.values()) for pair in found[0]] == [
        (5, 5, 0, 0),
        (5, 6, 3, 1),
        (6, 5, 3, 1),
        (6, 6, 0, 0),
    ]
    assert found[1] is None
    assert [tuple(pair.values()) for pair in found[2]] == [(2, 2, 0, 0)]


def test_similarity_summarises_the_matrix():
    found = thread_similarity(
        *columns(
            ([0, 1, 2, 3], [0, 0, 0, 0], [1, 1, 5, 1], False, "euclidean"),
            ([0], [0], [3], False, "euclidean"),
            ([0, 1], [0, 0], [1, None], False, "euclidean"),
        )
    ).to_pylist()
    assert found[0]["mean_distance"] == 2
    assert found[0]["max_distance"] == 4
    assert found[0]["brightness"] == 0.5
    assert found[0]["fluctuation"] == pytest.approx(8 / 12)
    assert found[1]["fluctuation"] is None
    assert found[2] is None


@pytest.mark.parametrize("far", [1, 10**12], ids=["dense numbers", "sparse numbers"])
def test_elements_come_in_any_order_and_in_parts(far):
    rng = np.random.default_rng(0)
    dense = rng.integers(0, 5, (400, 600)).astype(float)
    dense[:, 0] += 2
    threads, bbs = np.nonzero(dense)
    weights = dense[threads, bbs]
    # Every element of block 0 comes in two parts.
    again = np.flatnonzero(bbs == 0)
    weights[again] -= 1
    order = rng.permutation(threads.size + again.size)
    columns = (np.concatenate([c, c[again]])[order] for c in (threads * far, bbs))
    parts = np.concatenate([weights, np.ones(again.size)])[order]
    found = collapse(*columns, parts)
    assert (found.threads == np.arange(400) * far).all()
    assert (found.distinct[found.kinds] == dense).all()


def test_pixels_are_bytes_from_black_to_white():
    columns = [pa.array([[7, 3, 5]]), pa.array([[0, 0, 0]]), pa.array([[1000, 1, 2]])]
    given = (*columns, pa.array([False]), pa.array(["manhattan"]))
    # A tenth of the longest vector, 100, would be white; the largest distance is larger.
    assert thread_pixels(*given).to_pylist() == [
        [
            {"thread": 3, "pixels": bytes([0, 1, 255])},
            {"thread": 5, "pixels": bytes([1, 0, 255])},
            {"thread": 7, "pixels": bytes([255, 255, 0])},
        ]
    ]


def test_pixels_of_unknown_weights_are_unknown():
    columns = [pa.array([[0, 1], None]), pa.array([[0, 0], None]), pa.array([[1, None], None])]
    given = (*columns, pa.array([False, False]), pa.array(["euclidean"] * 2))
    assert thread_pixels(*given).to_pylist() == [None, None]
