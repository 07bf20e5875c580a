"""What every command promises, checked for all of them: one suite over the commands of `pwh`."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import get_args

import pyarrow.parquet as pq
import pytest
import typer

import warehouse
from apps import cli
from apps.commands import COMMANDS as ENTRIES
from apps.demo.entries import FOLDER
from apps.output.formats import Format
from apps.queries.runs import LATEST
from tests.helpers.escapes import APP, RUN, SHOWN, TIMED_RUN, VERSIONS
from tests.helpers.repositories import Repository
from udfs.bottleneck import fit as bottleneck_fit
from udfs.throughput import fitting as throughput_fitting

DEMO, ESCAPES, TRAINING = "demo_warehouse", "escapes_warehouse", "training_warehouse"
COUNTERS = str(FOLDER / "heat-1.0.perf.csv")
# Words of STYLE.md's left column that help texts once had.
AVOIDED = re.compile(
    r"^(Give|Say|Tell|Ask)\b|\b(foretold|passed over|person's word|strangers?)\b|\bMind:", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A call of a command that has an answer, and what becomes of it elsewhere.

    Attributes:
        command: as it is typed after `pwh`.
        arguments: what follows the command where it has an answer.
        unknown: arguments that name a run or an application that does not exist: exit code 5.
        escapes: arguments that ask for names with escape sequences.
        answered_by: fixture of the warehouse that has an answer to `arguments`.
        missing: exit code where there is no warehouse; None where the command makes it.
        empty: exit code where the warehouse has no runs.
        report: whether --format table is a report in words, not the rows that programs get.
        writes: whether the command changes the warehouse.
    """

    command: str
    arguments: tuple[str, ...] = ()
    unknown: tuple[str, ...] | None = None
    escapes: tuple[str, ...] | None = None
    answered_by: str = DEMO
    missing: int | None = 4
    empty: int = 5
    report: bool = True
    writes: bool = False

    @property
    def call(self) -> tuple[str, ...]:
        """The command with its arguments, as typed."""
        return (*self.command.split(), *self.arguments)


CASES = (
    Case(
        command="ingest",
        arguments=(COUNTERS,),
        escapes=(COUNTERS, "--run", RUN),
        answered_by=ESCAPES,
        missing=None,
        empty=0,
        writes=True,
    ),
    Case(
        command="record",
        arguments=("--tool", "none", "--", "echo", "done"),
        escapes=("--tool", "none", "--app", APP, "--", "true"),
        missing=None,
        empty=0,
        writes=True,
    ),
    Case(command="runs", unknown=("--app", "nope"), escapes=("--app", APP), empty=0, report=False),
    Case(command="sources", unknown=("nope",), escapes=(RUN,), empty=0, report=False),
    Case(command="report", arguments=("heat-1.3",), unknown=("nope",), escapes=(RUN,)),
    Case(command="readers", missing=0, empty=0, report=False),
    Case(command="schema", empty=0, report=False),
    Case(command="schema", arguments=("runs",), empty=0, report=False),
    Case(
        command="sql",
        arguments=("FROM runs ORDER BY run_id",),
        escapes=("FROM runs ORDER BY run_id",),
        empty=0,
        report=False,
    ),
    Case(command="idle", arguments=("stencil-1.23",), unknown=("nope",), escapes=(RUN,)),
    Case(command="diagnose", arguments=("stencil",), unknown=("nope",), escapes=(RUN,)),
    Case(
        command="diagnose",
        arguments=("stencil", "--history"),
        unknown=("nope", "--history"),
        escapes=(APP, "--history"),
        report=False,
    ),
    Case(
        command="label",
        arguments=("stencil-1.23", "Mem"),
        unknown=("nope", "Mem"),
        escapes=(RUN, "Mem"),
        writes=True,
    ),
    Case(
        command="ack",
        arguments=("stencil-1.23", "noise"),
        unknown=("nope", "noise"),
        escapes=(TIMED_RUN, "noise"),
        writes=True,
    ),
    Case(command="events", unknown=("--app", "nope"), escapes=("--app", APP), empty=0),
    Case(command="events", arguments=("1", "--owner", "ada"), writes=True),
    Case(command="notify send", arguments=("--dry-run",), empty=0),
    Case(command="notify add", arguments=("env:PWH_TO",), empty=0, writes=True),
    Case(command="notify rules", empty=0, report=False, answered_by="ruled_warehouse"),
    Case(command="notify remove", arguments=("1",), writes=True, answered_by="ruled_warehouse"),
    Case(command="scale", escapes=()),
    Case(command="scale", arguments=("stencil",), unknown=("nope",), escapes=(APP,)),
    Case(
        command="scale",
        arguments=("compare", "stencil", "1.22", "1.23"),
        unknown=("compare", "nope", "1", "2"),
        escapes=("compare", APP, *VERSIONS),
    ),
    Case(command="threads", arguments=("stencil-1.23",), unknown=("nope",), escapes=(RUN,)),
    Case(
        command="threads",
        arguments=("stencil-1.23", "--groups"),
        unknown=("nope", "--groups"),
        escapes=(RUN, "--groups"),
    ),
    Case(
        command="throughput",
        arguments=(RUN,),
        unknown=("nope",),
        escapes=(RUN,),
        answered_by=ESCAPES,
    ),
    Case(command="trend", arguments=("sorter",), unknown=("nope",), escapes=(APP,)),
    Case(
        command="compare",
        arguments=("sorter@2.9", "sorter@2.10"),
        unknown=("sorter@2.9", "nope"),
        escapes=(f"{APP}@{VERSIONS[0]}", f"{APP}@{VERSIONS[1]}"),
    ),
    Case(
        command="gate",
        arguments=("sorter", "--baseline", "2.9"),
        unknown=("nope", "--baseline", "1"),
        escapes=(APP, "--baseline", VERSIONS[0], "--candidate", VERSIONS[1], "--limit", "900%"),
    ),
    Case(command="explain", arguments=("spmv-0.9",), unknown=("nope",), escapes=(TIMED_RUN,)),
    Case(
        command="export",
        arguments=("stencil-1.23", "--to", "folded"),
        unknown=("nope", "--to", "folded"),
        escapes=(TIMED_RUN, "--to", "folded"),
    ),
    Case(
        command="forget",
        arguments=("spmv-0.9",),
        unknown=("nope",),
        escapes=(TIMED_RUN,),
        writes=True,
    ),
    Case(command="migrate", empty=0, writes=True),
    Case(command="refresh", empty=0, writes=True),
    Case(command="refresh", arguments=("stencil-1.23",), unknown=("nope",), writes=True),
    Case(
        command="retention add",
        arguments=("--keep", "answers", "--days", "9"),
        empty=0,
        writes=True,
    ),
    Case(command="retention rules", empty=0, report=False, answered_by="ruled_warehouse"),
    Case(command="retention remove", arguments=("1",), writes=True, answered_by="ruled_warehouse"),
    Case(command="maintain", empty=0, writes=True),
    Case(command="doctor", answered_by=ESCAPES, missing=0, empty=0, report=False),
    Case(
        command="commits",
        arguments=("repo",),
        answered_by="commits_warehouse",
        empty=2,
        writes=True,
    ),
    Case(command="completion", arguments=("bash",), missing=0, empty=0),
    Case(command="demo", missing=None, empty=0, writes=True),
    Case(command="ui", arguments=("--no-browser",), missing=0, empty=0),
    Case(command="serve", missing=None, empty=0, writes=True),
    Case(command="mcp", empty=0),
    Case(
        command="fit bottlenecks",
        arguments=("--k", "6"),
        answered_by=TRAINING,
        writes=True,
    ),
    Case(command="fit throughput", answered_by=TRAINING, writes=True),
    Case(command="fit choose", arguments=("throughput/1",), empty=0, writes=True),
    Case(command="fit behaviour", empty=0, report=False),
    Case(
        command="fit behaviour",
        arguments=(RUN, "divergent"),
        unknown=("nope", "divergent"),
        escapes=(RUN, "divergent"),
        answered_by=ESCAPES,
        report=False,
        writes=True,
    ),
)


def leaves(group, prefix=""):
    """Yield every command of a group and of the groups in it, with its name as typed."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from leaves(command, f"{prefix}{name} ")
        else:
            yield prefix + name, command


ROOT = typer.main.get_command(cli.app)
COMMANDS = dict(leaves(ROOT))
FORMATTED = {
    name for name, command in COMMANDS.items() if any(p.name == "style" for p in command.params)
}
OF_LATEST = sorted(
    name for name, command in COMMANDS.items() if any(p.default == LATEST for p in command.params)
)

each_command = pytest.mark.parametrize("name", COMMANDS)


def each_case(*, where=lambda case: True):
    """Parametrise a test over the cases that a condition selects."""
    found = [case for case in CASES if where(case)]
    names = [" ".join(case.call).replace(COUNTERS, "FILE") for case in found]
    shown = [name.encode("unicode_escape").decode() for name in names]
    return pytest.mark.parametrize("case", found, ids=shown)


@pytest.fixture
def commits_warehouse(template, tmp_path):
    """Return a warehouse with a run of a commit of the repository repo."""
    repository = Repository(tmp_path / "repo")
    repository.commit("first")
    (commit,) = repository.commits.values()
    path = tmp_path / "commits.duckdb"
    shutil.copy(template, path)
    with warehouse.connect(path) as con:
        con.execute("INSERT INTO runs (run_id, app, commit) VALUES ('a', 'x', ?)", [commit])
    return path


@pytest.fixture
def ruled_warehouse(template, tmp_path):
    """Return a warehouse with a rule of pwh notify, and one of pwh retention."""
    path = shutil.copy(template, tmp_path / "ruled.duckdb")
    with warehouse.connect(path) as con:
        con.execute(
            "INSERT INTO notification_rules VALUES (1, 'changes', '*', '*', NULL, NULL, 'env:X')"
        )
        con.execute("INSERT INTO retention_rules VALUES (1, 'answers', '*', '*', '*', 9)")
    return path


@pytest.fixture(autouse=True)
def no_app(monkeypatch):
    """End `pwh ui` where it would become the app."""

    def execve(*_):
        raise SystemExit(0)

    monkeypatch.setattr(os, "execve", execve)


@pytest.fixture(autouse=True)
def no_server(monkeypatch):
    """End `pwh serve` where it would begin to serve, which has tests of its own."""

    def serve(*_, **__):
        raise SystemExit(0)

    monkeypatch.setenv("PWH_TOKEN", "a" * 32)
    monkeypatch.setattr("warehouse.quack.server.Server", serve)


@pytest.fixture(autouse=True)
def no_mcp(monkeypatch):
    """End `pwh mcp` where it would begin to answer, which has tests of its own."""

    def server(*_):
        raise SystemExit(0)

    monkeypatch.setattr("apps.commands.mcp_tools.server", server)


@pytest.fixture(autouse=True)
def own_state(monkeypatch, tmp_path_factory):
    """Keep recordings out of the user's folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.getbasetemp()))


@pytest.fixture(autouse=True)
def no_training(monkeypatch):
    """Put a result in place of the training of models, which has tests of its own."""
    bottlenecks = bottleneck_fit.Fitted(
        algorithm="rules",
        description="nothing",
        arrays={},
        scores=[("rules", "programs held out", "accuracy", 0.5)],
        search=[(1, 10, "accuracy", 0.5)],
    )
    throughput = throughput_fitting.Fitted(
        algorithm="network",
        arrays={},
        scores=[
            ("network", split, "mean error", 0.1)
            for split in ("groups held out", "held out at random")
        ],
        thinned=None,
        seconds=1.0,
    )
    monkeypatch.setattr(bottleneck_fit, "fit", lambda *_, **__: bottlenecks)
    monkeypatch.setattr(throughput_fitting, "fit_throughput", lambda *_, **__: throughput)


@pytest.fixture
def answer(run, request, tmp_path):
    """Run the call of a case on the warehouse that has an answer; a copy where it writes."""

    def answer(case, *options):
        path = request.getfixturevalue(case.answered_by)
        if case.writes:
            path = shutil.copy(path, tmp_path / "w.duckdb")
        return run("--db", path, *case.call, *options)

    return answer


def refused(result, code):
    """Check that a command ended with an exit code, no output and a message; return the message."""
    found, out, err = result
    assert (found, out) == (code, ""), err
    assert err.startswith(("pwh: ", "Usage: ")), err
    assert "Traceback" not in err
    return err


def check_notes(err):
    """Check that stderr has messages of pwh and nothing else."""
    lines = err.splitlines()
    assert all(line.startswith(("pwh: ", "  ")) for line in lines), err


def rows_of(style, text):
    """Parse what a command wrote in a format for programs: column names, and number of rows."""
    match style:
        case "csv":
            names, *rows = csv.reader(io.StringIO(text))
            assert all(len(row) == len(names) for row in rows)
            return names, len(rows)
        case "json":
            rows = json.loads(text, parse_constant=pytest.fail)
        case "jsonl":
            rows = [json.loads(line, parse_constant=pytest.fail) for line in text.splitlines()]
    assert all(list(row) == list(rows[0]) for row in rows)
    return list(rows[0]), len(rows)


def test_every_command_has_a_case():
    # a repository, and a processor, have tests of their own
    apart = {"bisect", "measure-blocks"}
    lacking = set(COMMANDS) - {case.command for case in CASES} - apart
    assert not lacking, f"add to CASES in {__file__}: {', '.join(sorted(lacking))}"
    gone = {case.command for case in CASES} - set(COMMANDS)
    assert not gone, f"remove from CASES in {__file__}: {', '.join(sorted(gone))}"


@each_command
def test_help_has_a_summary_and_explains_every_option(name, run):
    command = COMMANDS[name]
    code, out, err = run(*name.split(), "--help")
    assert (code, err) == (0, "")
    summary = (command.help or "").strip()
    assert re.fullmatch(r"[A-Z].{10,98}\.", summary), f"summary of pwh {name}: {summary!r}"
    assert not AVOIDED.search(summary), f"pwh {name}: {summary!r}: see STYLE.md"
    shown = "".join(out.split())
    assert "".join(summary.split()) in shown
    usage = out.split("\n\n", 1)[0]
    assert not re.search(r"\.\.\.\W?\.\.\.", usage), usage
    for parameter in command.params:
        if getattr(parameter, "hidden", False):
            continue
        text = getattr(parameter, "help", None) or ""
        which = parameter.opts[-1] if parameter.param_type_name == "option" else parameter.name
        assert text.endswith((".", "...")), f"help of {which} of pwh {name}: {text!r}"
        assert not AVOIDED.search(text), f"help of {which} of pwh {name}: {text!r}: see STYLE.md"
        assert "".join(text.split()) in shown


def test_help_of_groups(run):
    for words in ((), ("fit",)):
        code, out, err = run(*words, "--help")
        assert (code, err) == (0, "")
        group = ROOT.commands[words[0]] if words else ROOT
        assert all(name in out for name in group.commands)
    assert "Exit codes: 0 " in run("--help")[1]


def test_the_list_of_commands_has_a_line_for_each(run):
    out = run("--help")[1].splitlines()
    for entry in ENTRIES:
        assert re.fullmatch(r"[A-Z].{10,62}\.", entry.summary), entry
        assert not AVOIDED.search(entry.summary), f"{entry}: see STYLE.md"
        assert any(line.split(maxsplit=1) == [entry.name, entry.summary] for line in out), entry


@each_case(where=lambda case: case.missing is not None)
def test_missing_warehouse(case, run, tmp_path):
    code, _, err = result = run("--db", "none.duckdb", *case.call)
    if case.missing:
        problem, hint = refused(result, case.missing).splitlines()
        assert problem == "pwh: there is no warehouse at none.duckdb"
        assert all(what in hint for what in ("pwh ingest", "pwh demo", "--db", "PWH_DB"))
    else:
        assert code == 0
        check_notes(err)
    assert not list(tmp_path.glob("*.duckdb*"))


@each_case(where=lambda case: case.missing == 4)
def test_another_file_is_not_a_warehouse(case, run, tmp_path):
    (tmp_path / "text.duckdb").write_text("not a database " * 1000)
    err = refused(run("--db", "text.duckdb", *case.call), 4)
    assert "text.duckdb is not a DuckDB file" in err and "--db or PWH_DB" in err


@each_case(where=lambda case: case.command != "demo")
def test_empty_warehouse(case, run, template, tmp_path):
    path = shutil.copy(template, tmp_path / "w.duckdb") if case.writes else template
    code, _, err = result = run("--db", path, *case.call)
    if case.empty:
        _, *hint = refused(result, case.empty).splitlines()
        assert hint and all(line.startswith("  ") for line in hint), err
    else:
        assert code == 0
        check_notes(err)


@pytest.mark.parametrize("name", OF_LATEST)
def test_latest_of_an_empty_warehouse(name, run, template):
    given = {"gate": ("x", "--baseline", "y"), "export": ("latest", "--to", "csv")}.get(name, ())
    err = refused(run("--db", template, name, *given), 5)
    assert "no run" in err
    assert name == "gate" or err.startswith(
        "pwh: the warehouse has no runs\n  Ingest some: pwh ingest"
    )


# A second `pwh demo` has a test next to those of the tour, which takes seconds.
@each_case(where=lambda case: case.command not in {*FORMATTED, "demo"})
def test_answer(case, answer):
    code, out, err = answer(case)
    assert code == 0, err
    assert bool(out) == (case.command not in {"mcp", "serve", "ui"})
    check_notes(err)


@each_case(where=lambda case: case.command in FORMATTED)
def test_formats_have_the_same_rows(case, answer, tmp_path):
    found = {}
    for style in ("csv", "json", "jsonl"):
        code, out, err = answer(case, "--format", style)
        assert code == 0, err
        check_notes(err)
        found[style] = rows_of(style, out)
    code, out, err = answer(case, "--format", "parquet", "-o", "rows.parquet")
    assert (code, out) == (0, ""), err
    table = pq.read_table(tmp_path / "rows.parquet")
    found["parquet"] = table.column_names, table.num_rows
    names, rows = found["csv"]
    assert found == dict.fromkeys(found, (names, rows))
    assert rows and len(set(names)) == len(names)

    code, shown, err = answer(case)
    check_notes(err)
    assert shown
    assert (code, *answer(case, "-o", "table.txt")) == (0, 0, "", err)
    assert (tmp_path / "table.txt").read_text() == shown
    if not case.report:
        header, _, *lines = shown.splitlines()
        assert (len(re.split(r" {2,}", header.strip())), len(lines)) == (len(names), rows)


def test_parquet_goes_to_stdout_as_to_a_file(run, demo_warehouse, tmp_path):
    call = ("--db", str(demo_warehouse), "runs", "-f", "parquet")
    # stdout as text, as the tests above read it, would not keep the bytes.
    done = subprocess.run([sys.executable, "-m", "apps.cli", *call], capture_output=True)
    assert (done.returncode, done.stderr) == (0, b"")
    assert run(*call, "-o", "rows.parquet") == (0, "", "")
    assert (tmp_path / "rows.parquet").read_bytes() == done.stdout


@pytest.mark.parametrize("style", get_args(Format))
def test_a_file_that_cannot_be_written(style, run, demo_warehouse):
    err = refused(run("--db", demo_warehouse, "runs", "-f", style, "-o", "nowhere/rows"), 2)
    assert err == (
        "pwh: cannot write nowhere/rows: No such file or directory\n  Name another file: -o FILE\n"
    )


@each_command
def test_usage_errors(name, run, tmp_path):
    assert "No such option: --nope" in refused(run(*name.split(), "--nope"), 2)
    if name in FORMATTED:
        assert "'nope' is not one of" in refused(run(*name.split(), "--format", "nope"), 2)
    required = [p for p in COMMANDS[name].params if p.required]
    if required:
        assert "Missing " in refused(run(*name.split()), 2)
    assert not list(tmp_path.iterdir())


@each_case(where=lambda case: case.unknown is not None)
def test_unknown_run_or_application(case, run, demo_warehouse, tmp_path):
    path = shutil.copy(demo_warehouse, tmp_path / "w.duckdb") if case.writes else demo_warehouse
    err = refused(run("--db", path, *case.command.split(), *case.unknown), 5)
    problem, *hint = err.splitlines()
    assert "'nope'" in problem, err
    assert hint and all(line.startswith("  ") for line in hint), err


@each_command
def test_a_command_that_names_runs_has_an_unknown_one(name):
    names = {"run", "app", "words", "before"} & {p.name for p in COMMANDS[name].params}
    cases = [case for case in CASES if case.command == name]
    # For these the names are those of new runs, or patterns, and those of bisect need a repository.
    if names and name not in ("ingest", "record", "bisect", "notify add", "retention add"):
        assert any(case.unknown for case in cases), f"pwh {name} needs a case with `unknown`"
        assert any(case.escapes for case in cases), f"pwh {name} needs a case with `escapes`"


@each_case(where=lambda case: case.escapes is not None)
def test_escape_sequences_in_names_are_not_printed(case, run, escapes_warehouse, tmp_path):
    path = escapes_warehouse
    if case.writes:
        path = shutil.copy(path, tmp_path / "w.duckdb")
    code, out, err = run("--db", path, *case.command.split(), *case.escapes)
    assert code == 0, err
    check_printable(out + err)
    # Of a run `pwh sources` shows the paths, shortened.
    assert SHOWN in out + err or case.command == "sources"


@pytest.mark.parametrize("style", ["json", "jsonl"])
def test_escape_sequences_are_escaped_in_json(style, run, escapes_warehouse):
    code, out, _ = run("--db", escapes_warehouse, "runs", "-f", style)
    assert code == 0 and "\x1b" not in out and "\\u001B[31m" in out


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (("report", RUN[:3]), 0),
        (("report", TIMED_RUN[:5]), 2),
        (("throughput", TIMED_RUN), 5),
        (("threads", RUN, "--phases"), 5),
        (("trend", APP, "--metric", "nope"), 5),
        (("scale", APP, "--version", "nope"), 5),
        (("compare", "--app", APP, VERSIONS[0], "nope"), 5),
        (("gate", APP, "--baseline", "nope"), 5),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_escape_sequences_in_messages_are_not_printed(call, code, run, escapes_warehouse):
    found, out, err = run("--db", escapes_warehouse, *call)
    assert found == code, err
    check_printable(out + err)
    assert SHOWN in out + err


def check_printable(text):
    """Check that text has no control character except ends of lines."""
    assert all(character.isprintable() or character == "\n" for character in text)
