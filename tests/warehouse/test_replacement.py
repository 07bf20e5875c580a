"""A copy of a warehouse that takes its place: all of it or nothing, and nothing left beside."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple

import duckdb
import pytest

import warehouse as pwh
from tests.helpers.support import rows
from warehouse import replacement as replacing
from warehouse.connection import open_unchecked
from warehouse.errors import UsageError, WarehouseBusy, WarehouseError, WarehouseMissing
from warehouse.replacement import compact, replacement

ADD = "INSERT INTO saved_queries (name, query, saved_at) VALUES ('added', 'FROM runs', now())"


def names_in(path):
    with pwh.connect(path, read_only=True) as con:
        return [name for (name,) in rows(con, "SELECT name FROM saved_queries ORDER BY ALL")]


def must_be_untouched(path, before):
    assert path.read_bytes() == before
    assert [found.name for found in path.parent.iterdir()] == [path.name], "nothing is left"


@pytest.fixture
def file(template, tmp_path):
    """Return an empty warehouse, alone in a folder."""
    folder = tmp_path / "a folder's"
    folder.mkdir()
    return shutil.copy(template, folder / "w.duckdb")


def test_a_link_remains_one_and_the_file_its_permissions(file, tmp_path):
    link = tmp_path / "link.duckdb"
    link.symlink_to(file)
    file.chmod(0o640)
    with replacement(link) as con:
        con.execute(ADD)
    assert link.is_symlink() and names_in(link) == names_in(file) == ["added"]
    assert file.stat().st_mode & 0o777 == 0o640
    assert [found.name for found in file.parent.iterdir()] == ["w.duckdb"]


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give files to others")
def test_it_belongs_to_whom_the_file_belonged(file):
    os.chown(file, 12345, 54321)
    with replacement(file) as con:
        con.execute(ADD)
    assert (file.stat().st_uid, file.stat().st_gid) == (12345, 54321)


@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (
            duckdb.BinderException("Binder Error: no column x\nLINE 1"),
            r"development .*\(no column x\)",
        ),
        (ValueError("of three\nlines"), ": of three"),
        (KeyError(), ": KeyError"),
        (WarehouseError("it is so", hint="Do that."), ": it is so"),
        (OSError(28, "No space left on device"), "no room"),
        (duckdb.IOException("IO Error: Could not write: No space left on device"), "no room"),
        (duckdb.FatalException("FATAL Error: it is over"), "damaged"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else "",
)
def test_whatever_fails_the_file_is_as_it_was(file, raised, expected):
    before = file.read_bytes()

    def fail():
        with replacement(file) as con:
            con.execute(ADD)
            raise raised

    with pytest.raises(WarehouseError) as caught:
        fail()
    assert caught.value.exit_code == 4 and caught.value.hint
    assert re.fullmatch(f"nothing has changed in {file}.*{expected}.*", caught.value.problem)
    must_be_untouched(file, before)


@pytest.mark.parametrize("raised", [UsageError, KeyboardInterrupt, duckdb.InterruptException])
def test_what_is_no_failure_of_it_remains_what_it_is(file, raised):
    before = file.read_bytes()
    with pytest.raises(raised), replacement(file) as con:
        con.execute(ADD)
        raise raised("stopped")
    must_be_untouched(file, before)


def test_a_disk_without_room_for_a_copy_is_not_filled(file, monkeypatch):
    usage = namedtuple("usage", "total used free")
    before = file.read_bytes()
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, len(before) - 1))
    with pytest.raises(WarehouseError, match="no room") as caught, replacement(file):
        pass
    assert str(file.parent) in caught.value.hint
    must_be_untouched(file, before)


def test_a_folder_that_cannot_be_written(file, monkeypatch):
    before = file.read_bytes()

    def refused(*_):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", refused)
        with pytest.raises(WarehouseError, match="Permission denied") as caught, replacement(file):
            pass
    assert str(file.parent) in caught.value.hint
    must_be_untouched(file, before)


def test_the_rest_of_a_killed_one_is_removed(file):
    for name in ("", ".wal", ".wal.checkpoint"):
        file.with_name(f".{file.name}.migrating{name}").write_bytes(b"of one that was killed")
    spilled = file.with_name(f".{file.name}.migrating.123-0123abcd.tmp")
    spilled.mkdir()
    (spilled / "block").touch()
    with replacement(file) as con:
        con.execute(ADD)
    assert names_in(file) == ["added"]
    assert [found.name for found in file.parent.iterdir()] == ["w.duckdb"]


def in_process(script, *arguments, **options):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


LEAVES_A_LOG = f"""
import os, sys, duckdb
con = duckdb.connect(sys.argv[1])
con.execute("{ADD}")
os._exit(0)
"""


def test_what_is_only_in_the_log_is_in_the_copy(file):
    assert in_process(LEAVES_A_LOG, file).returncode == 0
    assert file.with_name("w.duckdb.wal").stat().st_size > 0
    with replacement(file) as con:
        con.execute("UPDATE saved_queries SET name = name || ' and changed'")
    assert names_in(file) == ["added and changed"]
    assert [found.name for found in file.parent.iterdir()] == ["w.duckdb"]


OPENS = "import sys, duckdb; duckdb.connect(sys.argv[1], read_only=sys.argv[2] == 'True')"


@pytest.mark.parametrize("read_only", [False, True])
def test_nobody_opens_the_file_before_it_is_replaced(file, read_only):
    with replacement(file) as con:
        con.execute(ADD)
        done = in_process(OPENS, file, read_only)
        assert done.returncode == 1 and "Could not set lock on file" in done.stderr
        assert f"PID {os.getpid()}" in done.stderr
    assert in_process(OPENS, file, read_only).returncode == 0


WAITS = """
import sys
from warehouse import connect
print("waits", flush=True)
with connect(sys.argv[1], on_wait=lambda why: print("sees", flush=True)) as con:
    print(con.execute("SELECT name FROM saved_queries").fetchall())
"""


def test_who_waits_for_the_file_finds_the_new_one(file):
    with replacement(file) as con:
        con.execute(ADD)
        command = [sys.executable, "-c", WAITS, str(file)]
        waiting = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert [waiting.stdout.readline() for _ in range(2)] == ["waits\n", "sees\n"]
    assert waiting.communicate(timeout=120)[0] == "[('added',)]\n"


def test_a_file_that_another_program_put_there_stays(file, tmp_path):
    other = tmp_path / "other"
    other.write_bytes(b"of another program")

    def replaced():
        with replacement(file):
            other.rename(file)

    with pytest.raises(WarehouseError, match="moved, deleted or replaced"):
        replaced()
    must_be_untouched(file, b"of another program")


def test_a_file_that_was_deleted_meanwhile_does_not_come_back(file):
    def deleted():
        with replacement(file):
            file.unlink()

    with pytest.raises(WarehouseError, match="moved, deleted or replaced"):
        deleted()
    assert list(file.parent.iterdir()) == []


def test_what_is_not_whole_does_not_take_its_place(file):
    before = file.read_bytes()

    def outdated():
        with replacement(file) as con:
            con.execute("DELETE FROM view_modules")

    with pytest.raises(WarehouseError, match="another version of pwh created the views"):
        outdated()
    must_be_untouched(file, before)


def test_a_busy_or_missing_one_is_told_as_by_any_other_command(file):
    script = f"import duckdb; con = duckdb.connect({str(file)!r}); print('held'); input()"
    holder = subprocess.Popen(
        [sys.executable, "-u", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(WarehouseBusy, match=f"process {holder.pid}"), replacement(file, wait=0.1):
        pass
    holder.communicate("done\n", timeout=120)
    with pytest.raises(WarehouseMissing), replacement(file.with_name("other.duckdb")):
        pass
    with open_unchecked(file, create=False):
        pass


OBJECTS = """
    SELECT 'table', table_name, comment, sql FROM duckdb_tables() WHERE NOT temporary
    UNION ALL
    SELECT 'view', view_name, comment, NULL FROM duckdb_views() WHERE NOT internal
    UNION ALL
    SELECT 'column', table_name || '.' || column_name, comment, column_default
    FROM duckdb_columns() WHERE NOT internal
    UNION ALL
    SELECT 'macro', function_name, comment, CAST(parameters AS VARCHAR)
    FROM duckdb_functions() WHERE NOT internal AND macro_definition IS NOT NULL
    UNION ALL
    SELECT 'constraint', table_name, constraint_text, NULL FROM duckdb_constraints()
    UNION ALL
    SELECT 'index', index_name, sql, NULL FROM duckdb_indexes()
    ORDER BY ALL
"""


def contents(path):
    with pwh.connect(path, read_only=True) as con:
        con.execute("SET VARIABLE own = 1")
        tables = rows(con, "SELECT table_name FROM duckdb_tables() WHERE NOT temporary")
        return rows(con, OBJECTS), {table: rows(con, f"FROM {table}") for (table,) in tables}


@pytest.fixture
def swollen(file):
    """Return a warehouse with one row group, and so one block, for each of 40 small insertions."""
    for number in range(40):
        with duckdb.connect(file) as con:
            con.execute("SET max_vacuum_tasks = 0")
            con.execute(
                "INSERT INTO run_scalars BY NAME SELECT 'run' || $1 AS run_id, 'metric' AS metric, "
                "range AS value FROM range(60)",
                [number],
            )
    return file


def test_a_compacted_file_has_all_that_it_had(swollen, tmp_path):
    link = tmp_path / "link.duckdb"
    link.symlink_to(swollen)
    swollen.chmod(0o640)
    with pwh.connect(swollen) as con:
        con.execute("CREATE SEQUENCE my_numbers START 7")
        con.execute("SELECT nextval('my_numbers')")
        con.execute("CREATE TABLE mine (n BIGINT DEFAULT nextval('my_numbers'), t VARCHAR UNIQUE)")
        con.execute("INSERT INTO mine BY NAME SELECT 'a' AS t")
        con.execute("CREATE VIEW my_view AS SELECT run_id, n FROM run_metrics, mine")
        con.execute("COMMENT ON VIEW my_view IS 'Of mine.'")
        con.execute("CREATE MACRO my_macro(a) AS a + 1")
        con.execute("CREATE INDEX my_index ON mine (n)")
    had = contents(swollen)
    before, after = compact(link)
    assert after < before / 1.5 and after == swollen.stat().st_size
    assert contents(swollen) == had and link.is_symlink()
    assert swollen.stat().st_mode & 0o777 == 0o640
    assert [found.name for found in swollen.parent.iterdir()] == ["w.duckdb"]
    with pwh.connect(swollen) as con:
        con.execute("INSERT INTO mine BY NAME SELECT 'b' AS t")
        assert rows(con, "SELECT my_macro(n) FROM mine ORDER BY n") == [(9,), (10,)]
        with pytest.raises(duckdb.ConstraintException):
            con.execute("INSERT INTO mine BY NAME SELECT 'b' AS t")


def test_a_file_with_little_to_save_stays_as_it_is(file):
    before = file.read_bytes()
    assert compact(file) == (len(before), len(before))
    must_be_untouched(file, before)


def test_a_file_that_cannot_be_compacted_stays_as_it_is(swollen, monkeypatch):
    before = swollen.read_bytes()
    monkeypatch.setattr(replacing, "_put_in_place", lambda *_: os.open("/no/such/folder", 0))
    with pytest.raises(WarehouseError, match="nothing has changed in"):
        compact(swollen)
    must_be_untouched(swollen, before)


def test_what_another_program_writes_before_the_file_is_locked_is_not_lost(swollen, monkeypatch):
    real, calls = replacing._is_alone, []

    def written_before(*arguments):
        if not calls:
            script = f"import sys, duckdb; duckdb.connect(sys.argv[1]).execute({ADD!r})"
            assert in_process(script, swollen).returncode == 0
        calls.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(replacing, "_is_alone", written_before)
    before, after = compact(swollen)
    assert after < before and len(calls) == 2 and "added" in names_in(swollen)
