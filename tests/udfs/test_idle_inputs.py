"""Inputs of idle intervals: the first hop of each, the input produced last, hops over time."""

from __future__ import annotations

import random

import numpy as np
import pytest

from udfs.idle_inputs import Hops, Inputs, Maybe


def ints(*values):
    return np.array(values, np.int64)


def maybe(*values):
    return Maybe(
        np.array([0 if v is None else v for v in values], np.int64),
        np.array([v is not None for v in values], bool),
    )


def inputs(rows):
    """Return inputs from rows of (n, i, d, c, from_x, t_send, t_recv)."""
    n, i, d, c, from_x, t_send, t_recv = zip(*rows, strict=True)
    no = np.zeros(len(rows), bool)
    open_columns = [maybe(*column) for column in (d, c, from_x, t_send, t_recv)]
    return Inputs(ints(*n), ints(*i), *open_columns, far=~no, onward=no)


def listed(maybe):
    return [int(v) if k else None for v, k in zip(maybe.values, maybe.known, strict=True)]


def hops(rows):
    """Return hops from rows of (i, start, t_recv)."""
    i, start, t_recv = zip(*rows, strict=True)
    return Hops(ints(*i), maybe(*start), ints(*t_recv))


def test_of_several_hops_the_earliest_counts():
    some = inputs(
        [
            (7, 0, 1, 0, 2, 5, 9),
            (7, 0, 1, 0, 2, 6, 8),
            (8, 0, 2, 0, 3, 5, 9),
            (8, 0, 2, 0, 1, 5, 9),
            (9, 0, 3, 0, 3, None, 9),
            (9, 0, 3, 0, None, 9, 9),
            (10, 0, 4, 0, None, None, None),
        ]
    )
    assert listed(some.by_first_hop().from_x) == [2, 1, None, None]
    assert listed(some.by_first_hop().t_send) == [6, 5, 9, None]


def test_inputs_with_one_hop_each_are_left_as_they_are():
    some = inputs([(1, 0, 1, 0, None, 1, 2), (2, 0, 2, 0, None, None, None)])
    assert some.by_first_hop() is some


def test_the_input_produced_last_and_its_ties():
    some = inputs(
        [
            (1, 0, 11, 5, None, None, None),
            (2, 0, 12, 7, None, None, None),
            (3, 1, 13, -(2**63), None, None, None),
            (4, 2, 14, None, None, None, None),
            (5, 3, 15, 4, None, None, None),
            (6, 3, 16, 4, None, None, None),
        ]
    )
    last = some.last(5, some.hops(), Hops.none())
    assert last.d[:3].tolist() == [12, 13, -1]
    assert listed(last.c) == [7, -(2**63), None, 4, None]
    assert last.d[4] == -1
    i, d = last.ties
    assert sorted(zip(i.tolist(), d.tolist(), strict=True)) == [(3, 15), (3, 16)]


def test_arrivals_missing_transfers_and_negative_ones():
    some = inputs(
        [
            (1, 0, 1, 5, 1, 6, 8),
            (2, 0, 2, 5, 1, 9, 7),
            (3, 1, 3, None, 1, None, 4),
            (4, 2, 4, 5, None, None, None),
        ]
    )
    last = some.last(4, some.hops(), hops([(2, 9, 8)]))
    assert listed(last.t_arrival) == [8, 4, None, None]
    assert last.is_missing.tolist() == [False, False, True, False]
    assert last.is_negative.tolist() == [True, False, True, False]


def test_a_hop_begins_when_its_datum_is_produced_and_sent():
    some = Hops.of(
        ints(0, 0, 0, 0), maybe(5, 5, None, None), maybe(3, None, 3, None), ints(*[9] * 4)
    )
    assert listed(some.start) == [5, 5, 3, None]


@pytest.mark.parametrize("seed", range(10))
def test_hops_are_cut_to_their_intervals(seed):
    rng = random.Random(seed)
    w = np.array([rng.randrange(3) for _ in range(6)])
    low = np.array([rng.randrange(20) for _ in range(6)])
    high = low + 5
    rows = [
        (rng.randrange(6), rng.choice([None, rng.randrange(20)]), rng.randrange(25))
        for _ in range(30)
    ]
    expected = [
        (w[i], max(start, low[i]), min(t_recv, high[i]))
        for i, start, t_recv in rows
        if start is not None and max(start, low[i]) < min(t_recv, high[i])
    ]
    found = hops(rows).within(w, low, high)
    assert sorted(zip(*found, strict=True)) == sorted(expected)
    assert [row[:2] for row in zip(*found, strict=True)] == sorted(row[:2] for row in expected)
