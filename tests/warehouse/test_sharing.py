"""Threads that read one warehouse at once: the file is open only while one of them reads."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import duckdb
import pytest

import warehouse as pwh
from warehouse import sharing
from warehouse.address import Served
from warehouse.errors import WarehouseBusy, WarehouseMissing
from warehouse.sharing import shared_reading, writing


@pytest.fixture
def path(template, tmp_path):
    return shutil.copy(template, tmp_path / "w.duckdb")


def read(path):
    with shared_reading(path, wait=60) as con:
        return con.execute("SELECT median_interval([1.0, 2, 3]).median").fetchone()


def test_many_threads_read_at_once(path):
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(read, [path] * 40)) == {(2.0,)}


def test_the_file_is_free_when_the_last_one_has_gone(path):
    with shared_reading(path, wait=1), shared_reading(path, wait=1):
        pass
    pwh.connect(path, wait=0).close()


def test_each_has_tables_of_its_own_and_the_zone_of_the_warehouse(path, monkeypatch):
    monkeypatch.setenv("TZ", "America/Lima")
    with shared_reading(path, wait=1) as one, shared_reading(path, wait=1) as other:
        one.execute("CREATE TEMP TABLE mine AS SELECT 1")
        found = other.execute("SELECT count(*) FROM duckdb_tables() WHERE table_name = 'mine'")
        assert found.fetchone() == (0,)
        zone = other.execute("SELECT current_setting('TimeZone')").fetchone()
        assert zone == ("UTC",)


def test_waiting_for_a_locked_file_keeps_nobody_else_waiting(path, tmp_path, monkeypatch):
    other = shutil.copy(path, tmp_path / "other.duckdb")
    waiting, free = threading.Event(), threading.Event()
    connected = sharing.connect

    def connect(file, *options, **named):
        if file == path:
            waiting.set()
            free.wait(60)
        return connected(file, *options, **named)

    monkeypatch.setattr(sharing, "connect", connect)
    with ThreadPoolExecutor(1) as pool:
        blocked = pool.submit(read, path)
        waiting.wait(60)
        assert read(other) == (2.0,)
        assert not blocked.done()
        free.set()
        assert blocked.result() == (2.0,)


def test_a_writer_waits_for_readers_of_its_own_process_and_they_for_it(path):
    with ThreadPoolExecutor(1) as pool:
        with shared_reading(path, wait=1):
            written = pool.submit(write, path)
            with pytest.raises(WarehouseBusy), writing(path, wait=0):
                pass
        written.result()
        with writing(path, wait=1):
            found = pool.submit(read, path)
        assert found.result() == (2.0,)


def write(path):
    with writing(path, wait=60) as con:
        con.execute(
            "INSERT INTO saved_queries (name, query, saved_at) VALUES ('one', 'FROM runs', now())"
        )


def test_an_error_on_the_way_lets_go_too(path):
    with pytest.raises(ZeroDivisionError), shared_reading(path, wait=1):
        raise ZeroDivisionError
    pwh.connect(path, wait=0).close()


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(WarehouseMissing), shared_reading(tmp_path / "none.duckdb", wait=0):
        pass


class Session:
    """What sharing needs of a connection to a served warehouse, with a log of what is opened."""

    def __init__(self, opened):
        self.opened, self.works, self.is_open = opened, True, True
        opened.append(self)

    def execute(self, _):
        if not self.works:
            raise duckdb.InvalidInputException("Invalid connection id")
        return self

    def fetchone(self):
        return (1,)

    def close(self):
        self.is_open = False


@pytest.fixture
def served(monkeypatch):
    """Return the connections that were opened to a served warehouse; cursors are not among them."""
    opened = []
    monkeypatch.setattr(sharing, "connect", lambda *_, **__: Session(opened))

    def cursor(con):
        own = Session([])
        own.works = con.works
        return own

    monkeypatch.setattr(sharing, "cursor", cursor)
    yield opened
    sharing._OPEN.clear()


def ask(address):
    with shared_reading(address, wait=0) as con:
        con.execute("SELECT 1")


def test_a_served_warehouse_is_connected_to_once_a_minute(served, monkeypatch):
    address = Served("localhost", 1)
    now = [100.0]
    monkeypatch.setattr(sharing.time, "monotonic", lambda: now[0])
    ask(address)
    ask(address)
    assert len(served) == 1 and served[0].is_open
    now[0] += 61
    ask(address)
    assert [one.is_open for one in served] == [False, True]


def test_after_a_restart_of_the_server_there_is_another_connection(served):
    address = Served("localhost", 1)
    ask(address)
    served[0].works = False
    ask(address)
    assert [one.is_open for one in served] == [False, True]
