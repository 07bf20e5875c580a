"""A warehouse as a folder of HTML files, and a board as one: whole, without scripts or network."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from urllib.parse import unquote

import pytest

from apps.reports.site import _names, write_site
from warehouse.connection import connect
from warehouse.saved_queries import Shown, save_query

EVIL = "<script>alert(1)</script>"
CHART = Shown("week", "Line", "started_at", "wall_seconds", None)


@pytest.fixture(scope="module")
def with_board(demo_warehouse, tmp_path_factory):
    """Return the demo's warehouse with a board, of which a query has markup in its answer."""
    db = tmp_path_factory.mktemp("site") / "demo.duckdb"
    shutil.copy(demo_warehouse, db)
    with connect(db) as con:
        save_query(con, "walls", "SELECT started_at, wall_seconds FROM runs", CHART)
        save_query(con, EVIL, f"SELECT '{EVIL}' AS \"<b>\"", Shown("week"))
        save_query(
            con, "parts", "SELECT 43.25::DOUBLE AS share, 2::DOUBLE AS seconds", Shown("week")
        )
        save_query(con, "wrong", "SELECT no_such FROM runs", Shown("week"))
    return db


class Page(HTMLParser):
    """What a page has: elements, addresses, places that links lead to."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.links, self.ids, self.sources = set(), [], set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        known = dict(attrs)
        self.links += [known["href"]] if "href" in known else []
        self.ids |= {known["id"]} if "id" in known else set()
        self.sources += [known["src"]] if "src" in known else []
        assert not [name for name in known if name.startswith("on")]


@pytest.fixture(scope="module")
def site(with_board, tmp_path_factory):
    folder = tmp_path_factory.mktemp("pages") / "site"
    with connect(with_board, read_only=True) as con:
        assert "1 board in " in write_site(con, with_board, folder)
    return {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()}


def test_every_link_leads_somewhere_and_nothing_is_fetched(site):
    pages = {name: Page(text) for name, text in site.items()}
    for page in pages.values():
        assert not page.tags & {"script", "iframe", "link", "object", "form"}
        assert all(source.startswith("data:image/svg+xml,") for source in page.sources)
        for link in page.links:
            file, _, place = unquote(link).partition("#")
            assert not place or place in pages[file].ids
            assert file in pages


def test_the_first_page_has_events_with_cause_and_picture(site):
    pattern = r"<article>(?:(?!</article>).)*: stencil on.*?</article>"
    (event,) = re.findall(pattern, site["index.html"])
    assert "+17.8 %" in event and "sweep takes 25.5 % longer" in event
    assert "<img" in event and "trends-stencil.html#event-" in event
    trends = site["trends-stencil.html"]
    assert "Event " in trends and "+17.8 %</text>" in trends


def test_a_board_is_one_file(with_board, run, tmp_path):
    file = tmp_path / "week.html"
    assert run("--db", with_board, "export", "--board", "week", "-o", file)[0] == 0
    text = file.read_text(encoding="utf-8")
    assert "<polyline" in text and EVIL not in text and "no_such" in text
    assert Page(text).tags & {"script"} == set()
    # what a column of a user's own query is in is not known
    assert '<td class="number">43.25</td>' in text and '<th class="number">seconds</th>' in text


def test_a_folder_with_other_files_is_left_alone(with_board, run, tmp_path):
    (tmp_path / "mine.txt").write_text("kept")
    code, _, err = run("--db", with_board, "export", "--site", tmp_path)
    assert code == 2 and "mine.txt" in err and [*tmp_path.iterdir()] == [tmp_path / "mine.txt"]


def test_a_site_replaces_an_earlier_one(demo_warehouse, run, tmp_path):
    (tmp_path / "index.html").write_text("old")
    (tmp_path / "board-gone.html").write_text("old")
    assert run("--db", demo_warehouse, "export", "--site", tmp_path)[0] == 0
    assert not (tmp_path / "board-gone.html").exists()
    assert "old" != (tmp_path / "index.html").read_text(encoding="utf-8")


def test_a_board_that_is_not_there(demo_warehouse, run):
    code, _, err = run("--db", demo_warehouse, "export", "--board", "none")
    assert code == 5 and "there is no board" in err
    assert run("--db", demo_warehouse, "export", "--board", "b", "--to", "csv")[0] == 2


def test_names_are_those_of_files_in_the_folder():
    names = _names("trends", ["../../etc", "A b", "a_b", "a b", "a<b", "é", "ü"])
    assert len({name.lower() for name in names.values()}) == len(names)
    assert all(re.fullmatch(r"trends-[A-Za-z0-9._-]*\.html", name) for name in names.values())
