"""Clean laws are followed, formula and prediction are one, and bands contain what is measured."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.bench import bench_scaling_laws as laws
from tests.helpers.flags import in_words
from udfs.scaling import scaling_forecast, scaling_model
from udfs.scaling.bases import KINDS
from udfs.scaling.forecast import forecast
from udfs.scaling.free import letters

COUNTS = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0)
LAWS = {
    "constant": lambda p: 3 + 0 * p,
    "square": lambda p: 0.001 * p**2,
    "cube": lambda p: 1e-5 * p**3,
    "any power": lambda p: 0.02 * p**1.37,
    "superlinear decay": lambda p: 50 * p**-2,
    "even division with a rest": lambda p: 3 / p + 2,
    "line with a base": lambda p: 1 + 0.05 * p,
    "power with a base": lambda p: 1 + 0.3 * p**0.7,
    "p log p": lambda p: 0.1 * p * np.log2(p),
    "log squared": lambda p: 1 + 0.2 * np.log2(p) ** 2,
    "U-shape": lambda p: 100 / p + 0.1 * p,
    "saturation": lambda p: 9 * p / (p + 20),
    "division with a rest and overhead": lambda p: 64 / p + 2 + 0.05 * p,
}


def column(values):
    return pa.array([list(map(float, one)) for one in values], pa.list_(pa.float64()))


def predict(x, y, at, noise=0.0, kind="computation"):
    """Return the structs of scaling_forecast for rows of times at the same counts."""
    n = len(y)
    found = scaling_forecast(
        pa.array([kind] * n), column([x] * n), column(y), pa.array([noise] * n),
        column([at] * n), pa.array([0.0] * n),
    )  # fmt: skip
    return [in_words(one) for one in found.to_pylist()]


def model(x, y, noise=0.0):
    n = len(y)
    found = scaling_model(
        pa.array(["computation"] * n), column([x] * n), column(y), pa.array([noise] * n)
    )
    return [in_words(one) for one in found.to_pylist()]


def formula_at(formula, p):
    return eval(formula.replace("^", "**"), {"p": p, "log2": np.log2}) + 0 * p


@pytest.mark.parametrize("kind", ["n-to-n collective", "blocking point-to-point"])
def test_trees_beside_a_line_are_followed(kind):
    x, at = np.array(COUNTS), np.array([128.0, 512.0])
    (found,) = predict(x, [np.log2(x) + 0.05 * x], at, kind=kind)
    assert found["seconds"] == pytest.approx(np.log2(at) + 0.05 * at, rel=0.05)


@pytest.mark.parametrize(
    ("counts", "since", "gain"),
    [([1, 2, 4, 8], 8, 1.1), ([1, 2, 4, 8, 16, 32], 32, 1.2), ([1, 2, 4, 6, 8, 12, 16], 12, 1.1)],
)
def test_where_hyper_threads_begin_the_law_may_change(counts, since, gain):
    cores = counts[counts.index(since) - 1]
    p = np.array(counts, float)
    useful = np.where(p <= cores, p, cores * (1 + (gain - 1) * np.minimum(p / cores - 1, 1)))
    y = (20 / useful + 0.2) * np.random.default_rng(5).lognormal(0, 0.01, (20, len(p)))
    at = 8 * p[-1:]
    changed = f"not extrapolatable: the law may change at {since}, where the time is "
    told = [any(flag.startswith(changed) for flag in one["flags"]) for one in model(p, y)]
    assert np.mean(told) > 0.5
    truth = 20 / (gain * cores) + 0.2
    covered = [one["low"][0] < truth < one["high"][0] for one in predict(p, y, at)]
    assert np.mean(covered) > 0.9


@pytest.mark.parametrize("law", [lambda p: 20 / p + 0.2, lambda p: 20 / p + 0.02 * p])
def test_a_law_that_goes_on_is_not_told_to_change(law):
    x = np.array(COUNTS, float)
    y = law(x) * np.random.default_rng(6).lognormal(0, 0.02, (40, len(x)))
    # repetitions in a row scatter less than that
    told = [one["flags"] for noise in (0.0, 0.02, 0.005) for one in model(x, y, noise)]
    assert np.mean([any("may change" in flag for flag in flags) for flags in told]) < 0.15


@pytest.mark.parametrize(
    ("times", "unit", "reason"),
    [
        # 40 / p + 1, rounded
        ([41, 21, 11, 6, 4, 2], 1, "perhaps as times are rounded to 1 s"),
        ([41, 21, 11, 6, 4, 2], 1e-3, "perhaps as times are rounded to 0.001 s"),
        ([64, 32, 16, 8, 4, 4], 1, "the law may change at 32"),
    ],
)
def test_times_that_are_rounded_may_depart_from_a_law_by_that(times, unit, reason):
    (found,) = predict([1, 2, 4, 8, 16, 32], [np.array(times) * unit], [64])
    assert [flag for flag in found["flags"] if flag.startswith("not extra") and reason in flag]


@pytest.mark.parametrize("noise", [0.05, 0.15])
def test_noise_is_no_evidence_of_superlinear_speed_up(noise):
    x = np.array([1.0, 2, 4, 8])
    y = (50 / x + 0.5) * np.random.default_rng(8).lognormal(0, noise, (200, len(x)))
    assert np.mean([one["exponent"] < -1.02 for one in model(x, y)]) < 0.04
    certain = x**-1.5 * np.random.default_rng(8).lognormal(0, 0.01, (40, len(x)))
    assert np.mean([one["exponent"] < -1.4 for one in model(x, certain)]) > 0.9


@pytest.mark.parametrize("noise", [0.02, 0.1])
@pytest.mark.parametrize("law", [lambda p: 100 / p + 0.02 * p, lambda p: 1 + 0.003 * p])
def test_growth_that_no_count_shows_is_in_the_interval(law, noise):
    p, at = np.array([1.0, 2, 4, 8, 16, 32]), np.array([64.0, 128.0, 256.0])
    y = law(p) * np.random.default_rng(9).lognormal(0, noise, (300, len(p)))
    found = predict(p, y, at, noise)
    within = [(one["low"] < law(at)) & (law(at) < one["high"]) for one in found]
    assert np.mean(within) > 0.72
    # nothing is hidden where there is no noise
    (exact,) = predict(p, [100 / p + 2], at)
    assert exact["high"] == pytest.approx(100 / at + 2, rel=0.02)


@pytest.mark.parametrize("share", [0.07, 0.1])
def test_growth_that_only_the_last_counts_show_is_in_the_interval(share):
    p = np.array([1.0, 2, 4, 8, 16, 32, 64, 128])
    y = (1 - share) * 128 / p + share * p / 128
    noisy = y * np.random.default_rng(7).lognormal(0, 0.01, (40, len(p)))
    truth = (1 - share) / 8 + share * 8
    assert np.mean([one["high"][0] > truth for one in predict(p, noisy, [1024])]) > 0.6


def test_intervals_contain_the_prediction_where_the_law_may_change():
    """At 32 times the largest count the law that predicts is below 95 % of the others."""
    (found,) = predict([1, 2, 4, 8], [[42.0, 21.06, 10.93, 11.2]], [16, 64, 256, 512])
    assert any("may change" in flag for flag in found["flags"])
    assert np.all(np.array(found["low"]) <= found["seconds"])
    assert np.all(np.array(found["high"]) >= found["seconds"])


def test_four_counts_of_ever_faster_growth_carry_a_law():
    """Bent by 2 %: a line with a base, whose growth the ensemble would halve."""
    x = np.array([32.0, 64.0, 128.0, 256.0])
    y = [(0.2 + x / 320) * [1.02, 0.98, 1.0, 1.0]]
    (found,) = predict(x, y, [512])
    assert found["seconds"] == pytest.approx([0.2 + 512 / 320], rel=0.12)


@pytest.mark.parametrize("name", ["p log p", "U-shape", "even division with a rest", "cube"])
def test_four_counts_within_a_percent_of_a_law_carry_it(name):
    x, at = np.array(COUNTS[-4:]), 512.0
    y = LAWS[name](x) * np.random.default_rng(0).lognormal(0, 0.01, (40, 4))
    found = [one["seconds"][0] for one in predict(x, y, [at], noise=0.015)]
    assert np.median(np.abs(np.array(found) / LAWS[name](at) - 1)) < 0.25


def test_three_rounded_times_on_a_power_leave_open_what_rounding_hides():
    x, at = np.array([1.0, 2.0, 4.0]), np.array([8.0, 16.0, 32.0])
    (found,) = predict(x, [(99.5 / x + 0.5).round()], at)
    truth = 99.5 / at + 0.5
    assert (np.array(found["low"]) <= truth).all()
    assert (truth <= np.array(found["high"])).all()


@pytest.mark.parametrize("name", LAWS)
def test_clean_laws_are_followed(name):
    x = np.array(COUNTS)
    (found,) = predict(x, [LAWS[name](x)], [128, 256, 512])
    truth = LAWS[name](np.array([128.0, 256.0, 512.0]))
    assert found["seconds"] == pytest.approx(truth, rel=0.05)
    assert (np.array(found["low"]) <= truth).all()
    assert (truth <= np.array(found["high"])).all()
    assert found["flags"] == []


@pytest.mark.parametrize("counts", [3, 4, 5])
@pytest.mark.parametrize("power", [-2.0, 1.37, 2.0, 3.0])
def test_no_power_is_too_steep_for_few_points(counts, power):
    x = np.array(COUNTS[:counts])
    (found,) = predict(x, [10 * x**power], [8 * x[-1]])
    assert found["seconds"][0] == pytest.approx(10 * (8 * x[-1]) ** power, rel=0.03)


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.05])
def test_the_formula_is_the_prediction_or_says_that_it_is_not(noise):
    chance = np.random.default_rng(5)
    x, ahead = np.array(COUNTS), np.array([128.0, 256.0, 512.0])
    times = [law(x) * np.exp(noise * chance.standard_normal(6)) for law in LAWS.values()]
    predicted = predict(x, times, ahead, noise)
    for found, told in zip(model(x, times, noise), predicted, strict=True):
        if any(flag.startswith("formula disagrees") for flag in found["flags"]):
            continue
        assert formula_at(found["formula"], ahead) == pytest.approx(told["seconds"], rel=0.1)


def test_smooth_laws_with_noise_carry_few_warnings_and_their_bands_contain_what_is_measured():
    chance = np.random.default_rng(7)
    x, at = np.array(COUNTS), np.array([128.0, 512.0])
    laws = [law for law in LAWS.values() for _ in range(12)]

    def measured(law, p):
        return np.median(law(p) * np.exp(0.05 * chance.standard_normal((3, len(p)))), axis=0)

    of_median = 0.05 * 0.67
    found = predict(x, [measured(law, x) for law in laws], at, of_median)
    again = np.array([measured(law, at) for law in laws])
    low, high = (np.array([one[name] for one in found]) for name in ("low", "high"))
    assert 0.82 <= ((low <= again) & (again <= high)).mean() <= 0.99
    assert np.mean([bool(one["flags"]) for one in found]) <= 0.1


@pytest.mark.parametrize("factor", [0.1, 8.0])
def test_after_a_step_the_second_part_predicts(factor):
    x = np.array(COUNTS)
    (found,) = predict(x, [np.where(x < 16, 1.0, factor)], [512])
    assert (
        "a new regime begins at 16: the law of the counts from there on predicts" in found["flags"]
    )
    assert found["seconds"] == pytest.approx([factor], rel=0.05)
    assert found["low"][0] <= factor <= found["high"][0]


def test_few_predictions_after_breaks_are_sure_and_wrong():
    chance, wrong, trusted = np.random.default_rng(13), 0, 0
    for law in laws.BREAKS.values():
        cases = [
            laws.draw(chance, "computation", law, chance.choice([0.01, 0.02, 0.05]), counts)
            for counts in chance.integers(5, 10, 150)
        ]
        seconds, low, high, doubted = laws.predict(cases)
        truth = np.array([case.truth for case in cases])
        outside = (np.abs(seconds / truth - 1) > 0.3) & ((truth < low) | (truth > high))
        wrong += (outside & ~doubted[:, None]).sum()
        trusted += truth.shape[1] * (~doubted).sum()
    assert trusted > 800
    assert wrong / trusted < 0.025


@pytest.mark.parametrize("late", [1, 2])
def test_too_few_counts_after_a_break_predict_nothing(late):
    x = np.array(COUNTS)
    y = np.where(x > x[-1 - late], 3.0, 1.0) * (8 / x + 0.1)
    (found,) = predict(x, [y], [512])
    begins = f"not extrapolatable: the law may change at {x[-late]:.0f}"
    assert any(flag.startswith(begins) for flag in found["flags"])
    assert found["low"][0] < 3 * (8 / 512 + 0.1) < found["high"][0]


def test_a_prediction_does_not_depend_on_what_else_is_asked():
    x = np.array(COUNTS)
    y = [law(x) * (1 + 0.03 * np.cos(7 * x)) for law in LAWS.values()]
    alone, together = predict(x, y, [512]), predict(x, y, [70, 128, 512, 100_000])
    for one, other in zip(alone, together, strict=True):
        assert one["seconds"][0] == pytest.approx(other["seconds"][2])
        assert one["high"][0] == pytest.approx(other["high"][2])


@pytest.mark.parametrize("scale", [1e-12, 1e12])
def test_the_unit_of_time_does_not_matter(scale):
    x = np.array(COUNTS)
    for law in LAWS.values():
        (one,), (other,) = predict(x, [law(x)], [512]), predict(x, [scale * law(x)], [512])
        for name in ("seconds", "low", "high"):
            assert other[name][0] == pytest.approx(scale * one[name][0], rel=2e-3)


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_a_model_of_times_whose_squares_are_no_numbers_is_that_of_others(scale):
    x = np.array(COUNTS)
    (one,), (other,) = model(x, [5 + x]), model(x, [scale * (5 + x)])
    assert other["flags"] == one["flags"]
    assert other["r2"] == pytest.approx(one["r2"])


def test_times_that_differ_beyond_measure_are_survived():
    chance = np.random.default_rng(3)
    times = 10.0 ** chance.uniform(-6, 6, (20, 6))
    for found in predict(np.array(COUNTS), times, [128, 512]):
        assert all(np.isfinite(found["seconds"]))
        assert found["flags"]


def test_a_law_predicts_between_and_below_the_measured_counts_too():
    x, law = np.array(COUNTS), LAWS["U-shape"]
    noisy = law(x) * (1 + 0.05 * np.random.default_rng(5).standard_normal(len(x)))
    at = np.array([1.0, 3, 5, 11, 40])
    for times, noise, near in ((law(x), 0.0, 0.01), (noisy, 0.05, 0.15)):
        (found,) = predict(x, [times], [*at, *x], noise)
        assert found["seconds"][: len(at)] == pytest.approx(law(at), rel=near)
        assert found["seconds"][len(at) :] == pytest.approx(times)
        truth, low, high = (
            np.array(one) for one in (law(np.array([*at, *x])), found["low"], found["high"])
        )
        assert ((low <= truth * 1.001) & (truth <= high * 1.001)).mean() >= 0.9


def test_a_formula_that_misses_its_points_is_a_poor_fit():
    (found,) = model([2.0, 16.0, 64.0], [[8.0, 32.5, 5.0]])
    assert any("poor fit" in flag for flag in found["flags"])
    (found,) = model([2.0, 16.0, 64.0], [[32.5, 5.0, 2.0]])
    assert not any("poor fit" in flag for flag in found["flags"])


FORMS = {
    "blocking point-to-point": lambda p: 0.3 * p**0.73 + 0.9 * np.log2(p) + 2,
    "non-blocking point-to-point": lambda p: 40 * p**-0.83 + 0.1 * p**1.27 + 1,
    "n-to-n collective": lambda p: 1.3 * np.log2(p) / np.log2(3) + 0.4 * (2 * p**0.61 + 1) + 3,
    "n-to-1 and 1-to-n collective": lambda p: (0.1 * p**0.57 + 0.4) * np.log2(p) + 1,
}


@pytest.mark.parametrize("only", ["", "patent"])
@pytest.mark.parametrize("kind", FORMS)
def test_exact_data_of_the_patents_bases_give_back_their_law(kind, only):
    x, law = np.array(COUNTS), FORMS[kind]
    at = 8 * x[-1:]
    found = forecast(KINDS[kind][0], x[None], law(x)[None], np.zeros(1), at[None], only)
    assert np.exp(found.log_seconds[0]) == pytest.approx(law(at), rel=1e-4)


@pytest.mark.parametrize("kind", FORMS)
@pytest.mark.parametrize("count", [3, 5, 8])
def test_times_of_any_shape_and_size_have_ordered_intervals(kind, count):
    x = np.array([1.0, 2, 3, 6, 24, 256, 4096, 1e6])[:count]
    shapes = [0 * x + 7, 100 / x, x**3, np.log2(x) + 1e-9, np.round(100 / x + 1, 1)]
    y = [shape * size for shape in shapes for size in (1e-12, 1.0, 1e9)]
    for noise in (0.0, 0.01):
        for found in predict(x, y, [2 * x[-1], 64 * x[-1]], noise, kind):
            low, middle, high = (np.array(found[name]) for name in ("low", "seconds", "high"))
            assert (low <= middle * (1 + 1e-9)).all() and (middle <= high * (1 + 1e-9)).all()


@pytest.mark.parametrize("digits", [4, 6])
@pytest.mark.parametrize("kind", FORMS)
def test_times_that_are_rounded_leave_open_what_rounding_hides(kind, digits):
    rng, some = np.random.default_rng(5), []
    for _ in range(60):
        case = laws.draw(rng, kind, laws.FORMS[kind], 0.0, int(rng.integers(5, 13)))
        case.y = np.array([float(f"{y:.{digits - 1}e}") for y in case.y])
        some.append(case)
    _, low, high, _ = laws.predict(some)
    truth = np.array([case.truth for case in some])
    assert np.mean((low <= truth) & (truth <= high)) > 0.85


@pytest.mark.parametrize("kind", FORMS)
def test_exact_data_of_drawn_laws_of_more_counts_than_letters_give_them_back(kind):
    rng, least = np.random.default_rng(6), letters(KINDS[kind][0]) + 1
    some = [
        laws.draw(rng, kind, laws.FORMS[kind], 0.0, int(rng.integers(least, 13))) for _ in range(60)
    ]
    seconds, *_ = laws.predict(some)
    error = np.abs(seconds / np.array([case.truth for case in some]) - 1)[:, -1]
    assert np.mean(error < laws.EXACT) > 0.95


@pytest.mark.parametrize("kind", FORMS)
def test_intervals_of_the_patents_bases_contain_the_truth(kind):
    x, law, chance = np.array([*COUNTS, 128.0]), FORMS[kind], np.random.default_rng(4)
    at = np.tile(x[-1] * np.array([2.0, 8.0]), (100, 1))
    y = law(x) * chance.lognormal(0, 0.02, (100, len(x)))
    found = forecast(KINDS[kind][0], np.tile(x, (100, 1)), y, np.zeros(100), at, "patent")
    low, high = found.interval()
    assert np.mean((low <= law(at)) & (law(at) <= high)) > 0.75


@pytest.mark.parametrize(
    ("counts", "noise", "least"), [(4, 0.01, 0.7), (5, 0.0, 0.85), (6, 1e-3, 0.85)]
)
@pytest.mark.parametrize("kind", FORMS)
def test_few_counts_with_hardly_any_noise_leave_open_what_they_do(kind, counts, noise, least):
    rng = np.random.default_rng(7)
    some = [laws.draw(rng, kind, laws.FORMS[kind], noise, counts) for _ in range(60)]
    _, low, high, _ = laws.predict(some)
    truth = np.array([case.truth for case in some])
    inside = (low <= truth * (1 + laws.ROUNDING)) & (truth * (1 - laws.ROUNDING) <= high)
    assert np.mean(inside) > least
