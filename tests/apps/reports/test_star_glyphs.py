"""Star glyphs: the length of rays, what tells stars apart, and `pwh diagnose --glyphs`."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest

from apps.queries.base import ask
from apps.reports.star_glyphs import corners, read_stars, scale_sentence, stars, stars_svg
from tests.helpers.support import given
from warehouse.errors import NothingToAnalyse

# Rank 1 misses ten times as often as rank 0; IPC is the same, and rank 2 misses never.
COUNTERS = """
    rank  sample  event             value
    0     0       cycles            1000
    0     0       instructions      500
    0     0       LLC-load-misses   1
    1     0       cycles            1000
    1     0       instructions      500
    1     0       LLC-load-misses   10
    2     0       cycles            1000
    2     0       instructions      500
    2     0       LLC-load-misses   0
"""


def counters(warehouse, text=COUNTERS):
    given(warehouse, "runs", "run_id app version\nr1 stencil 2.0")
    given(warehouse, "pmu_samples", text)


def test_a_ray_is_the_logarithm_over_the_smallest_value_of_the_set(warehouse):
    counters(warehouse)
    by, drawn = read_stars(warehouse, ["r1"])
    assert (by, drawn.metrics, drawn.decades) == ("rank", ("IPC", "MEMAPC"), 1.0)
    assert [(star.label, star.kind, star.rays) for star in drawn.stars] == [
        ("rank 0", "Unknown", (0.15, 0.15)),
        ("rank 1", "Mem", (0.15, 1.0)),
        ("rank 2", "Unknown", (0.15, 0.0)),
    ]


def star_row(label, **values):
    place = {"run_id": label, "version": None, "rank": None, "thread": None, "region": None}
    measured = {"metrics": list(values), "names": list(values), "values": list(values.values())}
    return place | {"sample": None, "class": "Mem", "samples": 1, "places": 2} | measured


def test_a_metric_that_was_not_measured_has_no_ray():
    drawn = stars([star_row("a", x=1.0, y=None), star_row("b", x=100.0, y=2.0)])
    assert [star.rays for star in drawn.stars] == [(0.15, None), (1.0, 0.15)]
    assert stars_svg(drawn, "t").count('stroke="#aaa"') == 2 + 1 + 2


def test_small_differences_are_not_stretched_to_the_whole_circle():
    drawn = stars([star_row("a", x=1.0), star_row("b", x=1.01)])
    assert drawn.decades == 0.5
    assert drawn.stars[1].rays[0] == pytest.approx(0.15, abs=0.01)


def test_the_first_ray_points_up_and_the_others_follow_clockwise():
    found = corners([1.0, 0.5, 1.0, None])
    assert [(round(x, 9), round(y, 9)) for x, y in found] == [(0, 1), (0.5, 0), (0, -1), (0, 0)]


def test_of_many_places_some_are_drawn_evenly_and_that_is_stated(warehouse):
    lines = [
        f"{rank} 0 {event} {value}"
        for rank in range(10)
        for event, value in (("cycles", 100), ("instructions", 50 + rank))
    ]
    counters(warehouse, "\n".join(["rank sample event value", *lines]))
    found = ask(warehouse, "bottlenecks/glyphs", runs=["r1"], by="rank", most=5)
    assert [row[4] for row in found.fetchall()] == [1, 3, 5, 7, 9]
    drawn = stars([star_row("a", x=1.0)])
    assert "1 of 2 are drawn" in scale_sentence(drawn)


def test_versions_label_runs_where_they_differ(warehouse):
    given(warehouse, "runs", "run_id app version\nr1 a 1.0\nr2 a 1.1")
    for run in ("r1", "r2"):
        given(warehouse, "pmu_samples", COUNTERS, run_id=run)
    by, drawn = read_stars(warehouse, ["r1", "r2"])
    assert (by, [star.label for star in drawn.stars]) == ("run", ["version 1.0", "version 1.1"])


def test_names_from_traces_are_text_in_the_picture(warehouse):
    counters(
        warehouse,
        """
        region          event         value
        <script>&amp;   cycles        1000
        <script>&amp;   instructions  500
        other           cycles        1000
        other           instructions  900
        """,
    )
    _, drawn = read_stars(warehouse, ["r1"], "region")
    texts = [element.text for element in ET.fromstring(stars_svg(drawn, "a & b")).iter()]
    assert {"a & b", "<script>&amp;", "other"} <= set(texts)


def test_without_cycles_there_is_no_star(warehouse):
    counters(warehouse, "rank sample event value\n0 0 instructions 5")
    with pytest.raises(NothingToAnalyse, match="no stars to draw"):
        read_stars(warehouse, ["r1"])


@pytest.fixture
def pwh(run, tmp_path):
    lines = [line.split() for line in COUNTERS.strip().splitlines()]
    (tmp_path / "c.csv").write_text("".join(",".join(line) + "\n" for line in lines))
    code, _, err = run("ingest", "c.csv", "--run", "r1", "--app", "stencil")
    assert code == 0, err
    return run


def test_the_command_draws_a_picture_and_prints_its_report(pwh, tmp_path):
    code, out, err = pwh("diagnose", "r1", "--glyphs", "stars.svg")
    assert (code, err) == (0, "pwh: stars.svg: 3 stars, one per rank\n")
    assert out.startswith("Run r1\n")
    root = ET.fromstring((tmp_path / "stars.svg").read_text())
    assert len(root.findall("{*}g")) == 3


def test_only_svg_is_drawn(pwh):
    code, _, err = pwh("diagnose", "r1", "--glyphs", "stars.gif")
    assert code == 2
    assert "--glyphs stars.gif: the kind of picture is unknown" in err
    assert "End its name in .svg." in err
