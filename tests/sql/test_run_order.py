"""The order of runs: by commit, else by start; and which of them are the history."""

from __future__ import annotations

import pytest

from apps.queries.base import ask_dicts
from tests.helpers.support import given, rows

SERIES = "SELECT list_transform(series, lambda p: p.run_id) FROM metric_series"


def test_dates_of_commits_order_where_places_are_not_known(warehouse):
    given(
        warehouse,
        "runs",
        """run_id app commit   committed_at         started_at           wall_seconds
           new    prog aaaaaaa1 2026-01-03T00:00:00Z 2026-06-01T00:00:00Z 1
           old    prog aaaaaaa2 2026-01-01T00:00:00Z 2026-06-02T00:00:00Z 1
           none   prog NULL     NULL                 2026-01-02T00:00:00Z 1""",
    )
    assert rows(warehouse, SERIES) == [(["old", "none", "new"],)]


def test_dates_that_are_out_of_order_yield_to_places(warehouse):
    given(
        warehouse,
        "commits",
        """repository commit  position committed_at
           x          aaaaaaa1 1       2026-01-05T00:00:00Z
           x          aaaaaaa2 2       2026-01-01T00:00:00Z
           x          aaaaaaa3 3       2026-01-06T00:00:00Z""",
    )
    given(
        warehouse,
        "runs",
        """run_id app commit   started_at           wall_seconds
           r3     prog aaaaaaa3 2026-06-01T00:00:00Z 1
           r1     prog aaaaaaa1 2026-06-02T00:00:00Z 1
           r2     prog aaaaaaa2 2026-06-03T00:00:00Z 1""",
    )
    assert rows(warehouse, SERIES) == [(["r1", "r2", "r3"],)]


def test_a_series_of_two_repositories_is_told(warehouse):
    given(
        warehouse,
        "commits",
        """repository        commit   position committed_at
           https://x.org/one aaaaaaa1 1        2026-01-01T00:00:00Z
           https://x.org/two aaaaaaa2 1        2026-01-02T00:00:00Z""",
    )
    given(
        warehouse,
        "runs",
        """run_id app commit   started_at           wall_seconds
           r1     prog aaaaaaa1 2026-01-01T00:00:00Z 1
           r2     prog aaaaaaa2 2026-01-02T00:00:00Z 2""",
    )
    (mixed,) = ask_dicts(warehouse, "trend/mixed", app="prog")
    assert mixed["field"] == "repository"


@pytest.mark.parametrize(
    ("branches", "default"),
    [
        ("main topic topic", "main"),
        ("topic trunk", "trunk"),
        ("devel devel topic", "devel"),
        ("main devel", "devel"),
    ],
)
def test_which_branch_is_the_history(warehouse, branches, default):
    lines = [
        f"r{n} prog {branch} 2026-06-{n + 1:02}T00:00:00Z 1"
        for n, branch in enumerate(branches.split())
    ]
    given(warehouse, "runs", "\n".join(["run_id app branch started_at wall_seconds", *lines]))
    if branches == "main devel":
        warehouse.execute("INSERT INTO default_branches VALUES ('*', 'main'), ('prog', 'devel')")
    of = f"SELECT list(run_id ORDER BY run_id) FROM runs WHERE branch = '{default}'"
    assert rows(warehouse, SERIES) == rows(warehouse, of)


def test_a_default_branch_that_was_renamed_is_one_history(warehouse):
    names = "master master topic master main main"
    lines = [
        f"r{n} prog {branch} 2026-06-{n + 1:02}T00:00:00Z 1"
        for n, branch in enumerate(names.split())
    ]
    given(warehouse, "runs", "\n".join(["run_id app branch started_at wall_seconds", *lines]))
    assert rows(warehouse, SERIES) == [(["r0", "r1", "r3", "r4", "r5"],)]
    given(
        warehouse,
        "runs",
        "run_id app branch started_at wall_seconds\nr6 prog master 2026-06-09T00:00:00Z 1",
    )
    assert rows(warehouse, SERIES) == [(["r4", "r5"],)]


@pytest.mark.parametrize(
    ("named", "branch"),
    [
        ("refs/heads/topic/x", "topic/x"),
        ("origin/topic", "topic"),
        ("refs/remotes/fork/topic", "topic"),
        ("HEAD", None),
        ("(detached)", None),
    ],
)
def test_names_of_branches_are_bare(warehouse, named, branch):
    given(warehouse, "runs", f"run_id app branch wall_seconds\nr1 prog {named} 1")
    assert rows(warehouse, "SELECT branch FROM run_groups") == [(branch,)]
