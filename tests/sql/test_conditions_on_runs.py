"""Conditions on runs reach the tables: what views add up is of the runs asked for only."""

from __future__ import annotations

import json
import shutil

import pytest

import warehouse as pwh
from tests.helpers.support import by_hand, rows

RUNS = 2000


@pytest.fixture(scope="module")
def many_runs(template, tmp_path_factory):
    """Yield a warehouse of many runs with counters of three events and times of two functions."""
    path = shutil.copy(template, tmp_path_factory.mktemp("many") / "w.duckdb")
    with pwh.connect(path) as con:
        by_hand(con)
        con.execute(
            """
            INSERT INTO pmu_samples BY NAME
            SELECT
              printf('run-%04d', run) AS run_id, run AS source_id, 0 AS sample, event,
              1000 + run AS value
            FROM range(?) AS r (run)
            CROSS JOIN (SELECT unnest(['cycles', 'instructions', 'cache-misses']) AS event)
            """,
            [RUNS],
        )
        con.execute(
            """
            INSERT INTO fn_timings BY NAME
            SELECT
              printf('run-%04d', run) AS run_id, run AS source_id, function,
              'main->' || function AS callpath, 1 + run / 1000 AS seconds
            FROM range(?) AS r (run)
            CROSS JOIN (SELECT unnest(['f', 'g']) AS function)
            """,
            [RUNS],
        )
        yield con


def most_added_up(con, query):
    """Return the largest number of groups, or of rows of a window, that a query computes."""
    ((_, plan),) = rows(con, f"EXPLAIN (ANALYZE, FORMAT json) {query}")

    def operators(node):
        yield node
        for child in node.get("children", []):
            yield from operators(child)

    return max(
        (
            one["operator_cardinality"]
            for one in operators(json.loads(plan))
            if one.get("operator_type", "").endswith(("GROUP_BY", "WINDOW"))
        ),
        default=0,
    )


VIEWS = [
    "bottlenecks",
    "bottleneck_summary",
    "metric_coverage",
    "topdown",
    "counter_summary",
    "counter_contradictions",
]


@pytest.mark.parametrize("view", VIEWS)
# DuckDB plans lists of few and of many values in different ways.
@pytest.mark.parametrize("runs", [3, 12])
def test_of_some_runs_only_these_are_added_up(many_runs, view, runs):
    named = ", ".join(f"'run-{i * 100:04}'" for i in range(runs))
    assert most_added_up(many_runs, f"FROM {view} WHERE run_id IN ({named})") < RUNS / 2


COMPARED = [
    "call_tree_difference(['run-0100'], ['run-0101'])",
    "_explained(_sides(0, ['run-0100'], ['run-0101'], NULL, NULL))",
]


@pytest.mark.parametrize("compared", COMPARED)
def test_of_two_runs_that_are_compared_only_these_are_added_up(many_runs, compared):
    # Runs have their order among all; of each there are two functions.
    assert most_added_up(many_runs, f"FROM {compared}") <= RUNS


def test_answers_about_some_runs_are_those_about_each(many_runs):
    of = "SELECT run_id, sample, metrics, reason, flags FROM sample_metrics WHERE run_id"
    together = rows(many_runs, f"{of} IN ('run-0100', 'run-0200', 'run-0300') ORDER BY 1")
    assert together == [
        row for i in (1, 2, 3) for row in rows(many_runs, f"{of} = ?", f"run-0{i}00")
    ]
