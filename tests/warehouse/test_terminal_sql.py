"""SQL in a terminal: every form in which it could write or read a file."""

from __future__ import annotations

import shutil

import duckdb
import pytest

from tests.faults.outputs import READS, WRITES, contents, targets
from warehouse import connect
from warehouse.errors import UsageError
from warehouse.quack.statements import parsed
from warehouse.terminal_sql import check_files, restrict_files

SECRET = "row of a secret"


@pytest.fixture(scope="module")
def folder(template, tmp_path_factory):
    """Return a folder with a warehouse, paths that lead to it, and another file."""
    folder = tmp_path_factory.mktemp("files")
    targets(shutil.copy(template, folder / "w.duckdb"), template)
    (folder / "secret.csv").write_text(f"secret\n{SECRET}\n")
    return folder


@pytest.fixture
def con(folder):
    """Yield a connection that reads the warehouse."""
    with connect(folder / "w.duckdb", read_only=True) as con:
        yield con


def run(con, sql, *, may_write=False):
    check_files(con, sql, may_write=may_write)
    con.execute(sql)
    con.execute("SELECT 1")


@pytest.mark.parametrize("sql", WRITES)
def test_sql_writes_no_file(con, folder, sql):
    restrict_files(con, [])
    before = contents(folder)
    for name in ("w.duckdb", "w.duckdb.wal", "linked", "hard.csv", "secret.csv", "new"):
        with pytest.raises((UsageError, duckdb.PermissionException)):
            run(con, sql.replace("{}", str(folder / name)))
    assert contents(folder) == before


@pytest.mark.parametrize("sql", READS)
def test_sql_reads_no_file(con, folder, sql):
    restrict_files(con, [folder / "out"])
    before = contents(folder)
    with pytest.raises((UsageError, duckdb.Error)) as error:
        run(con, sql.replace("{}", str(folder / "secret.csv")))
    assert SECRET not in str(error.value)
    assert contents(folder) == before


@pytest.mark.parametrize("sql", WRITES)
def test_sql_that_may_write_files_writes_to_no_warehouse(con, folder, sql):
    before = contents(folder)
    for name in ("w.duckdb", "w.duckdb.wal", "linked", "hard.csv", "other.db"):
        with pytest.raises((UsageError, duckdb.IOException)):
            run(con, sql.replace("{}", str(folder / name)), may_write=True)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH '{}/w.duckdb.wal' AS log",
        "COPY (SELECT 1 AS a, 2 AS b) TO '{}' (FORMAT csv, PARTITION_BY a, OVERWRITE)",
        "COPY runs TO '{}/' (FORMAT csv, PER_THREAD_OUTPUT, FILENAME_PATTERN 'w')",
        "COPY runs TO '{}/ducklake-0198a0e2-1111-7222-8333-444455556666.parquet'",
    ],
)
def test_neither_folders_with_a_warehouse_nor_the_place_of_its_log_are_written_to(con, folder, sql):
    before = contents(folder)
    with pytest.raises(UsageError):
        run(con, sql.replace("{}", str(folder)), may_write=True)
    assert contents(folder) == before


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 'a' SIMILAR TO 'b' AS copy",
        "EXPLAIN SELECT 'x' SIMILAR TO 'y' AS copy",
        "SELECT $$COPY runs TO 'x'$$",
        "SET VARIABLE copy = 'TO'",
        "CREATE TEMP TABLE copies AS SELECT 1 AS export; DROP TABLE copies",
        "PIVOT (SELECT 1 AS a) ON a USING count(*)",
        "PREPARE p AS SELECT $1; EXECUTE p('w.duckdb')",
    ],
)
def test_sql_without_files_runs(con, sql):
    restrict_files(con, [])
    run(con, sql)


def test_to_parse_sql_reads_no_file(tmp_path):
    (tmp_path / "schema.sql").write_text("SELECT 1")
    (tmp_path / "load.sql").write_text("")
    with pytest.raises(duckdb.PermissionException):
        parsed(f"IMPORT DATABASE '{tmp_path}'")
