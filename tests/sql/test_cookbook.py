"""The cookbook: each file is one question with one query that answers it over the demo."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import pytest

import warehouse as pwh

Answer = Callable[[str], list[dict[str, Any]]]

COOKBOOK = Path(__file__).parents[2] / "sql" / "cookbook"
FILES = sorted(COOKBOOK.glob("*.sql"))
COMMENT_OR_STRING = re.compile(r"--.*|'[^']*'")
PRIVATE_NAME = re.compile(r"(?<!\w)_\w+")

each_file = pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)


@pytest.fixture(scope="module")
def answer(demo_warehouse: Path) -> Iterator[Answer]:
    """Yield a function that returns the rows of a question, each as column -> value."""
    with pwh.connect(demo_warehouse, read_only=True) as con:

        @cache
        def rows(name: str) -> list[dict[str, Any]]:
            relation = con.sql((COOKBOOK / f"{name}.sql").read_text(encoding="utf-8"))
            return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]

        yield rows


def columns(rows: list[dict[str, Any]], *names: str) -> list[tuple[Any, ...]]:
    return [tuple(row[name] for name in names) for row in rows]


def test_every_kind_of_trace_is_asked_about():
    assert len(FILES) >= 25
    used = " ".join(file.read_text(encoding="utf-8") for file in FILES)
    for table in (
        "bb_visits",
        "bottlenecks",
        "change_points",
        "comparison",
        "fn_timings",
        "idle_attribution",
        "series_states",
        "pmu_samples",
        "run_facts",
        "scaling_models",
        "tasks",
        "throughput_predictions",
        "transfers",
    ):
        assert re.search(rf"\b{table}\b", used), table


@each_file
def test_begins_with_a_question_in_one_line(file):
    question = file.read_text(encoding="utf-8").splitlines()[0]
    assert re.fullmatch(r"-- [A-Z].*\?", question)


def test_no_question_is_asked_twice():
    questions = [file.read_text(encoding="utf-8").splitlines()[0] for file in FILES]
    assert len(set(questions)) == len(questions)


@each_file
def test_is_one_query(file):
    (statement,) = duckdb.extract_statements(file.read_text(encoding="utf-8"))
    assert statement.type == duckdb.StatementType.SELECT


@each_file
def test_uses_public_names_only(file):
    code = COMMENT_OR_STRING.sub("", file.read_text(encoding="utf-8"))
    assert not PRIVATE_NAME.findall(code)


@each_file
def test_fits_the_line_length(file):
    assert max(map(len, file.read_text(encoding="utf-8").splitlines())) <= 100


@each_file
def test_has_an_answer_over_the_demo(file, answer):
    assert answer(file.stem)


# Stencil's history is generated: version 1.23 reads more from main memory in sweep.


def test_bottleneck_of_sweep_moved_to_memory(answer):
    rows = answer("bottlenecks_that_moved")
    assert columns(rows, "app", "region", "class_before", "version", "class") == [
        ("stencil", "sweep", "Balance", "1.23", "Mem")
    ]


def test_memory_costs_more_cycles_from_the_change_on(answer):
    rows = answer("memory_share_of_cycles")
    assert max(row["percent"] for row in rows[:14]) < 3
    assert min(row["percent"] for row in rows[14:]) > 23
    assert rows[14]["version"] == "1.23"


def test_only_stencil_changed_for_good_and_sweep_with_it(answer):
    rows = answer("history_what_changed_together")
    assert {(row["app"], row["version"]) for row in rows} == {("stencil", "1.23")}
    assert {"seconds:sweep", "per_cycle:mem_reads"} <= {row["metric"] for row in rows}


def test_more_cycles_come_from_slower_instructions_not_from_more_of_them(answer):
    (worst, *others) = answer("counters_more_work_or_slower_work")
    assert worst == {
        "app": "stencil",
        "version": "1.23",
        "cycles": 1.217,
        "instructions": 1.012,
        "cycles_per_instruction": 1.203,
    }
    assert max(abs(row["cycles_per_instruction"] - 1) for row in others) < 0.02


def test_the_benchmark_that_got_slower_and_the_one_that_is_noisy(answer):
    rows = answer("benchmarks_that_changed")
    assert columns(rows, "app", "benchmark", "since", "direction", "more_runs") == [
        ("kernels", "pack", "3.13", "worse", None)
    ]
    assert rows[0]["percent"] == pytest.approx(8, abs=1)
    rows = answer("benchmarks_that_hide_changes")
    assert columns(rows, "app", "benchmark") == [("kernels", "flush")]


def test_sweep_is_the_function_that_scales_worse(answer):
    rows = answer("scaling_worse_than_before")
    assert columns(rows, "app", "function", "earlier", "later") == [
        ("stencil", "sweep", "1.22", "1.23")
    ]


def test_functions_slower_beyond_noise_are_those_of_the_explanation(answer):
    rows = answer("functions_slower_beyond_noise")
    assert columns(rows, "function") == [("sweep",), ("exchange",)]


def test_the_compiler_changed_nothing(answer):
    rows = answer("compiler_change")
    assert {row["verdict"] for row in rows} == {"same"}
    assert {(row["runs_before"], row["runs_after"]) for row in rows} == {(7, 7)}


def test_critical_path_is_longer_by_sweep(answer):
    rows = answer("tasks_critical_path_of_two_runs")
    assert (rows[0]["task_type"], rows[0]["cause"]) == ("sweep", "compute")
    assert rows[0]["seconds_more"] > 100 * abs(rows[1]["seconds_more"])


def test_one_slow_run_is_no_change(answer):
    found = {row["run_id"]: row["percent_slower"] for row in answer("history_single_slow_runs")}
    assert found["sorter-2.6"] == 61.3


def test_loop_of_sweep_runs_64_times(answer):
    rows = answer("code_loop_iterations")
    assert {(row["source_line"], row["iterations"]) for row in rows} == {(13, 64)}


# The recordings of heat were measured once and are carried with pwh.


def test_workers_of_heat_wait_for_save(answer):
    rows = [row for row in answer("tasks_waits_and_culprits") if row["app"] == "heat-tasks"]
    assert sum(row["percent"] for row in rows if row["made_by"] == "save") == pytest.approx(95.1)


def test_thread_that_saves_is_unlike_the_others(answer):
    rows = answer("threads_unlike_the_others")
    assert columns(rows, "app", "threads", "example_thread") == [("heat-c", 1, 1)]


def test_virtual_machine_hid_the_counters(answer):
    rows = answer("counters_never_counted")
    assert columns(rows, "machine", "event", "runs") == [
        ("demo-vm", "cycles", 6),
        ("demo-vm", "instructions", 6),
    ]
