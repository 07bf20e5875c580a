"""SQL of people who may only read: what they get, and that there is no way out."""

from __future__ import annotations

import shutil
from dataclasses import asdict
from pathlib import Path

import pytest

import warehouse as pwh
from tests.helpers.support import given
from warehouse.errors import UsageError, WarehouseMissing
from warehouse.guarded import Limits, answer, open_restricted
from warehouse.query_process import QueryProcess, ask_guarded


@pytest.fixture(scope="module")
def path(template, tmp_path_factory):
    """Return a warehouse with one run."""
    path = shutil.copy(template, tmp_path_factory.mktemp("guarded") / "w.duckdb")
    con = pwh.connect(path)
    given(con, "runs", "run_id app\nr1 heat")
    con.close()
    return path


def asked(path, sql, **limits):
    return ask_guarded(path, sql, Limits(**limits)).table.to_pylist()


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("SELECT run_id FROM runs", [{"run_id": "r1"}]),
        ("FROM runs SELECT app", [{"app": "heat"}]),
        ("SELECT 1 AS a, 2 AS a", [{"a": 1, "a_2": 2}]),
        ("SELECT INTERVAL 1 MONTH AS i", [{"i": "1 month"}]),
        ("SELECT median_interval([1.0, 2, 3]).median AS m", [{"m": 2.0}]),
        ("SELECT a FROM (VALUES (1)) AS t(a) -- a comment;", [{"a": 1}]),
        ("WITH x AS (SELECT 1 AS a) FROM x;", [{"a": 1}]),
    ],
)
def test_what_reads_is_answered(path, sql, rows):
    assert asked(path, sql) == rows


def test_describing_and_explaining_is_reading(path):
    assert asked(path, "DESCRIBE runs")[0]["column_name"] == "run_id"
    assert asked(path, "EXPLAIN ANALYZE FROM runs")
    assert asked(path, "explain FROM runs")


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM runs",
        "INSERT INTO runs (run_id) VALUES ('x')",
        "UPDATE runs SET app = 'x'",
        "CREATE TABLE t (i INTEGER)",
        "CREATE TEMP TABLE t (i INTEGER)",
        "CREATE MACRO f() AS 1",
        "DROP VIEW run_metrics",
        "FROM runs; DELETE FROM runs",
        "SELECT 1; SELECT 2",
        "COPY runs TO '{out}'",
        "COPY runs TO '{db}.wal'",
        "COPY runs FROM '{db}'",
        "EXPLAIN ANALYZE COPY runs TO '{out}'",
        "/* x */ EXPLAIN ANALYZE COPY runs TO '{out}'",
        "EXPORT DATABASE '{out}'",
        "ATTACH '{out}' AS other",
        "ATTACH ':memory:' AS other",
        "DETACH w",
        "INSTALL httpfs",
        "LOAD httpfs",
        "SET enable_external_access = true",
        "SET memory_limit = '100GB'",
        "RESET lock_configuration",
        "PRAGMA memory_limit = '100GB'",
        "USE memory",
        "CALL enable_logging()",
        "PREPARE p AS SELECT 1",
        "CHECKPOINT",
        "VACUUM",
        "BEGIN",
        "CREATE SECRET (TYPE s3)",
        "SELECT * FROM read_csv('/etc/passwd')",
        "FROM '/etc/passwd'",
        "SELECT * FROM read_text('/etc/passwd')",
        "SELECT * FROM read_blob('{db}')",
        "SELECT * FROM read_json('/proc/self/environ')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM sniff_csv('/etc/passwd')",
        "SELECT * FROM parquet_metadata('/etc/passwd')",
        "SELECT * FROM read_parquet('https://localhost/x.parquet')",
        "SELECT * FROM read_csv('s3://bucket/x.csv')",
        "SELECT getenv('HOME')",
        "SELECT * FROM query('DELETE FROM runs')",
        "SELECT * FROM query('COPY runs TO ''{out}''')",
        "FROM enable_logging('QueryLog', storage := 'file', storage_config := {{'path': '{out}'}})",
        "FROM enable_profiling(format := 'json', save_location := '{out}')",
        "SELECT * FROM duckdb_secrets()",
        "FROM con",
        "FROM sys",
        "SELECT * FROM nothing",
        "SELEC 1",
        "",
        "-- nothing",
    ],
)
def test_what_does_more_than_read_is_refused_and_leaves_nothing(path, tmp_path, sql):
    out = tmp_path / "out"
    before = path.read_bytes()
    with pytest.raises(UsageError):
        # What the process of a query does, without starting one for each.
        with open_restricted(path, Limits()) as con:
            answer(con, sql.format(out=out, db=path), Limits())
    assert not list(tmp_path.iterdir())
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM range(100000000) AS a, range(100000000) AS b",
        "SELECT sum(i) FROM (SELECT median_interval([a.range, 1.0, 2]).median AS i "
        "FROM range(1000000000) AS a)",
    ],
)
def test_the_time_is_limited(path, sql):
    with pytest.raises(UsageError, match="took longer than 1 s"):
        ask_guarded(path, sql, Limits(seconds=1.0))


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT list(range) FROM range(1000000000)",
        # DuckDB does not count what these take.
        "SELECT repeat('x', 1000000) FROM range(10000)",
        "SELECT repeat('x', 3000000000)",
        "SELECT list_transform(range(50000000), x -> repeat('a', 100))",
        "WITH RECURSIVE t(n, s) AS (SELECT 1, 'x' UNION ALL SELECT n + 1, s || s FROM t "
        "WHERE n < 40) SELECT max(len(s)) FROM t",
    ],
)
def test_the_memory_of_the_whole_process_is_limited(path, sql):
    process = QueryProcess()
    limits = Limits(memory_mib=200)
    try:
        request = {"path": str(path), "sql": sql, "limits": asdict(limits)}
        answered, _ = process.ask(request, limits)
        assert answered["problem"] == (
            "the query needs more memory than the 200 MiB it may use here"
        )
        status = Path(f"/proc/{process._child.pid}/status").read_text()
        assert int(status.partition("VmHWM:")[2].split()[0]) < 700 << 10, "KiB at most"
    finally:
        process.stop()


def test_the_answer_is_limited(path):
    result = ask_guarded(path, "FROM range(100)", Limits(rows=10))
    assert (result.table.num_rows, result.more) == (10, True)
    assert not ask_guarded(path, "FROM range(10)", Limits(rows=10)).more
    with pytest.raises(UsageError, match="larger than 1 MiB"):
        ask_guarded(path, "SELECT repeat('x', 3000000)", Limits(result_mib=1))


def test_the_warehouse_stays_usable_meanwhile(path):
    con = pwh.connect(path, read_only=True)
    assert asked(path, "SELECT count(*) AS n FROM runs") == [{"n": 1}]
    con.close()


def test_a_missing_warehouse_is_reported(tmp_path):
    with pytest.raises(WarehouseMissing, match="there is no warehouse"):
        ask_guarded(tmp_path / "none.duckdb", "FROM runs")
