"""Tasks of a performance engineer, each as a person does it in a browser."""

from __future__ import annotations

import re
import subprocess
import sys

from tests.browser.conftest import pwh
from tests.browser.pages import appears, has, keep, opened, settle, visit

ROW = 33  # px, of a table; its header is one, too


def choose(tab, label, option):
    """Choose an option of a filter, of a page that is complete."""
    settle(tab)
    tab.get_by_role("combobox", name=label).click()
    tab.get_by_role("option", name=option, exact=True).click()


def cell(tab, row, x):
    """Click into a row of the first table of a page, from 0, `x` px from the left."""
    table = tab.locator("[data-testid=stDataFrame]").first
    place = {"x": x, "y": ROW * row + 1.5 * ROW}
    # As with a mouse, the table has to see the pointer come before it is pressed.
    table.hover(position=place)
    tab.wait_for_timeout(100)
    table.click(position=place)


def title(tab, text):
    """Wait for the title of a page."""
    tab.get_by_role("heading", name=text, exact=True, level=1).wait_for()


def in_address(tab, text):
    """Wait until the address, written once the page is complete, has a text."""
    tab.wait_for_function("text => location.search.includes(text)", arg=text)


def test_open_a_run_from_a_table_and_go_back(tab, served):
    visit(tab, served, "runs?app=heat")
    cell(tab, 0, 70)
    title(tab, "Run")
    in_address(tab, "run=heat-1.5")
    tab.go_back()
    title(tab, "Runs")
    in_address(tab, "app=heat&")


def test_compare_two_runs_of_a_table(tab, served):
    visit(tab, served, "runs?app=heat")
    cell(tab, 0, 16)
    appears(tab, "See heat-1.5")
    cell(tab, 1, 16)
    appears(tab, "Compare heat-1.3 with heat-1.5").click()
    title(tab, "Compare")
    appears(tab, "From heat-1.3 (1 run) to heat-1.5 (1 run):")


def test_send_a_view_to_a_colleague(tab, served, colleague):
    visit(tab, served, "runs")
    choose(tab, "Application", "heat")
    appears(tab, "6 rows", exact=True)
    in_address(tab, "app=heat&version=&machine=&tag=&time=&text=")
    colleague.goto(tab.url)
    appears(colleague, "6 rows", exact=True)
    has(colleague.get_by_role("combobox", name="Application"), "heat")
    tab.go_back()
    in_address(tab, "app=&")
    has(tab.get_by_role("combobox", name="Application"), "All")


def test_find_a_function_in_the_flame_graph(tab, served, screenshots):
    visit(tab, served, "profile?run=heat-1.5&against=heat-1.4")
    graph = tab.locator("canvas[role=img]").first
    graph.wait_for()
    tab.get_by_label("Search functions").press_sequentially("save")
    appears(tab, "found:")
    in_address(tab, "search=save")
    keep(tab, screenshots, "flame-1280-light.png")
    tab.go_back()
    in_address(tab, "search=&")


def test_zoom_into_the_timeline(tab, served, screenshots):
    visit(tab, served, "idle")
    drawn = tab.get_by_label("Workers by time").first
    drawn.click(position={"x": 400, "y": 40})
    drawn.hover(position={"x": 400, "y": 40})
    tab.mouse.wheel(0, -900)
    tab.wait_for_function("!location.search.includes('from=0&')")
    appears(tab, "All but what could be gained is of the window.")
    settle(tab)
    keep(tab, screenshots, "window-1280-light.png")
    tab.go_back()
    in_address(tab, "from=0&to=100")


def test_write_a_query_with_completion_draw_it_and_take_it_along(tab, served, screenshots):
    visit(tab, served, "sql")
    editor = tab.get_by_role("textbox", name="SQL")
    editor.fill("")
    editor.press_sequentially("SELECT version, wall_seconds FROM runs r WHERE r.ap")
    assert tab.get_by_role("option").first.inner_text().startswith("app")
    # While it is typed, r is not Streamlit's key for another run of the page, nor Enter a choice.
    editor.press("Tab")
    editor.press_sequentially(" = 'heat' ORDER BY versi")
    editor.press("ArrowDown")
    editor.press("Enter")
    assert editor.input_value() == (
        "SELECT version, wall_seconds FROM runs r WHERE r.app = 'heat' ORDER BY version"
    )
    editor.press("Control+Enter")
    appears(tab, "6 rows.")
    choose(tab, "Chart", "Bars")
    in_address(tab, "chart=Bars&x=version&y=wall_seconds")
    tab.locator("[data-testid=stVegaLiteChart]").wait_for()
    settle(tab)
    keep(tab, screenshots, "answer-1280-light.png")
    with tab.expect_download() as got:
        tab.get_by_role("button", name="CSV", exact=True).click()
    assert got.value.path().read_text().startswith("version,wall_seconds\n1.0,")
    editor.fill("COPY runs TO 'x.csv'")
    tab.get_by_role("button", name="Run", exact=True).click()
    appears(tab, "the warehouse is only read")


def test_stop_a_query_at_once(tab, served):
    db, _ = served
    visit(tab, served, "sql")
    editor = tab.get_by_role("textbox", name="SQL")
    editor.fill("SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b")
    editor.press("Control+Enter")
    # Streamlit has a button of this name above the page.
    stop = tab.get_by_test_id("stMain").get_by_role("button", name="Stop", exact=True)
    stop.click()
    appears(tab, "The query was stopped")
    done = subprocess.run(**pwh("--db", db, "forget", "--wait", "5", "none"), capture_output=True)
    assert b"in use" not in done.stderr
    tab.get_by_role("button", name="Run", exact=True).click()
    stop.click()
    appears(tab, "The query was stopped")


def test_save_a_query_for_the_others(tab, served, colleague):
    visit(tab, served, "sql?sql=SELECT+42+AS+answer")
    opened(tab.get_by_role("button", name="Save").last, tab.get_by_label("Name"))
    tab.get_by_label("Name").fill("the answer")
    tab.get_by_label("Name").press("Tab")
    tab.get_by_role("button", name="Save the query").click()
    appears(tab, "Saved as the answer.")
    visit(colleague, served, "sql")
    answer = colleague.get_by_role("button", name="the answer")
    opened(colleague.get_by_role("button", name="Saved queries"), answer)
    answer.click()
    in_address(colleague, "sql=SELECT+42+AS+answer")
    has(colleague.get_by_role("textbox", name="SQL"), "SELECT 42 AS answer")


def test_see_what_has_landed_meanwhile(tab, served, tmp_path):
    db, _ = served
    visit(tab, served, "runs")
    before = int(appears(tab, re.compile(r"^\d+ rows$")).inner_text().split()[0])
    file = tmp_path / "newly_landed.csv"
    file.write_text("run_id,event,value,sample\nnewly-1,cycles,7,0\nnewly-2,cycles,8,0\n")
    done = subprocess.run(**pwh("--db", db, "ingest", file), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    # The page stays as it is until the user wants the new runs; a narrow window tells, too.
    tab.set_viewport_size({"width": 768, "height": 900})
    appears(tab, "2 new runs: show").click()
    appears(tab, f"{before + 2} rows", exact=True)
    tab.set_viewport_size({"width": 1280, "height": 900})
    code = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print(); sys.stdin.read()"
    command = [sys.executable, "-c", code, str(db)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as writer:
        writer.stdout.readline()
        tab.get_by_role("link", name="Throughput", exact=True).click()
        appears(tab, "is in use by")
        writer.communicate()
    appears(tab, "What limits the cycles")


def test_upload_a_file(tab, served, tmp_path):
    visit(tab, served, "ingest")
    good, bad = tmp_path / "uploaded.csv", tmp_path / "broken.csv"
    good.write_text("run_id,event,value,sample\nuploaded,cycles,7,0\n")
    bad.write_text("run_id,event,value,sample\nbroken,cycles,many,0\n")
    tab.locator("input[type=file]").set_input_files([good, bad])
    appears(tab, "broken.csv")
    tab.get_by_label("Application").fill("uploads")
    tab.get_by_role("button", name="Land", exact=True).click()
    appears(tab, "Not every file has landed.")
    said = tab.locator("[data-testid=stCode]").first.inner_text()
    assert "landed   uploaded.csv  plain  uploaded" in said
    assert "rejected broken.csv" in said
    appears(tab, "1 was rejected")


def test_see_the_sql_behind_a_page(tab, served):
    visit(tab, served, "runs?app=stencil")
    appears(tab, "SQL behind this page").click()
    tab.locator("[data-testid=stCode]").filter(has_text="= 'stencil'").first.wait_for()


def test_see_the_query_behind_a_chart(tab, served):
    visit(tab, served, "idle?run=stencil-1.25")
    tab.get_by_role("button", name="Pictures of the charts").click()
    name = "Share of each worker's time by cause"
    for kind in ("PNG", "SVG"):
        tab.get_by_role("button", name=f"{name} as {kind}").wait_for()
    tab.get_by_role("button", name=f"{name} as SQL").click()
    title(tab, "SQL")
    in_address(tab, "stencil-1.25")
    appears(tab, re.compile(r"^\d+ rows\. "))


def test_what_limits_an_application_and_how_far_it_scales(tab, served):
    visit(tab, served, "run?run=stencil-1.25&tab=Counters")
    appears(tab, "More: Bottlenecks").click()
    title(tab, "Bottlenecks")
    in_address(tab, "app=stencil")
    appears(tab, "What usually helps")
    tab.locator("path[aria-label*='; place: ']").first.click()
    tab.wait_for_function("() => /star=[^&]/.test(location.search)")
    appears(tab, "A ray is log10")
    tab.get_by_role("link", name="Scaling", exact=True).click()
    title(tab, "Scaling")
    in_address(tab, "app=stencil")
    appears(tab, "was measured at")


def test_points_of_a_history_lead_to_runs_and_a_part_of_it_is_sent_as_a_link(
    tab, served, screenshots
):
    # without a change
    visit(tab, served, "trends?app=stencil&metric=counter:dma_bytes")
    points = tab.locator("path[aria-label*='run: stencil-']")
    places = points.evaluate_all("points => points.map(one => one.getBoundingClientRect().x)")
    assert len(set(places)) == len(places) > 20
    visit(tab, served, "trends?app=stencil")
    for run in ("stencil-1.18", "stencil-1.23"):
        tab.locator(f"path[aria-label*='run: {run};']").first.click()
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
    keep(tab, screenshots, "history-1280-light.png")
    tab.get_by_text("Compare the two").click()
    tab.wait_for_url("**/compare?before=stencil-1.18&after=stencil-1.23*")
