"""The order of runs: lists of pages go by start, `pwh runs` and `latest` by landing."""

from __future__ import annotations

import pytest

from apps.queries.base import ask
from apps.queries.runs import LATEST, resolve_run, resolve_side
from tests.helpers.support import given, rows

BY_START = ["new", "two", "one", "old", "hand"]
BY_LANDING = ["old", "new", "two", "one", "hand"]


def land(con):
    """Write when runs landed, as landing does."""
    con.execute(
        "UPDATE runs SET landed_at = (SELECT max(ingested_at) FROM run_facts AS f "
        "JOIN sources AS s USING (source_id) WHERE f.run_id = runs.run_id)"
    )


@pytest.fixture
def runs(warehouse):
    """Return a warehouse with a file of two runs without a start, and a run of no file."""
    given(warehouse, "runs", """
        run_id  app  version  started_at
        old     a    1        2026-01-01
        new     a    2        2026-01-09
        one     a    3        NULL
        two     a    4        NULL
        hand    a    5        NULL
    """)  # fmt: skip
    given(warehouse, "sources", """
        source_id  path  ingested_at
        1          new   2026-01-10
        2          both  2026-01-08
        3          old   2026-01-12
    """, sha256="", bytes=1, reader="plain", rows=1, pwh_version="")  # fmt: skip
    given(warehouse, "run_facts", """
        run_id  source_id  position
        new     1          0
        one     2          0
        two     2          1
        old     3          0
    """, stated_by="file")  # fmt: skip
    land(warehouse)
    for table, columns in (
        ("pmu_samples", "thread event value"),
        ("workers", "worker node t_begin"),
        ("segments", "thread segment cycles"),
        ("fn_timings", "thread function seconds"),
    ):
        rows = "\n".join(f"{run} {i} 1 1" for run in sorted(BY_START) for i in range(2))
        given(warehouse, table, f"run_id {columns}\n{rows}")
    return warehouse


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("runs/page", dict.fromkeys(("app", "version", "machine", "tag", "text"))),
        ("runs/started_last", {"number": 9}),
        ("overview/latest", {"number": 9}),
        ("bottlenecks/runs", {"app": "a"}),
        ("bottlenecks/counted_runs", {}),
        ("profile/runs", {}),
        ("threads/runs", {}),
        ("throughput/runs", {}),
        ("timeline/runs", {}),
    ],
)
def test_pages_go_by_start_and_where_it_is_unknown_by_landing(runs, name, params):
    assert [row[0] for row in ask(runs, name, **params).fetchall()] == BY_START


def test_choices_of_comparisons_have_the_same_order(runs):
    versions = [f"a@{version}" for version in (2, 4, 3, 1, 5)]
    found = [choice for (choice,) in ask(runs, "comparison/choices").fetchall()]
    assert found == [*versions, *BY_START]


def test_the_newest_of_an_application_is_the_first_of_its_list(runs):
    assert ask(runs, "comparison/latest", app=None).fetchone() == ("a@4", "a@2")
    assert [row[0] for row in ask(runs, "gate/runs", app="a").fetchall()] == BY_START
    assert resolve_side(runs, "a") == ["new"]
    # a run without a start that landed after
    runs.execute("UPDATE sources SET ingested_at = '2026-01-11' WHERE path = 'both'")
    runs.execute("DELETE FROM run_facts WHERE run_id = 'one'")
    land(runs)
    assert ask(runs, "comparison/latest", app=None).fetchone() == ("a@2", "a@4")
    assert resolve_side(runs, "a") == ["two"]
    of_latest = "SELECT runs, against FROM explain_baseline('two')"
    assert runs.execute(of_latest).fetchall() == [(["two"], ["new"])]


def test_the_list_of_runs_begins_with_the_latest_which_landed_last(runs):
    assert [row[0] for row in ask(runs, "runs/list", app=None).fetchall()] == BY_LANDING
    assert resolve_run(runs, LATEST) == "old"


def test_numbered_versions_without_any_start_are_in_the_order_of_their_numbers(warehouse):
    given(warehouse, "runs", "run_id app version\nnew a v1.10\nold a v1.9\nnone b x\nother b y")
    given(warehouse, "sources", """
        source_id  path  ingested_at
        1          new   2026-01-10
        2          old   2026-01-12
    """, sha256="", bytes=1, reader="plain", rows=1, pwh_version="")  # fmt: skip
    given(
        warehouse,
        "run_facts",
        "run_id source_id position\nnew 1 0\nold 2 0",
        stated_by="file",
    )
    land(warehouse)
    order = "SELECT version FROM app_versions WHERE app = 'a' ORDER BY version_order"
    assert rows(warehouse, order) == [("v1.9",), ("v1.10",)]
    # and so for what is compared, judged and named
    assert ask(warehouse, "comparison/latest", app="a").fetchone() == ("a@v1.9", "a@v1.10")
    assert [row[0] for row in ask(warehouse, "gate/runs", app="a").fetchall()] == ["new", "old"]
    assert resolve_side(warehouse, "a") == ["new"]
    baseline = "SELECT runs, against FROM explain_baseline('new')"
    assert rows(warehouse, baseline) == [(["new"], ["old"])]
