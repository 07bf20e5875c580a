"""Repetitions before and after: ratios, intervals, and how often equal sides seem to differ."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from tests.bench.comparison_cases import NOISES, pairs, processes
from udfs.comparison import compare_runs, usual_noise
from udfs.comparison.planning import more_runs

USUAL = pa.list_(pa.struct([("variance", pa.float64()), ("freedom", pa.float64())]))
UNKNOWN = {"variance": None, "freedom": None}
NUMBERS = ("before", "after", "variance_before", "variance_after", "freedom")
WITHIN = pa.list_(pa.struct([*((name, pa.float64()) for name in NUMBERS), ("noise", pa.string())]))


def families(*lists, counted=False, leading=None, order=0):
    """Return lists of families as Arrow has them; `leading` are the flags of the only list."""
    rows = [
        [
            {
                "name": name,
                "is_counted": counted,
                "is_leading": bool(leading and leading[place]),
                "order": order,
            }
            for place, name in enumerate(names)
        ]
        for names in lists
    ]
    flags = (("is_counted", pa.bool_()), ("is_leading", pa.bool_()), ("order", pa.int32()))
    return pa.array(rows, pa.list_(pa.struct([("name", pa.string()), *flags])))


def compared(
    before,
    after,
    *,
    family=None,
    level=0.95,
    histories=None,
    usual=None,
    within=None,
    leading=None,
    counted=False,
    order=0,
):
    """Return the structs of the comparison of metrics given as lists."""
    histories = histories or ([[]] * len(before), [[]] * len(before))
    (row,) = compare_runs(
        *(pa.array([side], pa.list_(pa.list_(pa.float64()))) for side in (before, after)),
        *(pa.array([side], pa.list_(pa.list_(pa.float64()))) for side in histories),
        pa.array([usual or [UNKNOWN] * len(before)], USUAL),
        pa.array([within or [None] * len(before)], WITHIN),
        families(family or ["f"] * len(before), counted=counted, leading=leading, order=order),
        pa.array([level]),
    ).to_pylist()
    return row


def test_ratio_of_geometric_means_and_its_interval():
    (one,) = compared([[1.0, 4.0, 2.0]], [[2.0, 8.0, 4.0]])
    assert (one["before"], one["after"], one["ratio"]) == pytest.approx((2, 4, 2))
    assert one["low"] < 1 < 2 < one["high"]
    assert one["low"] * one["high"] == pytest.approx(4)
    assert one["noise"] == "runs"


def test_an_interval_excludes_no_change_as_the_p_value_does():
    rng = np.random.default_rng(1)
    for shift in np.linspace(0, 0.1, 21):
        before, after = np.exp(rng.normal(0, 0.02, (2, 1, 5)))
        (one,) = compared(before.tolist(), (after * (1 + shift)).tolist())
        assert (one["p_value"] < 0.05) == (not one["low"] <= 1 <= one["high"])


def test_exact_repetitions_are_as_significant_as_their_resolution_allows():
    count, ticks = compared(
        [[100.0] * 3, [0.01, 0.01, 0.01]], [[120.0] * 3, [0.02, 0.02, 0.02]], family=["n", "s"]
    )
    assert count["p_value"] < 1e-4
    assert ticks["p_value"] > count["p_value"]
    (same,) = compared([[5.0, 5.0]], [[5.0, 5.0]])
    assert (same["ratio"], same["p_value"]) == (1, 1)


def test_what_is_counted_is_not_rounded():
    history = ([[5.0] * 8], [[5.0] * 8])
    same, more = (
        compared([[5.0]], [[after]], histories=history, counted=True)[0] for after in (5.0, 6.0)
    )
    assert (same["low"], same["high"]) == pytest.approx((1, 1))
    assert more["low"] == pytest.approx(1.2) and more["p_value"] < 0.001
    (rounded,) = compared([[5.0]], [[6.0]], histories=history)
    assert rounded["low"] < 1.1


@pytest.mark.filterwarnings("error")
def test_many_equal_repetitions_have_no_scatter():
    sides = [[263.04690544724474] * 36, [0.08524769657784037] * 36]
    assert [(one["ratio"], one["p_value"]) for one in compared(sides, sides)] == [(1, 1)] * 2


def test_equal_values_have_no_change_however_many_a_side_has():
    (one,) = compared([[0.01] * 10], [[0.01] * 3])
    assert (one["ratio"], one["p_value"]) == (1, 1)


def test_values_far_below_one_have_no_resolution_of_one():
    times = [1.001e-30, 1.002e-30, 1.003e-30, 1.0015e-30]
    (small,) = compared([times], [[1.5 * t for t in times]])
    assert small["p_value"] < 1e-3
    assert small["low"] > 1.4


def test_values_that_are_not_positive_have_fiellers_interval():
    zero, ratio = compared(
        [[0.0, 0.0, 0.0], [0.0, 10.0, 10.1, 9.9, 10.0]],
        [[1.0, 1.1, 0.9], [10.0, 10.0, 10.0, 10.1, 9.9]],
        family=["a", "b"],
    )
    assert (zero["ratio"], zero["low"], zero["after"]) == (None, None, pytest.approx(1))
    assert zero["p_value"] < 0.05
    assert ratio["ratio"] == pytest.approx(10 / 8) and ratio["p_value"] > 0.05


def test_one_repetition_takes_its_noise_from_history_or_from_the_other_side():
    history = list(100 + np.random.default_rng(2).normal(0, 1, 20))
    of_history, of_other, unknown = compared(
        [[100.0], [100.0, 101.0, 99.0], [100.0]],
        [[110.0], [130.0], [110.0, 111.0]],
        histories=([history, [], []], [history, [], history]),
        family=["a", "b", "c"],
    )
    assert (of_history["noise"], of_history["p_value"] < 0.01) == ("history", True)
    assert (of_other["noise"], of_other["p_value"] < 0.05) == ("other side", True)
    assert [unknown[k] for k in ("noise", "p_value", "low", "high")] == [None] * 4
    assert unknown["ratio"] == pytest.approx(1.105, rel=1e-3)


def test_round_values_of_single_runs_are_as_exact_as_those_of_their_history():
    fine = [0.101, 0.1, 0.099, 0.1, 0.102, 0.1, 0.098]
    exact, coarse = compared([[0.1]] * 2, [[0.1]] * 2, histories=([fine, [0.1] * 7],) * 2)
    assert exact["high"] < 1.1
    assert coarse["high"] > 1.5


def test_the_noise_of_two_runs_is_theirs_and_that_of_a_history_as_quiet():
    history = list(100 + np.random.default_rng(2).normal(0, 1, 20))
    quiet, noisy = [[100.0, 101.0], [106.0, 107.0]], [[100.0, 130.0], [106.0, 138.0]]
    with_it, noisier, without, noisier_without = compared(
        [quiet[0], noisy[0]] * 2,
        [quiet[1], noisy[1]] * 2,
        histories=([history] * 2 + [[]] * 2, [history] * 2 + [[]] * 2),
        family=list("abcd"),
    )
    assert {one["noise"] for one in (with_it, noisier, without)} == {"runs"}
    assert with_it["low"] > 1 > without["low"]
    assert noisier["p_value"] == pytest.approx(noisier_without["p_value"])


def test_a_history_of_two_levels_that_alternate_shows_both_as_noise():
    """Two runs of each level: p was 1e-13, as each switch was taken for a step."""
    rng = np.random.default_rng(8)
    past = np.exp(np.where(rng.random(60) < 0.3, 0.14, 0) + 0.003 * rng.normal(size=60)).tolist()
    histories = [past], [past]
    (one,) = compared([[1.001, 0.998]], [[1.155, 1.152]], histories=histories, level=0.99)
    assert one["p_value"] > 0.01 and one["low"] < 1
    (one,) = compared([[1.001, 0.998]], [[1.6, 1.61]], histories=histories, level=0.99)
    assert one["p_value"] < 0.01


def test_a_history_that_stays_on_two_levels_by_turns_shows_both_as_noise():
    """As in trend, which has no change there: a run on the other level was worse for certain."""
    rng = np.random.default_rng(9)
    turns = np.repeat([0, 1, 0, 1, 0, 1], (12, 9, 11, 14, 10, 12))
    past = np.exp(0.1 * turns + 0.01 * rng.standard_normal(68)).tolist()
    (one,) = compared([[1.0]], [[np.exp(0.1)]], histories=([past], [past]))
    assert one["p_value"] > 0.1
    stepped = np.exp(0.1 * (turns.cumsum() > 0) + 0.01 * rng.standard_normal(68)).tolist()
    (one,) = compared([[1.0]], [[np.exp(0.1)]], histories=([stepped], [stepped]))
    assert one["p_value"] < 0.01


def test_two_runs_that_are_alike_by_chance_borrow_from_a_noisy_week():
    draw = np.random.default_rng(3)
    history = np.exp(0.02 * draw.standard_normal(100)).tolist()
    week = np.exp(0.06 * draw.standard_normal(30)).tolist()
    (one,) = compared([week], [[1.07, 1.0701]], histories=([history], [history]))
    assert one["noise"] == "runs"
    assert one["p_value"] > 0.05
    (one,) = compared([week], [[1.5, 1.5001]], histories=([history], [history]))
    assert one["p_value"] < 0.05


def test_two_spikes_of_one_of_many_benchmarks_are_no_change():
    """A benchmark in a hundred is hit twice in a row; both new runs of the first one are."""
    rng = np.random.default_rng(3)
    calm = rng.normal(0, 0.02, (40, 34))
    single, twice = calm.copy(), calm.copy()
    for of, at in zip(range(0, 40, 4), rng.permutation(28)[:10] + 1, strict=True):
        twice[of, at : at + 2] += rng.uniform(0.2, 0.7)
        single[of, at : at + 3 : 2] += rng.uniform(0.2, 0.7)

    def verdict(logs, slower):
        times = np.exp(logs)
        times[1, -2:] *= slower
        past = times[:, :-4].tolist()
        sides = (times[:, -4:-2].tolist(), times[:, -2:].tolist())
        one, *others = compared(*sides, histories=(past, past))[1:]
        assert (one["p_value"] < 0.05) == (one["low"] > 1)
        # what shows no change needs no spikes to explain it
        assert np.median([other["high"] / other["low"] for other in others]) < 1.25
        return one["p_value"] < 0.05

    assert [verdict(logs, 1.4) for logs in (calm, single, twice)] == [True, True, False]
    assert verdict(twice, 2.5)
    assert verdict(single, 1.25)


def test_single_runs_may_be_spikes_on_top_of_noise():
    """Three runs in a hundred are spikes, and each of two new ones may be."""
    rng = np.random.default_rng(6)

    def alarms(slower):
        found = 0
        for _ in range(250):
            logs = rng.normal(0, 0.01, 102)
            hit = rng.random(102) < 0.03
            times = np.exp(logs + hit * rng.uniform(0.05, 0.4, 102))
            times[-1] *= slower
            past = [times[:-2].tolist()]
            (one,) = compared([[times[-2]]], [[times[-1]]], histories=(past, past))
            assert (one["p_value"] < 0.05) == (one["low"] > 1 or one["high"] < 1)
            found += one["p_value"] < 0.05
        return found / 250

    assert alarms(1) < 0.07
    assert alarms(1.05) > 0.2


@pytest.mark.parametrize("runs", [6, 10, 30])
def test_an_outlier_among_many_runs_hides_no_step(runs):
    """It says how often a run is one: three new runs that agree are not all spikes."""
    rng = np.random.default_rng(runs)
    for logs in rng.normal(0, 0.007, (20, 2 * runs + 5)):
        logs[runs + 2] += 0.5
        logs[-5:] += 0.15
        times = np.exp(logs)
        sides, past = (times[runs:-5].tolist(), times[-5:].tolist()), [times[:runs].tolist()]
        for new in (3, 5):
            (one,) = compared([sides[0]], [sides[1][:new]], histories=(past, past))
            assert one["p_value"] < 0.05 and 1 < one["low"] < one["ratio"]
            assert one["ratio"] == pytest.approx(np.exp(0.15), abs=0.04)
        (one,) = compared([sides[0]], [sides[1][:1]], histories=(past, past))
        assert one["p_value"] > 0.01


@pytest.mark.parametrize("runs, new", [(6, 3), (10, 3), (10, 6)])
def test_a_rare_mode_is_no_outlier_that_new_runs_are_certainly_apart_from(runs, new):
    """Of 20 metrics with two modes each, 17 to 72 % of comparisons had a certain difference."""
    rng = np.random.default_rng(runs + new)
    alarms = 0
    for share in (0.2, 0.3, 0.5) * 50:
        logs = 0.3 * (rng.random((20, runs + new)) < share) + rng.normal(0, 0.01, (20, runs + new))
        before, after = np.exp(logs[:, :runs]).tolist(), np.exp(logs[:, runs:]).tolist()
        alarms += any(one["p_value"] < 0.05 for one in compared(before, after))
    assert alarms <= 0.05 * 150


def test_outliers_of_one_side_only_are_a_part_of_the_difference():
    rng = np.random.default_rng(12)
    before, after = np.exp(rng.normal(0, 0.01, (2, 50)))
    few, many = after.copy(), after.copy()
    few[20:22] *= 1.5
    many[5::5] *= 1.5
    lone, often = (compared([before.tolist()], [side.tolist()])[0] for side in (few, many))
    assert lone["p_value"] > 0.05 and lone["ratio"] < 1.005
    assert often["p_value"] < 0.05 and often["ratio"] > 1.06


def test_single_runs_take_what_is_usual_where_nothing_else_is_known():
    rng = np.random.default_rng(4)
    groups = (0.02**2 * rng.chisquare(4, 20) / 4).tolist()
    many, few, none = usual_noise(
        pa.array([groups, groups[:1], groups[:1]]), pa.array([[4.0] * 20, [4.0], [3.0]])
    ).to_pylist()
    assert none == UNKNOWN
    slower, alike, few, none = compared(
        [[1.0]] * 4, [[1.5], [1.01], [1.5], [1.5]], usual=[many, many, few, none]
    )
    assert [one["noise"] for one in (slower, few, none)] == ["usual", "usual", None]
    assert slower["p_value"] < 0.01 < alike["p_value"]
    assert few["p_value"] > slower["p_value"]


def test_sides_that_do_not_overlap_differ_however_they_scatter():
    before = [[1.0, 1.01, 0.99, 1.02, 0.98]]
    (one,) = compared(before, [[1.3, 9.0, 1.4, 5.0, 1.35]])
    # 2 / 252 if no run were like the one before it
    assert 2 / 252 < one["p_value"] < 0.02
    assert one["low"] == pytest.approx(1.3 / 1.02) and one["low"] < one["ratio"] < one["high"]
    (less,) = compared([[1.3, 9.0, 1.4, 5.0, 1.35]], before)
    assert less["p_value"] == pytest.approx(one["p_value"]) and less["high"] < 1


@pytest.mark.parametrize("points", [8, 30])
def test_a_step_in_the_history_is_no_noise(points):
    rng = np.random.default_rng(3)
    calm = np.exp(rng.normal(0, 0.01, points))
    stepped = np.where(np.arange(points) < points / 2, calm, 1.5 * calm)
    widths = []
    for history in (calm, stepped):
        (one,) = compared([[1.0]], [[1.1]], histories=([list(history)], [list(history)]))
        widths.append(np.log(one["high"] / one["low"]))
    assert widths[1] < 1.5 * widths[0]


def test_a_new_level_at_the_end_of_histories_makes_no_metric_uncertain():
    histories = 100 * np.exp(np.random.default_rng(4).normal(0, 0.01, (8, 28)))
    calm = [list(one) for one in histories]
    histories[:2, -2:] *= 1.12
    stepped = [list(one) for one in histories]
    widths = []
    for history in (calm, stepped):
        found = compared([[100.0]] * 8, [[112.0]] * 8, histories=(history, history))
        widths.append(np.log([one["high"] / one["low"] for one in found]))
    assert np.all(widths[1] < 1.5 * widths[0])


def test_missing_sides_and_unknown_values():
    new, gone, skipped = compared(
        [[], [1.0, 2.0], [1.0, float("nan"), 1.1, None]], [[1.0, 2.0], [], [1.2, 1.1]]
    )
    assert (new["before"], new["ratio"], new["p_value"]) == (None, None, None)
    assert (gone["after"], gone["ratio"], gone["p_value"]) == (None, None, None)
    assert skipped["before"] == pytest.approx(1.1**0.5)


def test_many_metrics_do_not_drown_the_leading_one():
    rng = np.random.default_rng(7)
    before, after = np.exp(rng.normal(0, 0.05, (2, 40, 5)))
    after[0] *= 1.2
    alike = compared(before.tolist(), after.tolist())
    first = compared(before.tolist(), after.tolist(), leading=[True, *[False] * 39])
    assert first[0]["p_value"] == pytest.approx(alike[0]["p_value"] / 20)
    assert alike[0]["low"] < first[0]["low"]


def test_rows_are_compared_separately():
    empty = pa.array([[], []], pa.list_(pa.list_(pa.float64())))
    lists = pa.array([[[1.0, 1.1]], [[1.0, 1.1]]])
    later = pa.array([[[2.0, 2.1]], [[1.0, 1.1]]])
    none = pa.array([[[]], [[]]], pa.list_(pa.list_(pa.float64())))
    family = families(["f"], ["f"])
    levels = pa.array([0.95, 0.5])
    usual = pa.array([[UNKNOWN], [UNKNOWN]], USUAL)
    within = pa.array([[None], [None]], WITHIN)
    first, second = compare_runs(
        lists, later, none, none, usual, within, family, levels
    ).to_pylist()
    assert first[0]["ratio"] > 1.8 and second[0]["ratio"] == pytest.approx(1)
    names = families([], [])
    usual = pa.array([[], []], USUAL)
    within = pa.array([[], []], WITHIN)
    found = compare_runs(empty, empty, empty, empty, usual, within, names, levels)
    assert found.to_pylist() == [[], []]


@pytest.mark.parametrize("noise", NOISES)
def test_equal_sides_seldom_seem_to_differ(noise):
    alarms = sum(
        any(one["p_value"] < 0.05 for one in compared(before, after))
        for before, after in pairs(noise, seed=5, count=60, metrics=50)
    )
    assert alarms <= 6


def test_runs_like_the_one_before_seldom_separate_sides_of_five():
    alike = replace(NOISES[1], sigma=0.02)
    alarms = sum(
        any(one["p_value"] < 0.05 for one in compared(before, after))
        for before, after in pairs(alike, seed=9, count=100, metrics=4, repetitions=5)
    )
    assert alarms <= 10


def test_a_slower_metric_beside_noisy_ones_is_found():
    """One of eight counters is 11.6 % more at 1 % noise, in three runs of each."""
    rng = np.random.default_rng(10)
    found = 0
    for _ in range(200):
        noise = np.exp(rng.uniform(np.log(0.005), np.log(0.1), (8, 1)))
        noise[0] = 0.01
        before, after = np.exp(noise * rng.standard_normal((2, 8, 3)))
        after[0] *= 1.116
        found += compared(before.tolist(), after.tolist())[0]["p_value"] < 0.05
    assert found >= 172


def test_a_slower_function_among_many_is_found():
    found = 0
    for before, after in pairs(NOISES[0], seed=6, count=20, metrics=50, repetitions=5):
        after[7] = [1.25 * value for value in after[7]]
        slower = [i for i, one in enumerate(compared(before, after)) if one["p_value"] < 0.05]
        found += slower == [7]
    assert found >= 17


def test_processes_that_repeat_their_work_are_told_apart_by_the_noise_between_them():
    alarms = found = 0
    for before, after in processes(seed=8, count=60, metrics=8, runs=5):
        lead = [True, *[False] * 7]
        alarms += any(one["p_value"] < 0.05 for one in compared(before, after, leading=lead))
        after[0] = [1.1 * value for value in after[0]]
        found += compared(before, after, leading=lead)[0]["p_value"] < 0.05
    assert alarms <= 5
    assert found >= 48


def test_runs_that_would_settle_a_difference_are_those_of_a_power_calculation():
    # Cohen: 2 (1.96 + 0.84)^2 (deviation / difference)^2 runs of each, and about one more for t.
    def more(gap, deviation=0.05, runs=5):
        one = np.full((2, 1), deviation**2 / runs)
        counts = np.full((2, 1), runs)
        return more_runs(
            np.array([gap]), one, counts, np.array([2.0 * runs - 2]), np.array([0.05])
        )[0]

    assert 15 <= 5 + more(0.05) <= 18
    assert 63 <= 5 + more(0.025) <= 68
    assert more(0.2) == 1
    assert np.isnan(more(0.001)) and np.isnan(more(0.0))


def within_runs(known, *, variance=None, freedom=None, noise=None):
    """Return what the runs of both sides say of the noise of their own values."""
    of_value = {"before": known, "after": known}
    repeated = {"variance_before": variance, "variance_after": variance}
    return {**of_value, **repeated, "freedom": freedom, "noise": noise}


def test_repetitions_within_single_runs_show_their_noise_where_nothing_else_does():
    within = [within_runs(0.0001, variance=0.001, freedom=9.0, noise="repetitions")]
    (one,) = compared([[10.0]], [[20.0]], within=within)
    assert one["noise"] == "repetitions"
    assert one["p_value"] < 0.001
    assert one["low"] < 2 < one["high"]
    (one,) = compared([[10.0]], [[10.02]], within=within)
    assert one["p_value"] > 0.05
    history = [[[10.0, 12.0, 9.0, 11.0, 10.5, 9.5, 11.5]]] * 2
    (one,) = compared([[10.0]], [[20.0]], within=within, histories=history)
    assert one["noise"] == "history"


def test_counts_of_a_deterministic_tool_are_near_exact():
    within = [within_runs(None, variance=(1e6 * 1e-3) ** 2, noise="counts")]
    (one,) = compared([[1e6]], [[1.01e6]], within=within, counted=True)
    assert (one["noise"], one["p_value"] < 1e-6) == ("counts", True)
    (one,) = compared([[1e6]], [[1.0005e6]], within=within, counted=True)
    assert one["p_value"] > 0.05


def test_counts_of_many_times_as_much_are_near_exact_too():
    within = [
        {
            **within_runs(None, noise="counts"),
            "variance_before": 440.0**2,
            "variance_after": 14500.0**2,
        }
    ]
    (one,) = compared([[44e3]], [[1.45e6]], within=within, counted=True)
    assert 0.9 < one["low"] / one["ratio"] < 1 < one["high"] / one["ratio"] < 1.1


def test_sampled_values_are_never_surer_than_their_samples():
    # 20 samples of 10 ms each, in all runs: without their counting error there is no noise.
    before, after = [[0.2, 0.2, 0.2]], [[0.21, 0.21, 0.21]]
    (sure,) = compared(before, after)
    assert sure["p_value"] < 0.05
    within = [within_runs(0.01**2 * 21)]
    (one,) = compared(before, after, within=within)
    assert one["p_value"] > 0.05
    assert one["low"] < 1 < one["high"]


def test_a_function_that_was_not_sampled_may_have_run():
    # One sample in each of three runs against none.
    within = [within_runs(0.01**2 * 2.25)]
    (one,) = compared([[0.0, 0.0, 0.0]], [[0.01, 0.01, 0.01]], within=within)
    assert one["p_value"] > 0.05
    within = [within_runs(0.01**2 * 60)]
    (one,) = compared([[0.0, 0.0, 0.0]], [[0.6, 0.62, 0.58]], within=within)
    assert one["p_value"] < 0.05


def test_what_samples_alone_tell_is_as_sure_as_they_are_many():
    # 37 against 98 samples in each of four runs, as scattered as samples are.
    before, after = [[37.0, 42.0, 33.0, 36.0]], [[92.0, 101.0, 95.0, 104.0]]
    within = [{**within_runs(None), "before": 37.0, "after": 98.0}]
    (one,) = compared(before, after, within=within)
    assert one["p_value"] < 1e-3
    assert 1.8 < one["low"] < 2.64 < one["high"] < 3.6


def test_equal_sides_that_are_sampled_rarely_differ():
    rng = np.random.default_rng(7)
    alarms = 0
    for _ in range(400):
        counts = rng.poisson(40, 6).astype(float)
        within = [{**within_runs(None), "before": counts[:3].mean(), "after": counts[3:].mean()}]
        (one,) = compared([counts[:3].tolist()], [counts[3:].tolist()], within=within)
        alarms += one["p_value"] < 0.05
    assert alarms <= 26


def noisy(n, runs, drift=0.0, step=0.0):
    """Return n pairs of sides with 1 % noise, and a drift over both in units of it."""
    random = np.random.default_rng(n + runs)
    values = random.normal(0, 0.01, (n, 2 * runs)) + 0.01 * drift * np.arange(2 * runs) / (2 * runs)
    values = 10 * np.exp(values)
    return values[:, :runs].tolist(), (values[:, runs:] * (1 + step)).tolist()


def certain(sides, order):
    """Return the share of pairs that differ for certain, and of those that a drift may be."""
    found = [
        compared([before], [after], order=order)[0] for before, after in zip(*sides, strict=True)
    ]
    shares = (one["p_value"] < 0.05 for one in found), (one["noise"] == "drift" for one in found)
    return [sum(share) / len(found) for share in shares]


@pytest.mark.parametrize(("runs", "drift"), [(10, 10.0), (20, 10.0), (20, 5.0)])
def test_a_drift_of_the_machine_is_no_change(runs, drift):
    sides = noisy(200, runs, drift)
    share, drifts = certain(sides, 1)
    assert share < 0.07 and drifts > 0.8
    # the same values by turns, or in an order that is not known
    share, drifts = certain(sides, 0)
    assert share > 0.9 and drifts == 0
    # the other way round
    share, _ = certain(sides[::-1], -1)
    assert share < 0.07


@pytest.mark.parametrize("runs", [5, 10])
def test_a_drift_too_small_to_be_told_from_noise_is_no_change(runs):
    assert certain(noisy(200, runs, drift=3.0), 1)[0] < 0.07


def test_a_machine_that_goes_up_and_down_is_no_change():
    before, after = np.array(noisy(200, 10))
    phases = np.random.default_rng(1).random((200, 1))
    waves = np.exp(0.03 * np.sin(2 * np.pi * (np.arange(20) / 30 + phases)))
    sides = (before * waves[:, :10]).tolist(), (after * waves[:, 10:]).tolist()
    assert certain(sides, 1)[0] < 0.1


def test_a_step_without_a_drift_is_a_change():
    assert certain(noisy(200, 10, step=0.03), 1)[0] > 0.7
    assert certain(noisy(200, 10), 1)[0] < 0.05
