"""The report as a page: one file, pictures inside, nothing that a name from a trace can start."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest

import warehouse as pwh
from apps.queries.runs import resolve_run
from apps.reports.run_page import run_page
from apps.reports.runs import report_of
from apps.reports.svg import ticks
from tests.helpers.support import given, keep

HOSTILE = '</title></svg><script src="//x">alert(1)</script><img onerror=x>&"\''


class Page(HTMLParser):
    """Collects the tags, attributes and text of a page."""

    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


def check_alone(page):
    """Check that a page loads and runs nothing."""
    assert not {"script", "link", "img", "iframe", "object", "image", "use", "a"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {name for name in names if name.startswith("on")} | {"src", "href"} & names
    policy = dict(page.attributes)["content"]
    assert policy is not None
    allowed = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    assert ("content", allowed) in page.attributes


@pytest.fixture(scope="module")
def demo(demo_warehouse):
    """Return the demo's warehouse, opened read-only."""
    with pwh.connect(demo_warehouse, read_only=True) as con:
        yield con


@pytest.mark.parametrize(("name", "pictures"), [("stencil-1.23", 3), ("heat_blocks", 0)])
def test_a_page_has_what_the_text_has_and_pictures(name, pictures, demo):
    run_id = resolve_run(demo, name)
    text = run_page(demo, run_id)
    page = Page(text)
    check_alone(page)
    assert ("role", "img") in page.attributes or not pictures
    assert sum(value == "img" for name, value in page.attributes if name == "role") == pictures
    report = report_of(demo, run_id)
    assert report.sentences and set(report.sentences) <= set(page.text)
    assert {section.title for section in report.sections} <= set(page.text)
    assert "color-scheme: light dark" in text and "url(" not in text


def test_names_from_traces_are_text(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    warehouse.execute(
        "UPDATE runs SET run_id = $name, app = $name, machine = $name, "
        "tags = MAP {'exit_code': $name}",
        {"name": HOSTILE},
    )
    warehouse.executemany(
        "INSERT INTO fn_timings (run_id, source_id, function, seconds) VALUES (?, 1, ?, ?)",
        [(HOSTILE, HOSTILE + str(number), number) for number in range(1, 4)],
    )
    warehouse.executemany(
        "INSERT INTO tasks (run_id, source_id, task, worker, name, t_start, t_end) "
        "VALUES (?, 1, ?, ?, ?, ?, ?)",
        [(HOSTILE, f"t{at}", HOSTILE, HOSTILE, at * 10, at * 10 + 5) for at in range(3)],
    )
    keep(warehouse)
    page = Page(run_page(warehouse, HOSTILE))
    check_alone(page)
    assert HOSTILE in page.text
    assert page.tags.count("title") > 4 and page.tags.count("svg") == page.tags.count("figure") + 1


def test_names_of_templates_are_shortened_and_in_full_over_the_cell(warehouse):
    name = f"void loop<{'std::vector<double>, ' * 10}int>"
    given(warehouse, "runs", "run_id\nr1")
    sql = "INSERT INTO fn_timings (run_id, source_id, function, seconds) VALUES ('r1', 1, ?, 2)"
    warehouse.execute(sql, [name])
    keep(warehouse)
    page = Page(run_page(warehouse, "r1"))
    assert ("title", name) in page.attributes
    assert page.text.count(name) == 1, "the title of the bar"


@pytest.mark.parametrize("most", [1e-9, 0.3, 1, 9.99, 10, 1e12])
def test_ticks_are_a_few_round_numbers(most):
    found = ticks(most)
    assert 2 <= len(found) <= 6 and found[0] == 0 and found[-1] <= most
