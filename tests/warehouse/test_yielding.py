"""Reading that yields: a query is interrupted for a writer that waits, and comes to its end."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import closing, nullcontext

import duckdb
import pytest

import warehouse as pwh
from tests.helpers.support import rows
from warehouse import connection, yielding
from warehouse.address import Served
from warehouse.connection import cursor, interrupt
from warehouse.errors import ReadingInterrupted, WarehouseBusy
from warehouse.queue import place
from warehouse.sharing import shared_reading
from warehouse.yielding import IN_PLACE, Watch, reading

# Ends for no machine within the minute after which it is interrupted.
LONG = "SELECT count(*) FROM range(10000000) AS a, range(10000000) AS b WHERE a.range < b.range"
NAMES = "SELECT name FROM saved_queries ORDER BY name"


@pytest.fixture
def path(template, tmp_path):
    path = shutil.copy(template, tmp_path / "w.duckdb")
    with pwh.connect(path) as con:
        con.execute(
            "INSERT INTO saved_queries (name, query, saved_at) VALUES ('one', 'FROM runs', now())"
        )
    return path


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(yielding, "_YIELD_SECONDS", 0.1)
    monkeypatch.setattr(yielding, "_TICK", 0.01)


def run_long(con):
    timer = threading.Timer(60, interrupt, [con])
    timer.start()
    try:
        con.execute(LONG)
    finally:
        timer.cancel()


def test_a_query_is_interrupted_while_a_writer_waits(path):
    with (
        pytest.raises(ReadingInterrupted, match="as a writer had waited"),
        reading(path) as con,
        place(path, writes=True),
    ):
        run_long(con)
    pwh.connect(path, wait=0).close()


def test_so_is_one_of_a_cursor_of_a_cursor(path):
    with (
        pytest.raises(ReadingInterrupted),
        reading(path) as con,
        cursor(con) as own,
        cursor(own) as narrow,
        place(path, writes=True),
    ):
        run_long(narrow)


def test_one_that_nobody_waits_for_is_not(path):
    with reading(path) as con, place(path, writes=False):
        assert rows(con, "SELECT count(*) FROM range(30000000) AS a") == [(30_000_000,)]


def test_other_errors_are_what_they_were(path):
    with pytest.raises(duckdb.CatalogException), reading(path) as con:
        con.execute("FROM nothing")


@pytest.mark.parametrize("is_room", [True, False])
def test_after_some_interruptions_it_comes_to_its_end(path, tmp_path, monkeypatch, is_room):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    (tmp_path / "copies").mkdir()
    if not is_room:
        monkeypatch.setattr(yielding, "_ROOM", 1e12)
    with reading(path, interrupted=IN_PLACE) as con:
        with place(path, writes=True):
            assert list((tmp_path / "copies").iterdir()) == []
            assert rows(con, "SELECT current_database()") == [("w",)]
            assert rows(con, "SELECT count(*) FROM range(30000000) AS a") == [(30_000_000,)]
        if is_room:
            # Others write meanwhile.
            with pwh.connect(path, wait=0) as writer:
                writer.execute(
                    "INSERT INTO saved_queries (name, query, saved_at) "
                    "VALUES ('two', 'FROM runs', now())"
                )
        assert rows(con, NAMES) == [("one",)]
    with reading(path) as con:
        assert rows(con, NAMES) == [("one",), ("two",)][: 1 + is_room]


def test_a_copy_has_what_is_in_the_log(path):
    code = (
        "import duckdb, os, sys; con = duckdb.connect(sys.argv[1]); "
        'con.execute("INSERT INTO saved_queries (name, query, saved_at) '
        "VALUES ('logged', 'FROM runs', now())\"); "
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(path)], check=True)
    assert path.with_name("w.duckdb.wal").exists()
    with reading(path, interrupted=IN_PLACE) as con:
        assert rows(con, NAMES) == [("logged",), ("one",)]


def test_of_those_that_read_together_nobody_joins_while_a_writer_waits(path):
    with shared_reading(path, wait=60) as con:
        with place(path, writes=True):
            with pytest.raises(WarehouseBusy, match="has 1 process waiting before this one"):
                with shared_reading(path, wait=0):
                    pass
            assert rows(con, NAMES) == [("one",)]
        with shared_reading(path, wait=0) as other:
            assert rows(other, NAMES) == [("one",)]


def test_who_may_not_write_next_to_it_lets_those_pass_that_were_there(path, monkeypatch):
    # Who has no place knows only that others wait.
    monkeypatch.setattr(connection, "place", lambda *_, **__: nullcontext())
    with place(path, writes=True), pytest.raises(WarehouseBusy, match="has 1 process waiting"):
        pwh.connect(path, read_only=True, wait=0.2)
    pwh.connect(path, read_only=True, wait=0).close()


def test_a_watch_of_what_is_no_file_does_nothing():
    with duckdb.connect() as con, closing(Watch(con, Served("localhost", 1))) as watch:
        assert not watch.is_due
