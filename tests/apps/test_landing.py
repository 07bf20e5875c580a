"""Small recordings land together: with the rows that each has by itself, and without bad ones."""

from __future__ import annotations

import importlib
import shutil
from pathlib import Path

import duckdb
import pytest

import warehouse
from apps import landing
from apps.landing import Lander
from ingest import load, parsed
from ingest.contract import contents
from ingest.derive import derive
from ingest.parsed import Options, Parsed
from ingest.readers.plain.reader import PlainTable
from ingest.walk import find
from ingest.writer import Landed
from tests.helpers.support import rows
from warehouse.errors import InputError, WarehouseBusy, WarehouseConflict

TABLE = "app,function,seconds\nsolver,solve,{}\nsolver,dot,1.5\n"
STORED = (
    "SELECT run_id, stated_by, app FROM run_facts ORDER BY ALL",
    "FROM run_scalars ORDER BY ALL",
    "SELECT run_id, app, started_at, tags FROM runs ORDER BY ALL",
    "SELECT run_id, function, seconds FROM fn_timings ORDER BY ALL",
    "SELECT path, reader, rows FROM sources ORDER BY ALL",
    "SELECT * EXCLUDE (source_id) FROM idle_intervals ORDER BY ALL",
    "SELECT * EXCLUDE (source_id) FROM idle_segments ORDER BY ALL",
)
TRACE = Path(__file__).parents[1] / "samples" / "task-tables"


def written(folder, *seconds):
    folder.mkdir()
    for number, value in enumerate(seconds):
        (folder / f"t{number}.csv").write_text(TABLE.format(value))
    return list(find([folder]))


def landed(db, found, options=None):
    with Lander(db, None, dry_run=False) as lander:
        return [what for _, what in lander.land_all((one, options or Options()) for one in found)]


def stored(db):
    with warehouse.connect(db, read_only=True) as con:
        return [rows(con, sql) for sql in STORED]


def test_together_is_as_one_by_one(tmp_path):
    found = written(tmp_path / "files", 1, 2, 3)
    assert [one.rows for one in landed(tmp_path / "a.duckdb", found)] == [{"fn_timings": 2}] * 3
    for one in found:
        landed(tmp_path / "b.duckdb", [one])
    assert stored(tmp_path / "a.duckdb") == stored(tmp_path / "b.duckdb")
    assert all(one.known for one in landed(tmp_path / "a.duckdb", found))


def traces(folder, *offsets):
    """Copy a task trace, with another clock offset in each copy."""
    for number, offset in enumerate(offsets):
        copy = shutil.copytree(TRACE, folder / f"t{number}")
        (copy / "nodes.csv").write_text(f"node_id,clock_offset_ns\nn0,0\nn1,{offset}\n")
    return list(find([folder]))


def test_traces_are_attributed_together_as_one_by_one(tmp_path, monkeypatch):
    found = traces(tmp_path / "traces", 0, 20, 40)
    calls = []
    monkeypatch.setattr(load, "derive", lambda *given: (calls.append(given), derive(*given)))
    assert len(landed(tmp_path / "together.duckdb", found)) == 3
    assert len(calls) == 1
    for one in found:
        landed(tmp_path / "alone.duckdb", [one])
    together = stored(tmp_path / "together.duckdb")
    assert together == stored(tmp_path / "alone.duckdb")
    assert len({run for run, *_ in together[-1]}) == 3


def test_of_traces_only_the_wrong_one_is_rejected(tmp_path):
    found = traces(tmp_path / "traces", 0, 20)
    workers = tmp_path / "traces" / "t1" / "workers.csv"
    workers.write_text("".join(workers.read_text().splitlines(keepends=True)[:-1]))
    good, bad = landed(tmp_path / "w.duckdb", found)
    assert isinstance(good, Landed)
    assert isinstance(bad, InputError) and "ran on the worker" in str(bad)


def test_the_same_content_twice_lands_once(tmp_path):
    found = written(tmp_path / "files", 1, 1)
    assert [one.known for one in landed(tmp_path / "w.duckdb", found)] == [False, True]
    landed(tmp_path / "w.duckdb", found, Options(replace=True))
    with warehouse.connect(tmp_path / "w.duckdb", read_only=True) as con:
        assert rows(con, "SELECT count(*), sum(seconds) FROM fn_timings") == [(2, 2.5)]


def test_a_bad_one_is_named_and_the_others_land(tmp_path):
    found = written(tmp_path / "files", 1, -2, 3)
    good, bad, last = landed(tmp_path / "w.duckdb", found)
    assert isinstance(good, Landed) and isinstance(last, Landed)
    assert isinstance(bad, InputError) and "t1.csv" in str(bad)
    with warehouse.connect(tmp_path / "w.duckdb", read_only=True) as con:
        assert rows(con, "SELECT count(*) FROM sources") == [(2,)]
        assert rows(con, "SELECT count(*) FROM rejections WHERE path LIKE '%t1.csv'") == [(1,)]


def test_the_first_file_of_a_run_wins(tmp_path):
    (tmp_path / "files").mkdir()
    for name in ("one", "two"):
        (tmp_path / "files" / f"{name}.csv").write_text(f"app,function,seconds\n{name},{name},1\n")
    landed(tmp_path / "w.duckdb", find([tmp_path / "files"]), Options(run_id="r"))
    with warehouse.connect(tmp_path / "w.duckdb", read_only=True) as con:
        assert rows(con, "SELECT app FROM runs") == [("one",)]


def test_a_warehouse_that_this_process_has_open_is_not_waited_for(tmp_path):
    (found,) = written(tmp_path / "files", 1)
    landed(tmp_path / "w.duckdb", [found])
    with warehouse.connect(tmp_path / "w.duckdb", read_only=True):
        with pytest.raises(WarehouseBusy, match="this process has"):
            landed(tmp_path / "w.duckdb", [found])


def test_rows_that_another_program_changes_are_waited_for(tmp_path, monkeypatch):
    (found,) = written(tmp_path / "files", 1)
    real, tries = landing.land, []

    def land_later(*arguments):
        tries.append(arguments)
        if len(tries) < 3:
            raise WarehouseConflict("another client is writing the same rows")
        return real(*arguments)

    monkeypatch.setattr(landing, "land", land_later)
    monkeypatch.setattr(landing.time, "sleep", lambda _: None)
    assert landed(tmp_path / "w.duckdb", [found])[0].rows == {"fn_timings": 2}
    with Lander(tmp_path / "w.duckdb", 0, dry_run=False) as lander:
        tries.clear()
        with pytest.raises(WarehouseConflict):
            list(lander.land_all([(found, Options())]))


def test_what_each_of_a_group_contains_twice_and_names_that_differ(tmp_path):
    folder = tmp_path / "files"
    folder.mkdir()
    distinct = [f"f@0x7f00{number}000,{number},main" for number in range(6)]
    for name, lines in (
        ("distinct", distinct),
        ("halves", distinct[:3] * 2),
        ("some", [*distinct, distinct[0]]),
    ):
        (folder / f"{name}.csv").write_text("\n".join(["function,seconds,callpath", *lines, ""]))
    together, alone = tmp_path / "together.duckdb", tmp_path / "alone.duckdb"
    found = list(find([folder]))
    landed(together, found)
    for one in found:
        landed(alone, [one])
    assert stored(together) == stored(alone)
    with warehouse.connect(together, read_only=True) as con:
        sql = "SELECT parse_filename(path), repeats FROM sources ORDER BY ALL"
        assert rows(con, sql) == [
            ("distinct.csv", None),
            ("halves.csv", "each row of fn_timings twice"),
            ("some.csv", "1 of 7 rows of fn_timings equal to another"),
        ]


def test_a_warehouse_is_not_locked_while_files_are_parsed(tmp_path, monkeypatch):
    found = written(tmp_path / "files", 1, 2, -3, 4)
    db = tmp_path / "w.duckdb"
    warehouse.connect(db).close()
    real, free = PlainTable.read, []

    def read(self, recording):
        # In one process DuckDB refuses a second connection of other settings.
        with duckdb.connect(db) as con:
            free.append(con.execute("SELECT count(*) FROM sources").fetchone())
        yield from real(self, recording)

    monkeypatch.setattr(PlainTable, "read", read)
    assert [isinstance(one, Landed) for one in landed(db, found)] == [True, True, False, True]
    assert free == [(0,)] * 4
    with warehouse.connect(db, read_only=True) as con:
        assert rows(con, "SELECT count(*) FROM sources") == [(3,)]


def test_what_has_landed_is_not_parsed(tmp_path, monkeypatch):
    found = written(tmp_path / "files", 1, 2)
    landed(tmp_path / "w.duckdb", found)
    monkeypatch.delattr(Parsed, "parse")
    assert [one.known for one in landed(tmp_path / "w.duckdb", found)] == [True, True]


@pytest.mark.parametrize("case", ["chrome_trace", "sampling", "gpgpusim", "nvbit"])
def test_rows_that_wait_on_disk_are_as_those_in_memory(case, tmp_path, monkeypatch):
    module = importlib.import_module(f"tests.ingest.cases.{case}")
    found = list(find([module.CASES[0].sample if hasattr(module, "CASES") else module.CASE.sample]))
    made = []
    for limit in (parsed.IN_MEMORY, 0):
        monkeypatch.setattr(parsed, "IN_MEMORY", limit)
        (one,) = landed(tmp_path / f"{limit}.duckdb", found)
        assert isinstance(one, Landed) and sum(one.rows.values())
        with warehouse.connect(tmp_path / f"{limit}.duckdb", read_only=True) as con:
            made.append(contents(con))
    assert made[0] == made[1]


def row_groups(db, table):
    with warehouse.connect(db, read_only=True) as con:
        storage = f"pragma_storage_info('{table}')"
        ((number,),) = rows(con, f"SELECT count(DISTINCT row_group_id) FROM {storage}")
    return number


TABLES = ("fn_timings", "sources", "run_facts", "runs", "run_scalars", "kept_runs", "run_groups")


@pytest.mark.usefixtures("new_warehouses_are_copies")
def test_single_landings_share_row_groups_and_many_rows_are_not_written_twice(
    tmp_path, monkeypatch
):
    db = tmp_path / "w.duckdb"
    for one in written(tmp_path / "files", 1, 2, 3, 4):
        landed(db, [one])
    assert {row_groups(db, table) for table in TABLES} == {1}
    monkeypatch.setattr(landing, "_ROW_GROUP", 2)
    landed(db, written(tmp_path / "large", 5))
    assert row_groups(db, "fn_timings") == 2
