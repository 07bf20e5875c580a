"""`pwh demo`: what it fills a warehouse with, and the tour that it prints."""

from __future__ import annotations

import gzip
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

import warehouse as pwh
from apps import cli
from apps.demo.entries import ENTRIES, FOLDER
from apps.demo.questions import QUESTIONS
from tests.helpers.support import rows

WIDEST = 110
READERS = {
    "cprofile",
    "dask-dump",
    "exp-bbv",
    "extrap-jsonl",
    "machine-code",
    "perf-stat",
    "plain",
    "task-tables",
}
HISTORY = ("kernels", "sorter", "spmv", "stencil")


@dataclass(frozen=True)
class Tour:
    db: Path
    out: str
    err: str


@pytest.fixture(scope="module")
def tour(tmp_path_factory) -> Tour:
    """The demo as a new user runs it: in an empty folder, in a process of its own."""
    folder = tmp_path_factory.mktemp("demo")
    environment = {name: value for name, value in os.environ.items() if name != "PWH_DB"}
    done = subprocess.run(
        [sys.executable, "-m", "apps.cli", "demo"],
        cwd=folder,
        env=environment | {"PYTHONPATH": str(Path(cli.__file__).parents[1])},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return Tour(folder / "pwh.duckdb", done.stdout, done.stderr)


@pytest.fixture
def con(tour):
    con = pwh.connect(tour.db, read_only=True)
    yield con
    con.close()


@pytest.fixture
def run(monkeypatch, capfd):
    """Run a command; return exit code, stdout and stderr."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["pwh", *map(str, arguments)])
        with pytest.raises(SystemExit) as stop:
            cli.main()
        out, err = capfd.readouterr()
        return stop.value.code or 0, out, err

    return run


def test_notes_on_stderr_what_landed(tour):
    assert re.fullmatch(
        rf"pwh: landed {len(ENTRIES)} recordings in pwh.duckdb: \d+ runs, [\d,]+ rows, \d+\.\d s\n",
        tour.err,
    )


@pytest.mark.parametrize(
    "table",
    ["pmu_samples", "fn_timings", "tasks", "transfers", "bb_visits", "bb_blocks", "segments"],
)
def test_every_kind_of_trace_is_there(con, table):
    assert rows(con, f"SELECT count(*) > 10 FROM {table}") == [(True,)]


def test_each_recording_is_recognised_by_its_content(con):
    assert {reader for (reader,) in rows(con, "SELECT DISTINCT reader FROM sources")} == READERS


def test_counters_and_profile_of_a_version_are_one_run(con):
    assert rows(
        con,
        """
        SELECT version, count(DISTINCT source_id), min(machine)
        FROM run_facts WHERE app = 'heat' AND stated_by = 'option'
        GROUP BY version, run_id ORDER BY version
        """,
    ) == [(f"1.{n}", 2, "demo-vm") for n in range(6)]


def test_generated_runs_are_marked_and_nothing_else_is(con):
    assert rows(
        con,
        """
        SELECT app, machine, count(*) FROM runs
        WHERE tags['generated'] = 'true' AND started_at IS NOT NULL GROUP BY ALL ORDER BY ALL
        """,
    ) == [
        ("kernels", "generated", 20),
        ("sorter", "generated", 10),
        ("spmv", "generated", 10),
        ("stencil", "generated", 32),
    ]
    marked = rows(
        con,
        "SELECT DISTINCT app, tags['generated'] FROM runs WHERE machine = 'generated' ORDER BY ALL",
    )
    assert marked == [(app, "true") for app in HISTORY]
    assert rows(con, "SELECT count(*) FROM runs WHERE tags['generated'] = 'true'") == [(72,)]


def test_the_planted_regression_is_the_only_change_of_a_wall_time(con):
    assert rows(
        con,
        """
        SELECT app, run_id, points, "index", round(change, 2), direction
        FROM change_points WHERE metric = 'wall_seconds'
        """,
    ) == [("stencil", "stencil-1.23", 22, 14, 0.18, "worse")]
    assert rows(
        con,
        "SELECT DISTINCT run_id FROM change_points WHERE app IN ('sorter', 'spmv', 'stencil')",
    ) == [("stencil-1.23",)]


def test_the_history_holds_the_planted_cause(con):
    assert rows(
        con,
        """
        SELECT run_id, class FROM bottleneck_by_region
        WHERE region = 'sweep' AND run_id IN ('stencil-1.22', 'stencil-1.23') ORDER BY run_id
        """,
    ) == [("stencil-1.22", "Balance"), ("stencil-1.23", "Mem")]
    assert rows(
        con,
        """
        SELECT b.version, _is_steeper(a, b)
        FROM scaling_models AS b
        JOIN scaling_models AS a USING (app, function)
        WHERE app = 'stencil' AND function = 'sweep' AND b.version < a.version
          AND b.exponent IS NOT NULL AND a.exponent IS NOT NULL
        """,
    ) == [("1.22", True)]
    (calm, starving) = rows(
        con,
        """
        SELECT starvation_percent FROM slo_by_run
        WHERE run_id IN ('stencil-1.22', 'stencil-1.23')
          AND mode = 'direct' AND latency_rule = 'union' ORDER BY run_id
        """,
    )
    assert starving[0] > calm[0] + 4


def test_the_history_is_what_its_generator_writes(tmp_path):
    subprocess.run(
        [sys.executable, "-m", "tests.apps.demo.programs.generate_history", str(tmp_path)],
        cwd=Path(cli.__file__).parents[1],
        check=True,
    )
    carried = sorted(path for path in (FOLDER / "history").rglob("*") if path.is_file())
    assert carried
    for path in carried:
        assert (tmp_path / path.relative_to(FOLDER / "history")).read_bytes() == path.read_bytes()


def test_prints_every_question_with_the_command_and_its_true_answer(tour, run, monkeypatch):
    stops = re.findall(r"^\d+\. .*?(?=^\d+\. |^What to try)", tour.out, re.MULTILINE | re.DOTALL)
    assert [stop.splitlines()[0].split(". ", 1)[1] for stop in stops] == [
        q.title for q in QUESTIONS
    ]
    monkeypatch.chdir(tour.db.parent)
    for stop in stops:
        title, said, command, answer = re.fullmatch(
            r"(.*?)\n +(.*?)\n\n\$ (pwh sql \".*?\")\n\n(.*?)\n\n", stop, re.DOTALL
        ).groups()
        assert title and said
        code, out, err = run(*shlex.split(command)[1:])
        assert (code, err) == (0, "")
        assert out.strip() == answer.strip()
        assert len(answer.splitlines()) >= 3


def test_finds_the_changes_that_are_known(tour):
    for known in (
        "Since 1.3: it took 1.9 times",
        "(save): it took 0.2",
        "sweep is 2.",
        "of it all after a save.",
        "of the difference is in write_number.",
        "Only stencil: since 1.23 it takes 17.8 % longer.",
        "87 % of the loss is in sweep, whose bottleneck moved from Balance to Mem.",
        "in 1.23, which reads 105 times as often from main memory",
    ):
        assert known in tour.out


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_sql_survives_double_quotes_of_a_shell(question):
    assert not set('"$`\\!') & set(question.sql)


def test_fits_a_terminal(tour):
    assert max(map(len, tour.out.splitlines())) <= WIDEST


def test_a_second_demo_adds_nothing(tour, run):
    code, out, err = run("--db", tour.db, "demo")
    assert code == 0
    assert err == f"pwh: the demo's {len(ENTRIES)} recordings are in {tour.db} already\n"
    assert (
        out.replace(f"pwh --db {tour.db} ", "pwh ").split("\nWhat")[0]
        == (tour.out.split("\nWhat")[0])
    )


def test_leaves_a_warehouse_with_other_runs_alone(tmp_path, run):
    db, counters = tmp_path / "mine.duckdb", tmp_path / "counters.csv"
    counters.write_text("event,value\ncycles,200\n")
    run("--db", db, "ingest", counters)
    code, out, err = run("--db", db, "demo")
    assert (code, out) == (2, "")
    assert err == (
        f"pwh: {db} contains other runs than the demo's (1 file, such as {counters})\n"
        "  The demo fills a warehouse of its own: pwh --db demo.duckdb demo\n"
    )
    assert run("--db", db, "sql", "SELECT count(*) AS n FROM sources", "-f", "csv")[1] == "n\n1\n"


def test_recordings_are_small_and_name_no_place():
    files = [path for path in FOLDER.rglob("*") if path.is_file() and path.name != "README.md"]
    assert sum(path.stat().st_size for path in files) < 1_500_000
    assert sum(path.stat().st_size for path in files if path.suffix == ".csv") < 300_000
    for path in files:
        content = path.read_bytes()
        content = gzip.decompress(content) if path.suffix == ".gz" else content
        assert not re.search(rb"/(home|root|tmp|usr|work|opt|var|etc)/", content), path


def test_the_sunway_has_the_classes_and_gains_of_the_publication(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("--db", tmp_path / "w.duckdb", "demo", "--sunway")
    assert code == 0
    assert "GENERATED" in out
    assert "fdtd gained most: Mem was cured, and version 3 is 711 % faster than the first." in out
    assert (tmp_path / "sunway.svg").read_text().count("<polygon") >= 11
    con = pwh.connect(tmp_path / "w.duckdb", read_only=True)
    assert rows(
        con,
        """
        SELECT app, string_agg(class, ' ' ORDER BY step),
          CAST(round(max(gain_since_first_percent)) AS INTEGER)
        FROM tuning_history GROUP BY app ORDER BY app
        """,
    ) == [
        ("fdtd", "Mem Mem Balance", 711),
        ("field-solver", "DTB Balance", 67),
        ("md", "Mem Mem Mem Balance", 218),
        ("micro-mg", "ICache Balance", 230),
    ]
    query = "SELECT algorithm, description LIKE 'GENERATED data: %' FROM models_in_force "
    query += "WHERE subject = 'sunway'"
    assert rows(con, query) == [("stacked autoencoder", True)]
    assert rows(con, "SELECT DISTINCT tags['generated'] FROM runs") == [("true",)]
    con.close()
    assert run("--db", tmp_path / "w.duckdb", "demo", "--sunway")[0] == 0
    assert run("--db", tmp_path / "w.duckdb", "demo")[0] == 2
