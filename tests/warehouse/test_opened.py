"""A file that is renamed, deleted or replaced while it is open: nothing goes where none expects."""

from __future__ import annotations

import os
import shutil

import duckdb
import pytest

import warehouse as pwh
from tests.helpers.support import rows
from warehouse import connection
from warehouse.errors import WarehouseMissing, WarehouseMoved
from warehouse.opened import close, closing_in_place
from warehouse.sharing import writing
from warehouse.transactions import transaction

ADD = "INSERT INTO saved_queries (name, query, saved_at) VALUES ($1, 'FROM runs', now())"


@pytest.fixture
def path(template, tmp_path):
    return shutil.copy(template, tmp_path / "w.duckdb")


@pytest.fixture
def other(template, tmp_path):
    """Return another warehouse, in which something is saved."""
    path = shutil.copy(template, tmp_path / "other.duckdb")
    with pwh.connect(path) as con:
        con.execute(ADD, ["other"])
    return path


def saved(path):
    with pwh.connect(path, read_only=True, wait=0) as con:
        return [name for (name,) in rows(con, "SELECT name FROM saved_queries ORDER BY name")]


def add(con, name):
    with transaction(con):
        con.execute(ADD, [name])


def test_renamed_what_was_stored_is_there_and_nothing_else(path, tmp_path):
    con = pwh.connect(path)
    add(con, "first")
    path.rename(tmp_path / "x.duckdb")
    with pytest.raises(WarehouseMoved, match=r"it was renamed to .*x\.duckdb") as raised:
        add(con, "second")
    assert f"what was stored before is in {tmp_path / 'x.duckdb'}" in raised.value.hint
    with pytest.raises(WarehouseMoved):
        close(con)
    assert [one.name for one in tmp_path.iterdir()] == ["x.duckdb"]
    assert saved(tmp_path / "x.duckdb") == ["first"]


def test_renamed_with_its_log_both_are_whole(path, tmp_path):
    con = pwh.connect(path)
    add(con, "first")
    for end in ("", ".wal"):
        path.with_name(f"w.duckdb{end}").rename(tmp_path / f"x.duckdb{end}")
    with pytest.raises(WarehouseMoved):
        close(con)
    assert saved(tmp_path / "x.duckdb") == ["first"]


def test_deleted_is_told(path, tmp_path):
    with pytest.raises(WarehouseMoved, match="it was deleted") as raised, writing(path, wait=0):
        path.unlink()
    assert "what was stored in it is gone with it" in raised.value.hint
    assert list(tmp_path.iterdir()) == []


def test_a_file_in_its_place_gets_nothing_of_it(path, other, tmp_path):
    with (
        pytest.raises(WarehouseMoved, match="another file is in its place"),
        writing(path, wait=0) as con,
    ):
        add(con, "first")
        other.rename(path)
        add(con, "second")
    assert [one.name for one in tmp_path.iterdir()] == ["w.duckdb"]
    assert saved(path) == ["other"]


def test_the_log_of_the_file_in_its_place_stays(path, other, tmp_path):
    con = pwh.connect(path)
    add(con, "first")
    for end in ("", ".wal"):
        path.with_name(f"w.duckdb{end}").rename(tmp_path / f"x.duckdb{end}")
    other.rename(path)
    log = path.with_name("w.duckdb.wal")
    log.write_bytes(b"what the other has")
    with pytest.raises(WarehouseMoved):
        close(con)
    assert log.read_bytes() == b"what the other has"
    assert saved(tmp_path / "x.duckdb") == ["first"]


def test_a_file_that_still_has_another_name(path, tmp_path):
    con = pwh.connect(path)
    os.link(path, tmp_path / "x.duckdb")
    path.unlink()
    with pytest.raises(WarehouseMoved) as raised:
        close(con)
    assert "that file, if it still exists" in raised.value.hint


def test_an_error_of_the_block_matters_more(path):
    con = pwh.connect(path)
    with pytest.raises(ZeroDivisionError), closing_in_place(con):
        path.unlink()
        raise ZeroDivisionError


def test_a_file_that_is_replaced_while_it_is_opened_is_opened_again(path, other, monkeypatch):
    prepared = connection._prepared
    opened = []

    def replaced_meanwhile(*given, **options):
        con = prepared(*given, **options)
        if not opened:
            other.replace(path)
        opened.append(con)
        return con

    monkeypatch.setattr(connection, "_prepared", replaced_meanwhile)
    with pwh.connect(path, wait=0) as con:
        assert rows(con, "SELECT name FROM saved_queries") == [("other",)]
        add(con, "second")
    assert len(opened) == 2


def test_one_that_is_deleted_while_it_is_opened_is_missing(path, monkeypatch):
    prepared = connection._prepared

    def deleted_meanwhile(*given, **options):
        con = prepared(*given, **options)
        path.unlink()
        return con

    monkeypatch.setattr(connection, "_prepared", deleted_meanwhile)
    with pytest.raises(WarehouseMissing):
        pwh.connect(path, create=False, wait=0)


def test_a_database_in_memory_is_nowhere():
    con = duckdb.connect()
    close(con)
