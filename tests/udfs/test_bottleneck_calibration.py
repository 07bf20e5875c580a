"""Calibrated probabilities: temperature, weights of programs, and the reliability table."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from udfs.bottleneck.calibration import (
    ERROR,
    LEAST_IF_EXACT,
    MOST_IF_EXACT,
    TENTH,
    apply_temperature,
    equal_weights,
    fit_temperature,
    reliability,
)


def drawn(samples, power, seed=0):
    """Return probabilities, and truths drawn from them; what is stated is their `power`."""
    chance = np.random.default_rng(seed)
    meant = chance.dirichlet(np.full(6, 1.0), samples).astype(np.float32)
    truth = (meant.cumsum(axis=1) > chance.random((samples, 1))).argmax(axis=1)
    stated = meant**power
    return stated / stated.sum(axis=1, keepdims=True), truth


@pytest.mark.parametrize("power", [0.7, 1.0, 2.0])
def test_the_temperature_takes_back_too_much_and_too_little_confidence(power):
    stated, truth = drawn(20_000, power)
    temperature = fit_temperature(
        partial(apply_temperature, stated), truth, np.full(len(truth), 1 / len(truth))
    )["temperature"][0]
    assert temperature == pytest.approx(power, rel=0.15)
    calibrated = apply_temperature(stated, temperature)
    right = calibrated.argmax(axis=1) == truth
    runs = np.arange(len(right))
    found = dict(reliability(calibrated.max(axis=1).astype(float), right, runs))
    assert found[ERROR] < 0.03


def test_no_class_is_impossible_and_probabilities_add_up_to_1():
    certain = np.eye(6, dtype=np.float32)
    calibrated = apply_temperature(certain, 0.5)
    np.testing.assert_allclose(calibrated.sum(axis=1), 1, rtol=1e-5)
    assert calibrated.min() > 0.002
    assert calibrated.max() < 0.99


def test_programs_weigh_the_same_however_many_samples_they_have():
    weights = equal_weights(np.array(["a", "b", "a", "a"]))
    np.testing.assert_allclose(weights, [1 / 6, 1 / 2, 1 / 6, 1 / 6])


def test_reliability_compares_what_is_stated_with_what_is_right():
    found = dict(
        reliability(
            np.array([0.95, 0.95, 1.0, 0.61]), np.array([True, True, False, True]), np.arange(4)
        )
    )
    tenths = {name: v for name, v in found.items() if name.startswith(TENTH)}
    assert {name: value for name, value in tenths.items() if "exact" not in name} == {
        "probability 0.6 to 0.7: samples": 1.0,
        "probability 0.6 to 0.7: stated": pytest.approx(0.61),
        "probability 0.6 to 0.7: right": 1.0,
        "probability 0.9 to 1.0: samples": 3.0,
        "probability 0.9 to 1.0: stated": pytest.approx(2.9 / 3),
        "probability 0.9 to 1.0: right": pytest.approx(2 / 3),
    }
    assert found[ERROR] == found[f"{ERROR} of runs"] == pytest.approx(0.25 * 0.39 + 0.75 * 0.3)


@pytest.mark.parametrize(("samples_of_a_run", "least", "most"), [(1, 0.0, 0.02), (100, 0.04, 0.2)])
def test_few_runs_have_an_error_even_where_probabilities_are_exact(samples_of_a_run, least, most):
    probability = np.full(2000, 0.75)
    runs = np.arange(2000) // samples_of_a_run
    found = dict(reliability(probability, np.arange(2000) % 4 > 0, runs))
    assert found[ERROR] == pytest.approx(0)
    assert found[LEAST_IF_EXACT] <= found[f"{ERROR}, if exact"] <= found[MOST_IF_EXACT]
    assert least <= found[f"{ERROR}, if exact"] <= most
    low, high = (
        found[f"probability 0.7 to 0.8: right at {end}, if exact"] for end in ("least", "most")
    )
    assert low < 0.75 < high
    assert (high - low > 0.2) == (samples_of_a_run > 1)


@pytest.mark.parametrize(("stated", "exact"), [(0.7, True), (0.95, False)])
def test_an_error_that_chance_makes_is_within_the_interval_of_exact_probabilities(stated, exact):
    runs = np.repeat(np.arange(40), 50)
    found = dict(reliability(np.full(2000, stated), runs % 4 > 0, runs))
    assert found[ERROR] == pytest.approx(abs(stated - 0.75))
    assert (found[LEAST_IF_EXACT] <= found[ERROR] <= found[MOST_IF_EXACT]) == exact
    assert (found[f"{ERROR}: as large if exact"] > 0.2) == exact


def test_a_run_counts_once_however_many_samples_it_has():
    runs = np.repeat([0, 1], [90, 10])
    found = dict(reliability(np.full(100, 0.8), runs == 0, runs))
    assert found[ERROR] == pytest.approx(0.1)
    assert found[f"{ERROR} of runs"] == pytest.approx(0.3)
