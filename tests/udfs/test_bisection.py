"""Which of many commits changed a level, by noisy values."""

from __future__ import annotations

import math
import random

import pytest

from tests.bench.bench_bisect import search
from udfs.measuring.bisection import belief, next_measurement


def measured(places, culprit, change=0.05, noise=0.01, seed=3):
    rng = random.Random(seed)
    return [rng.gauss(change if at >= culprit else 0.0, noise) for at in places]


def test_of_one_change_among_many_commits_the_right_one_is_found():
    rng = random.Random(2)
    ends = [search(rng, 32, 40, change=0.05, deviation=0.015) for _ in range(25)]
    assert sum(is_right for is_right, _, _ in ends) >= 22
    assert sum(runs for *_, runs in ends) / len(ends) < 25


def test_probabilities_add_up_and_the_first_commit_is_good():
    known = belief(9, [0, 8, 4], [0.0, 0.1, 0.1])
    assert known.at[0] == 0
    assert known.at.sum() + known.none == pytest.approx(1)
    assert known.at[1:5].sum() > known.at[5:].sum()


def test_commits_that_were_not_measured_are_not_told_apart():
    places = [0, 2] * 4 + [6, 8] * 4
    known = belief(9, places, measured(places, 5))
    assert known.not_told_apart(0.9) == [3, 4, 5, 6]
    assert known.after - known.before == pytest.approx(0.05, abs=0.02)


def test_equal_levels_are_no_change():
    places = [0, 8] * 10
    assert belief(9, places, measured(places, 9, noise=0.01)).none > 0.5
    assert belief(9, places, [1.0] * 20).none > 0.5


def test_a_disturbed_value_is_left_out():
    places = [0, 3, 5, 8] * 5
    values = measured(places, 4)
    values[4] = math.log(2)
    known = belief(9, places, values)
    assert list(known.outliers) == [4]
    assert known.not_told_apart(0.9) == [4, 5]


def test_ends_are_measured_first_and_then_what_is_not_known():
    assert next_measurement(9, [], []) == (0, 2)
    assert next_measurement(9, [0, 0], [1.0, 1.0]) == (8, 2)
    places = [0, 8] * 4
    assert 2 <= next_measurement(9, places, measured(places, 5))[0] <= 6


def test_commits_that_cannot_be_built_are_not_chosen_and_costly_ones_are_measured_more_often():
    places = [0, 8] * 4
    values = measured(places, 5, noise=0.05)
    unusable = [math.inf if at in (3, 4, 5) else 0.0 for at in range(9)]
    assert next_measurement(9, places, values, unusable)[0] not in (3, 4, 5)
    costly = [0.0 if at in (0, 8) else 30.0 for at in range(9)]
    at, often = next_measurement(9, places, values, costly)
    assert at in (0, 8) or often > 1
