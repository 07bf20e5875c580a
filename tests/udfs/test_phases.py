"""Phases of a thread over time, as functions of arrays."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from udfs.groups import thread_grouping
from udfs.phases import classify, interval_phases, project


def intervals(*vectors):
    """Return the columns of a thread whose intervals are {block: instructions} each."""
    rows = [(k, bb, n) for k, one in enumerate(vectors) for bb, n in one.items()]
    kinds = (pa.int32(), pa.int32(), pa.int64())
    return [pa.array([[row[k] for row in rows]], pa.list_(kind)) for k, kind in enumerate(kinds)]


def phases(*vectors):
    return interval_phases(*intervals(*vectors)).to_pylist()[0]


HASH, SORT = {1: 90, 2: 10}, {3: 50, 4: 50}


def test_phases_are_numbered_in_order_of_appearance_and_recur():
    found = phases(SORT, SORT, HASH, HASH, SORT)
    assert [one["phase"] for one in found] == [0, 0, 1, 1, 0]
    assert [one["representative"] for one in found] == [True, False, True, False, False]
    assert [one["weight"] for one in found] == [0.6, 0.6, 0.4, 0.4, 0.6]


def test_one_percent_of_the_instructions_makes_no_phase():
    assert {one["phase"] for one in phases({1: 1000, 2: 4}, *[{1: 1000, 2: 1}] * 9)} == {0}


def test_the_number_of_phases_is_that_of_the_clusters():
    random = np.random.default_rng(3)
    centres = [{10 * c + b: 100 * (b + 1) for b in range(5)} for c in range(4)]
    noisy = [
        {bb: int(n * random.uniform(0.95, 1.05)) for bb, n in centres[k // 25].items()}
        for k in range(100)
    ]
    found = [one["phase"] for one in phases(*noisy)]
    assert found == [k // 25 for k in range(100)]


def test_points_depend_on_the_vectors_only():
    row, bb = np.array([0, 0, 1, 1]), np.array([3, 9, 9, 3])
    points, sums = project(row, bb, np.array([1.0, 2, 4, 2]))
    assert (points[0] == points[1]).all()
    assert sums.tolist() == [3, 6]
    again = np.repeat(np.random.default_rng(0).random((30, 15)), 2, axis=0)
    assert (classify(again)[0] == classify(again)[0]).all()


def test_one_interval_is_one_phase_and_unknown_weights_are_none():
    assert [one["phase"] for one in phases(HASH)] == [0]
    assert interval_phases(*intervals({1: None})).to_pylist() == [None]


def test_groups_have_the_largest_first_and_a_representative_each():
    found = thread_grouping(
        pa.array([[1, 2, 3, 4]], pa.list_(pa.int64())),
        pa.array([[0, 0, 0, 0]], pa.list_(pa.int32())),
        pa.array([[10, 30, 31, 50]], pa.list_(pa.int64())),
        pa.array([[4, 3, 2, 4]], pa.list_(pa.int64())),
        pa.array([False]),
    ).to_pylist()[0]
    assert [tuple(one.values()) for one in found] == [
        (1, 2, 0.0, True),
        (2, 1, 0.0, True),
        (3, 1, 1.0, False),
        (4, 3, 0.0, True),
    ]
