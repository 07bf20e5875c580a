"""The doctor: damage to any block is found, and so are rows that do not agree with each other."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import duckdb
import pytest

from apps.reports.doctor import examine
from ingest.forget import forget_run
from tests.helpers.support import land
from warehouse import connect, integrity, sqlfiles
from warehouse.catalog import counted, landing
from warehouse.integrity import Reading
from warehouse.modules import definitions

SAMPLES = Path(__file__).parents[2] / "samples"
BLOCK = 262_144
HEADERS = 12_288
ROWS = 100_000


@pytest.fixture(scope="module")
def sound(template, tmp_path_factory):
    """Return a warehouse with counters, functions, tasks and segments in it."""
    folder = tmp_path_factory.mktemp("doctor")
    db = Path(shutil.copy(template, folder / "sound.duckdb"))
    big = folder / "big.csv"
    duckdb.execute(
        "COPY (SELECT i AS sample, 'cycles' AS event, hash(i) % 1000000 AS value "
        f"FROM range({ROWS}) AS t(i)) TO '{big}'"
    )
    with connect(db) as con:
        names = ("perf-stat", "starpu", "tau-packed", "instruction-trace")
        for path in (big, *(SAMPLES / name for name in names)):
            land(con, path)
    return db


@pytest.fixture
def copy(sound, tmp_path):
    """Return a copy of the sound warehouse."""
    return Path(shutil.copy(sound, tmp_path / "w.duckdb"))


def wrong(db):
    """Return the warehouse's findings that are wrong, by name of the check."""
    return {found.check: found.detail for found in examine(db) if found.status == "wrong"}


def contents(db):
    """Return a hash of every table, or None where one cannot be read."""
    # By a process of its own: over some damage DuckDB crashes.
    with closing(Reading(db)) as reading:
        if any(problem for _, problem in reading.tables()):
            return None
    try:
        with duckdb.connect(str(db), read_only=True) as con:
            names = con.execute(sqlfiles.read("queries/maintenance/tables")).fetchall()
            return [
                con.execute(f"SELECT count(*), bit_xor(hash(t)) FROM {name} AS t").fetchall()
                for name, _ in names
            ]
    except duckdb.Error:
        return None


def test_a_sound_warehouse_is_whole(sound):
    found = examine(sound)
    assert [one for one in found if one.status == "wrong"] == []
    assert found[-1].detail == "the warehouse is whole"


def test_damage_anywhere_is_found_where_it_matters(sound, copy):
    whole = sound.read_bytes()
    truth = contents(sound)
    chance = random.Random(3)
    found = 0
    places = [chance.randrange(HEADERS) for _ in range(2)]
    places += [chance.randrange(HEADERS, len(whole)) for _ in range(6)]
    for place in places:
        damaged = bytearray(whole)
        damaged[place] ^= 1 << chance.randrange(8)
        copy.write_bytes(damaged)
        # A bit of a block that is not in use changes nothing; blocks that no row is in, as those of
        # indexes, have checksums of their own.
        told = wrong(copy)
        if contents(copy) == truth:
            assert not told or "stored checksum" in told["contents"], place
        else:
            assert told, place
        found += bool(told)
    assert found > 2


def test_a_crash_of_duckdb_is_a_finding(monkeypatch, copy):
    crash = (
        "import json, os; print('null'); print(json.dumps([['runs', 1], ['tasks', 2]])); "
        "print('null', flush=True)"
    )
    monkeypatch.setattr(integrity, "_SERVE", f"{crash}; os.kill(os.getpid(), 11)")
    found = wrong(copy)
    assert found["tables that cannot be read"] == (
        "1 found: the table tasks cannot be read: DuckDB crashes over it"
    )
    assert found["verdict"] == "not whole: tables that cannot be read"


def test_a_crash_of_duckdb_at_opening_is_a_finding(monkeypatch, copy):
    monkeypatch.setattr(integrity, "_SERVE", "import os; os.kill(os.getpid(), 11)")
    assert wrong(copy).keys() == {"warehouse", "verdict"}


@pytest.mark.parametrize("share", [0.0, 0.001, 0.3, 0.7, 0.99])
def test_a_warehouse_that_is_cut_off_is_wrong(copy, share):
    with copy.open("r+b") as file:
        file.truncate(int(copy.stat().st_size * share))
    assert wrong(copy)


def test_rows_that_are_gone_are_told_by_source(copy):
    with duckdb.connect(str(copy)) as con:
        con.execute("DELETE FROM pmu_samples WHERE run_id LIKE 'big-%' AND sample % 1000 = 0")
        con.execute("DELETE FROM tasks WHERE rowid = (SELECT min(rowid) FROM tasks)")
    found = wrong(copy)["sources with other rows than landed"]
    assert found.startswith("2 found: ") and f"big.csv ({ROWS - 100} of {ROWS})" in found


def test_a_source_that_is_there_twice_is_told(copy):
    with duckdb.connect(str(copy)) as con:
        con.execute("INSERT INTO sources FROM sources LIMIT 1")
    assert wrong(copy)["sources and runs that are there twice"] == "1 found"


def test_files_of_which_a_run_is_forgotten_are_whole(copy, tmp_path):
    (tmp_path / "counters.csv").write_text("run_id,event,value\na,cycles,1\nb,cycles,2\n")
    (tmp_path / "tasks.csv").write_text(
        "run_id,task,worker,t_start,t_end\na,0,0,0,1\na,1,0,5,6\nb,0,0,0,1\nb,1,0,3,6\n"
    )
    with connect(copy) as con:
        for name in ("counters.csv", "tasks.csv"):
            land(con, tmp_path / name)
        forget_run(con, "a")
    assert not wrong(copy)


def test_a_scalar_that_its_rows_do_not_add_up_to_is_told(copy):
    with duckdb.connect(str(copy)) as con:
        run, metric = con.execute(
            "SELECT run_id, metric FROM run_scalars WHERE starts_with(metric, 'counter:')"
        ).fetchone()
        con.execute(
            "UPDATE run_scalars SET value = value * 1.01 WHERE run_id = ? AND metric = ?",
            [run, metric],
        )
    assert wrong(copy)["scalars other than their rows"] == f"1 found: {metric} of {run}"


def test_rows_of_a_run_that_is_not_among_the_runs_are_told_with_their_tables(copy):
    with duckdb.connect(str(copy)) as con:
        con.execute(
            "INSERT INTO pmu_samples BY NAME SELECT 'r9' AS run_id, 7 AS source_id, 'x' AS event"
        )
        con.execute("INSERT INTO nodes BY NAME SELECT 'r9' AS run_id, 7 AS source_id, 'n' AS node")
    found = wrong(copy)["rows of runs that are not in runs"]
    assert found == "1 found: r9 (in nodes, pmu_samples)"


def test_a_run_that_was_written_by_hand_is_no_damage_one_that_lost_its_facts_is(copy):
    with duckdb.connect(str(copy)) as con:
        con.execute("INSERT INTO runs (run_id) VALUES ('hand')")
        con.execute(
            "INSERT INTO tasks BY NAME SELECT 'hand' AS run_id, 0 AS source_id, 't' AS task, "
            "'w' AS worker, 5 AS t_start, 9 AS t_end"
        )
    found = {one.check: (one.status, one.detail) for one in examine(copy)}
    named = "1 found: hand (written by hand, or left over: pwh forget RUN)"
    assert found["runs of no file"] == ("fine", named)
    assert found["runs changed since they were computed"] == ("outdated", "1 found: hand")
    assert found["outdated answers"][0] == "outdated"
    status, verdict = found["verdict"]
    assert status == "outdated"
    assert verdict.startswith("the warehouse is whole; runs changed since they were computed, ")
    assert verdict.endswith("pwh refresh computes them anew")
    with duckdb.connect(str(copy)) as con:
        (run,) = con.execute("SELECT min(run_id) FROM pmu_samples").fetchone()
        con.execute("DELETE FROM run_facts WHERE run_id = ?", [run])
    told = wrong(copy)["rows of runs that their files do not state"]
    assert told == f"1 found: {run} (in pmu_samples)"


def test_every_landing_table_is_looked_at():
    view = definitions()["_landed_rows"]
    assert [table for table in landing() if f"FROM {table} GROUP BY" not in view] == []
    numbers = sqlfiles.read("queries/maintenance/all_counted")
    assert [table for table in counted() if f"FROM {table}\n" not in numbers] == []


@pytest.mark.parametrize(
    "command", [["doctor"], ["runs"], ["sql", "FROM run_metrics"], ["report", "latest"]]
)
def test_no_command_fails_over_damage_with_a_stack_trace(run, copy, command):
    with copy.open("r+b") as file:
        file.truncate(HEADERS + BLOCK)
    code, _, err = run("--db", str(copy), *command)
    assert code == 4 and "Traceback" not in err


def test_no_progress_is_shown_among_the_answers_about_tables(template):
    code = (
        "from pathlib import Path; from warehouse.integrity import _opened; import sys; "
        "con = _opened(Path(sys.argv[1])); "
        "print(con.execute(\"SELECT current_setting('enable_progress_bar')\").fetchall())"
    )
    shown = subprocess.check_output([sys.executable, "-c", code, template], text=True)
    assert shown == "[(False,)]\n"
