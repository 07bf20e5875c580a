"""Calibrated probabilities: temperature, weights of programs, and the reliability table."""

from __future__ import annotations

import numpy as np
import pytest

from udfs.bottleneck.calibration import (
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
    temperature = fit_temperature(stated, truth, np.ones(len(truth)))["temperature"][0]
    assert temperature == pytest.approx(power, rel=0.15)
    calibrated = apply_temperature(stated, temperature)
    right = calibrated.argmax(axis=1) == truth
    assert reliability(calibrated.max(axis=1).astype(float), right)[0] < 0.03


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
    error, table = reliability(
        np.array([0.95, 0.95, 1.0, 0.61]), np.array([True, True, False, True])
    )
    assert table == [
        ("probability 0.6 to 0.7: samples", 1.0),
        ("probability 0.6 to 0.7: stated", 0.61),
        ("probability 0.6 to 0.7: right", 1.0),
        ("probability 0.9 to 1.0: samples", 3.0),
        ("probability 0.9 to 1.0: stated", pytest.approx(2.9 / 3)),
        ("probability 0.9 to 1.0: right", pytest.approx(2 / 3)),
    ]
    assert error == pytest.approx(0.25 * 0.39 + 0.75 * 0.3)
