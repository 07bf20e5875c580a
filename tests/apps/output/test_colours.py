"""Colours are seen on both pages, with any eyes: coloraide knows the formulas."""

from itertools import combinations

import pytest
from coloraide import Color

from apps.output import colours

WHITE, DARK, GREY_OF_SIDEBAR = Color("white"), Color(colours.DARK_PAGE), Color("#f0f2f6")


def as_seen(colour: str, eyes: str | None) -> Color:
    seen = Color(colour)
    if eyes:
        seen = seen.filter(eyes, 1, space="srgb-linear").convert("srgb").clip()
    return seen


@pytest.mark.parametrize("colour", colours.PALETTE)
def test_a_fill_stands_out_on_both_pages(colour):
    assert min(Color(colour).contrast(page) for page in (WHITE, DARK)) >= 3


@pytest.mark.parametrize("eyes", [None, "deutan"])
def test_two_colours_are_never_taken_for_each_other(eyes):
    apart = [
        as_seen(one, eyes).delta_e(as_seen(other, eyes), method="2000")
        for one, other in combinations(colours.PALETTE, 2)
    ]
    assert min(apart) >= 15


@pytest.mark.parametrize("colour", colours.PALETTE)
def test_text_is_readable_on_boxes(colour):
    assert Color(colour).contrast(Color(colours.text_on(colour))) >= 4.5


@pytest.mark.parametrize("page", [WHITE, GREY_OF_SIDEBAR])
def test_text_is_readable_on_the_light_page(page):
    caption = Color.mix(page, Color(colours.TEXT), 0.6, space="srgb")
    for text in (Color(colours.TEXT), Color(colours.SOFT_TEXT), caption):
        assert text.contrast(page) >= 4.5
    assert Color(colours.DARK_SOFT_TEXT).contrast(DARK) >= 4.5


@pytest.mark.parametrize("causes", [colours.WORKER_CAUSES, colours.DEVICE_CAUSES])
def test_causes_differ_in_colour_or_texture(causes):
    assert len(set(causes.values())) == len(causes)
    idle = [texture for cause, (_, texture) in causes.items() if cause in {"starvation", "latency"}]
    assert len(set(idle)) == len(idle)
