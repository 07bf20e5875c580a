"""Sets of time on axes: union, length and subtraction against sets of single nanoseconds."""

from __future__ import annotations

import random

import numpy as np
import pytest

from udfs.timeline import Axes, Timeline, expand

AXES = 4
SPAN = 40


def points(axis, start, end):
    return {(a, t) for a, p, q in zip(axis, start, end, strict=True) for t in range(p, q)}


def intervals(rng, count):
    rows = sorted(
        (rng.randrange(AXES), p, p + rng.randint(1, 9))
        for p in (rng.randint(-SPAN, SPAN) for _ in range(count))
    )
    return (
        tuple(np.array(column, np.int64) for column in zip(*rows, strict=True))
        or (np.empty(0, np.int64),) * 3
    )


@pytest.fixture(params=["one key", "axis by axis"])
def axes(request, monkeypatch):
    if request.param == "axis by axis":
        monkeypatch.setattr(Axes, "packed", property(lambda self: False))
    return Axes(AXES, -SPAN, SPAN + 9)


@pytest.mark.parametrize("seed", range(20))
def test_union_length_and_subtraction(axes, seed):
    rng = random.Random(seed)
    some = intervals(rng, rng.choice([0, 1, 5, 20]))
    merged = Timeline.union(axes, *some)
    there = points(*some)
    assert points(merged.axis, merged.start, merged.end) == there
    assert all(
        a != b or q < p
        for a, q, b, p in zip(
            merged.axis[:-1], merged.end[:-1], merged.axis[1:], merged.start[1:], strict=True
        )
    )
    queried = intervals(rng, 12)
    sizes = merged.within(*queried)
    owner, start, end = merged.cut_out(*queried)
    for at, one in enumerate(zip(*queried, strict=True)):
        whole = points(*([x] for x in one))
        left = points([one[0]] * len(owner), *(np.where(owner == at, x, 0) for x in (start, end)))
        assert sizes[at] == len(whole & there)
        assert left == whole - there


def test_lengths_stay_exact_where_sums_pass_64_bits():
    count = 2**4
    length = 2**61
    axis = np.arange(count, dtype=np.int64)
    start, end = np.zeros(count, np.int64), np.full(count, length)
    axes = Axes.over(count, start, end)
    assert not axes.packed
    assert Timeline(axes, axis, start, end).within(axis, start, end).tolist() == [length] * count


def test_times_too_far_apart_are_rejected():
    with pytest.raises(OverflowError, match="64 bits"):
        Axes.over(1, np.array([-(2**63), 2**63 - 1]))


def test_expand_lists_the_members_of_ranges():
    owner, member = expand(np.array([5, 2, 7]), np.array([7, 2, 10]))
    assert owner.tolist() == [0, 0, 2, 2, 2]
    assert member.tolist() == [5, 6, 7, 8, 9]
