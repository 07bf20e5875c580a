"""Every page in a browser: light and dark, wide and narrow, without an error; pictures of them."""

from __future__ import annotations

import os
from itertools import product

import pytest

from apps.pages import PAGES
from tests.browser.pages import keep, settle, show_in, visit

# Every combination is drawn where somebody wants to look at them.
LOOKS = tuple(product(("light", "dark"), (768, 1280, 1920)))
if "PWH_SCREENSHOTS" not in os.environ:
    LOOKS = (("light", 1280), ("dark", 768))


def open_page(tab, served, entry):
    """Open a page by its link in the menu, or where there is none by its address."""
    link = tab.get_by_test_id("stSidebarNav").get_by_role("link", name=entry.title, exact=True)
    if not link.count():
        return visit(tab, served, entry.path)
    # The menu may be closed in a narrow window.
    link.dispatch_event("click")
    tab.get_by_role("heading", name=entry.title, exact=True, level=1).wait_for()
    return settle(tab)


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.path)
def test_every_page_is_drawn_without_an_error(used_tab, served, screenshots, entry):
    tab = used_tab
    open_page(tab, served, entry)
    # Each page begins with the look that the one before has ended with.
    for theme, width in LOOKS[:: (1, -1)[PAGES.index(entry) % 2]]:
        tab.set_viewport_size({"width": width, "height": 900})
        show_in(tab, theme)
        keep(tab, screenshots, f"{entry.path}-{width}-{theme}.png")
        assert tab.locator("h1").inner_text() == entry.title
        errors = "[data-testid=stException], [data-testid=stAlertContentError]"
        assert tab.locator(errors).count() == 0
        wide = "document.querySelector('[data-testid=stMain]')"
        assert tab.evaluate(f"{wide}.scrollWidth <= {wide}.clientWidth"), "the page is too wide"
