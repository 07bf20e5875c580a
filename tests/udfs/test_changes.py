"""Change points of series: found at the right place, and none in noise."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.bench.change_cases import (
    NULLS,
    ar1,
    drift,
    gauss,
    level_and_noise,
    log_normal,
    steps,
)
from tests.helpers.support import rows
from udfs.changes import (
    detect_changes,
    series_findings,
)
from udfs.changes.noise import estimate_noise, noise_scale
from udfs.changes.outliers import clip_outliers
from udfs.changes.scan import seeded_intervals

CALM = [10.0, 10.1, 9.9, 10.0, 10.2, 9.8, 10.0, 10.1, 9.9, 10.0]
SLOW = [value + 2 for value in CALM]


def found(*series):
    """Return the changes of each series."""
    return detect_changes(pa.array(series, pa.list_(pa.float64()))).to_pylist()


def findings(*series, significance=0.002):
    """Return all that is found in each series."""
    lists = pa.array(series, pa.list_(pa.float64()))
    points = pa.nulls(len(series), pa.list_(pa.string()))
    alpha = pa.array([significance] * len(series))
    return series_findings(lists, alpha, points, points).to_pylist()


def parts(name, *series, significance=0.002):
    """Return one part of what is found in each series."""
    return [one[name] for one in findings(*series, significance=significance)]


def places(*series):
    """Return only the indices of the changes of each series."""
    return [[change["index"] for change in changes] for changes in found(*series)]


def test_a_step_is_found_through_sql(warehouse):
    sql = f"SELECT unnest(detect_changes({CALM + SLOW}), recursive := true)"
    ((index, before, after, p_value, *_),) = rows(warehouse, sql)
    assert (index, before, after) == (10, pytest.approx(10, 1e-3), pytest.approx(12, 1e-3))
    assert 0 < p_value < 1e-4


def test_what_is_no_lasting_change_is_asked_for_alone(warehouse):
    values = [*CALM, 30.0, 31.0, *CALM, 20.0, 20.1, 19.9]
    sql = f"""
        SELECT
          detect_provisional(v) = found.provisional, detect_disturbances(v) = found.disturbances,
          len(found.provisional), len(found.disturbances), detect_disturbances(NULL)
        FROM (
          SELECT v, series_findings(v, .002, [NULL for x in v], [NULL for x in v]) AS found
          FROM (SELECT {values} AS v)
        )
    """
    assert rows(warehouse, sql) == [(True, True, 1, 1, None)]


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
    counts = [sum(map(len, parts("changes", *series, significance=p))) for p in (1e-6, 0.002, 0.05)]
    assert counts == sorted(counts) and counts[0] < counts[1] < counts[2]
    assert parts("changes", *series, significance=0.0) == [[]] * 100


def test_a_change_does_not_depend_on_the_significance_asked():
    rng = np.random.default_rng(8)
    series = [
        *(gauss(rng, 40, 80) + steps((30, 1.5), (55, 1))(80)),
        *(ar1(0.5)(rng, 40, 80) + steps((40, 2))(80)),
        *(gauss(rng, 10, 80) + drift(4)(80) + steps((40, 4))(80)),
    ]
    loosest = parts("changes", *series, significance=0.1)
    for p in (1e-9, 1e-4, 0.002, 0.05):
        stricter = parts("changes", *series, significance=p)
        assert [[(c["index"], c["p_value"]) for c in row] for row in stricter] == [
            [(c["index"], c["p_value"]) for c in row if c["p_value"] <= p] for row in loosest
        ]


def wild(rng, series, first, count, factor):
    """Put a burst of bad points into series in place."""
    series[:, first : first + count] *= 1 + (factor - 1) * rng.uniform(
        0.6, 1.4, (len(series), count)
    )


@pytest.mark.parametrize("factor", [1.3, 5])
@pytest.mark.parametrize(("first", "count"), [(0, 3), (0, 4), (0, 8), (10, 3), (10, 7), (10, 8)])
def test_a_burst_does_not_hide_a_step(first, count, factor):
    rng = np.random.default_rng(count)
    series = 100 + gauss(rng, 40, 70)
    series[:, 35:] *= 1.1
    wild(rng, series, first, count, factor)
    hits = [any(abs(at - 35) <= 2 for at in changes) for changes in places(*series)]
    assert sum(hits) >= 37


def test_bursts_are_found_with_their_ends_and_are_no_changes():
    series = 100 + gauss(np.random.default_rng(3), 1, 60)[0]
    series[:3], series[30:36], series[45], series[57:] = 150, 40, 300, 200
    (found_here,) = parts("disturbances", series)
    assert [(b["first"], b["last"], b["disturbed"]) for b in found_here] == [
        (0, 2, 150),
        (30, 35, 40),
    ]
    assert all(abs(b["usual"] - 100) < 2 for b in found_here)
    assert places(series) == [[]]


def test_a_change_over_a_few_points_is_no_burst():
    series = 100 + gauss(np.random.default_rng(3), 20, 43)
    series[:, 20:23] += [20, 40, 60]
    series[:, 23:] += 80
    assert parts("disturbances", *series) == [[]] * 20
    assert all(len(changes) == 1 and 20 <= changes[0] <= 23 for changes in places(*series))


def test_two_levels_that_alternate_are_no_changes():
    rng = np.random.default_rng(4)
    one = np.where(rng.random((100, 100)) < 0.3, 108, 100) + 0.5 * gauss(rng, 100, 100)
    assert sum(map(bool, places(*one))) <= 1
    (modes,) = {tuple(f["modes"]) for f in findings(*one)}
    assert modes == ("low", "high", "high_share")
    (first, *_) = findings(*one)
    assert first["state"] == "alternating"
    assert (round(first["modes"]["low"]), round(first["modes"]["high"])) == (100, 108)
    assert abs(first["modes"]["high_share"] - 0.3) < 0.1


def test_few_points_of_one_level_are_not_two_that_alternate():
    rng = np.random.default_rng(12)
    for noise, points in ((gauss, 12), (log_normal(0.5), 14), (log_normal(0.5), 20)):
        found_modes = [f["modes"] is not None for f in findings(*noise(rng, 1000, points))]
        assert np.mean(found_modes) < 0.01


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_young_level_is_provisional_and_confirmed_by_as_many_runs_as_predicted(count):
    rng = np.random.default_rng(count)
    series = 100 + gauss(rng, 50, 50 + 5 - count)
    series[:, 50 - count :] += 10
    early = parts("provisional", *series[:, :50])
    assert [row[-1]["index"] for row in early] == [50 - count] * 50
    assert {row[-1]["more_runs"] for row in early} == {5 - count}
    assert places(*series[:, :50]) == [[]] * 50
    assert places(*series) == [[50 - count]] * 50


@pytest.mark.parametrize("count", [2, 3, 4])
def test_a_young_level_of_a_short_series_is_not_told_too_late(count):
    series = 100 + gauss(np.random.default_rng(count), 200, 12)
    series[:, 12 - count :] += 12
    early = parts("provisional", *series)
    placed = [row[-1]["index"] == 12 - count for row in early if row]
    assert len(placed) > 150
    assert np.mean(placed) > 0.9


def test_no_more_runs_are_predicted_than_a_level_needs():
    """Of 16 and more that were predicted, 76 for example, half the levels needed up to 8."""
    series = 100 + 2 * gauss(np.random.default_rng(11), 120, 40)
    series[:, 12:] += 8
    predicted, needed = [], []
    early = [parts("provisional", *series[:, : 12 + age]) for age in range(2, 9)]
    sure = [found(*series[:, : 12 + age]) for age in range(2, 29)]
    for row in range(len(series)):
        certain = [age for age, of in enumerate(sure) if of[row]]
        for age, levels in enumerate(early):
            if certain and levels[row] and age < certain[0]:
                predicted.append(levels[row][-1]["more_runs"])
                needed.append(certain[0] - age)
    assert 5 < max(predicted) <= 20
    assert 0.6 < np.mean(np.array(needed) <= predicted) < 0.95


def test_an_uncertain_level_at_the_end_is_provisional():
    series = 100 + gauss(np.random.default_rng(1), 200, 60) + steps((45, 1.2))(60)
    sure, early = found(*series), parts("provisional", *series)
    assert not any(a and b for a, b in zip(sure, early, strict=True))
    (level, *_) = (level for row in early for level in row)
    assert 0.002 < level["p_value"] <= 0.1 and level["before"] < level["after"]
    assert sum(map(bool, sure)) + sum(map(bool, early)) >= 1.3 * sum(map(bool, sure))


def test_a_young_step_of_alternating_levels_is_no_larger_than_it_must_be():
    rng = np.random.default_rng(3)
    usual = np.where(rng.random(37) < 0.5, 100.0, 108) * (1 + rng.normal(0, 0.003, 37))
    upper = 108 * (1 + rng.normal(0, 0.003, 3))
    series = [[*usual, *(1.09 * upper)], [*usual, *upper], [*usual, *(0.8 * upper)]]
    slower, alike, faster = parts("provisional", *series)
    ((up,), (down,)) = slower, faster
    assert up["after"] / up["before"] == pytest.approx(1.09, abs=0.01)
    # as if they were of the lower level, 14 % less; of the upper one 20 %
    assert down["after"] / down["before"] == pytest.approx(0.864, abs=0.01)
    assert alike == []


def test_noise_is_rarely_provisional():
    rng = np.random.default_rng(2)
    for noise in (gauss, ar1(0.5), log_normal(0.5)):
        early = parts("provisional", *(100 + noise(rng, 200, 60)))
        assert sum(map(bool, early)) <= 20


def test_a_short_series_has_early_word_but_no_change():
    short = [10, 10.1, 9.9, 10, 10.1, 15, 15.1]
    ((level,),) = parts("provisional", short)
    assert (level["index"], level["more_runs"]) == (5, 3)
    assert level["before"] == pytest.approx(10, abs=0.1)
    assert [f["state"] for f in findings(short, [1.0], [])] == ["short"] * 3
    assert parts("provisional", [1.0, 2.0, 9.0, 9.0]) == [[]]


@pytest.mark.parametrize("half", [5, 8, 12])
def test_a_clean_jump_is_found_in_few_points(half):
    series = 100 + gauss(np.random.default_rng(3), 100, 2 * half) + steps((half, 30))(2 * half)
    assert places(*series).count([half]) >= 97


def test_a_steep_drift_is_called_one():
    series = 10 + 0.1 * gauss(np.random.default_rng(3), 50, 40) + drift(4)(40)
    assert [(f["state"], f["changes"], round(f["drift"])) for f in findings(*series)] == [
        ("drifting", [], 4)
    ] * 50
    walks = np.cumsum(gauss(np.random.default_rng(4), 100, 100), axis=1)
    assert sum(f["drift"] is not None for f in findings(*walks)) < 50


def test_the_smallest_change_is_found_in_four_of_five_series():
    rng = np.random.default_rng(7)
    for noise, points in ((gauss, 40), (ar1(0.4), 100)):
        quiet = 100 + noise(rng, 300, points)
        smallest = np.median([f["smallest_change"] for f in findings(*quiet)])
        series = quiet + steps((points // 2, smallest))(points)
        assert 0.5 < np.mean([bool(f) for f in found(*series)]) < 0.95


def test_a_series_states_how_far_it_can_be_trusted():
    rng = np.random.default_rng(1)
    disturbed = 100 + gauss(rng, 1, 40)[0]
    for first in (4, 14, 24):
        disturbed[first : first + 4] *= first
    walk = 1000 + np.cumsum(gauss(np.random.default_rng(15), 1, 200)[0])
    series = [disturbed, 10 + 3 * gauss(rng, 1, 40)[0], 100 + gauss(rng, 1, 40)[0] + drift(9)(40)]
    assert [f["state"] for f in findings(*series, walk, CALM * 3, [7.0] * 20)] == [
        "disturbed",
        "noisy",
        "drifting",
        "wandering",
        "steady",
        "steady",
    ]
    assert findings([7.0] * 20)[0]["smallest_change"] == 0
    # of few the noise is not known yet
    assert findings([7.0, 7.5, 6.5, 7.1, 7.9, 6.0])[0]["smallest_change"] is None


@pytest.mark.parametrize(
    "awkward", [[], [None], [float("nan")] * 20, [0.0] * 30, [1e308, -1e308] * 10, [5e-324] * 12]
)
def test_awkward_series_have_no_findings(awkward):
    (said,) = findings(awkward)
    assert (said["changes"], said["provisional"], said["disturbances"]) == ([], [], [])


@pytest.mark.parametrize("case", NULLS, ids=lambda case: case.name)
def test_noise_causes_no_false_alarms(case):
    assert sum(map(bool, places(*case.series(seed=7, count=200)))) <= 2


def test_steps_in_noise_are_found_in_place():
    rng = np.random.default_rng(9)
    for noise, size, least in ((gauss, 1, 90), (gauss, 2, 190), (ar1(0.5), 2, 150)):
        series = steps((100, size))(200) + noise(rng, 200, 200)
        hits = [any(abs(at - 100) <= 5 for at in changes) for changes in places(*series)]
        assert sum(hits) >= least


def test_a_steady_drift_is_no_change_but_a_step_on_top_of_it_is():
    noise = gauss(np.random.default_rng(5), 50, 200)
    assert sum(map(bool, places(*(noise + drift(12)(200))))) <= 2
    with_step = places(*(noise + drift(12)(200) + steps((120, 8))(200)))
    assert sum(any(abs(at - 120) <= 2 for at in changes) for changes in with_step) >= 45


@pytest.mark.parametrize(("slope", "size", "at"), [(35, 10, 48), (10, 30, 30), (-35, 30, 15)])
def test_a_step_in_a_drift_is_the_only_change_and_as_large_as_it_is(slope, size, at):
    level = 100 + drift(slope)(60) + steps((at, size))(60)
    series = level + gauss(np.random.default_rng(8), 50, 60)
    changes = found(*series)
    assert sum([c["index"] for c in one] == [at] for one in changes) >= 46
    sizes = [one[0]["after"] - one[0]["before"] for one in changes]
    assert np.median(sizes) == pytest.approx(size, abs=1)


@pytest.mark.parametrize(("points", "quiet"), [(200, 0.2), (200, 0), (60, 0.01), (30, 0)])
def test_a_change_of_variance_is_no_change_of_level(points, quiet):
    noise = gauss(np.random.default_rng(6), 200, points)
    noise[:, : points // 2] *= quiet
    assert sum(map(bool, places(*noise))) <= 4


@pytest.mark.parametrize(("length", "size"), [(8, 1.3), (9, 1.1), (10, 2)])
def test_steps_of_short_levels_are_all_found(length, size):
    noise = np.exp(gauss(np.random.default_rng(8), 20, 5 * length) / 100)
    stairs = noise * np.repeat(size ** np.arange(5.0), length)
    steps_at = [length * (k + 1) for k in range(4)]
    assert sum(changes == steps_at for changes in places(*stairs)) >= 18


@pytest.mark.parametrize("length", range(2, 8))
@pytest.mark.parametrize(("noise", "last"), [(0.01, 1.2), (0.003, 1.13)])
def test_a_level_that_is_too_short_hides_no_step(length, noise, last):
    draw = np.random.default_rng(10)
    stairs = np.repeat([1, 1.1, last], [20, length, 40 - length])
    found = places(*stairs * np.exp(noise * draw.standard_normal((20, 60))))
    assert sum(bool(of) and 17 <= of[0] <= 23 + length for of in found) >= 19


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
def test_autocorrelation_is_estimated_whatever_the_levels(rho):
    noise = ar1(rho)(np.random.default_rng(2), 100, 1000)
    whole = estimate_noise(noise, np.zeros(noise.shape, np.int64), noise_scale(noise)).rho
    assert abs(whole.mean() - rho) < 0.05
    stepped = noise + steps((400, 5), (700, -3))(1000)
    segment = np.repeat([[0] * 400 + [1] * 300 + [2] * 300], 100, axis=0)
    assert abs(estimate_noise(stepped, segment, noise_scale(stepped)).rho.mean() - rho) < 0.05


def test_outliers_are_clipped_and_steps_are_not():
    series = np.array([CALM + SLOW])
    assert np.allclose(clip_outliers(series, noise_scale(series))[0], series)
    series[0, [4, 5, 15]] = 1e6
    assert clip_outliers(series, noise_scale(series))[0].max() < 15


def test_skewed_noise_does_not_hide_a_step():
    series = log_normal(1)(np.random.default_rng(3), 50, 200) + steps((100, 3))(200)
    assert sum(any(abs(a - 100) <= 5 for a in changes) for changes in places(*series)) >= 45


@pytest.mark.parametrize("points", [10, 17, 40, 500])
def test_intervals_cover_a_series_and_stay_within(points):
    where = seeded_intervals(points)
    assert (where.starts[0], where.ends[0]) == (0, points)
    assert where.starts.min() == 0 and where.ends.max() == points
    assert np.exp(-where.log_tests).sum() == pytest.approx(1)


def test_random_walks_and_levels_that_come_back_are_no_changes():
    draw = np.random.default_rng(9)
    walks = 10 + 0.01 * np.cumsum(draw.standard_normal((100, 100)), axis=1)
    assert sum(map(bool, places(*walks))) <= 5
    noisy = 10 + level_and_noise(0.2)(draw, 100, 200)
    assert sum(map(bool, places(*noisy))) <= 8
    level = (np.cumsum(draw.random((100, 200)) < 1 / 15, axis=1)) % 2
    modes = 10 + level + 0.05 * draw.standard_normal(level.shape)
    assert sum(map(bool, places(*modes))) <= 5
    # there, back and there again: levels that are the same are modes, others are not
    again = 10 + 0.05 * draw.standard_normal((20, 60))
    for third, most in ((1, 1), (0.6, 60)):
        found = places(*again + steps((15, 1), (30, -1), (45, third))(60))
        assert most - 1 <= sum(map(len, found)) <= most
    # commits that were taken back and came again soon
    soon = again + steps((20, 1), (24, -1), (36, 1))(60)
    assert [len(found) for found in places(*soon)] == [1] * 20
    # once there and back is a change and its end
    back = 10 + steps((70, 1), (140, -1))(200) + 0.05 * draw.standard_normal((20, 200))
    assert places(*back) == [[70, 140]] * 20
    # a third level is none of two
    stages = 10 + steps((40, 1), (80, -0.5), (120, 1), (160, -0.5))(200)
    noisy = stages + 0.1 * draw.standard_normal((20, 200))
    assert sum(of == [40, 80, 120, 160] for of in places(*noisy)) >= 16


def test_small_steps_of_exact_values_beside_large_ones_are_found():
    sizes = np.repeat([5e7, 1.9e7, 1.4e6, 1.1e6, 1.43e6], 30)
    sizes[30] = 4.6e7
    assert places(sizes) == [[31, 60, 90, 120]]


def test_the_size_of_a_step_is_the_ratio_of_geometric_means_with_an_interval():
    draw = np.random.default_rng(4)
    series = [*np.exp(draw.normal(2, 0.01, 20)), *np.exp(draw.normal(2.1, 0.01, 20))]
    ((change,),) = found(series)
    sides = [float(np.exp(np.mean(np.log(side)))) for side in (series[:20], series[20:])]
    assert [change["before"], change["after"]] == pytest.approx(sides, rel=1e-12)
    assert change["low"] < sides[1] / sides[0] < change["high"] < 1.01 * sides[1] / sides[0]
    # what is exact is that
    ((exact,),) = found([5.0] * 20 + [6.0] * 20)
    assert (exact["before"], exact["after"]) == (5, 6)
    assert (exact["low"], exact["high"]) == pytest.approx((1.2, 1.2))


def of_points(values, points):
    """Return the changes, provisional levels and bursts of a series of such points."""
    names = pa.array([points, None], pa.list_(pa.string()))
    given = pa.array([values]), pa.array([0.002]), names[:1], names[1:]
    (found,) = series_findings(*given).to_pylist()
    kinds = ("changes", "provisional", "disturbances")
    return [
        [one.get("index", (one.get("first"), one.get("last"))) for one in found[k]] for k in kinds
    ]


def placed(values, versions):
    """Return where the only change of a series with such versions is found."""
    names = pa.array([None, versions], pa.list_(pa.string()))
    given = pa.array([list(values)]), pa.array([0.002]), names[:1], names[1:]
    (found,) = series_findings(*given).to_pylist()
    (change,) = found["changes"]
    return change["index"]


def test_a_change_that_is_certain_is_not_provisional_too():
    # the last three runs, of six that are longer, are a reading of the same change
    values = [1.097, 1.091, 1.094, 1.160, 1.103, 1.074, 10.33, 3.213, 3.157, 23.28, 15.25, 7.281]
    names = pa.array([None, ["1.0"] * 6 + ["1.1"] * 6], pa.list_(pa.string()))
    (found,) = series_findings(
        pa.array([values]), pa.array([0.002]), names[:1], names[1:]
    ).to_pylist()
    assert [change["index"] for change in found["changes"]] == [6]
    assert found["provisional"] == []


def test_a_change_is_where_a_version_begins_if_it_may_be():
    rng = np.random.default_rng(5)
    values = np.r_[np.full(20, 10.0), np.full(20, 10.8)] * np.exp(0.02 * rng.standard_normal(40))
    values[20] = 10.3  # by chance nearer to the level before
    assert placed(values, ["1"] * 40) == 21
    assert placed(values, ["1"] * 20 + ["2"] * 20) == 20
    assert placed(values, ["1"] * 22 + ["2"] * 18) == 21  # this one is on the level after for sure
    assert placed(values, [str(i) for i in range(40)]) == 21


def test_two_changes_are_not_moved_to_one_version():
    rng = np.random.default_rng(3)
    values = np.repeat([10.0, 10.9, 11.8], [20, 8, 20]) * np.exp(0.01 * rng.standard_normal(48))
    values[24:28] = values[20:24] = 11.35  # between the levels, so that either is as likely
    names = pa.array([None, ["1"] * 24 + ["2"] * 24], pa.list_(pa.string()))
    given = pa.array([values.tolist()]), pa.array([0.002]), names[:1], names[1:]
    (found,) = series_findings(*given).to_pylist()
    places = [change["index"] for change in found["changes"]]
    assert places and sorted(set(places)) == places


def test_repetitions_of_a_point_are_one():
    rng = np.random.default_rng(21)
    values = 100 + rng.standard_normal(40)
    # A commit off by 10 that is measured ten times is one point, whatever it is.
    again = np.concatenate([values[:20], 110 + rng.standard_normal(10), values[20:]]).tolist()
    commits = [*map(str, range(20)), *["x"] * 10, *map(str, range(20, 40))]
    assert of_points(again, commits) == [[], [], []]
    assert of_points(again, [None] * 50)[0] == [20, 30]
    # A change is at the first run of its commit, and a burst ends with the last of its.
    values[25:] += 10
    twice = np.repeat(values, 2)
    assert of_points(
        (twice + rng.standard_normal(80) / 9).tolist(), [str(n // 2) for n in range(80)]
    )[0] == [50]
    values[25:] -= 10
    values[20:23] += 20
    assert of_points(np.repeat(values, 2).tolist(), [str(n // 2) for n in range(80)])[2] == [
        (40, 45)
    ]
    # One outlier of three runs of each commit decides nothing; few points are runs.
    spoilt = np.repeat(100 + rng.standard_normal(30), 3)
    spoilt[60::3] += 50
    assert of_points(spoilt.tolist(), [str(n // 3) for n in range(90)])[0] == []
    few = np.concatenate([100 + rng.standard_normal(10), 110 + rng.standard_normal(10)]).tolist()
    assert of_points(few, ["a"] * 10 + ["b"] * 10)[0] == [10]


def test_a_series_that_returns_to_two_levels_by_turns_has_no_changes():
    rng = np.random.default_rng(22)
    stays = np.cumsum(rng.random((100, 200)) > 0.95, axis=1) % 2
    for gap in (3, 5, 10):
        values = 100 + gap * stays + rng.standard_normal(stays.shape)
        assert np.mean([bool(found) for found in places(*values)]) < 0.08
    assert not any(places(100.0 + 5 * np.repeat([0, 1, 0, 1, 0], (12, 9, 15, 11, 13))))
    # Of levels that differ each is a change, as is a step up and back.
    for levels in ([0, 6, 0, 12, 3, 9], [0, 10, 0], [0, 10, 40, 30, 5, 38, 28, 2]):
        values = 100 + np.repeat(levels, 40) + rng.standard_normal((20, 40 * len(levels)))
        assert all(len(found) == len(levels) - 1 for found in places(*values))
