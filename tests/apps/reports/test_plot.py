"""Charts of rows as SVG: axes of numbers, times and names; nothing of the rows is markup."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

import pytest

from apps.reports.plot import Mark, as_file, plot, series_plot

NAMES = ("x", "y")


def texts(svg):
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def numbers(svg, pattern):
    return [float(one) for one in re.findall(pattern, svg)]


def test_a_line_goes_up_where_values_do_and_in_the_order_of_x():
    svg = plot("Line", [(3, 30.0, None), (1, 10.0, None), (2, 20.0, None)], NAMES, zero=False)
    (points,) = re.findall(r'<polyline points="([^"]+)"', svg)
    places = [tuple(map(float, one.split(","))) for one in points.split()]
    assert places == sorted(places)
    assert [up for _, up in places] == sorted((up for _, up in places), reverse=True)
    assert {"10", "15", "20", "25", "30"} <= set(texts(svg))


def test_bars_begin_at_0_and_are_stacked():
    svg = plot("Bars", [("a", 1, "u"), ("a", 2, "v"), ("b", 4, "u")], NAMES)
    heights = numbers(svg, r'<rect x="[^"]+" y="[^"]+" width="[^"]+" height="([^"]+)" fill="#')
    one, two, four = heights[-3:]
    assert two == pytest.approx(2 * one, abs=0.5) and four == pytest.approx(4 * one, abs=0.5)
    assert texts(svg).count("a") == 1 and "0" in texts(svg)
    assert "u</span>" in svg and "v</span>" in svg


def test_bars_lie_where_only_x_has_sizes_and_are_read_from_the_top():
    svg = plot("Bars", [(2, "first", None), (1, "second", None)], NAMES)
    assert [one for one in texts(svg) if one in ("first", "second")] == ["second", "first"]
    upper, lower = numbers(svg, r'<rect x="[^"]+" y="([^"]+)"')
    assert upper < lower


@pytest.mark.parametrize(
    ("at", "labels"),
    [
        ([date(2026, 1, 1), date(2026, 3, 1)], {"2026-01-15"}),
        ([datetime(2026, 1, 1, 6, tzinfo=UTC), datetime(2026, 1, 1, 18)], {"01-01 12:00"}),
    ],
)
def test_times_are_an_axis(at, labels):
    svg = plot("Points", [(one, 1.0, None) for one in at], NAMES)
    assert labels <= set(texts(svg))


@pytest.mark.parametrize("kind", ["Line", "Bars", "Points"])
@pytest.mark.parametrize(
    "rows",
    [
        [],
        [(None, None, None)],
        [(1, float("nan"), None), (2, float("inf"), None)],
        [(1, 5, None), (1, 5, None)],
        [(True, [1, 2], {"a": 1})],
        [(10**30, -1e300, None), (0, 1e300, None)],
        [(1, 1e-12, None), (2, 3e-12, None)],
    ],
)
def test_whatever_the_rows_are_there_is_a_picture(kind, rows):
    svg = plot(kind, rows, NAMES)
    assert svg.endswith("</svg>") and "nan" not in svg


def test_names_of_rows_are_text():
    svg = plot("Points", [("<b>", 1, '"><script>')], ("<i>", "&"), [Mark("<b>", "<u>", "#fff")])
    assert not re.search(r"<(?:b|i|u|script)>", svg)


def test_many_colours_have_no_legend():
    svg = plot("Points", [(i, i, str(i)) for i in range(40)], NAMES)
    assert 'class="key"' not in svg


def test_a_series_has_its_unit_a_prefix_and_the_run_that_is_marked():
    points = [
        {"started_at": datetime(2026, 1, day, tzinfo=UTC), "value": value, "version": None}
        | {"run_id": f"<r{day}>"}
        for day, value in ((1, 0.002), (2, None), (3, 0.004))
    ]
    svg = series_plot(points, "wall time", "s", [Mark(points[2]["started_at"], "this run", "red")])
    assert "wall time (ms)" in texts(svg) and "this run" in texts(svg)
    assert svg.count("<circle") == 2 and "&lt;r1&gt;" in svg
    assert as_file(svg).startswith('<svg xmlns="http://www.w3.org/2000/svg" width="720" viewBox')
