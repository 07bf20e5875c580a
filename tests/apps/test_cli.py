"""The command line: what it prints, where, and with which exit code."""

from __future__ import annotations

import ast
import csv
import gzip
import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from apps.commands import options
from apps.output.tables import markdown_text
from apps.queries.schema import FIRST
from warehouse import connection, yielding
from warehouse.errors import InputError, ReadingInterrupted

ROOT = Path(__file__).parents[2]
COUNTERS = "event,value\ncycles,200\ninstructions,300\n"
TIMES = "app,version,function,parallelism,seconds\nA,1,f,2,1.5\nA,1,g,2,2.5\nA,1,f,4,0.8\n"


@pytest.fixture
def pwh(tmp_path, run):
    """Run a command in a folder with two files."""
    (tmp_path / "counters.csv").write_text(COUNTERS)
    (tmp_path / "times.csv").write_text(TIMES)
    return run


def test_ingest_prints_reader_run_rows_and_time(pwh):
    code, out, err = pwh("ingest", "counters.csv", "--app", "stencil", "--tag", "a=b")
    assert (code, err) == (0, "")
    first, second = out.splitlines()
    assert first.startswith("landed   counters.csv  plain  counters-") and first.endswith(" s")
    assert second.strip() == "pmu_samples 2"


def test_the_same_again_is_known_and_replace_swaps_it(pwh):
    pwh("ingest", "counters.csv")
    code, out, _ = pwh("ingest", "counters.csv")
    assert code == 0 and out.startswith("known    counters.csv") and "--replace" in out
    _, out, _ = pwh("ingest", "counters.csv", "--version", "B")
    assert "its version is unknown, not B: --run NAME lands it as another run" in out
    code, out, _ = pwh("ingest", "counters.csv", "--replace")
    assert code == 0 and out.startswith("landed")
    assert pwh("sql", "SELECT count(*) AS n FROM pmu_samples", "-f", "csv")[1] == "n\n2\n"


def test_replace_swaps_a_file_that_has_changed_at_its_path(pwh, tmp_path):
    pwh("ingest", "counters.csv")
    (tmp_path / "counters.csv").write_text("event,value\ncycles,7\n")
    pwh("ingest", "counters.csv", "--replace")
    assert pwh("sql", "SELECT value FROM pmu_samples", "-f", "csv")[1] == "value\n7.0\n"
    assert pwh("sql", "SELECT count(*) AS n FROM runs", "-f", "csv")[1] == "n\n1\n"


def test_a_query_is_saved_and_run_by_its_name(pwh):
    pwh("ingest", "counters.csv")
    query = "SELECT 40 + 2 AS answer"
    assert pwh("sql", query, "--save", "the answer", "-f", "csv") == (0, "answer\n42\n", "")
    assert pwh("sql", "--saved", "the answer", "-f", "csv")[1] == "answer\n42\n"
    code, _, err = pwh("sql", "--saved", "teh answer")
    assert (code, "Did you mean the answer?" in err) == (2, True)
    assert pwh("sql", "SELEC", "--save", "wrong")[0] == 2
    assert pwh("sql", query, "--save", "a\x1b[31m")[0] == 2
    assert pwh("sql", "SELECT name, query FROM saved_queries", "-f", "csv")[1] == (
        f"name,query\nthe answer,{query}\n"
    )


def test_dry_run_lands_nothing(pwh, tmp_path):
    code, out, _ = pwh("ingest", "--dry-run", "counters.csv")
    assert code == 0 and out.startswith("would land counters.csv")
    assert not (tmp_path / "pwh.duckdb").exists()


def test_options_override_and_make_runs(pwh):
    pwh("ingest", "times.csv", "--machine", "m1", "--version", "2", "--started-at", "2026-01-31")
    _, out, _ = pwh("runs", "-f", "json")
    found = json.loads(out)
    assert len(found) == 2
    assert {(run["app"], run["version"], run["machine"]) for run in found} == {("A", "2", "m1")}
    assert all(run["started_at"].startswith("2026-01-31 00:00:00") for run in found)


def test_one_name_for_several_runs_is_refused(pwh):
    code, out, err = pwh("ingest", "times.csv", "--run", "mine")
    assert (code, out) == (2, "") and "several runs" in err and "Leave --run out" in err
    assert pwh("runs")[1].splitlines()[-1] == "(no rows)"


def test_keep_going_lands_the_rest_and_still_exits_with_3(pwh, tmp_path):
    (tmp_path / "bad.csv").write_text("event,value\ncycles,many\n")
    code, out, err = pwh("ingest", "bad.csv", "counters.csv")
    assert code == 3 and "landed" not in out
    assert "bad.csv, line 2: 'many' in the column value" in err and "expected a number" in err
    assert "1 file after it not read; --keep-going goes on" in err
    code, out, err = pwh("ingest", "bad.csv", "counters.csv", "--keep-going")
    assert code == 3 and "landed   counters.csv" in out


def test_a_folder_skips_what_no_reader_recognises(pwh, tmp_path):
    (tmp_path / "notes.md").write_text("# notes\n")
    code, out, err = pwh("ingest", tmp_path)
    assert code == 0 and out.count("landed") == 2 and "skipped 1 file" in err


def test_a_dry_run_goes_through_everything(pwh, tmp_path, monkeypatch):
    made, fill = [], connection.fill
    monkeypatch.setattr(connection, "fill", lambda con: made.append(con) or fill(con))
    (tmp_path / "a.csv").write_text("event,value\ncycles,many\n")
    (tmp_path / "notes.md").write_text("# notes\n")
    code, out, err = pwh("ingest", tmp_path, "--dry-run")
    assert code == 3 and out.count("would land") == 2 and "rejected" in err and "a.csv" in err
    assert len(made) == 1, "one in memory, whatever is rejected"
    assert "notes.md  no reader recognises this file; it begins with '# notes'" in out
    code, again, _ = pwh("ingest", tmp_path, "--list-skipped", "--keep-going")
    assert code == 3 and [line for line in out.splitlines() if line.startswith("skipped")] == [
        line for line in again.splitlines() if line.startswith("skipped")
    ]


def test_litter_of_other_systems_is_passed_over(pwh, tmp_path):
    # macOS leaves the attributes of NAME in ._NAME, even as text that looks like a recording.
    (tmp_path / "._counters.csv").write_text("event,value\ncycles,1\n")
    # A killed command leaves half of its output.
    (tmp_path / ".pwh-1-ab-counters.csv").write_text("event,value\ncycles,2\n")
    (tmp_path / ".DS_Store").write_bytes(b"\0Bud1")
    code, out, err = pwh("ingest", tmp_path)
    assert code == 0 and out.count("landed") == 2 and "skipped" not in err


def test_nothing_is_said_to_land_in_memory(pwh):
    code, out, err = pwh("--db", ":memory:", "ingest", "counters.csv")
    assert (code, out) == (2, "") and "gone when the command ends" in err
    assert pwh("--db", ":memory:", "ingest", "counters.csv", "--dry-run")[0] == 0


def test_in_memory_functions_read_tables_of_ones_own_and_write_none(pwh, tmp_path):
    (tmp_path / "own.csv").write_text("i,v\n" + "".join(f"{i},{1 + (i > 9)}\n" for i in range(20)))
    query = "SELECT unnest(detect_changes(list(v ORDER BY i))).index AS at FROM read_csv('own.csv')"
    assert pwh("--db", ":memory:", "sql", query, "--format", "csv")[:2] == (0, "at\n10\n")
    code, _, err = pwh("--db", ":memory:", "sql", "COPY (SELECT 1) TO 'new.csv'")
    assert code == 2 and "writes no files" in err and not (tmp_path / "new.csv").exists()
    assert pwh("ingest", "counters.csv")[0] == 0 and "--files" in pwh("sql", query)[2]


def test_a_glob_and_a_path_that_is_not_there(pwh):
    assert pwh("ingest", "count*.csv")[0] == 0
    code, _, err = pwh("ingest", "nothing*.csv")
    assert code == 3 and "no file matches" in err
    code, _, err = pwh("ingest", "nothing.csv")
    assert code == 3 and "nothing.csv: cannot be read: No such file" in err


def test_unknown_reader_and_bad_tag(pwh):
    code, _, err = pwh("ingest", "counters.csv", "--reader", "advisor")
    assert code == 2 and "no reader 'advisor'" in err and "plain" in err
    code, _, err = pwh("ingest", "counters.csv", "--tag", "nonsense")
    assert code == 2 and "KEY=VALUE" in err


def test_sql_in_every_format(pwh, tmp_path):
    pwh("ingest", "counters.csv")
    query = "SELECT event, value FROM pmu_samples ORDER BY event"
    assert pwh("sql", query)[1].splitlines() == [
        "event         value",
        "------------  -----",
        "cycles          200",
        "instructions    300",
    ]
    assert pwh("sql", query, "-f", "csv")[1] == "event,value\ncycles,200.0\ninstructions,300.0\n"
    wanted = [{"event": "cycles", "value": 200.0}, {"event": "instructions", "value": 300.0}]
    assert json.loads(pwh("sql", query, "-f", "json")[1]) == wanted
    assert [json.loads(line) for line in pwh("sql", query, "-f", "jsonl")[1].splitlines()] == wanted
    assert pwh("sql", query, "-f", "markdown")[1].splitlines()[2:] == [
        "| cycles | 200 |",
        "| instructions | 300 |",
    ]
    pwh("sql", query, "-f", "parquet", "-o", "out.parquet")
    assert pq.read_table(tmp_path / "out.parquet").to_pylist() == wanted


def test_the_end_of_the_file_decides_where_no_format_is_named(pwh, tmp_path):
    query = "SELECT range AS x FROM range(1500)"
    pwh("ingest", "counters.csv")
    for name in ("a.csv", "a.JSONL", "a.parquet", "a.json"):
        assert pwh("sql", query, "-o", name)[::2] == (0, "")
    assert (tmp_path / "a.csv").read_text().splitlines() == ["x", *map(str, range(1500))]
    assert (tmp_path / "a.JSONL").read_text().splitlines()[-1] == '{"x":1499}'
    assert pq.read_table(tmp_path / "a.parquet").num_rows == 1500
    assert len(json.loads((tmp_path / "a.json").read_text())) == 1500
    for name in ("a.csv.gz", "a.json.gz"):
        assert pwh("sql", query, "-o", name)[::2] == (0, "")
        with gzip.open(tmp_path / name, "rt") as file:
            assert len(file.read().splitlines()) > 1500
    code, _, err = pwh("sql", query, "-o", "a.txt.gz")
    assert (code, "only CSV and JSON are compressed" in err) == (2, True)
    pwh("report", "-o", "r.csv")
    assert (tmp_path / "r.csv").read_text().startswith("run_id,")
    # what is named counts, and other ends have none
    pwh("sql", "SELECT 1 AS x", "-o", "b.csv", "-f", "json")
    assert json.loads((tmp_path / "b.csv").read_text()) == [{"x": 1}]
    for call in (("-o", "c.csv", "-f", "table"), ("-o", "c.txt")):
        pwh("sql", "SELECT 1 AS x", *call)
        assert (tmp_path / call[1]).read_text() == "x\n-\n1\n"


def test_sql_reads_stdin_and_appends_where_the_shell_appends(pwh, tmp_path):
    pwh("ingest", "counters.csv")
    target = tmp_path / "all.csv"
    target.write_text("kept\n")
    with target.open("a") as out:
        subprocess.run(
            [sys.executable, "-m", "apps.cli", "sql", "-", "--format", "csv"],
            input="SELECT 1 AS x", text=True, stdout=out, check=True,
        )  # fmt: skip
    assert target.read_text() == "kept\nx\n1\n"


def test_sql_that_begins_with_a_comment_is_no_option(pwh):
    pwh("ingest", "counters.csv")
    for query in ("-- How many?\nSELECT count(*) FROM runs", "--\nSELECT count(*) FROM runs"):
        assert pwh("sql", query, "-f", "csv")[:2] == (0, "count_star()\n1\n")
    assert "No such option: --formt" in pwh("sql", "--formt", "csv")[2]


def test_sql_cannot_write_without_the_option(pwh):
    pwh("ingest", "counters.csv")
    code, _, err = pwh("sql", "DELETE FROM pmu_samples")
    assert code == 2 and "--write" in err
    assert pwh("sql", "--write", "CREATE TABLE mine AS SELECT 1 AS x")[0] == 0
    assert pwh("sql", "FROM mine", "-f", "csv")[1] == "x\n1\n"


def test_a_mistake_in_a_time_is_a_message(pwh):
    code, out, err = pwh("ingest", "counters.csv", "--started-at", "yesterday")
    assert (code, out) == (2, "") and "'yesterday' is no time\n  For example: " in err


def test_a_mistake_in_sql_is_a_message(pwh):
    pwh("ingest", "counters.csv")
    code, out, err = pwh("sql", "SELECT nope FROM runs")
    assert (code, out) == (2, "") and "nope" in err and "Traceback" not in err


def test_sql_refuses_macros_of_an_attached_warehouse_that_would_read_the_open_one(pwh, tmp_path):
    pwh("ingest", "counters.csv")
    shutil.copy("pwh.duckdb", tmp_path / "other.duckdb")
    attached = f"ATTACH '{tmp_path / 'other.duckdb'}' AS other (READ_ONLY); "
    for call in ("other.scaling_predict(64)", '"other".main.scaling_predict(64)'):
        code, out, err = pwh("sql", f"{attached} FROM {call}")
        assert (code, out) == (2, "")
        assert "would read the warehouse that is open, not other" in err and "USE other;" in err
    for query in ("USE other; FROM other.scaling_predict(64)", "SELECT count(*) FROM other.runs"):
        assert pwh("sql", "--files", attached + query)[0] == 0


def test_report_begins_with_sentences_then_tables(pwh):
    began = ("--started-at", "2026-01-02T04:04:05+01:00")
    pwh("ingest", "counters.csv", "--run", "r1", "--app", "stencil", *began)
    code, out, _ = pwh("report", "r")
    assert code == 0
    assert out.splitlines()[:4] == [
        "Run r1",
        "  app stencil, started 2026-01-02 03:04:05",
        "",
        "* The cores completed 1.50 instructions per cycle.",
    ]
    assert "Rows: pmu_samples 2" in out
    assert json.loads(pwh("report", "r1", "-f", "json")[1])[0]["metric"] == "counter:cycles"


def test_report_of_no_run_and_of_several(pwh):
    pwh("ingest", "times.csv")
    code, _, err = pwh("report", "nosuch")
    assert code == 5 and "pwh runs" in err
    code, _, err = pwh("report", "times")
    assert code == 2 and "2 runs begin with 'times'" in err


def test_schema_lists_and_explains(pwh):
    pwh("ingest", "counters.csv")
    first = [row["name"] for row in json.loads(pwh("schema", "-f", "json")[1])]
    every = [row["name"] for row in json.loads(pwh("schema", "--all", "-f", "json")[1])]
    assert first == list(FIRST) == every[: len(FIRST)]
    assert "pmu_per_cycle" in every and len(every) == len(set(every))
    assert "Elapsed time of the run, s" in pwh("schema", "runs")[1]
    code, _, err = pwh("schema", "pmu_sample")
    assert code == 2 and "Did you mean pmu_samples?" in err


def test_columns_of_a_view_of_ones_own_are_not_described(pwh):
    pwh("ingest", "counters.csv")
    pwh("sql", "--write", "CREATE VIEW mine AS SELECT 1 AS latency")
    assert "on the wire" in pwh("schema", "slo_by_kind")[1]
    code, out, _ = pwh("schema", "mine")
    assert code == 0 and "latency" in out and "on the wire" not in out


def test_forget_a_run_and_a_source_by_path(pwh):
    pwh("ingest", "counters.csv", "--run", "r1")
    pwh("ingest", "times.csv")
    assert pwh("forget", "r1")[1] == "forgot run r1: pmu_samples 2\n"
    code, out, _ = pwh("forget", "times.csv")
    assert code == 0 and out.startswith("forgot source ") and out.endswith(": fn_timings 3\n")
    assert pwh("sources")[1].splitlines()[-1] == "(no rows)"
    assert pwh("forget", "r1")[0] == 5


def test_the_warehouse_is_named_by_option_or_environment(pwh, tmp_path, monkeypatch):
    pwh("--db", "a.duckdb", "ingest", "counters.csv")
    monkeypatch.setenv("PWH_DB", "a.duckdb")
    assert pwh("sql", "SELECT count(*) AS n FROM runs", "-f", "csv")[1] == "n\n1\n"


def test_migrate_prints_what_it_did(pwh):
    pwh("ingest", "counters.csv")
    assert pwh("migrate")[1] == "pwh.duckdb is up to date\n"
    pwh("sql", "--write", "UPDATE view_modules SET sha256 = ''")
    code, _, err = pwh("runs")
    assert code == 4 and "migrate" in err
    assert pwh("migrate")[1] == "updated the views\n"
    assert pwh("runs")[0] == 0


def test_an_interrupted_migration_changes_nothing(pwh, tmp_path, monkeypatch):
    pwh("ingest", "counters.csv")
    pwh("sql", "--write", "UPDATE view_modules SET sha256 = ''")
    before = (tmp_path / "pwh.duckdb").read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("ingest.refresh.refresh", interrupted)
        code, out, err = pwh("migrate")
    assert (code, out) == (130, "")
    assert err == "pwh: stopped; nothing has changed in pwh.duckdb, run it again\n"
    assert (tmp_path / "pwh.duckdb").read_bytes() == before
    assert pwh("migrate")[1] == "updated the views\n"


def test_a_run_that_cannot_be_computed_keeps_no_warehouse_from_being_migrated(pwh, monkeypatch):
    pwh("ingest", "counters.csv")
    pwh("sql", "--write", "UPDATE view_modules SET sha256 = ''")

    def failing(_, asked, done, *__):
        done.failures.append(InputError("nothing is stored anew of r1: overlaps"))
        return iter(())

    with monkeypatch.context() as patched:
        patched.setattr("ingest.refresh.refresh", failing)
        code, out, err = pwh("migrate")
    assert (code, out) == (3, "updated the views\n")
    assert err == "pwh: nothing is stored anew of r1: overlaps\n"
    assert pwh("runs")[0] == 0


def test_refresh_computes_anew_what_was_written_by_hand_or_is_named(pwh):
    pwh("ingest", "counters.csv")
    assert pwh("refresh")[1] == "what is stored of the runs of pwh.duckdb is up to date\n"
    pwh("sql", "--write", "INSERT INTO runs (run_id) VALUES ('hand')")
    pwh("sql", "--write", "INSERT INTO tasks BY NAME SELECT 'hand' AS run_id, 0 AS source_id, "
        "'t' AS task, 'w' AS worker, 5 AS t_start, 9 AS t_end")  # fmt: skip
    done = "attributed the idle time of 1 run\ncomputed the scalars of 1 run\ncomputed "
    assert pwh("refresh")[1].startswith(done)
    assert pwh("refresh", "hand")[1].startswith(done)
    assert "computed the scalars of 2 runs\n" in pwh("refresh", "--all")[1]
    code, _, err = pwh("refresh", "--all", "hand")
    assert code == 2 and "--all is all runs" in err
    code, _, err = pwh("refresh", "--on", "nonsense")
    assert code == 2 and "'nonsense' names no cluster" in err


def test_an_interrupted_refresh_says_what_remains(pwh, monkeypatch):
    pwh("ingest", "counters.csv")

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("ingest.refresh.refresh", interrupted)
    code, out, err = pwh("refresh", "--all")
    assert (code, out) == (130, "")
    assert err == "pwh: stopped; what was stored remains, run it again for the rest\n"


def test_doctor_reports_a_sound_and_a_broken_warehouse(pwh, tmp_path):
    pwh("ingest", "counters.csv")
    code, out, _ = pwh("doctor", "-f", "json")
    assert code == 0 and {row["status"] for row in json.loads(out)} <= {"fine", "absent"}
    (tmp_path / "text.duckdb").write_text("not a database " * 1000)
    code, out, _ = pwh("--db", "text.duckdb", "doctor")
    assert code == 4 and "not a DuckDB file" in out


def test_usage_is_2_and_version_is_printed(pwh):
    assert pwh("nonsense")[0] == 2
    assert pwh("--version")[1].startswith("pwh ")


def test_a_closed_stdout_is_not_an_error(pwh):
    pwh("ingest", "counters.csv")
    command = f"{sys.executable} -m apps.cli sql 'FROM range(3000000)' --format csv | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("range\n", "")


def test_a_terminal_without_utf_8_shows_units_and_charts_in_other_letters(pwh, tmp_path):
    lines = [f"r{i},x,2026-01-0{i},f,{i}e-5\n" for i in (1, 2, 3)]
    path = tmp_path / "t.csv"
    path.write_text("".join(["run_id,app,started_at,function,seconds\n", *lines]))
    pwh("ingest", path)
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "apps.cli", "trend", "x"]
    out = subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert "10 us to 30 us" in out and "\n  158\n" in out


def test_the_command_line_does_not_import_what_it_does_not_need():
    heavy = ("torch", "sklearn", "streamlit", "pandas", "pyarrow", "duckdb")
    code = f"import sys, apps.cli; print([m for m in {heavy!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_help_imports_no_command():
    code = "import sys; from apps.cli import app; app(['--help'], standalone_mode=False); "
    code += "print([m for m in sys.modules if m.startswith(('apps.', 'warehouse.'))])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = ast.literal_eval(done.stdout.splitlines()[-1])
    assert {module.rpartition(".")[2] for module in modules} == {
        *("address", "cli", "commands", "options", "output", "files", "formats", "streams"),
        "text",
        *("errors", "unneeded", "version"),
    }


def test_landing_imports_no_package_that_the_file_does_not_need(pwh, tmp_path):
    code = (
        "import atexit, sys; from apps.cli import main; "
        "unneeded = {'pandas', 'pyarrow.dataset', 'google.protobuf'}; "
        "atexit.register(lambda: print(unneeded & set(sys.modules))); main()"
    )
    # Profiles in Protocol Buffers, too, begin with this letter.
    table = tmp_path / "t.csv"
    table.write_text("problem_size,metric,value\n8,time,2.5\n")
    files = [ROOT / "tests" / "samples" / "cprofile", table]
    command = [sys.executable, "-c", code, "ingest", *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("landed") and done.stdout.endswith("\nset()\n")


def test_clusters_are_found_where_what_others_do_without_is_hidden(tmp_path):
    code = (
        "from apps.cli import main\nimport sys\n"
        "sys.argv[1:] = ['--db', sys.argv[1], 'sql', "
        "'SELECT cluster_kmeans([[0, 1], [1, 1], [9, 9]], 2).labels AS labels']\nmain()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "w.duckdb")]
    connection.connect(tmp_path / "w.duckdb").close()
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert "[0, 0, 1]" in done.stdout, done.stderr


def test_other_packages_find_pandas(tmp_path):
    reader = "import pandas\nimport pyarrow.dataset\nclass Others:\n    NAME = 'others'\n"
    (tmp_path / "reader_of_others.py").write_text(reader)
    code = (
        "from ingest.deferred import Deferred\n"
        "from warehouse.unneeded import unneeded_hidden\n"
        "with unneeded_hidden():\n"
        "    Deferred('others', 'reader_of_others:Others', package='others').reader\n"
    )
    found = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    subprocess.run([sys.executable, "-c", code], check=True, env=found)


def test_idle_explains_and_sums_up(pwh, tmp_path):
    (tmp_path / "run").mkdir()
    tables = {
        "nodes": "node_id,clock_offset_ns\nn0,0\nn1,0\n",
        "workers": "worker_id,node_id,t_begin,t_end\nA,n0,0,100\nB,n1,0,100\n",
        "fragments": "fragment_id,worker_id,t_start,t_end,ftype\np,A,0,30,make\nm,B,45,100,use\n",
        "data": "data_id,producer_fragment\nx,p\n",
        "inputs": "fragment_id,data_id\nm,x\n",
        "transfers": "data_id,src_node,dst_node,t_send,t_recv\nx,n0,n1,32,40\n",
    }
    for name, text in tables.items():
        (tmp_path / "run" / f"{name}.csv").write_text(text)
    pwh("ingest", "run")
    code, out, _ = pwh("idle", "run")
    assert code == 0
    assert "* 2 workers were busy 42.5 % of their time; starvation 15 %, latency 4 %, " in out
    assert "* Starvation dominates." in out
    assert "* 100 % of the starvation is blamed on tasks of the type make." in out
    _, out, _ = pwh("idle", "run", "--by", "blamed", "-f", "json")
    found = {row["by"]: row for row in json.loads(out)}
    assert found["make"]["starvation_seconds"] * 1e9 == pytest.approx(30)
    assert found["make"]["latency_seconds"] * 1e9 == pytest.approx(8)
    assert found["make"]["overhead_seconds"] * 1e9 == pytest.approx(7)
    _, out, _ = pwh("idle", "run", "--window", "0", "20", "--by", "node", "-f", "json")
    found = {row["by"]: row for row in json.loads(out)}
    assert found["n1"]["starvation_seconds"] * 1e9 == pytest.approx(20)


def test_idle_of_a_run_without_tasks_is_5(pwh):
    pwh("ingest", "counters.csv")
    code, _, err = pwh("idle")
    assert code == 5 and "Dask" in err


def test_safe_csv_has_no_formulas(pwh):
    pwh("ingest", "counters.csv")
    sql = (
        "SELECT -1.5 AS number, '=1+1' AS \"=name\", ['@a'] AS list, NULL AS nothing, "
        "unnest(['+x', '-y', 'a=b', ' =z', '']) AS text"
    )
    out = pwh("sql", sql, "-f", "safe-csv")[1]
    assert list(csv.reader(io.StringIO(out))) == [
        ["number", "'=name", "list", "nothing", "text"],
        ["-1.5", "'=1+1", "[@a]", "", "'+x"],
        ["-1.5", "'=1+1", "[@a]", "", "'-y"],
        ["-1.5", "'=1+1", "[@a]", "", "a=b"],
        ["-1.5", "'=1+1", "[@a]", "", "' =z"],
        ["-1.5", "'=1+1", "[@a]", "", ""],
    ]


def test_names_cannot_leave_a_markdown_table():
    assert markdown_text(["n|1", "share"], [("a|b\n<i>*x*", 0.25), ("p < 1", 2)]).splitlines() == [
        "| n\\|1 | share |",
        "| --- | ---: |",
        "| a\\|b &lt;i>\\*x\\* | 0.25 |",
        "| p < 1 | 2 |",
    ]


def test_a_file_name_is_one_line(pwh, tmp_path):
    name = "x\nlanded   evil.csv\x1b[2J\u202e.csv"
    (tmp_path / name).write_text(COUNTERS)
    _, out, err = pwh("ingest", name)
    assert len(out.splitlines()) == 2 and r"x\x0alanded   evil.csv\x1b[2J .csv" in out
    (tmp_path / name).write_text("event,value\ncycles,many\n")
    _, out, err = pwh("ingest", name)
    assert (out, len(err.splitlines())) == ("", 2)


def test_what_a_writer_interrupts_is_carried_out_again_and_printed_once(pwh, monkeypatch):
    assert pwh("ingest", "counters.csv")[0] == 0
    opened = yielding.reading
    before = []

    @contextmanager
    def interrupted(*given, **how):
        before.append(how["interrupted"])
        with opened(*given, **how) as con:
            yield con
        if len(before) < 3:
            raise ReadingInterrupted("a query was interrupted")

    monkeypatch.setattr(yielding, "reading", interrupted)
    monkeypatch.setattr(options, "_INTERRUPTED", [])
    for style, expected in (("csv", "x\n1\n"), ("table", "x\n-\n1\n")):
        before.clear()
        options._INTERRUPTED.clear()
        monkeypatch.setattr(sys, "stdin", io.StringIO("SELECT 1 AS x"))
        code, out, err = pwh("sql", "-", "-f", style)
        assert (code, out, before) == (0, expected, [0, 1, 2])
        assert err == "pwh: a query was interrupted; starting again behind it\n" * 2


def test_a_full_disk_behind_stdout_is_a_message(pwh):
    pwh("ingest", "counters.csv")
    for style in ("csv", "table"):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "apps.cli", "sql", "FROM range(3000)", "--format", style],
                stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            )  # fmt: skip
        assert done.returncode == 2
        assert "pwh: cannot write stdout: No space left on device\n" in done.stderr
