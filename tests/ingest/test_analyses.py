"""Stored answers equal those computed from nothing, whatever happened to the warehouse before.

PWH_THOROUGH=1 tries 20 sequences; PWH_ANALYSES_EXAMPLES=100 pytest tests/ingest/test_analyses.py
others each time.
"""

from __future__ import annotations

import lzma
import math
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from typer.testing import CliRunner

import ingest.analyse
import warehouse as pwh
from apps.cli import app
from apps.fitting.labels import add_label
from apps.queries.base import ask_column
from ingest.acknowledge import acknowledge, withdraw
from ingest.analyse import analyse_all, outdated_keys, until_analysed
from ingest.forget import forget_run, forget_source
from ingest.refresh import Refreshed, all_of, refresh
from tests.helpers.postgres import programs, running_postgres
from tests.helpers.support import land, rows
from tests.helpers.thorough import cases
from warehouse import analyses, models
from warehouse.errors import InputError, PwhError
from warehouse.series import REASONS, Acknowledgement
from warehouse.transactions import transaction

EXAMPLES = os.environ.get("PWH_ANALYSES_EXAMPLES")
SAMPLES = Path(__file__).parents[1] / "samples"
OLDER = sorted((Path(__file__).parents[1] / "faults" / "older").glob("*.xz"))
DEMO = Path(__file__).parents[2] / "apps" / "demo" / "recordings"


# --- Small files of many kinds; each is made for a run, an application and a number.


def _history(folder, run, facts, number):
    """Write a CSV of functions of many runs, some days apart, slower from one of them on."""
    app = facts.get("app", "heat")
    lines = ["run_id,app,version,machine,started_at,ranks,function,seconds,calls"]
    for i in range(20):
        level = 1.0 + 0.3 * (i >= 8 + number % 5)
        for place, name in enumerate(("solve", "MPI_Send", "save")):
            noise = 1 + 0.01 * ((i * 7 + place * 3 + number) % 5 - 2)
            lines.append(
                f"{app}-{number % 2}-{i},{app},v{i // 4},m,"
                f"2026-{1 + number % 2:02}-{i + 1:02}T06:00:00Z,4,{name},"
                f"{level * (place + 1) * noise:.6g},{3 + (i > 9)}"
            )
    return _text(folder, f"history{number % 2}.csv", lines)


def _scaling(folder, run, facts, number):
    """Write a CSV of functions at several parallelisms, of one run each."""
    app, version = facts.get("app", "heat"), facts.get("version", "1")
    lines = ["run_id,app,version,machine,ranks,problem_size,function,parallelism,seconds"]
    for p in (1, 2, 4, 8, 16):
        for name, seconds in (("solve", 8 / p + 0.01 * p * number), ("MPI_Bcast", 0.01 * p)):
            lines.append(f"s{number % 3}-{p},{app},{version},m,{p},1000,{name},{p},{seconds:.6g}")
    return _text(folder, f"scaling{number % 3}.csv", lines)


def _counters(folder, run, facts, number):
    lines = ["rank,region,sample,event,value"]
    for rank in range(2):
        for region in ("sweep", "halo"):
            cycles = 1e6 * (1 + rank + number)
            lines += [
                f"{rank},{region},0,{event},{value:.0f}"
                for event, value in (
                    ("cycles", cycles), ("instructions", cycles * 0.6), ("cache-misses", 9000),
                    ("L1-dcache-load-misses", 30000), ("dTLB-load-misses", 2000 * number),
                )
            ]  # fmt: skip
    return _text(folder, "counters.csv", lines)


def _tasks(folder, run, facts, number):
    lines = ["task,worker,name,t_submit,t_ready,t_start,t_end"]
    for i in range(24):
        worker = i % 3
        start = (i // 3) * 1000 + number
        length = 700 + 40 * worker + (i * 13) % 11
        lines.append(f"{i},{worker},work,0,{start - 5},{start},{start + length}")
    return _text(folder, "tasks.csv", lines)


def _benchmark(folder, run, facts, number):
    lines = ["metric,value,unit,repetition,better"]
    better = ("lower", "higher")[number % 2]
    lines += [f"latency,{5 + number + 0.1 * i},ms,{i},{better}" for i in range(4)]
    lines += [f"size,{100 + number},B,0,"]
    return _text(folder, "metrics.csv", lines)


def _text(folder, name, lines):
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path


def _copy(file):
    def make(folder, run, facts, number):
        source = (SAMPLES if (SAMPLES / file).exists() else DEMO) / file
        if source.is_dir():
            return Path(shutil.copytree(source, folder / source.name, dirs_exist_ok=True))
        return Path(shutil.copy(source, folder / source.name))

    return make


# By kind: how its file is made, and whether it names its runs.
KINDS = {
    "history": (_history, True),
    "scaling": (_scaling, True),
    "counters": (_counters, False),
    "tasks": (_tasks, False),
    "benchmark": (_benchmark, False),
    "profile": (_copy("heat-1.1.pstats"), False),
    "perf": (_copy("heat-1.1.perf.csv"), False),
    "gem5": (_copy("gem5-stats"), True),
    "task tables": (_copy("task-tables"), False),
    "visits": (_copy("plain/visits.arrow"), True),
    "blocks": (_copy("exp-bbv"), False),
    "segments": (_copy("gem5-segments/segments.csv"), True),
    "code": (_copy("machine-code/blocks.csv"), False),
}
FACTS = st.fixed_dictionaries(
    {},
    optional={
        "app": st.sampled_from(("heat", "sort")),
        "version": st.sampled_from(("v1", "v2", "v4")),
        "machine": st.sampled_from(("m", "zen3", "other")),
        "ranks": st.sampled_from((1, 4)),
        "threads": st.sampled_from((1, 2)),
        "problem_size": st.sampled_from((1000.0, 2000.0)),
        "started_at": st.sampled_from(
            (datetime(2026, 1, 5, 12, tzinfo=UTC), datetime(2026, 2, 7, 12, tzinfo=UTC))
        ),
    },
)
TAGS = st.fixed_dictionaries(
    {},
    optional={
        "exit_code": st.sampled_from(("0", "1")),
        "commit": st.sampled_from(("abc", "def")),
        "main_metric": st.sampled_from(("metric:latency", "seconds:solve")),
        "issue_width": st.just("4"),
    },
)
RUNS = ("r0", "r1", "r2")
# Changes of settings by hand; each can be done again.
SETTINGS = (
    "INSERT INTO change_thresholds (metric, smallest_change) VALUES ('*', 0.2)",
    "INSERT INTO change_thresholds (metric, better) VALUES ('seconds:*', 'higher')",
    "INSERT INTO change_thresholds (app, significance) VALUES ('heat', 0.05)",
    "DELETE FROM change_thresholds WHERE NOT shipped",
    "DELETE FROM series_fields WHERE field = 'machine'",
    "INSERT OR IGNORE INTO series_fields (field) VALUES ('commit')",
    "INSERT INTO function_kinds (function, kind) VALUES ('solve', 'n-to-n collective')",
    "INSERT INTO function_kinds (function, kind) VALUES ('solve', 'computation')",
    "INSERT INTO bottleneck_rules BY NAME SELECT * REPLACE ('else' AS advice, false AS shipped) "
    "FROM bottleneck_rules LIMIT 1",
    "DELETE FROM bottleneck_rules WHERE NOT shipped",
    "INSERT OR REPLACE INTO machine_settings (machine, metric_set, issue_width, core) "
    "VALUES ('m', 'topdown', 6, 'zen3')",
    "DELETE FROM machine_settings",
    "DELETE FROM behaviour_references WHERE program = (SELECT min(program) "
    "FROM behaviour_references)",
    "UPDATE throughput_settings SET value = value * 2 WHERE setting = 'shortest'",
)  # fmt: skip
# Rows written by hand.
BY_HAND = (
    "INSERT INTO metrics BY NAME SELECT run_id, 0 AS source_id, 'by hand' AS metric, 7 AS value "
    "FROM runs ORDER BY run_id LIMIT 1",
    "UPDATE fn_timings SET seconds = seconds * 1.5 WHERE function = 'solve'",
    "UPDATE pmu_samples SET value = value * 3 WHERE event = 'cycles'",
    "DELETE FROM tasks WHERE task = 0",
    "DELETE FROM bb_visits WHERE bb = 1",
)


def _tables(con):
    """Return the rows of all analyses, but for ids for life, and of their states."""
    # What was withdrawn depends on what there was.
    found = {
        "_change_events": "SELECT * EXCLUDE (event_id) FROM _change_events WHERE state = 'present'"
    }
    return {
        name: rows(con, found.get(name, f"FROM {name}"))
        for name in (*analyses.ORDER, "analysis_states")
    }


def _rounded(value):
    """Return a value as text in which what is equal up to 1e-9 is equal."""
    match value:
        case float():
            # Means of decimals can lie halfway between two of nine digits; multiples of e do not.
            return "nan" if math.isnan(value) else f"{value * math.e:.8e}"
        case dict():
            return (
                "{"
                + ", ".join(sorted(f"{_rounded(k)}: {_rounded(v)}" for k, v in value.items()))
                + "}"
            )
        case list() if value and isinstance(value[0], dict):
            # Lists of structs have no order of their own.
            return f"[{', '.join(sorted(map(_rounded, value)))}]"
        case list() | tuple():
            return f"[{', '.join(map(_rounded, value))}]"
    return repr(value)


def assert_as_from_nothing(con):
    """Check that stored answers are those that are computed from nothing."""
    assert outdated_keys(con) == {}
    stored = _tables(con)
    assert all(failed is None for *_, failed in stored["analysis_states"])
    for name in stored:
        con.execute(f"DELETE FROM {name}")
    analyse_all(con)
    anew = _tables(con)
    for name, found in stored.items():
        has, wants = (Counter(map(_rounded, table)) for table in (found, anew[name]))
        assert has == wants, (name, sorted(has - wants)[:3], sorted(wants - has)[:3])


class _CutOffError(Exception):
    """In place of the end of the process: its transaction is lost."""


def _until_cut_off(left):
    """Return what computes so many analyses, and then ends."""
    renew, remaining = ingest.analyse._renew, [None] * left

    def renew_or_end(*args, **named):
        if not remaining:
            raise _CutOffError
        remaining.pop()
        return renew(*args, **named)

    return renew_or_end


def _take_out(con, forget, name, failed):
    with transaction(con):
        forget(con, name, failed)


class Warehouse(RuleBasedStateMachine):
    """Whatever happens to a warehouse, its answers agree with its rows."""

    make = None
    folder = None

    @initialize()
    def open(self):
        self.con = type(self).make()
        # Enough for each analysis to have rows.
        for kind in ("history", "scaling", "counters", "tasks", "blocks", "segments"):
            self._land(kind, "r0", {"app": "heat"}, {}, 1, replace=False)

    def teardown(self):
        self.con.close()

    @rule(
        kind=st.sampled_from(sorted(KINDS)), run=st.sampled_from(RUNS), facts=FACTS, tags=TAGS,
        number=st.integers(0, 3), replace=st.booleans(),
    )  # fmt: skip
    def land(self, kind, run, facts, tags, number, replace):
        self._land(kind, run, facts, tags, number, replace=replace)

    def _land(self, kind, run, facts, tags, number, *, replace):
        make, names_runs = KINDS[kind]
        folder = type(self).folder / (kind if names_runs else f"{kind}-{run}")
        folder.mkdir(exist_ok=True)
        path = make(folder, run, facts, number)
        run_id = None if names_runs else run
        with suppress(InputError):
            land(self.con, path, run_id=run_id, facts=facts, tags=tags, replace=replace)

    @rule(kind=st.sampled_from(sorted(KINDS)), number=st.integers(0, 3), left=st.integers(0, 20))
    def be_cut_off_while_landing(self, kind, number, left):
        with pytest.MonkeyPatch.context() as cut, suppress(_CutOffError):
            cut.setattr(ingest.analyse, "_renew", _until_cut_off(left))
            self._land(kind, "r1", {"app": "sort"}, {}, number, replace=True)

    @rule(name=st.sampled_from(analyses.ORDER))
    def come_from_another_pwh(self, name):
        self.con.execute("UPDATE analyses SET revision = 'other' WHERE analysis = $1", [name])
        analyse_all(self.con)

    @rule(data=st.data(), whole=st.booleans())
    def forget(self, data, whole):
        column = "run_id FROM runs" if whole else "source_id FROM sources"
        if names := [name for (name,) in rows(self.con, f"SELECT {column} ORDER BY 1")]:
            name = data.draw(st.sampled_from(names))

            take_out = forget_run if whole else forget_source
            until_analysed(partial(_take_out, self.con, take_out, name))

    @rule(data=st.data(), region=st.sampled_from((None, "sweep")))
    def label(self, data, region):
        counted = "SELECT DISTINCT run_id FROM pmu_samples ORDER BY 1"
        if names := [name for (name,) in rows(self.con, counted)]:
            run = data.draw(st.sampled_from(names))
            with suppress(PwhError):
                add_label(self.con, run, "Mem", "me", {"region": region})

    @rule(data=st.data(), reason=st.sampled_from((None, *REASONS)))
    def acknowledge(self, data, reason):
        if names := sorted(ask_column(self.con, "runs/ids")):
            run = data.draw(st.sampled_from(names))
            if reason is None:
                withdraw(self.con, run)
            else:
                acknowledge(self.con, run, Acknowledgement(reason))

    @rule(sql=st.sampled_from(SETTINGS))
    def change_a_setting(self, sql):
        self.con.execute(sql)
        analyse_all(self.con)

    @rule(sql=st.sampled_from(BY_HAND))
    def write_by_hand(self, sql):
        self.con.execute(sql)
        asked = all_of(self.con, ask_column(self.con, "runs/ids"))
        for _ in refresh(self.con, asked, Refreshed()):
            pass
        analyse_all(self.con)

    @rule(data=st.data(), copied=st.booleans())
    def use_another_model(self, data, copied):
        known = rows(self.con, "SELECT kind, version, subject, inputs FROM models ORDER BY 1, 2")
        kind, version, subject, inputs = data.draw(st.sampled_from(known))
        with transaction(self.con):
            if copied:
                arrays = models.load(self.con, kind, version)
                models.store(self.con, models.Fit(kind, subject, "copy", inputs, "a copy", arrays))
            else:
                models.choose(self.con, kind, version)
        analyse_all(self.con)

    @invariant()
    def answers_agree_with_rows(self):
        assert_as_from_nothing(self.con)


Warehouse.TestCase.settings = settings(
    max_examples=int(EXAMPLES or cases(1, 20)),
    stateful_step_count=cases(4, 6),
    derandomize=EXAMPLES is None,
    # A sequence says enough; to find a shorter one takes minutes.
    phases=(Phase.generate,),
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)


class TestWarehouse(Warehouse.TestCase):
    @pytest.fixture(autouse=True)
    def _made(self, in_memory, tmp_path):
        Warehouse.make, Warehouse.folder = staticmethod(in_memory), tmp_path


# --- What an analysis declares.


_READ = re.compile(r"\b(?:FROM|JOIN)\s+(\w+)", re.IGNORECASE)
_USED = re.compile(r"(\w+)\s*\(")
_WITH = re.compile(r"(\w+) AS (?:MATERIALIZED )?\(", re.IGNORECASE)
_NO_CODE = re.compile(r"--[^\n]*|'[^']*'")
# Bookkeeping of which digests are made, and what is the same in all warehouses of this pwh.
_NOT_READ = {"kept_runs", "run_facts", "sources", "analysis_states"}


def _tables_read(texts, tables, sql):
    """Return the tables that a statement reads, also through views and macros."""
    found, left = set(), [sql]
    while left:
        code = _NO_CODE.sub("", left.pop())
        names = {*_READ.findall(code), *(name for name in _USED.findall(code) if name in texts)}
        names -= {*_WITH.findall(code)}
        left += [texts[name] for name in names - found if name in texts]
        found |= names
    return found & tables


@pytest.mark.parametrize("analysis", analyses.every(), ids=lambda analysis: analysis.name)
def test_what_an_analysis_reads_is_declared_or_part_of_its_digest(analysis, warehouse):
    con = warehouse
    tables = {name for (name,) in rows(con, "SELECT table_name FROM duckdb_tables()")}
    texts = dict(rows(con, "SELECT view_name, sql FROM duckdb_views() WHERE NOT internal"))
    macros = "SELECT function_name, macro_definition FROM duckdb_functions() WHERE NOT internal"
    texts |= {name: text for name, text in rows(con, macros) if text}
    read = _tables_read(texts, tables, analysis.rows) - _NOT_READ
    assert read <= analysis.reads | _tables_read(texts, tables, analysis.inputs) | {"model_arrays"}
    assert analysis.reads <= tables
    # Others come before it.
    earlier = analyses.ORDER[: analyses.ORDER.index(analysis.name)]
    assert analysis.reads & set(analyses.ORDER) <= set(earlier)


# --- Analyses that fail.


def _failing(monkeypatch, name, rows):
    """Let an analysis have another statement."""
    every = analyses.every()
    bad = tuple(replace(one, rows=rows) if one.name == name else one for one in every)
    monkeypatch.setattr(analyses, "every", lambda: bad)


def _states(con, name):
    found = "SELECT key, failed IS NOT NULL FROM analysis_states WHERE analysis = $1 ORDER BY 1"
    return rows(con, found, name)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        # by what they are found: an application, a set of runs and a run
        ("series", "history"),
        ("scaling_models", "scaling"),
        ("bottlenecks", "counters"),
    ],
)
def test_an_analysis_that_fails_costs_no_landing(name, kind, in_memory, tmp_path, monkeypatch):
    con = in_memory()
    with monkeypatch.context() as broken:
        (analysis,) = (one for one in analyses.every() if one.name == name)
        _failing(broken, name, f"SELECT error(key) AS {analysis.key} FROM _inputs")
        (landed,) = land(con, KINDS[kind][0](tmp_path, "r0", {}, 1))
        assert landed.rows
        assert rows(con, "SELECT count(*) FROM runs")[0][0] == len(landed.runs)
        assert rows(con, f"FROM {name}") == []
        states = _states(con, name)
        assert states
        assert all(failed for _, failed in states)
        assert outdated_keys(con)[name] == len(states)
        # Trying again changes nothing.
        analyse_all(con)
        assert _states(con, name) == states
    analyse_all(con)
    assert rows(con, f"FROM {name}") != []
    assert_as_from_nothing(con)
    con.close()


def test_one_key_that_fails_leaves_the_others(in_memory, tmp_path, monkeypatch):
    con = in_memory()
    land(con, _history(tmp_path, "", {}, 0))
    before = rows(con, "SELECT series_id FROM series ORDER BY 1")
    bad = before[0][0]
    with monkeypatch.context() as broken:
        (analysis,) = (one for one in analyses.every() if one.name == "run_groups")
        _failing(
            broken,
            "run_groups",
            "SELECT * REPLACE (if(run_id = 'heat-0-3', error('no'), run_id) AS run_id) "
            f"FROM ({analysis.rows})",
        )
        con.execute("DELETE FROM analysis_states")
        analyse_all(con)
        assert [key for key, failed in _states(con, "run_groups") if failed] == ["heat-0-3"]
        assert rows(con, "SELECT count(*) FROM run_groups") == [(19,)]
        reason = "SELECT failed FROM analysis_states WHERE failed IS NOT NULL"
        assert rows(con, reason) == [("Invalid Input Error: no",)]
    analyse_all(con)
    assert (bad,) in rows(con, "SELECT series_id FROM series ORDER BY 1")
    assert_as_from_nothing(con)
    con.close()


def test_what_reads_a_failed_analysis_is_computed_with_it(in_memory, tmp_path, monkeypatch):
    con = in_memory()
    with monkeypatch.context() as broken:
        _failing(broken, "sample_metrics", "SELECT error('no') AS run_id FROM _inputs")
        land(con, _counters(tmp_path, "", {}, 1))
    assert rows(con, "FROM bottlenecks") == []
    assert analyse_all(con).keys() == {"sample_metrics", "bottlenecks"}
    assert_as_from_nothing(con)
    con.close()


def test_keys_that_are_computed_in_parts_are_as_those_at_once(in_memory, tmp_path, monkeypatch):
    con = in_memory()
    parted = tuple(
        replace(one, together=30) if one.name == "version_comparisons" else one
        for one in analyses.every()
    )
    with monkeypatch.context() as changed:
        changed.setattr(analyses, "every", lambda: parted)
        land(con, _history(tmp_path, "", {}, 0))
    assert rows(con, "SELECT count(DISTINCT pair_id) FROM version_comparisons") == [(4,)]
    assert_as_from_nothing(con)
    con.close()


def test_what_is_forgotten_leaves_no_answers(warehouse, tmp_path):
    path = tmp_path / "runs.csv"
    lines = [f"a,{at // 3},2026-01-01T0{at}:00:00Z,{10 + at % 3}" for at in range(6)]
    path.write_text("\n".join(["app,version,started_at,wall_seconds", *lines]) + "\n")
    (landed,) = land(warehouse, path)
    assert rows(warehouse, "SELECT count(*) FROM version_comparisons") == [(1,)]
    forget_source(warehouse, landed.source_id)
    assert rows(warehouse, "FROM analysis_states") == []
    for analysis in analyses.every():
        assert rows(warehouse, f"FROM {analysis.name}") == [], analysis.name


def test_inputs_that_fail_are_an_error(in_memory, tmp_path, monkeypatch):
    con = in_memory()
    every = [replace(one, inputs="SELECT error('no')") for one in analyses.every()]
    monkeypatch.setattr(analyses, "every", lambda: every)
    with pytest.raises(PwhError, match="no"):
        land(con, _counters(tmp_path, "", {}, 1))
    assert rows(con, "FROM runs") == []
    con.close()


# --- Kills, lakes and older warehouses.


KILLED = """
import os, sys
from pathlib import Path
import ingest.analyse, warehouse
from tests.helpers.support import land

renew, left = ingest.analyse._renew, int(sys.argv[3])
def renew_or_die(con, analysis, *rest, **named):
    global left
    left -= 1
    if left == 0:
        os._exit(9)
    return renew(con, analysis, *rest, **named)
ingest.analyse._renew = renew_or_die
land(warehouse.connect(sys.argv[1]), Path(sys.argv[2]), replace=True)
"""


@pytest.mark.parametrize("step", [1, 4])
def test_killed_before_an_analysis_nothing_has_landed(step, template, tmp_path):
    path = Path(shutil.copy(template, tmp_path / "w.duckdb"))
    with pwh.connect(path) as con:
        land(con, _history(tmp_path, "", {}, 0))
        before = rows(con, "SELECT sum(seconds) FROM fn_timings")
    file = _history(tmp_path, "", {}, 2)
    command = [sys.executable, "-c", KILLED, str(path), str(file), str(step)]
    assert subprocess.run(command, check=False).returncode == 9
    with pwh.connect(path) as con:
        assert rows(con, "SELECT sum(seconds) FROM fn_timings") == before
        assert_as_from_nothing(con)


@pytest.mark.parametrize("packed", OLDER, ids=lambda path: path.name.partition(".")[0])
def test_an_older_warehouse_that_is_migrated_is_as_from_nothing(packed, tmp_path):
    path = tmp_path / "w.duckdb"
    path.write_bytes(lzma.decompress(packed.read_bytes()))
    assert CliRunner().invoke(app, ["--db", str(path), "migrate"]).exit_code == 0
    with pwh.connect(path) as con:
        assert rows(con, "SELECT count(*) FROM runs")[0][0] > 0
        assert_as_from_nothing(con)


@pytest.mark.skipif(programs() is None, reason="PostgreSQL is not installed")
@pytest.mark.skipif(
    find_spec("duckdb_extension_ducklake") is None, reason="needs pip install 'pwh[lake]'"
)
def test_answers_in_a_lake(tmp_path):
    (tmp_path / "lake").mkdir()
    with (
        running_postgres() as server,
        pwh.connect(f"ducklake:postgres:{server.settings} data_path={tmp_path / 'lake'}") as con,
    ):
        land(con, _history(tmp_path, "", {}, 0))
        land(con, _counters(tmp_path, "", {}, 1), run_id="r0", facts={"app": "heat"})
        add_label(con, "r0", "Mem", "me", {})
        land(con, _history(tmp_path, "", {}, 2), replace=True)
        acknowledge(con, "heat-0-4", Acknowledgement("invalid run"))
        land(con, _copy("heat-1.1.pstats")(tmp_path, "", {}, 0), run_id="r0")
        assert_as_from_nothing(con)
        until_analysed(partial(_take_out, con, forget_run, "r0"))
        assert_as_from_nothing(con)
