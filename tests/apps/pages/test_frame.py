"""What all pages share: answers cached by file state, the file closed, messages of errors."""

from __future__ import annotations

import os
import subprocess
import sys

import polars as pl
import pytest
from streamlit.util import calc_hash

import warehouse as pwh
from apps.output import colours
from apps.pages import PAGES, charts, news
from apps.pages.tables import as_shown
from apps.pages.text import plain
from tests.apps.pages.conftest import address, run_ids, sent, sql_behind, texts
from tests.helpers.support import given
from warehouse.connection import connect
from warehouse.query_process import ask_guarded


def titles(app):
    return [title.value for title in app.title]


@pytest.mark.parametrize("entry", PAGES, ids=lambda entry: entry.path)
def test_every_page_opens_full_and_empty(open_page, demo_warehouse, empty_warehouse, entry):
    for path in (demo_warehouse, empty_warehouse):
        app = open_page(entry.path, path)
        assert titles(app) == [entry.title]
        assert not app.error


def test_a_missing_warehouse_is_reported_with_the_command_that_fills_one(open_page, tmp_path):
    app = open_page("runs", tmp_path / "none.duckdb")
    assert "There is no warehouse at" in texts(app)
    assert "none.duckdb ingest FILES" in texts(app)


def test_a_busy_warehouse_is_a_message_and_a_button(open_page, new_warehouse, monkeypatch):
    monkeypatch.setattr("apps.pages.answers.WAIT_SECONDS", 0.2)
    with Writer(new_warehouse):
        app = open_page("runs", new_warehouse)
        assert "is in use by" in texts(app)
    again = next(button for button in app.button if button.label == "Try again")
    again.click().run()
    assert not app.warning


def test_the_file_is_free_after_a_page_and_new_runs_appear(open_page, new_warehouse):
    app = open_page("runs", new_warehouse)
    assert not app.dataframe
    con = connect(new_warehouse, wait=0)
    given(con, "runs", "run_id app\nnew1 heat")
    con.close()
    app.run()
    assert run_ids(app.dataframe[0].value) == ["new1"]
    # nobody has computed anything of it
    assert "answers about it are outdated: new1; pwh refresh" in texts(app)


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ((3, 9, 0), (4, 9, 0), "1 new run"),
        ((3, 9, 0), (6, 12, 1), "3 new runs"),
        ((3, 9, 0), (3, 10, 0), "1 new file"),
        ((3, 9, 0), (3, 9, 2), "2 rejected files"),
        ((3, 9, 2), (2, 8, 2), "Changes"),
        (None, (3, 9, 0), "Changes"),
        ((3, 9, 0), None, None),
        ((3, 9, 0), (3, 9, 0), None),
    ],
)
def test_what_has_landed_meanwhile_is_told(before, after, said):
    def as_counts(found):
        return found and dict(zip(("runs", "files", "rejected"), found, strict=True))

    assert news.change(as_counts(before), as_counts(after)) == said


def test_what_is_new_is_counted_only_while_nobody_writes(new_warehouse, tmp_path):
    assert news.counts_now(new_warehouse)["runs"] == 0
    assert news.counts_now(tmp_path / "none.duckdb") is None
    with Writer(new_warehouse):
        os.utime(new_warehouse)  # nothing of it is cached
        assert news.counts_now(new_warehouse) is None


def test_a_page_shows_its_sql_and_a_link_to_itself(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, app="heat")
    # The browser highlights what it is sent, also in what is folded away.
    assert not any("FROM runs AS r" in code.value for code in app.code)
    shown = sql_behind(app)
    assert "FROM runs AS r" in shown
    assert "'(no application)') = 'heat'" in shown
    assert "?app=heat&version=&machine=&tag=&time=&text=" in shown
    assert address(app, "version") == ""


@pytest.mark.parametrize(
    "page",
    [
        *("idle", "scaling", "throughput", "threads", "bottlenecks", "compare", "profile"),
        *("trends", "run"),
    ],
)
def test_the_picture_of_a_chart_has_the_query_behind_it(page, open_page, demo_warehouse):
    app = open_page(page, demo_warehouse)
    queries = sent(app, "pictures")["queries"]
    assert queries
    for query in queries.values():
        assert len(ask_guarded(demo_warehouse, query).table)


def test_a_warehouse_of_another_version_shows_what_to_do(open_page, new_warehouse):
    con = pwh.connect(new_warehouse)
    con.execute("DELETE FROM view_modules WHERE name = 'counters'")
    con.close()
    assert "migrate" in texts(open_page("overview", new_warehouse))


def test_a_failure_is_shown_as_a_message_and_logged(
    open_page, empty_warehouse, monkeypatch, caplog
):
    def fail(view):
        raise ZeroDivisionError("by <zero>")

    monkeypatch.setattr("apps.pages.runs.page", fail)
    app = open_page("runs", empty_warehouse)
    assert "ZeroDivisionError: by <zero>" in app.error[0].value.replace("\\", "")
    assert "ZeroDivisionError" in caplog.text


@pytest.mark.parametrize(
    "text",
    ["<b>f</b>", "*f*", "`f`", "[f](javascript:x)", "$f$", "~~f~~", "# f", "a|b", "f&amp;"],
)
def test_markdown_in_names_is_escaped(text):
    assert plain(text).replace("\\", "") == text
    assert "".join(c for c in plain(text) if not c.isalnum()).count("\\") == sum(
        not c.isalnum() and c != " " for c in text
    )


def test_emoji_names_and_addresses_stay_text():
    for text in ("std:fire:x", ":material/home:", "https://a.b", "www.a.b", "me@a.b"):
        assert plain(text).replace("\\", "") != text
        assert plain(text).replace("\\", "").replace("\u2060", "") == text


def test_maps_are_shown_as_text():
    frame = pl.DataFrame(
        {"tags": [{"a": 1.5}, None]}, schema={"tags": pl.Struct({"a": pl.Float64})}
    )
    assert as_shown(frame)["tags"].to_list() == ["a=1.5", None]


def test_values_keep_their_colour_and_the_others_get_free_ones():
    tones = charts.scale(["x", "worse", "y"], {"worse": colours.RED}).range
    assert tones[1] == colours.RED
    assert len(set(tones)) == 3


def test_parts_of_a_bar_end_where_their_scale_does():
    shares = charts.stacked("share", "of the slots", 1.25, nice=False).to_dict()
    assert shares["scale"] == {"domain": [0, 1.25], "nice": False} and shares["stack"] == "zero"
    assert shares["axis"]["format"] == "%"
    free = charts.stacked("percent", "of the time").to_dict()
    assert "scale" not in free and free["axis"]["title"] == "of the time (%)"


class Writer:
    """Another process that holds a warehouse for writing."""

    def __init__(self, path):
        self.path = path

    def __enter__(self):
        code = "import duckdb, sys; con = duckdb.connect(sys.argv[1]); print(); sys.stdin.read()"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, str(self.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.process.stdout.readline()

    def __exit__(self, *_):
        self.process.communicate()


@pytest.mark.parametrize(
    ("page", "params", "said"),
    [
        ("runs", {"app": "nope"}, "Application: there is no 'nope' here."),
        ("idle", {"run": "nope"}, "Run: there is no 'nope' here."),
        ("idle", {"from": "abc"}, "which is not a number from 0 to 100"),
        ("idle", {"from": "101"}, "which is not a number from 0 to 100"),
        ("idle", {"from": "nan"}, "which is not a number from 0 to 100"),
        ("scaling", {"function": "nope"}, "Functions: there is no 'nope' here."),
        ("bottlenecks", {"history": "maybe"}, "no use for history=maybe"),
        ("runs", {"page": "99"}, "no use for page=99"),
        ("runs", {"aap": "heat"}, "no use for aap=heat"),
        ("run", {"run": "heat-1.3", "tab": "<b>"}, "Tab: there is no '<b>' here."),
        ("compare", {"before": "nope", "after": "heat-1.3"}, "there is no run 'nope'"),
        ("sql", {"chart": "Pie"}, "Chart: there is no 'Pie' here."),
    ],
)
def test_what_a_link_has_wrong_is_told_and_never_replaced(
    open_page, demo_warehouse, page, params, said
):
    app = open_page(page, demo_warehouse, **params)
    assert said in texts(app)
    for key, value in params.items():
        assert address(app, key) in (None, value)


def test_choosing_after_a_wrong_link_shows_the_choice(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, app="nope")
    assert app.selectbox("app").value is None
    app.selectbox("app").select("heat").run()
    assert not app.error
    assert address(app, "app") == "heat"
    assert set(app.dataframe[0].value["app"]) == {"heat"}


def test_the_address_wins_over_what_was_chosen_before(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, app="heat")
    app.selectbox("app").select("spmv").run()
    assert address(app, "app") == "spmv"
    app.query_params["app"] = "stencil"  # Back, or a link on the page
    app.run()
    assert app.selectbox("app").value == "stencil"


def test_the_application_goes_along_from_page_to_page(open_page, demo_warehouse):
    app = open_page("runs", demo_warehouse, app="heat")
    for page, said in (("trends", "heat"), ("scaling", "stencil"), ("runs", "heat")):
        app._page_hash = calc_hash(page)
        app.query_params.clear()
        app.run()
        assert address(app, "app") == said
        lacking = "The application heat has nothing to show here."
        assert (lacking in texts(app)) == (said != "heat")
