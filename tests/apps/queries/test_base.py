"""Asking queries by name: whole, a page at a time, and remembered for those who show them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

import warehouse as pwh
from apps.queries.base import (
    Query,
    ask,
    ask_column,
    ask_count,
    ask_dicts,
    ask_page,
    ask_value,
    remembering,
)
from tests.helpers.support import given

EVERY = dict.fromkeys(("app", "version", "machine", "tag", "text", "since", "until"))


def test_a_page_is_a_part_of_the_whole(warehouse):
    given(warehouse, "runs", "run_id app\nr1 a\nr2 a\nr3 b")
    whole = ask(warehouse, "runs/page", **EVERY).fetchall()
    assert [row[0] for row in whole] == ["r1", "r2", "r3"]
    assert ask_page(warehouse, "runs/page", EVERY, 2, 1).fetchall() == whole[1:3]
    assert ask_count(warehouse, "runs/page", EVERY | {"app": "a"}) == 2


def test_rows_are_returned_as_dictionaries_a_column_or_a_value(warehouse):
    given(warehouse, "runs", "run_id app\nr1 a\nr2 b")
    asked = {"before": ["r1"], "after": []}
    assert ask_dicts(warehouse, "idle/of_runs", **asked) == []
    assert sorted(ask_column(warehouse, "runs/ids")) == ["r1", "r2"]
    assert ask_value(warehouse, "runs/overlaps", run_id="r1") is False
    assert ask_value(warehouse, "comparison/latest", app="none") is None


def test_questions_are_remembered_with_their_parameters(warehouse):
    ask(warehouse, "overview/counts")
    with remembering() as asked:
        ask(warehouse, "overview/latest", number=3)
    ask(warehouse, "overview/counts")
    assert [(one.name, one.params) for one in asked] == [("overview/latest", {"number": 3})]
    assert "LIMIT $number" in asked[0].sql


def test_a_tag_is_found_whole(warehouse):
    warehouse.execute("INSERT INTO runs (run_id, tags) VALUES ('r1', MAP {'a': 'b=c'})")
    for tag, found in (("a=b=c", 1), ("a=b", 0)):
        assert ask_count(warehouse, "runs/page", EVERY | {"tag": tag}) == found


@pytest.mark.parametrize("name", ["verdicts", "groups", "phases", "warps"])
def test_threads_are_those_of_one_launch_or_of_all(demo_warehouse, name):
    with pwh.connect(demo_warehouse, read_only=True) as con:
        run_id = ask_column(con, "threads/runs")[0]
        launches = ask_column(con, "threads/launches", run_id=run_id)
        every, *parts = (
            ask(con, f"threads/{name}", run_id=run_id, launch=launch).fetchall()
            for launch in [None, *launches, max(launches) + 1]
        )
    assert sorted(map(repr, every)) == sorted(repr(row) for part in parts for row in part)


def test_a_question_as_text_has_its_parameters_in_it(warehouse):
    known = {
        "text": "it's $n -- or\n'x'",
        "n": 3,
        "share": 0.25,
        "far": float("inf"),
        "none": None,
        "some": ["a", "b'"],
        "day": datetime(2026, 1, 31, 5, tzinfo=UTC),
        "fields": {"ranks": "4"},
    }
    columns = "$text, $n, $share, CAST($far AS DOUBLE), $none, $some, epoch($day), $fields['ranks']"
    sql = f"SELECT {columns}, '$n' -- of $n"
    (row,) = warehouse.execute(Query("some/question", sql, known).text()).fetchall()
    assert row == (*list(known.values())[:6], known["day"].timestamp(), "4", "$n")
