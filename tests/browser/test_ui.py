"""The app in a browser: every page opened, filters used, SQL run, screenshots saved."""

from __future__ import annotations

import re
import subprocess
from itertools import product

import pytest

from apps.pages import PAGES
from tests.browser.conftest import pwh

SETTLED = """() => document.querySelector('[data-test-script-state=notRunning]')
  && !document.querySelector('[data-testid=stSkeleton]')
  && document.querySelector('h1')"""
CALM = """() => new Promise(resolve => {
  let last = setTimeout(resolve, 300);
  new MutationObserver(() => { clearTimeout(last); last = setTimeout(resolve, 300); })
    .observe(document, {subtree: true, childList: true, attributes: true, characterData: true});
})"""


def settle(tab):
    """Wait until the page has been computed, drawn, and left alone for some frames."""
    tab.wait_for_function(SETTLED, timeout=60_000)
    tab.evaluate(CALM)
    # What was drawn first may have been the last answer, before the script ran again.
    tab.wait_for_function(SETTLED, timeout=60_000)


def visit(tab, served, where):
    """Open a page."""
    tab.goto(f"{served[1]}/{where}")
    settle(tab)


def appears(tab, text, *, exact=False):
    """Wait until a text is there; return it."""
    found = tab.get_by_text(text, exact=exact).first
    found.wait_for(timeout=60_000)
    return found


def keep(tab, path):
    """Take a picture of the whole page."""
    height = tab.evaluate("document.querySelector('[data-testid=stMain]').scrollHeight")
    size = tab.viewport_size
    tab.set_viewport_size({"width": size["width"], "height": max(900, min(height + 20, 5000))})
    tab.evaluate(CALM)
    tab.screenshot(path=path)
    tab.set_viewport_size(size)


def brightness(tab):
    """Return the brightness of the page's background, 0..255."""
    colour = tab.evaluate("getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    return sum(map(int, re.findall(r"\d+", colour)[:3])) / 3


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.path)
def test_every_page_is_drawn_without_an_error(tab, served, screenshots, entry):
    visit(tab, served, entry.path if entry is not PAGES[0] else "")
    for theme, width in product(("light", "dark"), (768, 1280, 1920)):
        tab.emulate_media(color_scheme=theme)
        tab.set_viewport_size({"width": width, "height": 900})
        settle(tab)
        assert (brightness(tab) < 128) == (theme == "dark")
        keep(tab, screenshots / f"{entry.path}-{width}-{theme}.png")
        assert tab.locator("h1").inner_text() == entry.title
        errors = "[data-testid=stException], [data-testid=stAlertContentError]"
        assert tab.locator(errors).count() == 0
        wide = "document.querySelector('[data-testid=stMain]')"
        assert tab.evaluate(f"{wide}.scrollWidth <= {wide}.clientWidth"), "the page is too wide"


def test_the_first_link_to_a_page_opens_that_page(tab, served):
    visit(tab, served, "trends?app=stencil")
    assert tab.locator("h1").inner_text() == "Trends"


def test_a_filter_is_used_and_stays_in_the_address(tab, served):
    visit(tab, served, "runs")
    tab.get_by_role("combobox", name="Application").click()
    tab.get_by_role("option", name="heat", exact=True).click()
    appears(tab, "6 rows", exact=True)
    # The address is written once the page is complete.
    tab.wait_for_url("**/runs?app=heat&version=&machine=&tag=&text=")
    tab.reload()
    appears(tab, "6 rows", exact=True)
    settle(tab)
    tab.go_back()
    tab.wait_for_function("location.search.includes('app=&')")
    settle(tab)
    assert tab.get_by_role("combobox", name="Application").input_value() == "All"


def test_sql_is_asked(tab, served):
    visit(tab, served, "sql")
    editor = tab.get_by_role("textbox", name="SQL")
    editor.fill("SELECT app FROM runs WHERE app = 'heat' LIMIT 3")
    editor.press("Control+Enter")
    appears(tab, "3 rows.")
    with tab.expect_download() as got:
        tab.get_by_role("button", name="CSV", exact=True).click()
    assert got.value.path().read_text() == "app\nheat\nheat\nheat\n"
    editor.fill("COPY runs TO 'x.csv'")
    tab.get_by_role("button", name="Run", exact=True).click()
    appears(tab, "this page only reads")


def test_a_query_is_stopped_at_once_and_the_file_is_free(tab, served):
    db, _ = served
    visit(tab, served, "sql")
    editor = tab.get_by_role("textbox", name="SQL")
    editor.fill("SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b")
    editor.press("Control+Enter")
    tab.get_by_role("button", name="Stop", exact=True).click(timeout=60_000)
    appears(tab, "The query was stopped")
    done = subprocess.run(**pwh("--db", db, "forget", "--wait", "5", "none"), capture_output=True)
    assert b"in use" not in done.stderr
    tab.get_by_role("button", name="Run", exact=True).click()
    tab.get_by_role("button", name="Stop", exact=True).click(timeout=60_000)
    appears(tab, "The query was stopped")


def test_three_clicks_lead_from_a_regression_to_its_cause(tab, served, screenshots):
    visit(tab, served, "")
    appears(tab, "See the trend").click()
    appears(tab, "Why did it change at").click()
    appears(tab, "of the loss is in sweep")
    settle(tab)
    keep(tab, screenshots / "cause-1280-light.png")


def test_files_land_while_the_app_is_open_and_appear_on_refresh(tab, served, tmp_path):
    db, _ = served
    visit(tab, served, "ingest")
    assert tab.get_by_text("newly_landed.csv").count() == 0
    file = tmp_path / "newly_landed.csv"
    file.write_text("run_id,event,value,sample\nnew,cycles,7\n")
    done = subprocess.run(**pwh("--db", db, "ingest", file), capture_output=True, text=True)
    assert done.returncode == 3
    tab.get_by_role("button", name="Refresh").click()
    appears(tab, "newly_landed.csv")
    file.write_text("run_id,event,value,sample\nnew,cycles,7,0\n")
    done = subprocess.run(**pwh("--db", db, "ingest", file), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    tab.get_by_role("button", name="Refresh").click()
    appears(tab, "none was rejected")


def test_a_flame_graph_is_zoomed_searched_and_sent_as_a_link(tab, served, screenshots):
    visit(tab, served, "profile?run=heat-1.5&against=heat-1.4")
    graph = tab.locator("canvas[role=img]").first
    graph.wait_for()
    tab.get_by_label("Search functions").press_sequentially("save")
    appears(tab, "found:")
    tab.wait_for_function("location.search.includes('search=save')")
    keep(tab, screenshots / "flame-1280-light.png")
    tab.go_back()
    tab.wait_for_function("location.search.includes('search=&')")


def test_the_timeline_is_zoomed_and_back_leads_out_again(tab, served, screenshots):
    visit(tab, served, "idle")
    drawn = tab.get_by_label("Workers by time").first
    drawn.click(position={"x": 400, "y": 40})
    drawn.hover(position={"x": 400, "y": 40})
    tab.mouse.wheel(0, -900)
    tab.wait_for_function("!location.search.includes('from=0&')")
    appears(tab, "All but what could be gained is of the window.")
    settle(tab)
    keep(tab, screenshots / "window-1280-light.png")
    tab.go_back()
    tab.wait_for_function("location.search.includes('from=0&to=100')")


def test_points_of_a_history_lead_to_runs_and_a_part_of_it_is_sent_as_a_link(
    tab, served, screenshots
):
    visit(tab, served, "trends?app=stencil")
    for run in ("stencil-1.18", "stencil-1.23"):
        tab.locator(f"path[aria-label*='Run: {run};']").first.click()
        tab.wait_for_function(f"location.search.includes('runs={run}')")
    appears(tab, "Compare the two")
    settle(tab)
    plot = tab.locator("[data-testid=stVegaLiteChart]").first.bounding_box()
    tab.mouse.move(plot["x"] + 0.3 * plot["width"], plot["y"] + 150)
    tab.mouse.down()
    tab.mouse.move(plot["x"] + 0.6 * plot["width"], plot["y"] + 160, steps=5)
    tab.mouse.up()
    appears(tab, "show all")
    settle(tab)
    assert "from=2026-10" in tab.url
    keep(tab, screenshots / "history-1280-light.png")
    tab.get_by_text("Compare the two").click()
    tab.wait_for_url("**/compare?before=stencil-1.18&after=stencil-1.23*")
