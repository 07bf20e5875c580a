"""Turning points: how often the intervals contain them, and what has none."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
import pytest

from tests.bench.bench_turning import turning_points
from tests.helpers.flags import in_words
from udfs.scaling import scaling_turning_point

COUNTS = (2, 4, 8, 16, 32, 64)


def point(times, counts=COUNTS, noise=0.0):
    lists = [pa.array([list(map(float, one))], pa.list_(pa.float64())) for one in (counts, times)]
    return in_words(scaling_turning_point(*lists, pa.array([noise]))[0].as_py())


@pytest.mark.parametrize("noise", [0.01, 0.05, 0.15])
def test_nine_of_ten_intervals_contain_the_truth(noise):
    truth, low, high = turning_points(np.random.default_rng(7), COUNTS, noise, 80)
    known = np.isfinite(low)
    end = np.where(np.isnan(high), np.inf, high)
    assert known.mean() > 0.9
    assert np.mean((low <= truth)[known] & (truth <= end)[known]) > 0.85


def test_few_points_that_a_curve_fits_by_chance_are_not_taken_for_exact():
    counts, rng = np.array([1, 4, 16, 64]), np.random.default_rng(9)
    times = (1 / counts + counts / 400) * np.exp(rng.normal(0, 0.05, (60, 4)))
    lists = [pa.array(one.tolist(), pa.list_(pa.float64())) for one in (0 * times + counts, times)]
    ends = scaling_turning_point(*lists, pa.array([0.0] * 60)).to_pylist()
    assert sum(one["low"] <= 20 <= (one["high"] or math.inf) for one in ends) >= 48


def test_little_noise_makes_a_narrow_interval():
    _, low, high = turning_points(np.random.default_rng(8), COUNTS, 0.01, 60)
    assert np.median((high / low)[np.isfinite(high)]) < 1.6


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1.0, 1e200])
def test_the_unit_of_time_does_not_matter(scale):
    # 64 / p + 0.25 p is least at 16
    found = point([scale * (64 / p + 0.25 * p) for p in COUNTS])
    assert found["flags"] == []
    assert (found["low"], found["high"]) == pytest.approx((16 / 2**0.125, 16 * 2**0.125), rel=0.1)


@pytest.mark.parametrize(
    ("law", "low", "high"),
    [
        (lambda p: 1.0 * p, 2, 2),
        (lambda p: 3 + 0.1 * p**2, 2, 2.5),
        (lambda p: 100 / p, 64, None),
        (lambda p: 100 / p + 1, 64, None),
        # between the decays of a coarse grid, without noise, the misfit is no growth
        (lambda p: 100 * p**-0.7 + 2, 64, None),
        (lambda p: 100 * p**-0.85 + 20, 64, None),
    ],
)
def test_laws_that_turn_at_once_or_never(law, low, high):
    found = point(list(map(law, COUNTS)))
    assert found["low"] >= low and found["flags"] == []
    assert found["high"] is None if high is None else found["high"] <= high


def test_what_is_measured_and_predicted_to_fall_has_no_upper_end():
    found = point([5.517, 3.7364, 2.7907, 2.3586], (4, 8, 16, 32))
    assert (round(found["low"]), found["high"]) == (27, None)


def test_times_that_are_no_curve_have_no_turning_point():
    found = point([1.0, 1.0, 0.9, 9.0, 9.0, 9.0])
    assert (found["low"], found["high"]) == (None, None)
    assert found["flags"][0].startswith("a new regime begins at 16")


@pytest.mark.parametrize(
    "times", [[], [1.0, 2.0], [math.nan, math.inf, 0.0, -1.0, 1.0, 2.0], [0.0] * 6]
)
def test_too_few_times_have_no_turning_point(times):
    found = point(times, COUNTS[: len(times)])
    assert (found["low"], found["high"]) == (None, None)
    assert "no model: fewer than three counts" in found["flags"][0]


def test_programs_together_have_the_answers_of_each_alone():
    rows = [([1, 2, 4, 8], [8, 5, 4, 6]), (COUNTS, [9, 5, 3, 3, 4, 6]), ([3, 9], [1, 2])]
    lists = [
        pa.array([list(map(float, one)) for one in some], pa.list_(pa.float64()))
        for some in zip(*rows, strict=True)
    ]
    together = scaling_turning_point(*lists, pa.array([0.0, 0.05, 0.0])).to_pylist()
    assert [in_words(one) for one in together] == [
        point(y, x, noise) for (x, y), noise in zip(rows, (0.0, 0.05, 0.0), strict=True)
    ]


def test_counts_of_a_plateau_may_all_be_the_fastest():
    found = point([15.3, 7.82, 4.04, 2.8, 2.81, 2.79], noise=0.01)
    assert found["low"] <= 16 and (found["high"] or np.inf) >= 64


@pytest.mark.parametrize("counts", [(1, 2, 4, 8, 16, 32), (4, 8, 16, 32)])
def test_one_slower_count_may_be_beyond_the_number_of_cores(counts):
    # of 16 as well as of 24
    found = point([100 / p if p <= 16 else 8.2 for p in counts], counts)
    assert (found["low"], found["high"]) == (16, 32)
