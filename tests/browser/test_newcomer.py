"""Twelve tasks of somebody who sees pwh for the first time, with the clicks that each takes.

BEFORE has what each took when the way from a change to its cause went by the menu and by typing
names of runs into fields: at most half of that is left. A key counts as a click, a word typed, too.
"""

from __future__ import annotations

import subprocess

import pytest

from tests.browser.conftest import pwh
from tests.browser.pages import appears, opened, settle, visit

BEFORE = {
    "slower": 4,
    "why": 2,
    "commit": 2,
    "function": 8,
    "compare": 4,
    "date": 4,
    "gap": 4,
    "threads": 2,
    "ranks": 6,
    "share": 2,
    "upload": 3,
    "acknowledge": 4,
}
RANKS = 128


class Person:
    """A person at a tab, whose clicks are counted."""

    def __init__(self, tab):
        self.tab, self.clicks = tab, 0

    def click(self, found):
        found.click()
        self.clicks += 1
        settle(self.tab)

    def opens(self, button, content):
        opened(button, content)
        self.clicks += 1
        settle(self.tab)

    def text(self, text, **options):
        self.click(self.tab.get_by_test_id("stMain").get_by_text(text, **options).first)

    def menu(self, title):
        self.click(self.tab.get_by_test_id("stSidebarNav").get_by_role("link", name=title))

    def key(self, key):
        self.tab.keyboard.press(key)
        self.clicks += 1

    def types(self, field, text):
        field.fill(text)
        self.tab.wait_for_timeout(300)  # a field that searches lists what it found
        field.press("Enter")
        self.clicks += 1
        settle(self.tab)

    def find(self, text):
        self.key("Control+k")
        self.types(self.tab.get_by_label("Find (Ctrl-K)"), text)

    def needed(self, task):
        """Assert that a task took no more than half of what it took before, or one click."""
        assert self.clicks <= max(1, BEFORE[task] // 2), (task, self.clicks)


@pytest.fixture
def person(tab, served):
    """Return a person who has just opened the app."""
    visit(tab, served, "")
    return Person(tab)


def test_what_got_slower_in_a_week(person):
    period = person.tab.get_by_role("combobox", name="Time")
    person.types(period, "2026-10-30 to 2026-11-05")
    appears(person.tab, "2 events")
    person.needed("slower")
    person.types(period, "2026-11-01 to 2026-11-05")
    appears(person.tab, "1 event,")
    # The period goes along.
    person.menu("Runs")
    period = "location.search.includes('time=2026-11-01+to+2026-11-05')"
    person.tab.wait_for_function(period)
    person.menu("Trends")
    appears(person.tab, "show all").click()


def test_why_it_got_slower(person):
    person.text("Why did it change?")
    appears(person.tab, "since it waits for main memory")
    person.needed("why")


def test_which_commit_made_it_slower(person):
    appears(person.tab, "versions 1.22..1.23")
    person.needed("commit")


def test_which_function_made_it_slower_in_the_profiles_of_the_two_runs(person, screenshots):
    person.text("Why did it change?")
    person.click(person.tab.get_by_test_id("stMain").get_by_role("link", name="sweep", exact=True))
    appears(person.tab, "Orange takes more than before")
    appears(person.tab, "Own 9.13 s; before 7.18 s (+27.2 %).")
    for part in ("run=stencil-1.23", "against=stencil-1.22", "function=sweep"):
        assert part in person.tab.url
    person.needed("function")
    person.text("How it scales")
    assert "function=sweep" in person.tab.url
    person.tab.go_back()
    settle(person.tab)
    person.text("What limits it")
    appears(person.tab, "What usually helps")


def test_compare_the_two_sides_of_a_change(person):
    person.text("Compare", exact=True)
    appears(person.tab, "From stencil-1.22 (1 run) to stencil-1.23 (1 run):")
    person.needed("compare")


def test_find_a_run_by_its_day(person):
    person.find("2026-11-02")
    link = person.tab.get_by_test_id("stSidebar").get_by_role("link", name="stencil-1.23")
    link.first.wait_for()
    person.needed("date")


def test_zoom_to_a_gap_and_keep_what_is_said_of_it(person):
    person.menu("Idle time")
    drawn = person.tab.get_by_label("Workers by time").first
    drawn.hover(position={"x": 300, "y": 60})
    drawn.click(position={"x": 470, "y": 60})
    person.clicks += 1
    kept = appears(person.tab, "waited ")
    person.tab.mouse.move(5, 5)
    assert kept.is_visible()
    person.needed("gap")
    person.click(person.tab.get_by_role("button", name="Show what it waited for"))
    person.tab.wait_for_function("!location.search.includes('from=0&')")
    bar = person.tab.locator("path[aria-label*='worker: 1/t0']").first
    bar.click()
    appears(person.tab, "Waits and critical path are those of 1/t0.")
    person.tab.wait_for_function("location.search.includes('of=1')")


def test_which_threads_diverge(person):
    person.menu("Threads")
    appears(person.tab, "launch 0:")
    person.needed("threads")


def test_which_of_128_ranks_is_slow(person, served, tmp_path):
    file = tmp_path / "wide.csv"
    rows = [f"wide-1,wide,solve,{rank},{9 if rank == 77 else 1}" for rank in range(RANKS)]
    file.write_text("\n".join(["run_id,app,function,rank,seconds", *rows, ""]))
    done = subprocess.run(**pwh("--db", served[0], "ingest", file), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    person.find("wide-1")
    person.click(person.tab.get_by_test_id("stSidebar").get_by_role("link", name="wide-1"))
    appears(person.tab, "rank 77")
    person.needed("ranks")
    person.menu("Profile")
    person.click(person.tab.locator("path[aria-label*='rank: 77;']").first)
    person.tab.wait_for_function("location.search.includes('rank=77')")


def test_share_what_is_seen(person, colleague):
    person.menu("Idle time")
    person.needed("share")
    person.tab.locator("path[aria-label*='worker: 1/t0']").first.click()
    person.tab.wait_for_function("location.search.includes('of=1')")
    colleague.goto(person.tab.url)
    appears(colleague, "Waits and critical path are those of 1/t0.")


def test_put_an_own_chart_on_a_board(person, served):
    query = "SELECT+version,+wall_seconds+FROM+runs+WHERE+app='heat'"
    visit(person.tab, served, f"sql?sql={query}&chart=Bars&x=version&y=wall_seconds")
    person.opens(
        person.tab.get_by_role("button", name="Save").last,
        person.tab.get_by_label("Name", exact=True),
    )
    for label, text in (("Name", "heat by version"), ("Board", "weekly")):
        person.types(person.tab.get_by_label(label, exact=True), text)
    person.click(person.tab.get_by_role("button", name="Save the query"))
    appears(person.tab, "Saved as heat by version.")
    person.menu("Boards")
    appears(person.tab, "heat by version")
    person.tab.locator("[data-testid=stVegaLiteChart]").first.wait_for()


def test_upload_a_recording(person, tmp_path):
    file = tmp_path / "first.csv"
    file.write_text("run_id,event,value,sample\nfirst-1,cycles,7,0\n")
    person.menu("Ingest")
    person.tab.locator("input[type=file]").set_input_files([file])
    appears(person.tab, "first.csv")
    person.tab.get_by_role("button", name="Land", exact=True).click()
    appears(person.tab, "first-1")
    person.needed("upload")


def test_acknowledge_by_keys_and_others_see_it(person, served, colleague):
    visit(colleague, served, "runs")
    visit(person.tab, served, "inbox")
    person.clicks = 0
    person.tab.keyboard.press("j")
    person.key("e")
    person.click(person.tab.get_by_role("button", name="Store").first)
    appears(person.tab, "State expected")
    person.needed("acknowledge")
    appears(colleague, "Changes: show")
    withdraw = person.tab.get_by_role("button", name="Withdraw").first
    settle(person.tab)
    while not withdraw.is_visible():  # a page that is drawn anew closes what is open
        person.tab.get_by_role("button", name="expected").first.click()
        settle(person.tab)
        person.tab.wait_for_timeout(1000)
    person.click(withdraw)
    # The list is walked by keys: what has the focus is outlined.
    person.tab.locator(".st-key-event_1").wait_for()
    person.tab.keyboard.press("Escape")
    for _ in range(10):
        person.tab.keyboard.press("j")
        person.tab.wait_for_timeout(300)  # a page that is drawn anew takes the focus along
        outlined = person.tab.evaluate(
            "[document.activeElement.className.includes('st-key-event_1'),"
            "getComputedStyle(document.activeElement).outlineWidth]"
        )
        if outlined[0]:
            break
    assert outlined == [True, "2px"]
    person.tab.keyboard.press("Enter")
    appears(person.tab, "What changed with kernels-3.13")
