"""Kills, crowds, full disks and other people's files: what has landed stays, whole.

PWH_KILLS=200 pytest tests/test_reliability.py -k killed kills each command so often.
"""

from __future__ import annotations

import contextlib
import json
import lzma
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest

from tests.helpers.segments import segments
from tests.helpers.support import rows
from warehouse import connect, migrations, sqlfiles
from warehouse.integrity import incomplete_sources

ENV = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(Path(__file__).parents[1])}
# Kills of each command in the long form.
KILLS = int(os.environ.get("PWH_KILLS", "0"))
OLDER = sorted((Path(__file__).parent / "faults" / "older").glob("*.xz"))
long_form = pytest.mark.skipif(not KILLS, reason="of python -m tests.faults")

# Most of a command's time goes into imports, during which nothing can be damaged. So one process
# has all imported, and commands run in forks of it. A command on stdin is answered by the id of its
# process, and the id of a process by its exit code. A fork can be killed at a moment: before one
# of its statements and changes of folders, which are counted, however fast the machine is.
IMPORTED_ONCE = """
import json, os, resource, signal, sys
import apps.commands.ingest, apps.landing, duckdb, ingest.walk, pyarrow.compute
from apps.cli import main
CHANGES = {"fsync", "replace", "unlink"}
passed = 0
def count_until(moment):
    def count(frame, event, called):
        global passed
        # Modules are compiled once only.
        if event != "c_call" or "importlib" in frame.f_code.co_filename:
            return
        is_change = called.__name__ in CHANGES and called.__module__ == "posix"
        if called.__name__ == "execute" or is_change:
            passed += 1
            if passed == moment:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.setprofile(count)
for line in sys.stdin:
    asked = json.loads(line)
    if isinstance(asked, int):
        print(os.waitstatus_to_exitcode(os.waitpid(asked, 0)[1]), flush=True)
        continue
    pid = os.fork()
    if not pid:
        arguments, limit, moment, *streams = asked
        for number, path in enumerate(streams, 1):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
        if limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        sys.argv = ["pwh", *arguments]
        if moment is not None:
            count_until(moment)
        try:
            main()
        except SystemExit as end:
            sys.setprofile(None)
            if moment == 0:
                print("moments", passed, flush=True)
            # Threads of libraries are not in the fork, so an ordinary exit would wait for them.
            os._exit(end.code or 0)
    print(pid, flush=True)
"""


@pytest.fixture(scope="module", autouse=True)
def imported():
    """Start the process that commands are forked from, and end it after the last."""
    yield
    if _imported.cache_info().currsize:
        with _imported() as parent:
            parent.stdin.close()
        _imported.cache_clear()


@cache
def _imported():
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": ENV}
    return subprocess.Popen([sys.executable, "-c", IMPORTED_ONCE], **pipes)


def _ask(asked):
    parent = _imported()
    print(json.dumps(asked), file=parent.stdin, flush=True)
    return int(parent.stdout.readline())


class Started:
    """A command that runs; its stdout and stderr are files, next to the warehouse."""

    def __init__(self, db, *arguments, limit=None, moment=None):
        """Start a command whose files can grow to `limit` bytes.

        It is killed at the `moment`th of its moments; with 0 it prints at last how many it had.
        """
        folder = Path(tempfile.mkdtemp(prefix="pwh-streams-"))
        self.streams = (folder / "stdout", folder / "stderr")
        words = ["--db", str(db), *map(str, arguments)]
        self.pid = _ask([words, limit, moment, *map(str, self.streams)])

    def said(self):
        """Return what is in stdout and stderr so far."""
        return tuple(path.read_text() if path.exists() else "" for path in self.streams)

    def end(self):
        """Wait for the end; return exit code, stdout and stderr."""
        code = _ask(self.pid)
        out, err = self.said()
        shutil.rmtree(self.streams[0].parent)
        assert "Traceback" not in err
        return code, out, err


def command(db, *arguments, **options):
    """Run a command to its end; return exit code, stdout and stderr."""
    return Started(db, *arguments, **options).end()


def counters(path, count, seed=0):
    """Write a CSV file of `count` counters; other seeds give other content."""
    duckdb.execute(
        "COPY (SELECT i % 64 AS rank, i // 64 AS sample, 'cycles' AS event, i * 7 + $seed AS value "
        "FROM range($count) AS t(i)) TO $path (FORMAT csv)".replace("$path", f"'{path}'"),
        {"seed": seed, "count": count},
    )
    return path


def landed_in(out):
    """Return the file names that a command reported as landed."""
    return {line.split()[1] for line in out.splitlines() if line.startswith("landed")}


def must_be_whole(con):
    """Check that every source has all its rows, and that every row has a source and a run."""
    found = rows(con, "SELECT source_id, rows FROM sources")
    held = rows(con, "SELECT source_id, count(*) FROM pmu_samples GROUP BY source_id")
    assert sorted(found) == sorted(held)
    assert rows(
        con,
        "SELECT (SELECT count(*) FROM runs), (SELECT count(DISTINCT run_id) FROM pmu_samples), "
        "(SELECT count(DISTINCT run_id) FROM run_facts)",
    ) == [(len(found),) * 3]
    return found


@pytest.fixture
def existing(template, tmp_path):
    """Return a warehouse in which nothing has landed, where a test is not about making one."""
    return shutil.copy(template, tmp_path / "existing.duckdb")


@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "new"])
def test_killed_at_any_moment(tmp_path, existing, fresh):
    chance = random.Random(fresh)
    db, whole = tmp_path / "w.duckdb", existing
    files = [counters(tmp_path / f"{name}.csv", 10_000, name) for name in range(3)]
    assert command(whole, "ingest", counters(tmp_path / "first.csv", 1000))[0] == 0
    timed = tmp_path / "timed.duckdb"
    if not fresh:
        shutil.copy(whole, timed)
    began = time.monotonic()
    assert len(landed_in(command(timed, "ingest", *files)[1])) == 3
    usual = time.monotonic() - began
    for _ in range(KILLS // 2 or 3):
        if not fresh:
            shutil.copy(whole, db)
        started = Started(db, "ingest", *files)
        time.sleep(chance.uniform(0, 1) * usual)
        with contextlib.suppress(ProcessLookupError):
            os.kill(started.pid, signal.SIGKILL)
        code, out, err = started.end()
        assert (code in {0, -signal.SIGKILL}, err) == (True, "")
        if fresh and not db.exists():
            assert landed_in(out) == set()
            continue
        con = connect(db)
        must_be_whole(con)
        paths = {path for (path,) in rows(con, "SELECT path FROM sources")}
        con.close()
        assert landed_in(out) <= paths
        assert fresh or str(tmp_path / "first.csv") in paths
        db.unlink()
        # A log in which no transaction came to its end stays behind.
        db.with_name("w.duckdb.wal").unlink(missing_ok=True)
    # Whatever was left behind, the next one lands.
    code, _, err = command(db, "ingest", *files)
    assert code == 0, err
    con = connect(db, read_only=True)
    assert len(must_be_whole(con)) == 3
    con.close()


@pytest.mark.parametrize("how", ["replace", "forget"])
def test_killed_while_rows_go(tmp_path, existing, how):
    db, whole = tmp_path / "w.duckdb", existing
    names = [tmp_path / f"{name}.csv" for name in range(2)]
    before = [counters(path, 10_000, seed) for seed, path in enumerate(names)]
    assert command(whole, "ingest", *before)[0] == 0
    old = rows_by_source(whole)
    for seed, path in enumerate(names, 5):
        counters(path, 20_000, seed)
    words = ["ingest", "--replace", *names] if how == "replace" else ["forget", str(names[0])]
    timed = shutil.copy(whole, tmp_path / "timed.duckdb")
    usual = seconds_of(timed, *words)
    new = rows_by_source(timed)
    for _ in killed_copies(whole, db, usual, *words):
        found = rows_by_source(db)
        assert all(found.get(path) in {old[path], new.get(path)} for path in old), found


@pytest.mark.parametrize("packed", OLDER, ids=lambda path: path.name.partition(".")[0])
def test_killed_while_it_migrates(tmp_path, packed):
    db, whole = tmp_path / "w.duckdb", tmp_path / "whole.duckdb"
    whole.write_bytes(lzma.decompress(packed.read_bytes()))
    shutil.copy(whole, db)
    code, out, err = command(db, "migrate", moment=0)
    assert code == 0, err
    moments, migrated = int(out.split()[-1]), counts_and_scalars(db)
    chance = random.Random(packed.name)
    shutil.copy(whole, db)
    for _ in range(KILLS or 1):
        # Each finds what the one before has left.
        assert command(db, "migrate", moment=chance.randrange(1, moments - 9))[0] == -signal.SIGKILL
        assert db.read_bytes() == whole.read_bytes()
        assert not db.with_name("w.duckdb.wal").exists()
    # After the copy took the place of the file, it is flushed and the copy's log is looked for.
    assert command(db, "migrate", moment=moments - 2)[0] == -signal.SIGKILL
    assert counts_and_scalars(db) == migrated
    assert command(db, "migrate")[1] == f"{db} is up to date\n"
    assert {path.name for path in tmp_path.iterdir()} == {"w.duckdb", "whole.duckdb"}


@pytest.mark.skipif(
    find_spec("duckdb_extension_ducklake") is None, reason="needs pip install 'pwh[lake]'"
)
def test_killed_while_it_migrates_a_lake(tmp_path):
    whole, folder = tmp_path / "whole", tmp_path / "lake"
    whole.mkdir()
    address = f"ducklake:{folder / 'w.ducklake'}"
    folder.symlink_to(whole)
    assert command(address, "ingest", counters(tmp_path / "first.csv", 1000))[0] == 0
    with connect(address) as con:
        con.execute("UPDATE view_modules SET sha256 = ''")
        con.execute("UPDATE kept_runs SET revision = ''")
        con.execute("DROP VIEW _stamp")
    folder.unlink()
    shutil.copytree(whole, folder)
    code, out, err = command(address, "migrate", moment=0)
    assert code == 0, err
    moments, migrated = int(out.split()[-1]), counts_and_scalars(address)
    chance = random.Random(1)
    for _ in range(KILLS or 1):
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)
        assert command(address, "migrate", moment=chance.randrange(1, moments))[0] < 0
        code, _, err = command(address, "runs")
        assert code == 0 or err.endswith("migrate\n"), err
        assert command(address, "migrate")[0] == 0
        assert counts_and_scalars(address) == migrated


def counts_and_scalars(db):
    """Return the number of rows of each table of a warehouse that can be used, and all scalars."""
    with connect(db, read_only=True) as con:
        # Of a lake the estimated sizes have the rows that are gone, too.
        names = [name for name, _ in rows(con, sqlfiles.read("queries/maintenance/tables"))]
        tables = [(name, rows(con, f'SELECT count(*) FROM "{name}"')) for name in names]
        # Sums of numbers differ in their last digits, by the order in which threads add them.
        sql = "SELECT run_id, metric, CAST(value AS FLOAT) FROM run_scalars ORDER BY ALL"
        return tables, rows(con, sql)


@pytest.mark.parametrize("more", [-200_000, 300_000], ids=["copy", "migration"])
def test_a_disk_without_room_to_migrate(tmp_path, more):
    db = tmp_path / "w.duckdb"
    whole = lzma.decompress(OLDER[-1].read_bytes())
    db.write_bytes(whole)
    code, out, err = command(db, "migrate", limit=len(whole) + more)
    assert (code, out) == (4, "")
    assert err.startswith(f"pwh: nothing has changed in {db}: there is no room for a new one")
    assert "Make room and run it again." in err
    assert db.read_bytes() == whole
    assert [path.name for path in tmp_path.iterdir()] == ["w.duckdb"]


@long_form
def test_killed_while_it_fits(tmp_path, existing):
    db, whole = tmp_path / "w.duckdb", existing
    assert command(whole, "ingest", segments(tmp_path / "segments.csv", programs=3))[0] == 0
    with connect(whole, read_only=True) as con:
        (before,) = rows(con, FITTED)
    shutil.copy(whole, db)
    usual = seconds_of(db, "fit", "throughput")
    with connect(db, read_only=True) as con:
        (after,) = rows(con, FITTED)
    assert after > before
    for _ in killed_copies(whole, db, usual, "fit", "throughput"):
        with connect(db, read_only=True) as con:
            assert rows(con, FITTED)[0] in {before, after}


def test_killed_while_it_records(tmp_path, existing):
    db, whole = tmp_path / "w.duckdb", existing
    assert command(whole, "ingest", counters(tmp_path / "first.csv", 1000))[0] == 0
    # The recordings of a killed process stay, so that they can be landed yet.
    options = ["--repeat", "2", "--tool", "none", "--version", "1", "--keep", tmp_path / "k"]
    words = ["record", *options, "--", "true"]
    shutil.copy(whole, db)
    for err in killed_copies(whole, db, seconds_of(db, *words), *words):
        with connect(db) as con:
            assert incomplete_sources(con) == []
            ((landed,),) = rows(con, "SELECT count(*) FROM runs WHERE app = 'true'")
            twice = "SELECT DISTINCT run_id FROM metrics WHERE metric = 'max_rss'"
            assert len(rows(con, twice)) == landed <= 2
        assert landed == 2 or "landed in" not in err
    assert command(db, *words)[0] == 0


FITTED = """
    SELECT
      (SELECT count(*) FROM models), (SELECT count(*) FROM model_arrays),
      (SELECT count(*) FROM model_scores), (SELECT count(*) FROM model_history)
"""


def seconds_of(db, *words):
    """Return how long a command takes."""
    began = time.monotonic()
    code, _, err = command(db, *words)
    assert code == 0, err
    return time.monotonic() - began


def killed_copies(whole, db, usual, *words):
    """Yield stderr after each kill of a command on a copy of a warehouse, at any moment of it."""
    chance = random.Random(str(words))
    for _ in range(KILLS or 2):
        db.with_name(f"{db.name}.wal").unlink(missing_ok=True)
        shutil.copy(whole, db)
        started = Started(db, *words)
        time.sleep(chance.uniform(0, 1) * usual)
        with contextlib.suppress(ProcessLookupError):
            os.kill(started.pid, signal.SIGKILL)
        code, _, err = started.end()
        assert code in {0, -signal.SIGKILL}, err
        yield err


def rows_by_source(db):
    """Return the number of rows of each file, of a warehouse that is whole."""
    with connect(db) as con:
        must_be_whole(con)
        return dict(rows(con, "SELECT path, rows FROM sources"))


READER = """
import sys, time
from pathlib import Path
from warehouse import connect
from warehouse.errors import WarehouseMissing
from tests.test_reliability import must_be_whole
turns, end = 0, time.monotonic() + 120
while not Path(sys.argv[2]).exists() and time.monotonic() < end:
    try:
        con = connect(sys.argv[1], read_only=True, wait=60)
    except WarehouseMissing:
        time.sleep(0.01)
        continue
    must_be_whole(con)
    con.close()
    turns += 1
    time.sleep(0.2)
print(turns)
"""


@pytest.mark.parametrize("fresh", [False, True], ids=["existing", "new"])
def test_eight_at_once_while_others_read(tmp_path, existing, fresh):
    db, done = tmp_path / "new.duckdb" if fresh else existing, tmp_path / "done"
    expected = 8
    if not fresh:
        assert command(db, "ingest", counters(tmp_path / "first.csv", 1000, 99))[0] == 0
        expected += 1
    files = [counters(tmp_path / f"{name}.csv", 20_000, name) for name in range(8)]
    arguments = [sys.executable, "-c", READER, str(db), str(done)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": ENV}
    readers = [subprocess.Popen(arguments, **pipes) for _ in range(2)]
    for writer in [Started(db, "ingest", file) for file in files]:
        code, out, err = writer.end()
        assert (code, len(landed_in(out))) == (0, 1), err
    done.touch()
    for reader in readers:
        out, err = reader.communicate(timeout=60)
        assert (reader.returncode, err) == (0, "")
        assert int(out) > 0
    con = connect(db, read_only=True)
    assert len(must_be_whole(con)) == expected
    con.close()
    assert list(tmp_path.glob(".*")) == [], "no drafts are left"


@pytest.fixture
def held(existing):
    """Return a warehouse that another process holds until it is killed, and that process."""
    script = (
        "import sys, time; from warehouse import connect; con = connect(sys.argv[1]); "
        "print('held', flush=True); time.sleep(60)"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(existing)], stdout=subprocess.PIPE, text=True, env=ENV
    )
    with holder:
        holder.stdout.readline()
        yield existing, holder
        holder.kill()


def test_a_busy_warehouse_is_waited_for_so_long(held, tmp_path):
    db, holder = held
    file = counters(tmp_path / "x.csv", 10)
    for arguments in (("ingest", file), ("sql", "SELECT 1")):
        code, out, err = command(db, *arguments, "--wait", "0.3")
        assert (code, out) == (4, "")
        waiting, gave_up, advice = err.splitlines()
        held_by = rf"pwh: {db} is in use by python\S*, process {holder.pid}, running for \d+ \w+; "
        assert re.fullmatch(held_by + "waiting up to 0.3 s", waiting)
        assert re.fullmatch(held_by + "gave up after 0.3 s", gave_up)
        assert advice == "  Try again when it is done, or wait longer with --wait SECONDS."


def test_it_goes_on_when_the_other_is_done(held, tmp_path):
    db, holder = held
    started = Started(db, "ingest", counters(tmp_path / "x.csv", 10))
    while not (waiting := started.said()[1]).endswith("\n"):
        time.sleep(0.01)
    assert re.search(rf", process {holder.pid}, running for \d+ \w+; waiting\n$", waiting)
    holder.kill()
    code, out, err = started.end()
    assert (code, len(landed_in(out))) == (0, 1)
    assert err.startswith(waiting)


def test_a_query_without_end_keeps_no_writer_waiting(tmp_path, existing):
    """Were it not interrupted, none would land; the third lands beside it, as it reads a copy."""
    query = "SELECT count(*) FROM range(10000000) a, range(10000000) b WHERE a.range < b.range"
    reader = Started(existing, "sql", query)
    for number in range(3):
        while str(existing) not in open_files(reader.pid) and number < 2:
            time.sleep(0.01)
        code, out, err = command(
            existing, "ingest", counters(tmp_path / f"{number}.csv", 10, number)
        )
        assert (code, len(landed_in(out))) == (0, 1), err
    while list(tmp_path.glob(".*.queue")):  # until the copy is open, it waits among others
        time.sleep(0.01)
    os.kill(reader.pid, signal.SIGKILL)
    _, out, err = reader.end()
    assert out == ""
    assert err.count("was interrupted, as a writer had waited for 2 s") == 2
    assert list(tmp_path.glob(".*")) == []


@pytest.mark.parametrize("replaced", [False, True])
def test_a_file_that_is_moved_while_files_land(tmp_path, existing, replaced):
    """What was reported as landed is in the file that was moved, and nothing anywhere else."""
    moved, other = tmp_path / "moved.duckdb", tmp_path / "other.duckdb"
    shutil.copy(existing, other)
    # Too large to land together.
    files = [counters(tmp_path / f"{name}.csv", 200_000, name) for name in range(20)]
    started = Started(existing, "ingest", *files)
    while "landed" not in started.said()[0]:
        time.sleep(0.01)
    existing.rename(moved)
    if replaced:
        shutil.copy(other, existing)
    code, out, err = started.end()
    assert code == 4, err
    assert "is no longer the file" in err
    assert landed_in(out) == set(rows_by_source(moved))
    assert 0 < len(landed_in(out)) < 20
    assert existing.exists() == replaced
    if replaced:
        assert rows_by_source(existing) == {}


def open_files(pid):
    """Return the paths of the files that a process has opened."""
    found = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.add(str(link.readlink()))
    return found


def test_an_interrupted_ingest_lands_nothing(tmp_path, existing):
    db = existing
    assert command(db, "ingest", counters(tmp_path / "small.csv", 10))[0] == 0
    started = Started(db, "ingest", counters(tmp_path / "large.csv", 3_000_000))
    while str(db) not in open_files(started.pid):
        time.sleep(0.01)
    os.kill(started.pid, signal.SIGINT)
    code, out, err = started.end()
    assert (code, landed_in(out)) == (130, set()), err
    con = connect(db, read_only=True)
    assert len(must_be_whole(con)) == 1
    con.close()


@pytest.mark.parametrize("limit", [50_000, 600_000, None], ids=["nothing", "little", "warehouse"])
def test_a_file_that_may_not_grow(tmp_path, existing, limit):
    """The nearest thing to a full disk that a test can make: without or with room for creating."""
    db, fits = existing, limit is None
    if fits:
        limit = db.stat().st_size + 200_000
    small, large = counters(tmp_path / "s.csv", 10), counters(tmp_path / "l.csv", 400_000)

    new = tmp_path / "new.duckdb"
    code, out, err = command(new, "ingest", large, limit=limit)
    assert (code, out) == (4, ""), err
    assert new.exists() == fits
    assert command(db, "ingest", small)[0] == 0
    code, out, err = command(db, "ingest", large, limit=limit)
    assert (code, out) == (4, ""), err
    con = connect(db)
    assert len(must_be_whole(con)) == 1
    con.close()
    assert command(db, "ingest", large)[0] == 0


def test_an_older_warehouse_is_migrated_when_asked(tmp_path):
    db, file = tmp_path / "w.duckdb", counters(tmp_path / "x.csv", 10)
    absent = [name for name in migrations.names() if name >= "0209"]
    latest = {"storage_compatibility_version": "latest"}
    with duckdb.connect(db, config=latest) as con:
        con.execute(sqlfiles.read("bookkeeping"))
        for path in sqlfiles.files("migrations"):
            if path.stem not in absent:
                con.execute(migrations.statements(path))
                con.execute("INSERT INTO migrations VALUES (?, now(), '0')", [path.stem])
    for arguments in (("ingest", file), ("runs",)):
        code, out, err = command(db, *arguments)
        assert (code, out) == (4, "")
        assert err == (f"pwh: {db} was written by an older pwh\n  Run: pwh --db {db} migrate\n")
    code, out, _ = command(db, "migrate")
    assert code == 0
    assert out.splitlines()[: len(absent)] == [f"applied {name}" for name in absent]
    assert command(db, "ingest", file)[0] == 0


def test_a_warehouse_with_other_tables_than_it_states_is_left_alone(tmp_path):
    db = tmp_path / "w.duckdb"
    with duckdb.connect(db) as con:
        con.execute(sqlfiles.read("bookkeeping"))
        con.execute("INSERT INTO migrations VALUES ('0201_runs', now(), '0.1.0')")
    before = db.read_bytes()
    code, out, err = command(db, "migrate")
    assert (code, out) == (4, "")
    problem, advice = err.splitlines()
    assert problem.startswith(f"pwh: nothing has changed in {db}: a development version of pwh")
    assert "pwh --db NEW ingest FILES" in advice
    assert db.read_bytes() == before


def test_a_newer_warehouse_is_left_alone(tmp_path, existing):
    db = existing
    con = connect(db)
    con.execute("INSERT INTO migrations VALUES ('9999_future', now(), '99')")
    con.close()
    file = counters(tmp_path / "x.csv", 10)
    for arguments in (("ingest", file), ("runs",), ("migrate",)):
        code, out, err = command(db, *arguments)
        assert (code, out) == (4, "")
        assert err.startswith(f"pwh: {db} was written by a newer pwh (it has 9999_future)\n")
        assert "Update pwh" in err


def test_the_log_of_a_warehouse_that_has_gone_is_not_touched(tmp_path):
    db, log = tmp_path / "w.duckdb", tmp_path / "w.duckdb.wal"
    log.write_bytes(b"what had been committed")
    code, out, err = command(db, "ingest", counters(tmp_path / "x.csv", 10))
    assert (code, out) == (4, "")
    assert err.startswith(f"pwh: there is a write-ahead log {log} without w.duckdb\n")
    assert log.read_bytes() == b"what had been committed"
    log.unlink()
    assert command(db, "ingest", tmp_path / "x.csv")[0] == 0


def test_files_that_are_no_warehouse(tmp_path, existing):
    file = counters(tmp_path / "x.csv", 10)
    other = tmp_path / "other.duckdb"
    with duckdb.connect(str(other)) as con:
        con.execute("CREATE TABLE migrations (id INTEGER)")
    text = tmp_path / "notes.duckdb"
    text.write_text("Dear diary\n" * 1000)
    cut = tmp_path / "cut.duckdb"
    cut.write_bytes(existing.read_bytes()[:20_000])
    messages = {
        other: "is a DuckDB file, but not a pwh warehouse",
        text: "is not a DuckDB file",
        cut: f"cannot open {cut}: ",
        tmp_path: f"cannot open {tmp_path}: ",
        tmp_path / "no" / "w.duckdb": "does not exist",
        Path("/proc/w.duckdb"): "cannot create a warehouse at /proc/w.duckdb: No such file",
    }
    for db, message in messages.items():
        code, out, err = command(db, "ingest", file)
        assert (code, out) == (4, "")
        assert message in err
    assert text.read_text() == "Dear diary\n" * 1000
