"""A real server, and clients of all kinds: what is asked of it is answered as by the file."""

import os
import random
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

import warehouse
from apps import cli
from tests.helpers.serving import READING, ROOT, WRITING, is_accepted, plain_client, served
from warehouse.connection import first_rows
from warehouse.errors import PwhError, UsageError, WarehouseBusy, WarehouseError
from warehouse.quack import server, tokens
from warehouse.quack.literals import with_literals
from warehouse.quack.server import Refusals
from warehouse.quack.statements import is_taken

RECORDINGS = ROOT / "apps" / "demo" / "recordings"
LANDED = [
    "heat-1.0.perf.csv",
    "heat-1.1.pstats",
    "heat_tasks.msgpack.gz",  # attributed by arrays, which go there and back
    "heat_blocks.csv",  # machine code, decoded by functions
    "history/stencil_counters.csv",  # read by a SELECT over the file
]
ASKED = """
sql 'SELECT * EXCLUDE (ingested_at, source_id) FROM sources ORDER BY ALL' --format csv
report heat_tasks
idle heat_tasks
diagnose stencil-1.24
sql 'SELECT * EXCLUDE (source_id) FROM bottlenecks ORDER BY ALL' --format jsonl
sql "SELECT 1::HUGEINT, INTERVAL 1 DAY, 'nan'::DOUBLE, MAP {'a': [1]}, NULL, 'é'"
sql "SET VARIABLE v = (SELECT list(run_id) FROM runs); SELECT len(getvariable('v'))"
sql "SET VARIABLE v = [1, 2]; SELECT count(*), getvariable('v') FROM glob('none')"
sql "SET VARIABLE v = (SELECT [count(*)] FROM glob('none')); SELECT getvariable('v')"
sql "SET VARIABLE v = 1; RESET VARIABLE v; SELECT getvariable('v')"
sql 'FROM nosuch'
sql --write "INSERT INTO series_fields VALUES ('machine', false) RETURNING field"
label stencil-1.24 Mem --rank 0
refresh heat_tasks
forget heat-1.1
"""


@pytest.fixture(autouse=True)
def _no_tokens_of_the_user(monkeypatch):
    """Let only the tests' own tokens count."""
    for name in ("PWH_TOKEN_FILE", "PWH_READ_TOKEN", "PWH_READ_TOKEN_FILE"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(scope="module")
def both(template, tmp_path_factory):
    """Return a file, and the address of a server of another, which land the same recordings."""
    folder = tmp_path_factory.mktemp("served")
    for name in ("file.duckdb", "served.duckdb"):
        shutil.copy(template, folder / name)
    with served(folder / "served.duckdb") as serving:
        both = folder / "file.duckdb", serving.address
        words = [sys.executable, "-m", "apps.cli", "ingest"]
        for db in both:
            done = subprocess.run(
                [*words, *(RECORDINGS / name for name in LANDED)],
                env={**os.environ, "PWH_DB": str(db), "PWH_TOKEN": WRITING},
                cwd=ROOT,
                capture_output=True,
                text=True,
            )
            assert done.stdout.count("landed ") == len(LANDED), done.stderr
        yield both


@pytest.fixture
def pwh(both, monkeypatch, capfd):
    """Run a command over an address; return its exit code and all that it writes, with no times."""
    monkeypatch.setenv("PWH_TOKEN", WRITING)
    monkeypatch.delenv("PWH_DB", raising=False)

    def pwh(db, *words):
        monkeypatch.setattr(sys, "argv", ["pwh", "--db", str(db), *words])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        return stop.value.code or 0, "".join(capfd.readouterr())

    return pwh


_FRACTION = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")


@pytest.fixture
def con(both, monkeypatch):
    """Return a session of the server that may write."""
    monkeypatch.setenv("PWH_TOKEN", WRITING)
    with warehouse.connect(both[1]) as con:
        yield con


def test_commands_answer_over_a_server_as_over_a_file(pwh, both, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "known" in pwh(both[1], "ingest", str(RECORDINGS / LANDED[0]))[1]
    for line in ASKED.strip().splitlines():
        words = shlex.split(line)
        (file_text, of_file), (server_text, of_server) = (
            _parted([text for text in printed.splitlines() if not _differs(text)])
            for _, printed in [pwh(db, *words) for db in both]
        )
        assert server_text == file_text, line
        # Networks reckon in single precision, where the last digits depend on how many samples are
        # classified together.
        assert of_server == pytest.approx(of_file, rel=1e-5, abs=1e-7), line
    out = pwh(both[1], "doctor")[1]
    assert "the warehouse is whole" in out, out


def _parted(lines):
    """Return lines without their fractions, and these."""
    text = "\n".join(lines)
    return _FRACTION.sub("#", text), [float(one) for one in _FRACTION.findall(text)]


def _differs(line):
    """Return whether a line is empty, a rule, or about a place in the text of a query."""
    return not line or line.startswith(("LINE", "   ", "---"))


def test_maintenance_is_where_the_server_is(both, pwh):
    _, address = both
    code, err = pwh(address, "maintain")
    assert code == 2 and "a served warehouse is maintained where pwh serve runs" in err


def test_a_client_without_pwh_reads_views_that_call_functions(both, tmp_path):
    answers = plain_client(
        both[1],
        READING,
        [
            "SELECT count(*) > 0, min(class) FROM w.bottlenecks",
            "DELETE FROM w.runs",
            "INSERT INTO w.series_fields VALUES ('x', false)",
        ],
        tmp_path,
    )
    assert answers[0] == [[True, "Balance"]]
    assert "Can only delete from base table" in answers[1]
    assert "Authorization failed" in answers[2]


_JOIN = "SELECT count(*) > 0 FROM {} JOIN {} USING (run_id)"


def test_a_client_without_pwh_joins_as_the_documents_say(both, tmp_path):
    refused, query, _, two = plain_client(
        both[1],
        READING,
        [
            _JOIN.format("w.runs", "w.pmu_samples"),
            f"FROM w.query('{_JOIN.format('runs', 'pmu_samples')}')",
            f"ATTACH '{both[1]}' AS w2 (TYPE quack, TOKEN '{READING}')",
            _JOIN.format("w.runs", "w2.pmu_samples"),
        ],
        tmp_path,
    )
    # Where this is lifted, sql/README.md needs no way round it.
    reason = refused.removeprefix("Not implemented Error: ")
    assert reason in " ".join((ROOT / "sql" / "README.md").read_text(encoding="utf-8").split())
    assert (query, two) == ([[True]], [[True]])


def test_a_client_without_pwh_has_the_catalogue_as_the_documents_say(both, tmp_path):
    document = (ROOT / "sql" / "README.md").read_text(encoding="utf-8")
    (views,) = re.findall(r"^    (COPY \(FROM w\.query.*?);$", document, re.MULTILINE | re.DOTALL)
    listed = re.findall(
        r"^    (FROM w\.query\('(?:SHOW|SELECT \w+_name).*\));$", document, re.MULTILINE
    )
    nothing, *answers, copied = plain_client(
        both[1], READING, ["SHOW ALL TABLES", *listed, views], tmp_path
    )
    # Where Quack lists them, sql/README.md needs no way round it.
    assert nothing == []
    assert len(answers) == 3
    assert all(len(answer) > 50 for answer in answers), answers
    made = (tmp_path / "views.sql").read_text(encoding="utf-8").splitlines()
    assert copied == [[len(made)]]
    some = [line for line in made if '"runs"' in line or '"bottlenecks"' in line]
    columns = (
        "FROM duckdb_columns() SELECT count(*), count(comment) "
        "WHERE table_name IN ('runs', 'bottlenecks')"
    )
    *_, names, ((all_columns, with_comment),), rows = plain_client(
        both[1],
        READING,
        [
            *some,
            "SELECT view_name, comment FROM duckdb_views() WHERE NOT internal ORDER BY ALL",
            columns,
            "SELECT count(*) > 0 FROM bottlenecks",
        ],
        tmp_path,
    )
    assert [name for name, _ in names] == ["bottlenecks", "runs"]
    assert all(comment.startswith("One row is") for _, comment in names)
    assert all_columns == with_comment > 30
    assert rows == [[True]]


def test_a_token_that_only_reads_is_refused_where_it_writes(both, monkeypatch):
    monkeypatch.setenv("PWH_TOKEN", READING)
    with warehouse.connect(both[1]) as con:
        before = con.execute("SELECT count(*) FROM runs").fetchall()
        con.execute("CREATE TEMP TABLE mine AS SELECT 1 AS a")
        for statement in (
            "DELETE FROM runs",
            "CREATE TABLE other (a INTEGER)",
            "INSERT INTO runs (run_id) VALUES ('x')",
            "COPY runs TO 'x.csv'",
            "FROM quack_active_connections()",
        ):
            with pytest.raises(PwhError):
                con.execute(statement)
        assert con.execute("SELECT count(*) FROM runs").fetchall() == before


def test_a_connection_for_reading_leaves_the_warehouse_as_it_is(both, monkeypatch):
    monkeypatch.setenv("PWH_TOKEN", WRITING)
    with warehouse.connect(both[1], read_only=True) as con:
        with pytest.raises(duckdb.Error, match="read-only"):
            con.execute("DELETE FROM runs")


@pytest.mark.parametrize(("given", "words"), [("x" * 20, "not accept"), ("", "16 to 512")])
def test_wrong_tokens_are_refused_and_not_repeated(both, monkeypatch, given, words):
    monkeypatch.setenv("PWH_TOKEN", given)
    with pytest.raises(PwhError, match=words) as refused:
        warehouse.connect(both[1])
    assert not given or given not in str(refused.value)


def test_a_log_that_nobody_reads_ends_no_server(template, tmp_path):
    file = Path(shutil.copy(template, tmp_path / "w.duckdb"))
    with served(file) as serving:
        serving.process.stderr.close()
        for _ in range(3):
            assert not is_accepted(serving.address, "wrong-token-0123456789")
        assert is_accepted(serving.address, READING)
        serving.process.terminate()
        assert serving.process.wait(timeout=30) == 0


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux knows who sent last")
def test_refused_tokens_are_reported_and_slowed_and_right_ones_are_not(template, tmp_path):
    file = Path(shutil.copy(template, tmp_path / "w.duckdb"))
    wrong = "wrong-token-0123456789"
    with served(file) as serving:
        host, port = serving.address.split(":")[1:]
        # One that is connected and says nothing.
        with socket.create_connection((host, int(port))):
            origins = [f"127.0.0.{2 + number}" for number in range(11)]
            for origin in origins:
                assert not is_accepted(serving.address, wrong, origin)
                assert is_accepted(serving.address, READING)
        lines = [line for line in serving.stop().splitlines() if "refused a token" in line]
    assert len(lines) == len(origins)
    for line, origin in zip(lines, origins, strict=True):
        # Of connections that sent within the same milliseconds all are named.
        assert origin in line.split(" from ")[1].split(",")[0].split(" or "), line
    assert ["slowed" in line for line in lines] == [False] * 10 + [True]
    for line in lines:
        at = datetime.fromisoformat(line.split()[1])
        assert abs(datetime.now(tz=UTC) - at) < timedelta(hours=1)
        assert wrong not in line and READING not in line


def test_refusals_are_slow_only_when_there_were_many_within_a_minute(monkeypatch):
    now, waits, lines = [0.0], [], []
    monkeypatch.setattr(server.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(server.time, "sleep", waits.append)
    some = Refusals(9, lines.append)
    for _ in range(10):
        some.add()
        now[0] += 1
    assert waits == []
    some.add()
    assert len(waits) == 1
    now[0] += 60
    some.add()
    assert len(waits) == 1
    assert len(lines) == 12


def _listening_at_ipv6():
    with suppress(OSError):
        return socket.create_server(("::1", 0), family=socket.AF_INET6)
    pytest.skip("no IPv6")


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="Linux knows who sent last")
def test_the_address_of_a_refusal_may_be_of_ipv6():
    with _listening_at_ipv6() as server:
        port = server.getsockname()[1]
        with socket.create_connection(("::1", port)) as client, server.accept()[0] as accepted:
            client.sendall(b"a token")
            assert accepted.recv(7) == b"a token"
            lines = []
            Refusals(port, lines.append).add()
    assert lines[0].endswith(" refused a token from ::1")


def test_no_address_is_reported_where_the_system_does_not_know_it(monkeypatch, tmp_path):
    monkeypatch.setattr(server, "_OPEN_FILES", tmp_path / "none")
    lines = []
    Refusals(9, lines.append).add()
    assert re.fullmatch(r"\S+ refused a token", lines[0])


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o604, 0o620, 0o602])
def test_a_token_file_of_others_is_refused_by_server_and_client(
    both, pwh, tmp_path, mode, monkeypatch
):
    file = tmp_path / "a token"
    file.write_text(f"{WRITING}\n")
    file.chmod(mode)
    for option in ("--token-file", "--read-token-file"):
        code, printed = pwh(tmp_path / "w.duckdb", "serve", f"{option}={file}")
        assert (code, f"chmod 600 '{file}'" in printed) == (2, True), printed
    monkeypatch.setenv("PWH_TOKEN_FILE", str(file))
    code, printed = pwh(both[1], "runs")
    assert (code, f"mode {mode:o}" in printed, WRITING in printed) == (2, True, False)
    for own in (0o600, 0o400):
        file.chmod(own)
        assert pwh(both[1], "runs")[0] == 0


def test_a_token_comes_through_a_pipe_and_not_from_what_has_no_end(tmp_path):
    reading, writing = os.pipe()
    os.write(writing, WRITING.encode())
    os.close(writing)
    assert tokens.token("PWH_TOKEN", Path(f"/dev/fd/{reading}")) == WRITING
    os.close(reading)
    with pytest.raises(UsageError, match="16 to 512"):
        tokens.token("PWH_TOKEN", Path("/dev/zero"))


def test_no_server_no_token_and_a_beyond_that_needs_a_proxy(both, monkeypatch, pwh, tmp_path):
    with pytest.raises(WarehouseError, match="does not answer"):
        warehouse.connect("quack:127.0.0.1:9")
    code, printed = pwh(tmp_path / "w.duckdb", "serve", "--host=0.0.0.0")
    assert (code, "--behind-proxy" in printed) == (2, True)
    monkeypatch.delenv("PWH_TOKEN")
    assert pwh(tmp_path / "w.duckdb", "serve")[0] == 2
    with pytest.raises(UsageError, match="no token"):
        warehouse.connect(both[1])
    assert not (tmp_path / "w.duckdb").exists()
    monkeypatch.setenv("PWH_TOKEN", WRITING)
    code, printed = pwh(both[0], "serve", f"--port={both[1].rpartition(':')[2]}")
    assert (code, "already in use" in printed) == (4, True)


def test_values_travel_as_they_are(con):
    values = [
        "a'b\x00é€ $x ? --",
        "",
        2**62,
        -(2**31),
        1e308,
        float("inf"),
        None,
        True,
        b"\x00\xff",
    ]
    for value in values:
        assert con.execute("SELECT $a, '$a ?' -- $b", {"a": value}).fetchall() == [(value, "$a ?")]
    assert con.execute("SELECT ?, $$ ? $$, list_sum(?)", [[], [1.5, 2]]).fetchone() == (
        [],
        " ? ",
        3.5,
    )
    with pytest.raises(ValueError, match="no value"):
        con.execute("SELECT $a", {"b": 1})


def test_what_is_rolled_back_or_not_committed_is_gone(con):
    con.execute("BEGIN; CREATE TABLE gone (a INTEGER)")
    con.execute("ROLLBACK")
    with warehouse.connection.cursor(con) as other:
        other.execute("BEGIN; CREATE TABLE gone (a INTEGER)")
    with pytest.raises(duckdb.CatalogException):
        con.execute("FROM gone")


def test_one_transaction_that_writes_waits_for_the_other(con, both):
    con.execute("BEGIN")
    told = []
    with warehouse.connect(both[1], wait=0.2, on_wait=told.append) as other:
        with pytest.raises(WarehouseBusy):
            other.execute("BEGIN")
        assert len(told) == 1
        con.execute("COMMIT")
        other.execute("BEGIN")
        other.execute("COMMIT")


def test_a_pivot_that_is_several_statements_is_told(con):
    with pytest.raises(UsageError, match="PIVOT"):
        con.execute("PIVOT runs ON app USING count(*)")
    assert con.execute("PIVOT runs ON app IN ('none') USING count(*)").fetchall()


def test_of_a_long_answer_only_what_is_shown_is_fetched(con):
    (rows,) = first_rows(con, "-- many\nFROM range(10_000_000_000);", 7).count("*").fetchone()
    assert rows == 7


@pytest.mark.parametrize(
    ("statement", "reading", "writing"),
    [
        ("FROM runs", True, True),
        ("SELECT query FROM saved_queries", True, True),
        ("EXPLAIN ANALYZE DELETE FROM runs", False, True),
        ("-- a comment\nCREATE TEMP TABLE x AS FROM runs", True, True),
        ("/* /* */ INSERT INTO temp.x */ INSERT INTO runs SELECT 1", False, True),
        ("INSERT INTO temp.x SELECT 1", True, True),
        ("INSERT INTO x SELECT 1", False, True),
        ("CREATE TEMP MACRO one() AS 1", True, True),
        ("CREATE MACRO one() AS 1", False, True),
        ("CREATE TEMP MACRO of(file) AS TABLE FROM read_csv(file)", False, False),
        ("DROP MACRO temp.main.one", True, True),
        ("DROP MACRO one", False, True),
        ("TRUNCATE runs", False, True),
        ("ALTER TABLE temp.main.x RENAME TO runs", True, True),
        ("ALTER TABLE x RENAME TO runs", False, True),
        ("FROM runs; DROP TABLE runs", False, False),
        ("FROM \"quack_stop\"/**/('x')", False, False),
        ("CREATE TABLE x AS FROM query('FROM runs')", False, False),
        ("FROM read_csv('/etc/passwd')", False, False),
        ("CALL checkpoint()", False, False),
        ("ATTACH ':memory:' AS x", False, False),
        ("SET threads = 1", False, False),
        ("SET VARIABLE x = (SELECT list(run_id) FROM runs)", True, True),
        ("SET VARIABLE x = (FROM read_text('x'))", False, False),
        ("SET VARIABLE x = 1; SET threads = 1", False, False),
        ("INSTALL spatial", False, False),
        ("COPY runs TO 'x'", False, False),
        ("", False, False),
    ],
)
def test_statements_that_a_server_takes(statement, reading, writing):
    assert (is_taken(statement, writes=False), is_taken(statement, writes=True)) == (
        reading,
        writing,
    )


def test_no_literal_contains_what_it_was_made_from():
    sql = with_literals("SELECT ?", ["'; DROP TABLE runs; --"])
    assert "DROP" not in sql


INTERRUPTED = """
import sys, warehouse
con = warehouse.connect(sys.argv[1])
con.execute("BEGIN; UPDATE saved_queries SET query = 'half'; CREATE TABLE half (a INTEGER)")
print("within", flush=True)
sys.stdin.read()
"""


def test_kills_and_a_clean_stop_lose_nothing_that_was_committed(template, tmp_path, monkeypatch):
    monkeypatch.setenv("PWH_TOKEN", WRITING)
    file = Path(shutil.copy(template, tmp_path / "w.duckdb"))
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with served(file, "--silent=3") as serving, warehouse.connect(serving.address) as con:
        con.execute(
            "INSERT INTO saved_queries (name, query, saved_at) VALUES ('a', 'FROM runs', now())"
        )
        change = "UPDATE saved_queries SET query = 'FROM sources'"
        with subprocess.Popen(
            [sys.executable, "-c", INTERRUPTED, serving.address],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        ) as client:
            assert client.stdout.readline() == "within\n"
            with pytest.raises(WarehouseBusy):
                con.execute(change)
            client.kill()
        # Until the server has given the killed client up.
        _until_possible(lambda: con.execute(change))
        written = serving.stop(signal.SIGKILL)
    assert "gave up 1 client" in written
    with served(file) as serving:
        with warehouse.connect(serving.address) as con:
            con.execute(
                "INSERT INTO saved_queries (name, query, saved_at) VALUES ('b', 'FROM runs', now())"
            )
        with pytest.raises(WarehouseBusy):
            warehouse.connect(file, wait=0)
        # A client that has connected, and was killed before its first statement.
        assert is_accepted(serving.address, WRITING)
        assert "served no more" in serving.stop()
    assert not Path(f"{file}.wal").exists()
    with warehouse.connect(file) as con:
        found = con.execute("SELECT name, query FROM saved_queries ORDER BY ALL").fetchall()
        assert found == [("a", "FROM sources"), ("b", "FROM runs")]
        assert not con.execute("FROM duckdb_tables() WHERE table_name = 'half'").fetchall()


@pytest.mark.skipif("PWH_KILLS" not in os.environ, reason="of python -m tests.faults")
@pytest.mark.parametrize("number", range(int(os.environ.get("PWH_KILLS", "0"))))
def test_a_client_or_the_server_is_killed_while_files_land(template, tmp_path, number, pwh):
    chance = random.Random(number)
    file = Path(shutil.copy(template, tmp_path / "w.duckdb"))
    for i in range(6):
        lines = "".join(f"r{i % 2},a,cycles,{k},{k}\n" for k in range(20_000))
        (tmp_path / f"{i}.csv").write_text(f"run_id,app,event,value,sample\n{lines}")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    reported = set()
    with served(file, "--silent=1") as serving:
        clients = [
            subprocess.Popen(
                [sys.executable, "-m", "apps.cli", "--db", serving.address, "ingest"]
                + [str(tmp_path / f"{i}.csv") for i in range(first, 6, 2)],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            for first in (0, 1)
        ]
        time.sleep(chance.uniform(1.5, 6))
        victim = chance.choice([serving.process, clients[0]])
        victim.kill()
        for client in clients:
            printed, _ = client.communicate(timeout=120)
            reported |= {
                Path(line.split()[1]).name
                for line in printed.splitlines()
                if line.startswith("landed ")
            }
    with served(file) as serving:
        listing = pwh(serving.address, "sql", "FROM sources SELECT path", "--format", "csv")[1]
        landed = [Path(line).name for line in listing.splitlines()[1:]]
        assert len(landed) == len(set(landed))
        assert reported <= set(landed)
        assert "the warehouse is whole" in pwh(serving.address, "doctor")[1]


def _until_possible(action):
    until = time.monotonic() + 30
    while True:
        try:
            return action()
        except WarehouseBusy:
            assert time.monotonic() < until
            time.sleep(0.1)
