"""Sparklines: each value where it belongs, and the change between its two sides."""

import re
from math import nan
from urllib.parse import unquote

import pytest

from apps.reports.sparklines import sparkline


def drawn(address):
    picture = unquote(address.removeprefix("data:image/svg+xml,"))
    points = re.search(r'points="([^"]*)"', picture)[1].split()
    mark = re.search(r'd="M([\d.]+) ', picture)
    return [tuple(map(float, p.split(","))) for p in points], mark and float(mark[1])


def test_a_line_goes_straight_from_value_to_value_and_the_change_stands_before_its_first():
    points, mark = drawn(sparkline([1.0, 1.0, 3.0, 3.0], 3))
    assert points == [(3.0, 23.0), (41.0, 23.0), (79.0, 3.0), (117.0, 3.0)]
    assert points[1][0] < mark < points[2][0]


def test_what_is_unknown_is_left_out_but_keeps_its_place():
    points, mark = drawn(sparkline([1.0, None, nan, 2.0], None))
    assert points == [(3.0, 23.0), (117.0, 3.0)] and mark is None


@pytest.mark.parametrize("values", [[], [1.0], [None, 1.0]])
def test_one_value_is_no_history(values):
    assert sparkline(values, None) is None
