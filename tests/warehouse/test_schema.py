"""Every table, view and column is documented, and modules of views stand by themselves."""

from __future__ import annotations

import re

import duckdb
import pytest

import udfs
from tests.helpers.support import rows
from warehouse import migrations, modules, sqlfiles
from warehouse.catalog import landing
from warehouse.modules import Module, ordered, with_required

DESIGN = {
    "pmu_samples": "rank thread region sample t_start t_end event value",
    "fn_timings": "function callpath kind parallelism rank thread repetition seconds calls",
    "nodes": "node clock_offset_ns",
    "workers": "worker node t_begin t_end",
    "tasks": "task worker name t_submit t_ready t_start t_end",
    "task_data": "data producer node t_ready bytes",
    "task_inputs": "task data",
    "transfers": "data from_node to_node t_send t_recv bytes",
    "runtime_intervals": "worker t_start t_end total_ns",
    "idle_segments": "worker t_start t_end class",
    "bb_launches": "launch kernel grid block_size warp_size granularity",
    "bb_visits": "launch kernel block warp thread interval bb visits instructions",
    "bb_edges": "launch kernel thread src dst count",
    "bb_blocks": "kernel bb size barriers pc_first pc_last function source_file source_line",
    "bb_opcodes": "launch kernel bb opcode count",
    "bb_dependences": "launch kernel bb distance count",
    "segments": "thread segment cycles instructions critical_path serialising issued",
}


@pytest.mark.parametrize("table", DESIGN)
def test_landing_tables_have_the_columns_that_others_rely_on(table):
    names = {column.name for column in landing()[table]}
    assert set(DESIGN[table].split()) <= names


def test_every_table_and_view_has_a_comment(warehouse):
    assert (
        rows(
            warehouse,
            """
        SELECT table_name FROM duckdb_tables() WHERE NOT internal AND comment IS NULL
        UNION ALL
        SELECT view_name FROM duckdb_views()
        WHERE NOT internal AND comment IS NULL AND NOT starts_with(view_name, '_')
        """,
        )
        == []
    )


def test_every_public_column_has_a_comment(warehouse):
    assert (
        rows(
            warehouse,
            """
        SELECT table_name, column_name FROM duckdb_columns()
        WHERE NOT internal AND comment IS NULL AND NOT starts_with(table_name, '_')
        """,
        )
        == []
    )


def test_every_macro_has_a_comment(warehouse):
    assert (
        rows(
            warehouse,
            """
        SELECT function_name FROM duckdb_functions()
        WHERE NOT internal AND function_type IN ('macro', 'table_macro') AND comment IS NULL
          AND NOT starts_with(function_name, '_')
        """,
        )
        == []
    )


@pytest.fixture(scope="module")
def migrated():
    """Return a warehouse that has tables and functions, but no views."""
    con = duckdb.connect()
    migrations.migrate(con)
    udfs.register(con)
    return con


@pytest.mark.parametrize("module", ordered(), ids=lambda module: module.name)
def test_a_module_loads_with_only_what_it_requires(module, migrated):
    migrated.execute("BEGIN")
    for each in with_required(module.name):
        migrated.execute(each.text)
    migrated.execute("ROLLBACK")


@pytest.mark.parametrize("path", sqlfiles.files("views"), ids=lambda path: path.stem)
def test_a_module_only_creates_and_comments(path):
    statements = duckdb.extract_statements(path.read_text(encoding="utf-8"))
    for statement in statements:
        text = re.sub(r"^\s*(--[^\n]*\n\s*)*", "", statement.query)
        assert re.match(r"CREATE OR REPLACE (VIEW|MACRO)|COMMENT ON", text), text[:80]


def test_shared_comments_are_of_columns_of_several_views(warehouse):
    counts = dict(
        rows(
            warehouse,
            "SELECT comment, count(*) FROM duckdb_columns() WHERE table_name IN "
            "(SELECT view_name FROM duckdb_views() WHERE NOT internal) GROUP BY comment",
        )
    )
    assert {name for name, text in modules.column_comments().items() if counts[text] < 2} == set()


def test_a_view_describes_a_column_otherwise(warehouse):
    sql = "SELECT comment FROM duckdb_columns() WHERE table_name = $1 AND column_name = 'change'"
    shared = modules.column_comments()["change"]
    assert rows(warehouse, sql, "change_points") == [(shared,)]
    assert rows(warehouse, sql, "gpu_gains")[0][0].startswith("early_launches")


def test_comments_follow_what_they_are_on():
    text = """CREATE OR REPLACE VIEW v AS -- One row is a run.
SELECT
  -- not this one, which is on a line of its own
  run_id, seconds / 60 AS "end", -- Minutes.
  t.ns -- Length, ns.
FROM t;
CREATE OR REPLACE MACRO m(a) AS TABLE -- As v.
FROM v;
COMMENT ON COLUMN v.run_id IS 'The run''s id.';
"""
    assert Module("a", (), text).comments() == {
        "v": "One row is a run.", "v.end": "Minutes.", "v.ns": "Length, ns.", "m": "As v.",
        "v.run_id": "The run's id.",
    }  # fmt: skip


def test_modules_are_ordered_by_what_they_require():
    given = (Module("a", ("b",), ""), Module("b", ("c",), ""), Module("c", (), ""))
    assert [module.name for module in ordered(given)] == ["c", "b", "a"]


def test_modules_that_require_each_other_are_named():
    with pytest.raises(ValueError, match="require each other: .*a"):
        ordered((Module("a", ("b",), ""), Module("b", ("a",), "")))


def test_a_module_that_is_not_there_is_named():
    with pytest.raises(ValueError, match="a.sql requires {'zz'}"):
        ordered((Module("a", ("zz",), ""),))


def test_views_refresh_only_when_they_differ(warehouse):
    assert modules.refresh(warehouse) is False
    warehouse.execute("UPDATE view_modules SET sha256 = '' WHERE name = 'counters'")
    assert modules.refresh(warehouse) is True


def test_a_migration_is_applied_once(warehouse):
    assert migrations.migrate(warehouse) == ()
    assert migrations.applied(warehouse) == migrations.names()


def test_no_statement_aggregates_over_a_window_of_everything():
    """Over no rows that two threads found DuckDB 1.5.5 fails for good, now and then (22846, 25713).

    A partition by a constant is the same, and does not.
    """
    for path in sqlfiles.SQL.rglob("*.sql"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(?<!row_number\(\)) OVER \(\)", text), path
