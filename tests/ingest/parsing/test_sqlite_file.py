"""Databases of anybody: only tables with declared columns are read, within limits."""

from __future__ import annotations

import os
import signal
import sqlite3
import threading
from contextlib import closing

import pytest

from ingest.parsing import sqlite_file
from ingest.parsing.sqlite_file import opened
from tests.helpers.support import land
from tests.ingest.cases import nsys, rocprof
from warehouse.errors import InputError

ENDLESS = "WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT {} FROM r"


@pytest.fixture
def made(tmp_path):
    """Return a function that makes a database, or changes a copy of one."""

    def make(script, sample=None):
        path = tmp_path / "r.sqlite"
        path.write_bytes(b"" if sample is None else sample.read_bytes())
        with closing(sqlite3.connect(path)) as con:
            con.executescript(script)
        return path

    return make


@pytest.mark.parametrize(
    ("sample", "script"),
    [
        (
            nsys.SAMPLE,
            "DROP TABLE StringIds; CREATE VIEW StringIds AS "
            + ENDLESS.format("n AS id, 'x' AS value"),
        ),
        (
            nsys.SAMPLE,
            "DROP TABLE NVTX_EVENTS; CREATE VIEW NVTX_EVENTS AS "
            + ENDLESS.format("n AS start, n AS end, 59 AS eventType, 'x' AS text, n AS globalTid"),
        ),
        (
            rocprof.SAMPLE,
            f'DROP VIEW rocpd_string; DROP TABLE "rocpd_string{rocprof.SUFFIX}"; '
            "CREATE VIEW rocpd_string AS " + ENDLESS.format("n AS id, 'x' AS string"),
        ),
        (
            rocprof.SAMPLE,
            f'DROP VIEW rocpd_kernel_dispatch; DROP TABLE "rocpd_kernel_dispatch{rocprof.SUFFIX}"; '
            "CREATE VIEW rocpd_kernel_dispatch AS " + ENDLESS.format("n AS id, n AS start"),
        ),
    ],
)
def test_a_view_in_place_of_a_table_is_not_read(warehouse, made, sample, script):
    path = made(script, sample)
    with pytest.raises(InputError, match=r"is a view, not a table|is prohibited") as error:
        land(warehouse, path)
    assert error.value.path == str(path) and "table" in error.value.expected


def test_views_of_the_file_are_replaced_by_those_of_its_tables(warehouse, made):
    script = "DROP VIEW rocpd_string; CREATE VIEW rocpd_string AS "
    path = made(script + ENDLESS.format("n AS id, 'x' AS string"), rocprof.SAMPLE)
    (landed,) = land(warehouse, path)
    assert landed.rows["tasks"] > 0


def test_computed_columns_and_virtual_tables_are_not_read(made):
    path = made(
        "CREATE TABLE t (a, b AS (zeroblob(900000000))); INSERT INTO t VALUES (1);"
        "CREATE VIRTUAL TABLE v USING fts4(a)"
    )
    with opened(path) as file:
        assert file.tables["t"] == {"a"}
        with pytest.raises(InputError, match="v is a virtual table"):
            file.has("v")
    with pytest.raises(InputError, match=r"access to t\.b is prohibited"), opened(path) as file:
        file.value("SELECT b FROM t")
    for sql in (ENDLESS.format("n"), "SELECT 1 FROM pragma_table_info('t')", "DROP TABLE t"):
        with pytest.raises(InputError, match="cannot be read"), opened(path) as file:
            file.value(sql)


def circular(path):
    """Write a small table whose inner pages all refer to the same page, twelve levels deep."""
    size, fanout, depth = 512, 60, 12
    with closing(sqlite3.connect(path, isolation_level=None)) as con:
        con.executescript(f"PRAGMA page_size = {size}; CREATE TABLE t (a)")
        con.execute("INSERT INTO t VALUES (1)")
    leaf = path.read_bytes()[size:]
    pages = []
    for level in range(depth):
        child = level + 3 if level < depth - 1 else depth + 2
        cell = child.to_bytes(4, "big") + b"\x01"
        places = [size - 5 * (number + 1) for number in range(fanout)]
        header = b"\x05\0\0" + fanout.to_bytes(2, "big") + places[-1].to_bytes(2, "big") + b"\0"
        page = header + child.to_bytes(4, "big") + b"".join(p.to_bytes(2, "big") for p in places)
        pages.append(page + bytes(size - len(page) - 5 * fanout) + cell * fanout)
    first = bytearray(path.read_bytes()[:size])
    first[28:32] = (depth + 2).to_bytes(4, "big")
    path.write_bytes(bytes(first) + b"".join(pages) + leaf)
    return path


def test_rows_and_time_are_limited(tmp_path, monkeypatch):
    path = circular(tmp_path / "r.sqlite")
    with pytest.raises(InputError, match="rows where so many do not fit"), opened(path) as file:
        file.integers("t", ["a"])
    monkeypatch.setattr(sqlite_file, "_SECONDS", 0.0)
    with pytest.raises(InputError, match="cannot be read within 0 s"), opened(path) as file:
        file.integers("t", ["a"], "a = 2")


def test_an_interruption_ends_a_query(tmp_path):
    path = circular(tmp_path / "r.sqlite")
    threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
    with pytest.raises(KeyboardInterrupt), opened(path) as file:
        file.integers("t", ["a"], "a = 2")
