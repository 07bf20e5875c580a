"""A warehouse in DuckLake over a real PostgreSQL: the same answers, many writers, and faults."""

from __future__ import annotations

import re
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import duckdb
import pytest

import warehouse as pwh
from apps.commands.options import reading
from apps.pages.answers import Answers, file_state
from apps.queries.base import ask
from apps.queries.runs import row_counts
from tests.helpers.network import Cut, network
from tests.helpers.postgres import USER, call, programs, running_postgres
from tests.helpers.support import land, rows
from warehouse import guarded, transactions
from warehouse.address import parse_address
from warehouse.connection import cursor
from warehouse.errors import (
    InputError,
    NotAWarehouse,
    UsageError,
    WarehouseError,
    WarehouseMissing,
    WarehouseOutdated,
)
from warehouse.extensions import load_extension
from warehouse.guarded import Limits, open_restricted
from warehouse.lake import lock, stamp
from warehouse.lake.attach import METADATA
from warehouse.maintenance import maintain
from warehouse.saved_queries import save_query
from warehouse.series import add_thresholds, set_fields
from warehouse.sharing import shared_reading

pytestmark = [
    pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed"),
    pytest.mark.skipif(
        find_spec("duckdb_extension_ducklake") is None, reason="needs pip install 'pwh[lake]'"
    ),
]
SAMPLES = Path(__file__).parents[1] / "samples"
FILES = ("cprofile/wordcount.pstats", "task-tables")


@pytest.fixture(scope="module")
def server():
    with running_postgres() as server:
        yield server


@pytest.fixture(scope="module")
def address(server, tmp_path_factory):
    """Return the address of a lake with the files, which two create at once."""
    folder = tmp_path_factory.mktemp("lake")
    address = f"ducklake:postgres:{server.settings}"
    other = threading.Thread(target=lambda: pwh.connect(f"{address} data_path={folder}").close())
    other.start()
    with pwh.connect(f"{address} data_path={folder}") as con:
        for file in FILES:
            land(con, SAMPLES / file)
    other.join()
    return address


@pytest.fixture(scope="module")
def unchanged(server, tmp_path_factory):
    """Return the address of a lake with the files into which no test lands more."""
    call("createdb", "-h", "127.0.0.1", "-p", str(server.port), "-U", USER, "unchanged")
    address = f"ducklake:postgres:{server.settings}".replace("dbname=postgres", "dbname=unchanged")
    with pwh.connect(f"{address} data_path={tmp_path_factory.mktemp('unchanged')}") as con:
        for file in FILES:
            land(con, SAMPLES / file)
    return address


@pytest.fixture(scope="module")
def file(template, tmp_path_factory):
    """Return a file with the same."""
    path = shutil.copy(template, tmp_path_factory.mktemp("file") / "w.duckdb")
    with pwh.connect(path) as con:
        for file in FILES:
            land(con, SAMPLES / file)
    return path


@pytest.fixture(scope="module")
def reader(address):
    """Return a connection that reads the lake."""
    with pwh.connect(address, read_only=True) as con:
        yield con


@pytest.fixture(scope="module")
def writer(address):
    with pwh.connect(address) as con:
        yield con


@pytest.fixture(scope="module")
def restricted(address):
    """Return a connection as the SQL page has."""
    with open_restricted(parse_address(address), Limits()) as con:
        yield con


def csv(folder, name, rows):
    path = folder / f"{name}.csv"
    path.write_text("run_id,event,value\n" + "".join(f"{r},{e},{v}\n" for r, e, v in rows))
    return path


@pytest.mark.parametrize(
    "command",
    [
        "runs -f json",
        "idle latest",
        "schema classify",
        "schema slo_by_kind",
        "sql 'SELECT * REPLACE (round(value, 9) AS value) FROM run_metrics ORDER BY ALL' -f csv",
    ],
)
def test_commands_answer_as_over_a_file(run, unchanged, file, command):
    answers = [
        re.sub(r"\d{4}-\d\d-\d\d[ T][\d:.]+", "", run("--db", db, *shlex.split(command))[1])
        for db in (unchanged, file)
    ]
    assert answers[0] == answers[1] != ""


def test_a_lake_that_is_open_has_as_many_threads_as_a_file(reader, writer, file):
    threads = "SELECT current_setting('threads')"
    with pwh.connect(file, read_only=True) as one:
        assert rows(reader, threads) == rows(writer, threads) == rows(one, threads)


def test_a_command_reads_one_state(address, writer, tmp_path):
    with reading(SimpleNamespace(obj=parse_address(address))) as con:
        before = ask(con, "runs/list", app=None).fetchall()
        land(writer, csv(tmp_path, "later", [("later", "cycles", 1)]))
        assert ask(con, "runs/list", app=None).fetchall() == before != []
        assert row_counts(con, "later") == {}
    with reading(SimpleNamespace(obj=parse_address(address))) as con:
        assert row_counts(con, "later") == {"pmu_samples": 1}


def test_threads_read_a_lake_into_which_files_land(address, writer, tmp_path):
    def read(_):
        with shared_reading(parse_address(address), wait=0) as own:
            assert ask(own, "overview/counts").fetchone()
            return {run for run, *_ in ask(own, "runs/list", app=None).fetchall()}

    with ThreadPoolExecutor(3) as pool:
        reading = pool.map(read, range(9))
        land(writer, csv(tmp_path, "threads", [("threads", "cycles", 1)]))
        before, *_, after = sorted([*reading, read(0)], key=len)
    assert before <= after >= {"threads"}


def test_pages_ask_again_after_a_snapshot(address, writer, tmp_path):
    where, asked = parse_address(address), []

    def listed():
        answers = Answers(where)
        try:
            return answers.get(
                "runs",
                (),
                lambda con: asked.append(1) or ask(con, "runs/list", app=None).fetchall(),
            )
        finally:
            answers.close()

    before = listed()
    assert listed() == before and len(asked) == 1
    land(writer, csv(tmp_path, "snapshot", [("snapshot", "cycles", 1)]))
    assert len(listed().value) == len(before.value) + 1
    assert file_state(parse_address(f"{address} dbname=none")) != file_state(
        parse_address(f"{address} dbname=none")
    )


def test_no_migration_changes_the_past(run, writer, address, monkeypatch):
    monkeypatch.setattr(stamp, "_current", lambda: "later")
    monkeypatch.setattr("warehouse.modules.stale", lambda _: True)
    code, _, err = run("--db", address, "runs")
    assert code == 4 and f"Run: pwh --db '{address}' migrate" in err
    code, _, err = run("--db", address, "--as-of", "2100-01-01", "runs")
    assert code == 2 and "in the future" in err
    now = datetime.now(UTC).isoformat()
    code, _, err = run("--db", address, "--as-of", now, "runs")
    assert code == 4 and "cannot be migrated" in err and "Run:" not in err


def test_a_writer_whose_lake_another_version_migrates_is_refused(
    run, address, writer, reader, tmp_path, monkeypatch
):
    path = csv(tmp_path, "older", [("older", "cycles", 1)])
    with monkeypatch.context() as later:
        later.setattr(stamp, "_current", lambda: "later")
        run("--db", address, "migrate")
        assert rows(reader, "FROM _stamp") == [("later", True)]
    with pytest.raises(WarehouseOutdated, match="another version of pwh has migrated"):
        land(writer, path)
    assert rows(reader, "SELECT count(*) FROM sources WHERE path LIKE '%older.csv'") == [(0,)]
    assert not stamp.is_current(reader)
    run("--db", address, "migrate")
    assert stamp.is_current(reader)
    assert not land(writer, path)[0].known


def test_a_shared_connection_sees_what_others_create(address, writer):
    where = parse_address(address)
    with shared_reading(where, wait=0) as own:
        assert ask(own, "runs/list", app=None).fetchall()
    # As a migration does.
    with pwh.connect(address) as con:
        con.execute("CREATE TABLE added (run_id VARCHAR); INSERT INTO added VALUES ('one')")
        con.execute("CREATE VIEW added_runs AS FROM added")
    with shared_reading(where, wait=0) as own:
        assert rows(own, "SELECT count(*) FROM added_runs") == [(1,)]
    with pwh.connect(address) as con:
        con.execute("DROP VIEW added_runs; DROP TABLE added")


def test_rules_of_a_connection_are_its_own(reader):
    own = cursor(reader)
    assert ask(own, "overview/watched", number=1, most=1, app="none").fetchall() == []
    set_fields(own, ["app"], keep=False)
    add_thresholds(own, [], keep=False)
    assert ask(own, "overview/watched", number=1, most=1, app="none").fetchall() == []
    assert rows(own, "FROM series_fields") == [("app", False)]


@pytest.mark.parametrize(("params", "why"), [({}, "most"), ({"number": "many"}, "convert")])
def test_questions_are_answered_after_one_that_fails(reader, params, why):
    own = cursor(reader)
    listed = ask(own, "runs/list", app=None).fetchall()
    with pytest.raises(duckdb.Error, match=why):
        ask(own, "overview/watched", **{"most": 1, "app": "none"} | params if params else {})
    assert ask(own, "runs/list", app=None).fetchall() == listed != []


def test_a_file_is_replaced_and_forgotten(run, address, writer, reader, tmp_path):
    path = csv(tmp_path, "r", [("gone", "cycles", 1)])
    assert not land(writer, path)[0].known
    assert land(writer, path)[0].known
    path.write_text(path.read_text() + "gone,cycles,2\n")
    with pytest.raises(InputError, match="has grown"):
        land(writer, path)
    land(writer, path, replace=True)
    values = "SELECT value FROM pmu_samples WHERE run_id = 'gone' ORDER BY value"
    assert rows(reader, values) == [(1,), (2,)]
    assert run("--db", address, "forget", "gone")[0] == 0
    assert rows(reader, "SELECT count(*) FROM runs WHERE run_id = 'gone'") == [(0,)]
    assert rows(reader, values) == []


def test_rows_with_keys_are_replaced(writer, reader):
    for query in ("SELECT 1", "SELECT 2"):
        save_query(writer, "mine", query)
    assert rows(reader, "SELECT query FROM saved_queries") == [("SELECT 2",)]
    with pytest.raises(duckdb.Error, match="read-only"):
        reader.execute("INSERT INTO runs (run_id) VALUES ('x')")


def test_texts_of_flags_keep_their_quotes(writer, reader):
    text = "it's \\\"b\\\" of 'c'"
    sql = "INSERT INTO sample_metrics (run_id, reason) SELECT 'quoted', _flag('x', MAP {'a': $1})"
    writer.execute(sql, [text])
    found = rows(reader, "SELECT reason.args['a'] FROM sample_metrics WHERE run_id = 'quoted'")
    writer.execute("DELETE FROM sample_metrics WHERE run_id = 'quoted'")
    assert found == [(text,)]


def test_of_two_writers_of_a_file_one_lands_it(address, writer, tmp_path, monkeypatch, reader):
    path = csv(tmp_path, "same", [("twice", "cycles", 1)])
    with pwh.connect(address) as other:
        overtake(monkeypatch, lambda: land(other, path))
        (landed,) = land(writer, path)
    assert landed.known
    assert rows(reader, "SELECT count(*) FROM pmu_samples WHERE run_id = 'twice'") == [(1,)]
    assert rows(reader, "SELECT count(*) FROM runs WHERE run_id = 'twice'") == [(1,)]


def test_a_writer_that_waits_for_another_sees_what_that_one_lands(
    address, writer, tmp_path, monkeypatch, reader
):
    path = csv(tmp_path, "waited", [("waited", "cycles", 1)])
    commit, waits, later = transactions._commit, threading.Event(), []

    def commit_while_one_waits(con):
        monkeypatch.setattr(transactions, "_commit", commit)
        later.append(pool.submit(land, other, path))
        waits.wait(60)
        commit(con)

    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: waits.set())
    monkeypatch.setattr(lock, "time", clock)
    monkeypatch.setattr(transactions, "_commit", commit_while_one_waits)
    with pwh.connect(address) as other, ThreadPoolExecutor(1) as pool:
        assert not land(writer, path)[0].known
        assert later[0].result()[0].known
    assert rows(reader, "SELECT count(*) FROM runs WHERE run_id = 'waited'") == [(1,)]


def test_a_file_is_replaced_while_another_merges_files(
    address, writer, tmp_path, monkeypatch, reader
):
    with pwh.connect(address) as other:
        for name in ("merged", "next"):
            land(other, csv(tmp_path, name, [(name, "cycles", 1)]))
            other.execute("CALL ducklake_flush_inlined_data('lake')")
        overtake(monkeypatch, lambda: maintain(other, 30))
        land(writer, tmp_path / "merged.csv", replace=True)
    assert rows(reader, "SELECT count(*) FROM runs WHERE run_id = 'merged'") == [(1,)]
    assert rows(reader, "SELECT count(*) FROM sources WHERE path LIKE '%merged.csv'") == [(1,)]


def test_two_files_of_a_run_that_land_at_once_are_one_run(
    address, writer, tmp_path, monkeypatch, reader
):
    paths = [csv(tmp_path, event, [("both", event, 1)]) for event in ("cycles", "instructions")]
    with pwh.connect(address) as other:
        overtake(monkeypatch, lambda: land(other, paths[1], facts={"app": "heat"}))
        land(writer, paths[0])
    assert rows(reader, "SELECT app FROM runs WHERE run_id = 'both'") == [("heat",)]
    assert rows(reader, "SELECT count(*) FROM pmu_samples WHERE run_id = 'both'") == [(2,)]


def overtake(monkeypatch, work):
    """Let another do something after the next transaction has begun."""
    real = transactions.snapshot

    def snapshot(con):
        found = real(con)
        monkeypatch.setattr(transactions, "snapshot", real)
        work()
        return found

    monkeypatch.setattr(transactions, "snapshot", snapshot)


def test_many_writers_at_once_lose_nothing(address, tmp_path, reader):
    def write(number):
        with pwh.connect(address) as con:
            for part in range(2):
                name = f"many{number}.{part}"
                land(con, csv(tmp_path, name, [(name, "cycles", 1), ("shared", name, 1)]))

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = "SELECT count(*), count(DISTINCT run_id) FROM {} WHERE run_id LIKE 'many%'"
    assert rows(reader, found.format("runs")) == [(4, 4)]
    assert rows(reader, found.format("pmu_samples")) == [(4, 4)]
    assert rows(reader, "SELECT count(*) FROM runs WHERE run_id = 'shared'") == [(1,)]
    assert rows(reader, "SELECT count(*) FROM run_facts WHERE run_id = 'shared'") == [(4,)]


def test_a_killed_writer_leaves_nothing_and_keeps_nobody_waiting(address, writer, tmp_path, reader):
    path = csv(tmp_path, "killed", [("killed", "cycles", 1)])
    program = """
import os, signal, sys
from pathlib import Path
from types import SimpleNamespace
import warehouse
from tests.helpers.support import land, rows
from warehouse import transactions
transactions._commit = lambda con: os.kill(os.getpid(), signal.SIGKILL)
land(warehouse.connect(sys.argv[1]), Path(sys.argv[2]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program, address, str(path)],
        cwd=Path(__file__).parents[2],
        stderr=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    assert rows(reader, "SELECT count(*) FROM pmu_samples WHERE run_id = 'killed'") == [(0,)]
    assert not land(writer, path)[0].known


def test_a_warehouse_has_a_past_and_is_maintained(run, address, writer, tmp_path, reader):
    began = datetime.now(UTC).isoformat()
    land(writer, csv(tmp_path, "new", [("new", "cycles", 1)]))
    (now,) = rows(reader, "SELECT count(*) FROM runs")
    code, out, _ = run("--db", address, "--as-of", began, "sql", "SELECT count(*) FROM runs")
    assert (code, out.split()[-1]) == (0, str(now[0] - 1))
    assert run("--db", address, "--as-of", "1999-12-31", "runs")[0] == 4
    assert run("--db", address, "--as-of", began, "forget", "new")[0] == 2
    assert run("--db", "w.duckdb", "--as-of", began, "runs")[0] == 2

    _, out, err = run("--db", address, "maintain", "--keep-days", "0")
    assert "snapshot" in out, err
    assert rows(reader, "SELECT count(*) FROM runs") == [now]


@pytest.mark.parametrize(
    "sql",
    [
        "FROM postgres_query('__ducklake_metadata_lake', 'SELECT 1 AS a')",
        "FROM query('FROM postgres_query(''__ducklake_metadata_lake'', ''SELECT 1 AS a'')')",
        "SELECT (SELECT count(*) FROM Postgres_Scan('host=h', 'public', 't'))",
        "FROM runs, LATERAL (FROM ducklake_expire_snapshots('lake', older_than => now()))",
        "FROM read_text('/etc/hostname')",
        "FROM '/etc/hostname.csv'",
    ],
)
def test_the_sql_page_reads_the_warehouse_only(restricted, sql):
    with pytest.raises(UsageError, match="not available here"):
        guarded.answer(restricted, sql, Limits())


def test_the_sql_page_reads_the_warehouse(restricted):
    table, *_ = guarded.answer(restricted, "SELECT count(*) > 0 AS found FROM slo_by_run", Limits())
    assert table.to_pylist() == [{"found": True}]


def test_a_client_without_pwh_reads_views(address):
    with duckdb.connect() as con:
        load_extension(con, "postgres_scanner", extra="lake")
        load_extension(con, "ducklake", extra="lake")
        con.execute(f"ATTACH '{address}' AS lake (READ_ONLY)")
        con.execute("USE lake")
        assert con.execute("SELECT count(*) FROM slo_by_run").fetchone() > (0,)


def test_what_is_no_lake_is_told_and_left_alone(server, address, tmp_path):
    there = f"ducklake:postgres:{server.settings} "
    with pytest.raises(WarehouseMissing):
        pwh.connect(f"ducklake:{tmp_path / 'none.db'}", create=False)
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(WarehouseError, match="does not exist"):
        pwh.connect(there.replace("dbname=postgres", "dbname=none"))
    with pytest.raises(UsageError, match="another place"):
        pwh.connect(f"{there} data_path={tmp_path}")
    duckdb.connect(str(tmp_path / "other.db")).close()
    with pytest.raises(NotAWarehouse, match="not the catalogue"):
        pwh.connect(f"ducklake:{tmp_path / 'other.db'}")
    (tmp_path / "table.csv").write_text("a\n1\n")
    with pytest.raises(NotAWarehouse, match="not a DuckDB file"):
        pwh.connect(f"ducklake:{tmp_path / 'table.csv'}", read_only=True)
    with pytest.raises(WarehouseError, match="cannot be made"):
        pwh.connect(f"ducklake:{tmp_path / 'new.db'} data_path={tmp_path / 'no' / 'such'}")


def test_postgres_stops_in_the_middle_and_comes_back(
    run, server, writer, address, tmp_path, reader
):
    path = csv(tmp_path, "lost", [("lost", "cycles", 1)])
    with shared_reading(parse_address(address), wait=0) as own:
        listed = ask(own, "runs/list", app=None).fetchall()
    with pytest.raises(WarehouseError, match="out of reach"):
        transactions.land(writer, lambda: (land_rows(writer), server.stop()))
    code, _, err = run("--db", address, "ingest", path)
    assert (code, "cannot open" in err) == (4, True)
    server.start()
    with shared_reading(parse_address(address), wait=0) as own:
        assert ask(own, "runs/list", app=None).fetchall() == listed
    assert rows(reader, "SELECT count(*) FROM pmu_samples WHERE run_id = 'lost'") == [(0,)]
    code, out, _ = run("--db", address, "ingest", path)
    assert (code, out.startswith("landed")) == (0, True)


@pytest.mark.parametrize("cut", [Cut.RESET, Cut.ANSWERS])
def test_the_way_to_postgres_is_cut_at_a_commit(server, address, tmp_path, reader, cut):
    path = csv(tmp_path, cut.name, [(cut.name, "cycles", 1)])
    with network(server.port) as net:
        by_way = address.replace(f"port={server.port}", f"port={net.port}")
        with pwh.connect(by_way) as con:
            sent = bytearray()
            # PostgreSQL's transactions that only read end with COMMIT, too.
            net.cut_at(
                lambda data: sent.extend(data) or b"COMMIT" in sent.partition(b"INSERT INTO")[2],
                cut,
            )
            with pytest.raises(WarehouseError, match="out of reach") as told:
                land(con, path)
            assert "is unknown" in told.value.hint
        net.cut = Cut.NONE
        with pwh.connect(by_way) as con:
            land(con, path)
    for table in ("runs", "pmu_samples"):
        assert rows(reader, f"SELECT count(*) FROM {table} WHERE run_id = '{cut.name}'") == [(1,)]


def test_postgres_looks_after_its_client(reader, address, monkeypatch):
    def settings(con):
        names = ("tcp_keepalives_idle", "tcp_user_timeout", "work_mem")
        wanted = ", ".join(f"current_setting(''{name}'') AS {name}" for name in names)
        return rows(con, f"FROM postgres_query('{METADATA}', 'SELECT {wanted}')")

    (kept,) = settings(reader)
    assert kept[:2] == ("10", "30000")
    monkeypatch.setenv("PGOPTIONS", "-c tcp_user_timeout=7000 -c work_mem=5MB")
    with pwh.connect(address, read_only=True) as con:
        assert settings(con) == [("10", "7000", "5MB")]
    with pwh.connect(f"{address} options=''", read_only=True) as con:
        assert settings(con)[0][1] == "0"


def land_rows(con):
    con.execute("INSERT INTO pmu_samples (run_id, source_id, event) VALUES ('lost', 1, 'cycles')")
