"""Change points of series: found at the right place, and none in noise."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.bench.change_cases import NULLS, ar1, drift, gauss, log_normal, steps
from tests.helpers.support import rows
from udfs.changes import detect_changes, detect_changes_at
from udfs.changes.noise import estimate_noise, without_outliers
from udfs.changes.scan import seeded_intervals

CALM = [10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.0, 10.1, 9.9, 10.0]
SLOW = [value + 2 for value in CALM]


def found(*series):
    """Return the changes of each series."""
    return detect_changes(pa.array(series, pa.list_(pa.float64()))).to_pylist()


def places(*series):
    """Return only the indices of the changes of each series."""
    return [[change["index"] for change in changes] for changes in found(*series)]


def test_a_step_is_found_through_sql(warehouse):
    sql = f"SELECT unnest(detect_changes({CALM + SLOW}), recursive := true)"
    ((index, before, after, p_value),) = rows(warehouse, sql)
    assert (index, before, after) == (10, 10.0, 12.0)
    assert 0 < p_value < 1e-4


def test_unknown_values_are_skipped_but_counted():
    gaps = [None, float("nan"), *CALM[:5], None, *CALM[5:], float("inf"), *SLOW]
    assert places(gaps) == [[14]]


def test_short_empty_and_missing_series_have_none():
    assert found([], [1.0, 2.0, 3.0], [1.0] * 4 + [9.0] * 5, None) == [[], [], [], None]


@pytest.mark.parametrize("at", [0, 5, 19])
def test_one_outlier_is_no_change(at):
    series = CALM + CALM
    series[at] = 1000.0
    assert places(series, [value == 1000 for value in series]) == [[], []]


def test_a_level_of_a_few_points_is_no_change_but_a_longer_one_is_two():
    assert places(CALM * 3 + SLOW[:4] + CALM * 3) == [[]]
    assert places(CALM * 3 + SLOW + CALM * 3) == [[30, 40]]


def test_exact_levels_need_no_noise():
    (changes,) = found([3.0] * 10 + [5.0] * 10 + [4.0] * 10)
    assert [(c["index"], c["before"], c["after"]) for c in changes] == [(10, 3, 5), (20, 5, 4)]
    assert found([7.0] * 50) == [[]]


@pytest.mark.parametrize("scale", [1e-12, -1.0, 1e150])
def test_unit_and_origin_do_not_matter(scale):
    assert places([scale * (value + 5) for value in CALM + SLOW]) == [[10]]


def test_series_of_different_lengths_keep_their_order():
    assert places(CALM + SLOW, CALM, CALM + CALM + SLOW, [], CALM + SLOW) == [
        [10],
        [],
        [20],
        [],
        [10],
    ]


def test_a_looser_significance_finds_more():
    series = 100 + steps((30, 1.2))(60) + gauss(np.random.default_rng(4), 100, 60)
    lists = pa.array(list(series))
    counts = [
        sum(map(len, detect_changes_at(lists, pa.array([p] * 100)).to_pylist()))
        for p in (1e-6, 0.002, 0.05)
    ]
    assert counts == sorted(counts) and counts[0] < counts[1] < counts[2]
    assert detect_changes_at(lists, pa.array([0.0] * 100)).to_pylist() == [[]] * 100


@pytest.mark.parametrize("case", NULLS, ids=lambda case: case.name)
def test_noise_causes_no_false_alarms(case):
    assert sum(map(bool, places(*case.series(seed=7, count=200)))) <= 2


def test_steps_in_noise_are_found_in_place():
    rng = np.random.default_rng(9)
    for noise, size, least in ((gauss, 1, 140), (gauss, 2, 190), (ar1(0.5), 2, 150)):
        series = steps((100, size))(200) + noise(rng, 200, 200)
        hits = [any(abs(at - 100) <= 5 for at in changes) for changes in places(*series)]
        assert sum(hits) >= least


def test_a_steady_drift_is_no_change_but_a_step_on_top_of_it_is():
    noise = gauss(np.random.default_rng(5), 50, 200)
    assert sum(map(bool, places(*(noise + drift(12)(200))))) <= 2
    with_step = places(*(noise + drift(12)(200) + steps((120, 8))(200)))
    assert sum(any(abs(at - 120) <= 2 for at in changes) for changes in with_step) >= 45


def test_a_change_of_variance_is_no_change_of_level():
    noise = gauss(np.random.default_rng(6), 200, 200)
    noise[:, 100:] *= 5
    assert sum(map(bool, places(*noise))) <= 2


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
def test_autocorrelation_is_estimated_whatever_the_levels(rho):
    noise = ar1(rho)(np.random.default_rng(2), 100, 1000)
    whole = estimate_noise(noise, np.zeros(noise.shape, np.int64)).rho
    assert abs(whole.mean() - rho) < 0.05
    stepped = noise + steps((400, 5), (700, -3))(1000)
    segment = np.repeat([[0] * 400 + [1] * 300 + [2] * 300], 100, axis=0)
    assert abs(estimate_noise(stepped, segment).rho.mean() - rho) < 0.05


def test_outliers_are_clipped_and_steps_are_not():
    series = np.array([CALM + SLOW])
    assert np.allclose(without_outliers(series), series)
    series[0, [4, 5, 15]] = 1e6
    assert without_outliers(series).max() < 15


def test_skewed_noise_does_not_hide_a_step():
    series = log_normal(1)(np.random.default_rng(3), 50, 200) + steps((100, 3))(200)
    assert sum(any(abs(a - 100) <= 5 for a in changes) for changes in places(*series)) >= 45


@pytest.mark.parametrize("points", [10, 17, 40, 500])
def test_intervals_cover_a_series_and_stay_within(points):
    where = seeded_intervals(points)
    assert (where.starts[0], where.ends[0]) == (0, points)
    assert where.starts.min() == 0 and where.ends.max() == points
    assert np.exp(-where.log_tests).sum() == pytest.approx(1)
