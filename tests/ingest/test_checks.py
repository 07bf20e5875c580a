"""The rules in sql/checks: they fit the tables, and name the first row that breaks one."""

from __future__ import annotations

import csv

import pytest

from ingest.checks import check_rows, to_check
from warehouse import sqlfiles
from warehouse.catalog import landing
from warehouse.errors import InputError

FILES = ("bounds", "conditions", "keys", "references")


def rules(name):
    with (sqlfiles.SQL / "checks" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def broken(con, table):
    """Return what the check of a source raises, which is the same for few and for many rows.

    Of source 7, which alone is to be checked.
    """
    assert to_check(con, {table: {5: 1, 7: 1}}) == [(table, 7)]
    few, many = (_broken(con, table, rows) for rows in (0, 10**7))
    assert few == many
    return few


def _broken(con, table, rows):
    with pytest.raises(InputError) as error:
        check_rows(con, table, 7, rows=rows)
    return error.value.where, error.value.problem, error.value.expected


@pytest.mark.parametrize("table", sorted({rule["table"] for name in FILES for rule in rules(name)}))
def test_rules_bind_to_their_table(warehouse, table):
    for number_of_rows in (0, 10**7):
        check_rows(warehouse, table, 7, rows=number_of_rows)
    for name in FILES:
        for rule in rules(name):
            if rule["table"] == table:
                warehouse.execute(f"SELECT {rule['problem'] or rule['column']} FROM {table}")
                assert rule["expected"]


def test_many_rows_are_looked_at_in_any_case(warehouse):
    rows = {"tasks": {7: 10**7, 8: 1}, "workers": {7: 1}}
    assert to_check(warehouse, rows) == [("tasks", 7)]


def test_every_bound_bounds():
    for rule in rules("bounds"):
        assert rule["lowest"] or rule["highest"] or rule["finite"]
        assert rule["finite"] in ("", "yes")
        assert rule["column"] in {column.name for column in landing()[rule["table"]]}


def test_first_row_is_named_and_other_sources_are_left_alone(warehouse):
    warehouse.execute(
        "INSERT INTO bb_visits BY NAME SELECT 'r' AS run_id, source_id, 0 AS launch, 0 AS bb, "
        "visits, block FROM (VALUES (3, -1, 0), (7, 1, 0), (7, 1, -2), (7, -5, 0)) "
        "AS t(source_id, visits, block)"
    )
    assert broken(warehouse, "bb_visits") == (
        "row 2 of bb_visits", "-2 in the column block", "whole numbers from 0"
    )  # fmt: skip


def test_unknown_is_within_all_bounds(warehouse):
    warehouse.execute(
        "INSERT INTO pmu_samples BY NAME SELECT 'r' AS run_id, 7 AS source_id, 'e' AS event, "
        "NULL::DOUBLE AS value, NULL::BIGINT AS t_start, 5 AS t_end"
    )
    assert to_check(warehouse, {"pmu_samples": {7: 1}}) == []
    check_rows(warehouse, "pmu_samples", 7)
    check_rows(warehouse, "pmu_samples", 7, rows=10**7)


@pytest.mark.parametrize(
    ("column", "value"),
    [("inclusive", "'nan'"), ("inclusive", "'-inf'"), ("deviation", "'nan'"), ("running", "1.1")],
)
def test_other_columns_of_counters_out_of_range(warehouse, column, value):
    warehouse.execute(
        "INSERT INTO pmu_samples BY NAME SELECT 'r' AS run_id, 7 AS source_id, 'e' AS event, "
        f"1 AS value, {value}::DOUBLE AS {column}"
    )
    assert broken(warehouse, "pmu_samples")[0] == "row 1 of pmu_samples"


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("'nan'", "the value of e is nan"),
        ("'inf'", "the value of e is inf"),
        ("'-inf'", "the value of e is -inf"),
        ("2e19", "the value of e is 2e+19"),
        ("-3", "e is -3.0 and has no unit: it would be a count"),
    ],
)
def test_counters_out_of_range(warehouse, value, problem):
    warehouse.execute(
        "INSERT INTO pmu_samples BY NAME SELECT 'r' AS run_id, 7 AS source_id, 'e' AS event, "
        f"{value}::DOUBLE AS value"
    )
    assert broken(warehouse, "pmu_samples")[:2] == ("row 1 of pmu_samples", problem)


def test_bounds_of_a_list_are_those_of_its_elements(warehouse):
    warehouse.execute(
        "INSERT INTO segments BY NAME SELECT 'r' AS run_id, 7 AS source_id, 0 AS thread, "
        "0 AS segment, [1, -2] AS issued"
    )
    assert broken(warehouse, "segments")[1] == "[1, -2] in the column issued"


def test_keys_are_compared_within_a_run(warehouse):
    warehouse.execute(
        "INSERT INTO nodes BY NAME SELECT run_id, 7 AS source_id, node FROM "
        "(VALUES ('r', 'a'), ('s', 'a'), ('r', 'b'), ('s', 'a')) AS t(run_id, node)"
    )
    assert broken(warehouse, "nodes") == (
        "row 4 of nodes", "the node a is a duplicate", "one row for each node"
    )  # fmt: skip


def test_references_count_where_the_source_fills_the_other_table(warehouse):
    warehouse.execute(
        "INSERT INTO task_inputs BY NAME SELECT 'r' AS run_id, 7 AS source_id, "
        "unnest(['t', 'u']) AS task, 'd' AS data"
    )
    check_rows(warehouse, "task_inputs", 7)
    warehouse.execute(
        "INSERT INTO task_data BY NAME SELECT 'r' AS run_id, 7 AS source_id, 'd' AS data"
    )
    check_rows(warehouse, "task_inputs", 7)
    assert to_check(warehouse, {"task_inputs": {7: 2}, "task_data": {7: 1}}) == []
    warehouse.execute(
        "INSERT INTO tasks BY NAME SELECT 'r' AS run_id, 7 AS source_id, 't' AS task, "
        "'w' AS worker, 0 AS t_start, 1 AS t_end"
    )
    where, problem, _ = broken(warehouse, "task_inputs")
    assert (where, problem) == (
        "row 2 of task_inputs", "the task u, which reads d, is not known"
    )  # fmt: skip


@pytest.mark.parametrize(("column", "most"), [("function", 1 << 16), ("callpath", 1 << 20)])
def test_names_that_no_tool_writes_are_refused(warehouse, column, most):
    def land(length):
        warehouse.execute("DELETE FROM fn_timings")
        warehouse.execute(
            "INSERT INTO fn_timings BY NAME SELECT 'r' AS run_id, 7 AS source_id, 'f' AS function, "
            "'f' AS callpath, 1 AS seconds"
        )
        warehouse.execute(f"UPDATE fn_timings SET {column} = repeat('x', ?)", [length])

    land(most)
    check_rows(warehouse, "fn_timings", 7)
    land(most + 1)
    assert broken(warehouse, "fn_timings") == (
        "row 1 of fn_timings",
        f"the {column} {'x' * 40} ... has {most + 1} bytes",
        f"at most {most} bytes",
    )
