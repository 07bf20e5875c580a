"""Opening a warehouse: new, busy, old, too new, something else."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time

import duckdb
import pytest

import warehouse as pwh
from tests.helpers.support import rows
from warehouse import errors, migrations
from warehouse.connection import fill, open_unchecked


@pytest.fixture
def existing(template, tmp_path):
    """Return an empty warehouse, where a test is not about making one."""
    return shutil.copy(template, tmp_path / "w.duckdb")


def test_connect_makes_a_warehouse_with_tables_and_views(tmp_path):
    with pwh.connect(tmp_path / "new.duckdb") as con:
        assert rows(con, "SELECT count(*) FROM runs") == [(0,)]
        assert rows(con, "SELECT count(*) FROM run_metrics") == [(0,)]
    assert [path.name for path in tmp_path.iterdir()] == ["new.duckdb"]


def test_read_only_cannot_write(existing):
    with pwh.connect(existing, read_only=True) as con:
        with pytest.raises(duckdb.InvalidInputException, match="read-only"):
            con.execute("DELETE FROM runs")


def test_a_missing_warehouse_has_a_hint(tmp_path):
    with pytest.raises(errors.WarehouseMissing, match="pwh ingest"):
        pwh.connect(tmp_path / "none.duckdb", read_only=True)
    with pytest.raises(errors.WarehouseMissing):
        pwh.connect(tmp_path / "none.duckdb", create=False)
    assert not list(tmp_path.iterdir())


def test_missing_folder_is_named(tmp_path):
    with pytest.raises(errors.WarehouseError, match="nowhere.* does not exist"):
        pwh.connect(tmp_path / "nowhere" / "w.duckdb")


@pytest.mark.parametrize("address", ["w.duckdb", "ducklake:w.ducklake"])
def test_a_path_that_duckdb_takes_for_a_query_is_only_read(
    existing, tmp_path, monkeypatch, address
):
    folder = tmp_path / "a?b"
    folder.mkdir()
    monkeypatch.chdir(folder)
    with pytest.raises(errors.UsageError, match=r"there is a \? in its path\n.*Rename"):
        pwh.connect(address)
    assert not list(folder.iterdir())
    shutil.copy(existing, folder)
    with pwh.connect(folder / "w.duckdb", read_only=True) as con:
        assert rows(con, "SELECT count(*) FROM runs") == [(0,)]


def test_an_older_schema_has_a_hint(existing):
    with pwh.connect(existing) as con:
        con.execute("DELETE FROM migrations WHERE name = ?", [migrations.names()[-1]])
    with pytest.raises(errors.WarehouseOutdated, match=r"pwh --db .*w\.duckdb migrate"):
        pwh.connect(existing)


def test_newer_schema_is_refused(existing):
    with pwh.connect(existing) as con:
        con.execute("INSERT INTO migrations VALUES ('9999_future', now(), '99')")
    with pytest.raises(errors.WarehouseTooNew, match="9999_future"):
        pwh.connect(existing, read_only=True)


@pytest.mark.parametrize("name", ["0044_peak_bytes", f"{migrations.names()[-1]}_other"])
def test_a_development_version_is_not_called_newer(existing, name):
    with pwh.connect(existing) as con:
        con.execute("INSERT INTO migrations VALUES (?, now(), '0.1.0')", [name])
    with pytest.raises(errors.WarehouseError, match=f"development version .*{name}") as caught:
        pwh.connect(existing)
    assert type(caught.value) is errors.WarehouseError
    assert "ingest FILES" in caught.value.hint


# DuckDB (1.5.5) cannot replay these as it opens the file.
UNREPLAYED = """
import os, sys, duckdb
con = duckdb.connect(sys.argv[1])
con.execute("INSERT INTO saved_queries (name, query, saved_at) VALUES ('own', 'FROM runs', now())")
con.execute("CREATE TABLE own (landed TIMESTAMP DEFAULT now(), i INTEGER)")
con.execute("ALTER TABLE own ADD COLUMN j INTEGER")
os._exit(0)
"""


def test_the_log_of_a_process_killed_after_it_changed_a_table_is_replayed(existing):
    subprocess.run([sys.executable, "-c", UNREPLAYED, str(existing)], check=True)
    before = existing.read_bytes()
    with pytest.raises(errors.WarehouseError, match=r"changes of tables.*\n  Run: .* maintain"):
        pwh.connect(existing, read_only=True)
    assert existing.read_bytes() == before
    with pwh.connect(existing) as con:
        assert rows(con, "SELECT count(*) FROM saved_queries") == [(1,)]
        assert rows(con, "DESCRIBE own")[2][0] == "j"
    with pwh.connect(existing, read_only=True) as con:
        assert rows(con, "SELECT count(*) FROM own") == [(0,)]


def test_a_list_of_migrations_with_other_content_is_damage(existing):
    with pwh.connect(existing) as con:
        con.execute("ALTER TABLE migrations RENAME TO older")
        con.execute("CREATE TABLE migrations AS FROM older")
        con.execute("INSERT INTO migrations VALUES (NULL, now(), '1')")
    with pytest.raises(errors.WarehouseDamaged, match="list of migrations"):
        pwh.connect(existing, read_only=True)


def test_views_of_another_version_are_made_anew_when_asked(existing):
    with pwh.connect(existing) as con:
        con.execute("UPDATE view_modules SET sha256 = 'other'")
        con.execute("DROP VIEW run_metrics")
        con.execute("CREATE VIEW mine AS SELECT 1 AS x")
    for read_only in (True, False):
        with pytest.raises(errors.WarehouseOutdated, match="migrate"):
            pwh.connect(existing, read_only)
    with open_unchecked(existing) as con:
        fill(con)
    with pwh.connect(existing) as con:
        assert rows(con, "SELECT count(*) FROM run_metrics") == [(0,)]
        assert rows(con, "FROM mine") == [(1,)], "a user's own view stays"


def test_other_files_are_refused(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("hello " * 10_000)
    with pytest.raises(errors.NotAWarehouse, match="not a DuckDB file"):
        pwh.connect(text)
    # DuckDB would open it, as a view in memory.
    table = tmp_path / "table.csv"
    table.write_text("a,b\n1,2\n")
    for read_only in (True, False):
        with pytest.raises(errors.NotAWarehouse, match="not a DuckDB file"):
            pwh.connect(table, read_only)
    other = tmp_path / "other.duckdb"
    duckdb.connect(str(other)).close()
    with pytest.raises(errors.NotAWarehouse, match="not a pwh warehouse"):
        pwh.connect(other)


def test_busy_names_the_holder_and_gives_up(existing):
    hold = (
        "import sys, warehouse; con = warehouse.connect(sys.argv[1]); "
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", hold, str(existing)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout.readline() == "held\n"
        told = []
        with pytest.raises(errors.WarehouseBusy, match=f"process {holder.pid}"):
            pwh.connect(existing, read_only=True, wait=0.3, on_wait=told.append)
        assert len(told) == 1 and "waiting" in told[0]
        holder.stdin.close()
    pwh.connect(existing, read_only=True, wait=60).close()


def test_row_numbers_keep_duplicates_and_make_no_row_of_none(warehouse):
    joined = "(VALUES (1, 'x')) AS l (k, p) JOIN (VALUES (1, 20), (1, 10)) AS r (k, s) USING (k)"
    kept = warehouse.sql(
        f"SELECT p FROM (SELECT p, s FROM {joined}) QUALIFY row_number() OVER (ORDER BY s) <= 2"
    ).fetchall()
    assert kept == [("x",), ("x",)]
    none = warehouse.sql("SELECT app FROM runs QUALIFY row_number() OVER (ORDER BY run_id) <= 1")
    assert none.fetchall() == []


def test_what_killed_processes_leave_behind_goes(tmp_path):
    path = tmp_path / "w.duckdb"
    old, new = tmp_path / ".w.duckdb.1-ab.new", tmp_path / ".w.duckdb.2-ab.new"
    for draft in (old, new):
        draft.touch()
    os.utime(old, (0, 0))
    for name in ("w.duckdb.tmp", "w.duckdb.12-0123abcd.tmp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "duckdb_temp_storage-0.tmp").touch()
    (theirs := tmp_path / "w.duckdb.notes.tmp").touch()
    pwh.connect(path).close()
    assert sorted(tmp_path.iterdir()) == [new, path, theirs]


def test_readers_that_spill_have_a_folder_each(existing):
    sql = """
        SET memory_limit = '60MB';
        SET threads = 1;
        SELECT max(i) FROM (
          SELECT i, row_number() OVER (ORDER BY hash(i)) AS r FROM range(4000000) AS t(i)
        )
    """
    program = f"import warehouse; print(warehouse.connect({str(existing)!r}, read_only=True)" + (
        f".execute({sql!r}).fetchone()[0])"
    )
    readers = [
        subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    seen = set()
    while any(reader.poll() is None for reader in readers):
        seen |= {one.name for one in existing.parent.glob("*.tmp")}
        time.sleep(0.01)
    assert [reader.communicate()[0] for reader in readers] == ["3999999\n"] * 2
    assert len(seen) == 2
    assert not list(existing.parent.glob("*.tmp"))


@pytest.mark.parametrize("read_only", [False, True])
def test_a_process_connects_as_often_as_it_likes(existing, read_only):
    path = existing
    sql = "SELECT median_interval([1.0, 2.0, 3.0]).median"
    first, second = (pwh.connect(path, read_only=read_only) for _ in range(2))
    assert rows(first, sql) == rows(second, sql) == [(2.0,)]
    first.close()
    del first
    assert rows(second, sql) == [(2.0,)]
    # As a cell of a notebook does that runs again.
    second = pwh.connect(path, read_only=read_only)
    assert rows(second, sql) == [(2.0,)]
    with pytest.raises(errors.WarehouseBusy, match="this process has .* open in another way"):
        pwh.connect(path, read_only=not read_only)
    second.close()
    pwh.connect(path, read_only=not read_only).close()


def test_the_first_rows_are_found_where_others_were_deleted():
    """DuckDB 1.5.5 counts deleted rows of a row group among the first, and finds none."""
    with pwh.connect(":memory:") as con:
        con.execute(
            "CREATE TABLE t AS SELECT 'gone' AS run, 1e6 + i AS value FROM range(122880) x(i)"
        )
        con.execute("INSERT INTO t SELECT 'left', i FROM range(122880) x(i)")
        con.execute("DELETE FROM t WHERE run = 'gone'")
        found = con.execute("SELECT run, value FROM t ORDER BY value DESC LIMIT 1").fetchall()
    assert found == [("left", 122879)]
