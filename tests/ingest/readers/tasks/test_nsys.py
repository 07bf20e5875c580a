"""Nsight Systems' SQLite exports: older schemas, several processes, and what is damaged."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing

import pytest

from tests.helpers.support import land, rows
from tests.ingest.cases.nsys import SAMPLE
from warehouse.errors import InputError

TASKS = "SELECT worker, name, t_start, t_end FROM tasks ORDER BY t_start, worker"
PID = 1 << 24


@pytest.fixture
def report(tmp_path):
    """Return a function that runs statements in a copy of the sample, or in a new database."""

    def change(script, *, new=False):
        path = tmp_path / "r.sqlite"
        if not new:
            shutil.copy(SAMPLE, path)
        with closing(sqlite3.connect(path)) as con:
            con.executescript(script)
        return path

    return change


def test_a_report_of_nvtx_only(report, warehouse):
    land(warehouse, report(f"""
        CREATE TABLE StringIds (id INTEGER, value TEXT);
        CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT,
                                  globalTid INTEGER);
        INSERT INTO NVTX_EVENTS VALUES
            (10, 110, 59, 'outer', {PID + 7}), (20, 50, 59, 'inner', {PID + 7}),
            (60, NULL, 59, 'open', {PID + 7}), (5, 5, 34, 'mark', {PID + 7});
    """, new=True))  # fmt: skip
    assert rows(warehouse, TASKS) == [
        ("thread 7", "outer", 0, 10), ("thread 7", "inner", 10, 40), ("thread 7", "outer", 40, 100),
    ]  # fmt: skip


def test_processes_have_correlations_of_their_own(report, warehouse):
    land(warehouse, report(f"""
        CREATE TABLE StringIds (id INTEGER, value TEXT);
        INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel'), (2, 'k');
        CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,
            correlationId INTEGER, nameId INTEGER);
        CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
            streamId INTEGER, correlationId INTEGER, globalPid INTEGER, shortName INTEGER);
        INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES
            (0, 5, {PID + 1}, 9, 1), (100, 105, {2 * PID + 1}, 9, 1);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
            (10, 20, 0, 7, 9, {PID}, 2), (110, 120, 0, 7, 9, {2 * PID}, 2);
    """, new=True))  # fmt: skip
    assert rows(warehouse, TASKS + " LIMIT 2") == [
        ("process 1 thread 1", "cudaLaunchKernel", 0, 5),
        ("process 1 GPU 0 stream 7", "k", 10, 20),
    ]
    query = "SELECT t_submit, t_start FROM tasks WHERE t_submit IS NOT NULL ORDER BY 1"
    assert rows(warehouse, query) == [(0, 10), (100, 110)]


def test_copies_name_the_memory_of_the_host_and_ranges_their_operator(report, warehouse):
    land(warehouse, report("""
        ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN srcKind INTEGER;
        ALTER TABLE CUPTI_ACTIVITY_KIND_MEMCPY ADD COLUMN dstKind INTEGER;
        UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET copyKind = 1, srcKind = 1, dstKind = 3;
        UPDATE NVTX_EVENTS SET text = 'aten::mm, seq = 7, sizes = [[2, 2]]', textId = NULL;
    """))  # fmt: skip
    query = "SELECT DISTINCT name FROM tasks WHERE kind = 'copy'"
    assert rows(warehouse, query) == [("[CUDA memcpy Host-to-Device] (pageable)",)]
    query = "SELECT DISTINCT function FROM fn_timings WHERE kind = 'nvtx'"
    assert rows(warehouse, query) == [("aten::mm",)]


def test_events_without_an_end_are_left_out(report, warehouse):
    land(warehouse, report("UPDATE CUPTI_ACTIVITY_KIND_MEMSET SET end = start - 1"))
    assert (
        "1 event (without a start or an end"
        in rows(warehouse, "SELECT left_out FROM sources")[0][0]
    )


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 'x'", "not a whole number"),
        ("UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 1.5", "not a whole number"),
        ("DROP TABLE CUPTI_ACTIVITY_KIND_RUNTIME; DROP TABLE CUPTI_ACTIVITY_KIND_KERNEL;"
         "DROP TABLE CUPTI_ACTIVITY_KIND_MEMCPY; DROP TABLE CUPTI_ACTIVITY_KIND_MEMSET;"
         "DROP TABLE NVTX_EVENTS; DROP TABLE OSRT_API", "neither work of a GPU nor calls"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(report, warehouse, script, message):
    with pytest.raises(InputError, match=message):
        land(warehouse, report(script))
