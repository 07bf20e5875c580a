"""The functions of udfs.scaling: fits, ensemble, formulas, abstentions."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.helpers.flags import in_words
from udfs.scaling import scaling_forecast, scaling_model
from udfs.scaling.bases import KINDS
from udfs.scaling.ensemble import forecast

COUNTS = [2.0, 4.0, 8.0, 16.0, 32.0, 64.0]


def model(x, y, kind="computation", noise=0.0):
    column = [pa.array([kind]), pa.array([x], pa.list_(pa.float64()))]
    found = scaling_model(*column, pa.array([y], pa.list_(pa.float64())), pa.array([noise]))
    return in_words(found[0].as_py())


def predict(x, y, at, kind="computation", noise=0.0):
    lists = [pa.array([one], pa.list_(pa.float64())) for one in (x, y)]
    of_one = pa.array([noise]), pa.array([at]), pa.array([0.0])
    answer = scaling_forecast(pa.array([kind]), *lists, *of_one)
    return in_words(answer[0].as_py())


@pytest.mark.parametrize(
    ("kind", "function", "parameters"),
    [
        ("computation", lambda p: 3 / p + 2, {"a": 3, "b": 1.0, "e": 2}),
        ("computation", lambda p: 0.5 * p**0.5, {"c": 0.5, "d": 0.5}),
        ("computation", lambda p: 7.0 + 0 * p, {"e": 7}),
        ("n-to-n collective", lambda p: 0.2 * np.log2(p), {"a": 0.2}),
        (
            "n-to-1 and 1-to-n collective",
            lambda p: 0.1 * p**0.5 * np.log2(p),
            {"a": 0.1, "b": 0.5, "log_exponent": 1},
        ),
        ("blocking point-to-point", lambda p: 0.3 * p**0.7 + 1, {"a": 0.3, "b": 0.7, "d": 1}),
    ],
)
def test_a_law_of_the_kind_is_recovered(kind, function, parameters):
    x = np.array(COUNTS)
    found = model(COUNTS, function(x).tolist(), kind)
    assert dict(found["parameters"]) == pytest.approx(parameters, rel=1e-6)
    assert found["smape"] == pytest.approx(0, abs=1e-6)
    assert found["flags"] == []


def test_five_counts_do_not_tell_five_letters_and_say_so():
    x = np.array(COUNTS[:5])
    y = 1.379 * x**-0.306 + 0.079 * x**0.695
    found = model(x.tolist(), y.tolist(), "non-blocking point-to-point")
    assert found["flags"] == [
        "too few points: 5 letters are fitted to 5 counts, without repetitions"
    ]
    assert found["smape"] < 0.2, "a formula of all counts, not of the last ones"
    repeated = model(x.tolist(), y.tolist(), "non-blocking point-to-point", noise=0.01)
    assert not any("letters" in flag for flag in repeated["flags"])


def test_a_formula_of_the_counts_from_one_on_says_so():
    x = np.array([*COUNTS, 128.0])
    y = np.where(x > 8, 3.0, 0.0) + 100 / x
    found = model(x.tolist(), y.tolist())
    assert found["formula"] == "3 + 100*p^-1 from 16 on"
    assert any("new regime begins at 16" in flag for flag in found["flags"])


def test_formulas_are_readable():
    x = np.array(COUNTS)
    assert model(COUNTS, (3 / x + 2).tolist())["formula"] == "2 + 3*p^-1"
    found = model(COUNTS, (0.1 * x * np.log2(x)).tolist(), "n-to-1 and 1-to-n collective")
    assert found["formula"] == "0.1*p*log2(p)"


@pytest.mark.parametrize("exponent", [-1.0, -0.5, 0.0, 0.5, 1.0])
def test_power_laws_are_extrapolated(exponent):
    y = [10 * p**exponent for p in COUNTS]
    found = predict(COUNTS, y, [128.0, 256.0])
    assert found["seconds"] == pytest.approx([10 * p**exponent for p in (128, 256)], rel=0.06)
    for low, seconds, high in zip(found["low"], found["seconds"], found["high"], strict=True):
        assert 0 < low <= seconds <= high


def test_measured_counts_are_predicted_as_measured_and_interpolated_between():
    found = predict([2, 4, 8, 16, 32], [10, 6, 4, 3, 2.5], [4, 8, 16, 32, 6])
    assert found["seconds"][:4] == pytest.approx([6, 4, 3, 2.5])
    assert 4 < found["seconds"][4] < 6


def test_uncertainty_grows_with_the_distance_and_the_noise():
    y = [10.0, 6.0, 4.1, 2.9, 2.6, 2.4]
    width = [
        np.log(found["high"][i] / found["low"][i])
        for found in (predict(COUNTS, y, [128, 512, 2048]), predict(COUNTS, y, [128], noise=0.3))
        for i in range(len(found["low"]))
    ]
    assert width[0] < width[1] < width[2]
    assert width[3] > width[0]


def test_nothing_is_ever_negative():
    chance = np.random.default_rng(11)
    for count in (3, 4, 5, 8):
        x = np.sort(chance.choice(np.arange(1, 500), count, replace=False)).astype(float)
        x = np.tile(x, (200, 1))
        y = np.exp(chance.normal(0, 2, (200, count)))
        at = np.stack([x[:, 0] * 0 + 1, x[:, 0], x[:, 1] + 0.5, x[:, -1] * 2, x[:, -1] * 1e3], 1)
        for kind, _ in KINDS.values():
            answer = forecast(kind, x, y, at, np.zeros(len(y), bool))
            assert np.isfinite(answer.log_seconds).all()
            assert np.isfinite(answer.scale).all()


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_time_does_not_matter(scale):
    y = [10.0, 6.0, 4.1, 2.9, 2.6, 2.4]
    scaled = predict(COUNTS, [scale * one for one in y], [128])
    assert scaled["seconds"][0] / scale == pytest.approx(predict(COUNTS, y, [128])["seconds"][0])


@pytest.mark.parametrize(
    ("x", "y", "flag"),
    [
        ([], [], "no model: fewer than three counts (0)"),
        ([4], [1], "no model: fewer than three counts (1)"),
        ([4, 8], [1, 2], "no model: fewer than three counts (2)"),
        ([2, 4, 8], [1, None, 0.0], "no model: fewer than three counts (1)"),
        ([2, 4, 8], [1, float("nan"), -1.0], "no model: fewer than three counts (1)"),
    ],
)
def test_too_few_counts_are_flagged_and_not_modelled(x, y, flag):
    found = model(x, y)
    assert found["flags"] == [flag]
    assert found["formula"] is None and found["exponent"] is None
    assert predict(x, y, [64.0])["seconds"] == [None]


def test_three_counts_are_a_model_with_a_warning():
    found = model([2, 4, 8], [8, 4, 2])
    assert found["flags"] == ["too few points: 3 counts"]
    assert predict([2, 4, 8], [8, 4, 2], [16])["seconds"][0] == pytest.approx(1, rel=0.05)


@pytest.mark.parametrize("place", [2, 8, 32])
def test_a_single_outlier_is_left_out(place):
    y = [1000.0 if p == place else 10 / p for p in COUNTS]
    assert model(COUNTS, y)["flags"] == [f"outlier: the time at {place} is left out"]
    assert model(COUNTS, y)["points"] == 5
    assert predict(COUNTS, y, [128])["seconds"][0] == pytest.approx(10 / 128, rel=0.05)


def test_a_function_that_jumps_is_not_extrapolatable():
    flags = model(COUNTS, [1, 1.1, 0.9, 1, 1, 80])["flags"]
    changed = "not extrapolatable: the law may change at 64, where the time is "
    assert any(flag.startswith(changed) for flag in flags)
    found = predict(COUNTS, [1, 1.1, 0.9, 1, 1, 80], [128])
    assert found["high"][0] / found["low"][0] > 10


def test_counts_need_not_be_powers_of_two():
    x = [3.0, 7.0, 12.0, 27.0, 50.0]
    assert predict(x, [30 / p for p in x], [100])["seconds"][0] == pytest.approx(0.3, rel=0.03)


def test_functions_with_different_counts_are_predicted_together():
    kinds = pa.array(["computation", "n-to-n collective", "computation", "other"])
    x = pa.array([[2.0, 4.0, 8.0, 16.0], [2.0, 4.0, 8.0, 16.0], [2.0, 4.0, 8.0], []])
    y = pa.array([[8.0, 4.0, 2.0, 1.0], [1.0, 2.0, 3.0, 4.0], [1.0, 1.0, 1.0], []])
    noise, at = pa.array([0.0] * 4), pa.array([[32.0], [20.0, 64.0, 90.0], [], [32.0]])
    together = scaling_forecast(kinds, x, y, noise, at, noise)
    for row in range(4):
        part = [column.slice(row, 1) for column in (kinds, x, y, noise, at, noise)]
        alone = scaling_forecast(*part)[0].as_py()
        assert alone["seconds"] == pytest.approx(together[row].as_py()["seconds"])
        assert alone["flags"] == together[row].as_py()["flags"]


def test_no_functions_at_all():
    empty = [pa.array([], kind) for kind in (pa.string(), *[pa.list_(pa.float64())] * 2)]
    noise, at = pa.array([], pa.float64()), pa.array([], pa.list_(pa.float64()))
    assert len(scaling_model(*empty, noise)) == 0
    assert len(scaling_forecast(*empty, noise, at, noise)) == 0
