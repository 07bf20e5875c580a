"""What the ensemble prefers: what predicted the last counts, few parameters, smoothed levels."""

from __future__ import annotations

import numpy as np
import pytest

from udfs.scaling import ensemble
from udfs.scaling.bases import KINDS, PLAIN
from udfs.scaling.ensemble import forecast


def predict(x, y, at, basis=PLAIN):
    answer = forecast(basis, *(np.array([one], float) for one in (x, y, at)), np.zeros(1, bool))
    return np.exp(answer.log_seconds[0])


@pytest.mark.parametrize(
    ("counts", "at", "off"), [([32, 64, 128], 512, 0.05), ([32, 64, 128, 256], 1024, 0.02)]
)
def test_growth_plus_a_constant_is_extrapolated_from_three_counts(counts, at, off):
    y = [0.1 + 0.002 * p for p in counts]
    assert predict(counts, y, [at])[0] == pytest.approx(0.1 + 0.002 * at, rel=off)


def test_of_laws_that_predict_equally_well_the_one_with_fewer_parameters_is_preferred():
    # Almost evenly distributed: a small constant part would predict the last count as well.
    assert predict([512, 1024, 2048], [15.22, 8.223, 4.113], [8192])[0] == pytest.approx(
        4.113 / 4, rel=0.1
    )


def test_a_last_point_that_is_off_is_smoothed(monkeypatch):
    x, y = [2, 4, 8, 16, 32, 64], [5, 2.5, 1.25, 0.625, 0.3125, 0.172]
    smoothed = predict(x, y, [128])[0]
    monkeypatch.setattr(ensemble, "_SMOOTHED", np.array([0.0, 0.0, 1.0]))
    assert 10 / 128 < smoothed < predict(x, y, [128])[0]


def test_growth_goes_on_at_the_rate_that_predicted_the_last_counts():
    # MPI_Alltoall of Intel MPI between 32 and 512 ranks
    counts, times = [32, 64, 128, 256], [113.8, 279.3, 607.2, 1361.3]
    there = predict(counts, times, [512], KINDS["n-to-n collective"][0])[0]
    assert there == pytest.approx(3107.7, rel=0.08)


def test_calls_that_pass_trees_go_on_as_since_the_last_change_of_algorithm():
    # within a node up to 32 ranks, a ring over the nodes from there on
    counts = [2, 4, 8, 16, 32, 64, 128, 256]
    times = [1.0, 1.7, 2.4, 3.1, 3.8, 7.7, 15.2, 30.9]
    there = predict(counts, times, [512], KINDS["n-to-n collective"][0])[0]
    assert there == pytest.approx(61.8, rel=0.1)


def test_a_line_that_falls_below_zero_is_taken_as_the_steepest_fall():
    (later,) = predict([2, 4, 8], [10, 5, 1], [64])
    assert 8**-1.2 < later < 1


def test_the_error_is_that_of_all_members_together():
    x = np.array([[2.0, 4, 8, 16, 32, 64]])
    assert forecast(PLAIN, x, 3 / x + 2, x[:, -1:] * 2, np.zeros(1, bool)).error[0] < 0.005


def test_no_prediction_is_surer_than_what_runs_differ_by():
    x = np.array([[2.0, 4, 8, 16]])
    found = forecast(PLAIN, x, np.ones((1, 4)), x[:, -1:] * 2, np.zeros(1, bool))
    assert 0.015 < found.scale[0, 0] < 0.06
