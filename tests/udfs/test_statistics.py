"""The functions of udfs.statistics, in Python and through SQL."""

from __future__ import annotations

import random

import numpy as np
import pyarrow as pa
import pytest
import scipy.stats

from tests.helpers.support import rows
from udfs.statistics import compare_durations, median_interval


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.0, 2.0, 3.0], {"median": 2.0, "low": None, "high": None}),
        ([6.0, 1.0, 2.0, 5.0, 3.0, 4.0], {"median": 3.5, "low": 1.0, "high": 6.0}),
        ([], {"median": None, "low": None, "high": None}),
        ([None, float("nan"), 2.0], {"median": 2.0, "low": None, "high": None}),
        (None, None),
    ],
)
def test_median_interval(values, expected):
    column = pa.array([values], pa.list_(pa.float64()))
    assert median_interval(column).to_pylist() == [expected]


def test_the_interval_contains_the_true_median_in_95_of_100_samples():
    chance = random.Random(5)
    samples = [[chance.gauss(10, 2) for _ in range(25)] for _ in range(1000)]
    found = median_interval(pa.array(samples)).to_pylist()
    covered = sum(one["low"] <= 10 <= one["high"] for one in found)
    assert covered >= 940


def test_through_sql(warehouse):
    assert rows(
        warehouse,
        """
        SELECT g, median_interval(list(v))['median']
        FROM (VALUES ('a', 1.0), ('a', 3.0), ('b', 5.0)) t(g, v) GROUP BY g ORDER BY g
        """,
    ) == [("a", 2.0), ("b", 5.0)]


def test_durations_are_compared_as_welch_does():
    own, others = [1.0, 2.0, 4.0, 3.0], [2.0, 5.0, 9.0, 4.0, 4.5]
    (found,) = compare_durations(pa.array([[own]]), pa.array([[others]])).to_pylist()
    test = scipy.stats.ttest_ind(np.log(own), np.log(others), equal_var=False)
    interval = test.confidence_interval(0.95)
    assert found == [
        {
            "ratio": pytest.approx(np.exp(np.mean(np.log(own)) - np.mean(np.log(others)))),
            "low": pytest.approx(np.exp(interval.low)),
            "high": pytest.approx(np.exp(interval.high)),
        }
    ]


def test_few_or_equal_durations():
    own, others = pa.array([[[8.0, 8.0], [8.0] * 3]]), pa.array([[[2.0] * 9, [2.0] * 9]])
    (found,) = compare_durations(own, others).to_pylist()
    assert [row["ratio"] for row in found] == [pytest.approx(4.0)] * 2
    assert found[0]["low"] is None and found[1]["low"] == pytest.approx(4.0)
    nothing = pa.array([[]], pa.list_(pa.list_(pa.float64())))
    assert compare_durations(nothing, nothing).to_pylist() == [[]]
