"""The functions of udfs.statistics, in Python and through SQL."""

from __future__ import annotations

import random

import pyarrow as pa
import pytest

from tests.helpers.support import rows
from udfs.statistics import median_interval


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
