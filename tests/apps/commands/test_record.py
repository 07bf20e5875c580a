"""pwh record: what lands of a program, and what becomes of it where it cannot land."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys

import pytest

from apps.recording.collectors import Callgrind
from tests.helpers.support import rows
from warehouse import connection

NO_TOOL = ("record", "--tool", "none")


@pytest.fixture(autouse=True)
def state(monkeypatch, tmp_path):
    """Keep recordings of the tests in a folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    return tmp_path / "state" / "pwh" / "recordings"


@pytest.fixture
def landed(tmp_path):
    def landed(query):
        with connection.connect(tmp_path / "pwh.duckdb", read_only=True) as con:
            return rows(con, query)

    return landed


def git(folder, *words):
    """Run git with an author of the tests; return what it prints."""
    author = ("-c", "user.name=Author", "-c", "user.email=author@example.org")
    done = subprocess.run(
        ["git", "-C", str(folder), *author, *words], check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def perf(tmp_path, monkeypatch):
    """Put a program in place of perf, which is not on every machine that tests run on."""

    def perf(script):
        folder = tmp_path / "bin"
        folder.mkdir()
        (folder / "perf").write_text(f"#!{sys.executable}\n{script}")
        (folder / "perf").chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    return perf


def test_a_run_without_an_option(run, landed, state):
    code, out, err = run(*NO_TOOL, "--", "echo", "a b", "c'd")
    assert (code, out) == (0, "a b c'd\n")
    assert "echo: 1 run, wall " in err and "peak memory " in err
    assert "the version is unknown: this folder is not in a git repository" in err
    found = "app, version, machine LIKE '%core%', started_at > now() - INTERVAL 1 HOUR"
    sql = f"SELECT {found}, wall_seconds > 0, tags['command'], tags['arguments'] FROM runs"
    expected = ("echo", None, True, True, True, "echo 'a b' 'c'\"'\"'d'", "'a b' 'c'\"'\"'d'")
    assert landed(sql) == [expected]
    assert ("max_rss",) in landed("SELECT metric FROM metrics WHERE value > 0")
    assert not list(state.iterdir())


def test_repetitions_are_runs_in_order_of_time(run, landed):
    assert run(*NO_TOOL, "--repeat", "3", "--warmup", "2", "--", "sh", "-c", "echo x")[:2] == (
        0,
        "x\n" * 5,
    )
    assert landed("SELECT count(DISTINCT run_id), count(DISTINCT started_at) FROM runs") == [(3, 3)]


def test_a_program_that_fails(run, landed):
    code, _, err = run(*NO_TOOL, "--repeat", "3", "--app", "x", "--", "sh", "-c", "exit 3")
    assert code == 3
    assert "stopped after 1 run of 3" in err and "failed: exit code 3; the run is in no" in err
    assert landed("SELECT exit_code FROM failed_runs") == [("3",)]
    assert landed("FROM run_configurations") == landed("FROM metric_series") == []
    assert "The program failed: exit code 3" in run("report", "latest")[1]
    assert run("runs", "-f", "csv")[1].splitlines()[0].split(",")[10] == "exit_code"


def test_a_signal_ends_the_program(run, landed):
    assert run(*NO_TOOL, "--", "sh", "-c", "kill -9 $$")[0] == 137
    assert landed("SELECT exit_code FROM failed_runs") == [("137",)]


def test_a_program_that_survives_an_interrupt_has_not_done_all_of_its_work(run, landed):
    interrupt = "trap : TERM; kill -TERM $PPID; wait; sleep 0.2; exit 0"
    assert run(*NO_TOOL, "--repeat", "2", "--", "sh", "-c", interrupt)[0] == 0
    assert landed("SELECT exit_code, interrupted FROM failed_runs") == [(None, True)]
    assert "exit code 0, interrupted; the run is in no trend" in run("report", "latest")[1]


def test_nothing_lands_of_programs_that_do_not_start(run, tmp_path):
    code, _, err = run(*NO_TOOL, "--", "no-such-program")
    assert (code, "there is no program 'no-such-program' on PATH" in err) == (127, True)
    (tmp_path / "text").write_text("x")
    code, _, err = run(*NO_TOOL, "--", "./text")
    assert (code, "chmod +x" in err) == (126, True)
    code, _, err = run("record", "--tool", "none", "--against", "nope", "--", "true")
    assert (code, "'nope'" in err) == (127, True)
    assert not (tmp_path / "pwh.duckdb").exists()


def test_nothing_is_lost_where_nothing_can_land(run, landed, state, tmp_path):
    (tmp_path / "pwh.duckdb").write_text("not a warehouse " * 999)
    code, _, err = run(*NO_TOOL, "--app", "a'b", "--tag", "k=v w", "--", "true")
    assert (code, "is not a DuckDB file" in err) == (4, True)
    script = shlex.split(err.split("to land them: ")[1].splitlines()[0])[1]
    (tmp_path / "pwh.duckdb").unlink()
    subprocess.run(["sh", script], check=True, capture_output=True)
    assert landed("SELECT app, tags['k'], started_at < now() FROM runs") == [("a'b", "v w", True)]


def test_against_another_command(run, landed):
    program = [sys.executable, "-S", "-c"]
    slow = f"{sys.executable} -S -c 'sum(range(400_000))'"
    code, out, err = run(*NO_TOOL, "--repeat", "2", "--against", slow, "--", *program, "pass")
    assert (code, out) == (0, "")
    assert "(2 runs) to " in err and "Total times" in err and "wall_seconds" in err
    runs = landed("SELECT contains(tags['arguments'], 'sum') FROM runs ORDER BY started_at")
    # By turns, the first one alternating.
    assert [slow for (slow,) in runs] == [True, False, False, True]


def test_what_perf_lacks_is_said_once(run, landed, perf):
    perf('import sys; print("Error:\\nNo permission to look.", file=sys.stderr); sys.exit(255)')
    code, _, err = run("record", "--repeat", "2", "--", "true")
    assert code == 0
    assert err.count("not recorded: perf-stat (perf recorded nothing: No permission") == 1
    assert landed("SELECT count(*) FROM runs") == [(2,)]


def test_counters_land_and_those_that_are_not_supported_are_named(run, landed, perf):
    perf("""
import os, signal, sys
words = sys.argv[1:]
if words[0] != "stat":
    sys.exit("perf: no")
control, acknowledge = map(int, words[words.index("--control") + 1][3:].split(","))
os.read(control, 7)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
os.write(acknowledge, b"ack\\n")
signal.sigwait([signal.SIGINT])
with open(words[words.index("-o") + 1], "w") as file:
    file.write("0.87,msec,task-clock,872605,100.00,0.002,CPUs utilized\\n")
    file.write("<not supported>,,cycles,0,100.00,,\\n")
""")
    code, _, err = run("record", "--", "true")
    assert (code, "pwh: this machine does not count cycles\n" in err) == (0, True)
    sql = "SELECT event, value FROM pmu_samples ORDER BY event"
    assert landed(sql) == [("cycles", None), ("task-clock", 0.87)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tool", "nope"), "there is no tool 'nope'"),
        (("--tool", "cprofile"), "is no Python interpreter"),
        (("--against", "'"), "is no command"),
        (("--against", ""), "names no command"),
        (("--tag", "x"), "KEY=VALUE"),
        (("--until-decided", "--repeat", "2"), "exclude each other"),
        (("--until-decided", "--against", "true", "--smallest", "0"), "out of range"),
        (("--until-decided", "--budget", "soon"), "is no time"),
        (("--until-decided",), "not in a git repository"),
    ],
)
def test_usage(run, options, message):
    code, _, err = run("record", *options, "--", "true")
    assert (code, message in err) == (2, True)


def test_profilers_that_slow_a_program_have_a_history_of_their_own(run, landed, tmp_path):
    (tmp_path / "work.py").write_text("sum(range(10))")
    for options in (NO_TOOL, ("record", "--tool", "cprofile")):
        assert run(*options, "--", sys.executable, "work.py")[0] == 0
    assert landed("SELECT app, tags['profiler'] FROM runs ORDER BY started_at") == [
        ("work", None),
        ("work", "cprofile"),
    ]
    assert landed("SELECT count(*) > 0 FROM fn_timings") == [(True,)]
    sql = "SELECT count(DISTINCT fields) FROM metric_series WHERE metric = 'wall_seconds'"
    assert landed(sql) == [(2,)]


def test_until_decided_against_the_commit_before(run, landed, tmp_path):
    folder = tmp_path
    git(folder, "init", "--initial-branch=main")
    for seconds in (0.01, 0.3):
        (folder / "work.py").write_text(f"import time; time.sleep({seconds})")
        git(folder, "add", "work.py")
        git(folder, "commit", "--message", f"{seconds} s")
    program = ("--", sys.executable, "-S", "work.py")
    code, _, err = run(*NO_TOOL, "--until-decided", "--build", "touch built", *program)
    assert code == 0
    assert re.search(r"pwh: decided after \d+ pairs: slower, wall time ", err)
    assert "5 % false alarms, 5 % misses of 5 %" in err
    found = "SELECT version, count(*) FROM runs GROUP BY version ORDER BY min(wall_seconds)"
    (_, first), (_, second) = landed(found)
    assert first == second >= 6
    assert landed('SELECT count(DISTINCT "commit") FROM commits') == [(2,)]
    # Nothing is left of the work tree.
    assert (
        len(git(folder, "worktree", "list").splitlines()) == 1 and not (folder / "built").exists()
    )
    code, _, err = run(*NO_TOOL, "--against", "HEAD^", "--build", "false", *program)
    assert (code, "HEAD^ does not build" in err) == (2, True)


def test_a_budget_ends_a_test_undecided(run, landed):
    options = ("--until-decided", "--budget", "1s", "--against", "sleep 0.4")
    code, _, err = run(*NO_TOOL, *options, "--", "sleep", "0.4")
    assert code == 0
    assert "undecided after 1 pair" in err
    assert landed("SELECT count(*) FROM runs") == [(2,)]


def test_a_tool_that_runs_the_program_states_whether_it_wrote_a_file(tmp_path):
    tool = Callgrind()
    (tmp_path / "callgrind.out").touch()
    assert tool.finish(tmp_path) == "it wrote no file"
    # One file a process; empty ones do not count.
    (tmp_path / "callgrind.out.7").write_text("version: 1\n")
    assert tool.finish(tmp_path) is None
    assert tool.files(tmp_path) == [tmp_path / "callgrind.out.7"]
