"""The report of a run: functions of profiles, of times and of events."""

from __future__ import annotations

import shlex

import pytest

from apps.queries.runs import resolve_run
from apps.reports import runs
from apps.reports.runs import run_report
from tests.helpers.support import given, land, rows
from tests.ingest.case import SAMPLES
from warehouse.connection import connect


def report(warehouse, path):
    """Land a file and return its report as lines of words."""
    (done,) = land(warehouse, path)
    text = run_report(warehouse, done.runs[0])
    return text, [line.split() for line in text.splitlines()]


def test_a_callgrind_run_has_its_functions(warehouse):
    text, lines = report(warehouse, SAMPLES / "callgrind-calls" / "calls.callgrind")
    assert "Functions by their own cost (Ir)" in text
    top = rows(warehouse, "SELECT function, cost FROM function_costs ORDER BY cost DESC LIMIT 1")[0]
    assert f"* {top[0]} takes " in text
    assert any(line[0:1] == [top[0]] for line in lines)
    assert "Instructions per cycle" not in text


def test_a_run_without_traces_has_its_facts(warehouse):
    given(warehouse, "runs", "run_id app wall_seconds\nr1 solver 4.9")
    assert run_report(warehouse, "r1").splitlines() == [
        "Run r1",
        "  app solver, wall time 4.9 s",
        "",
        "Rows: none",
    ]


def test_what_files_have_besides_is_told_below_the_rows(warehouse, tmp_path):
    (tmp_path / "x.folded").write_text("main;a 3\nmain;b 0\n" * 3)
    (done,) = land(warehouse, tmp_path / "x.folded")
    text = run_report(warehouse, done.runs[0])
    ((left_out, repeats),) = rows(warehouse, "SELECT left_out, repeats FROM sources")
    told = {"Left out of": left_out, "Duplicates in": repeats}
    lines = [f"{what} x.folded: {words}" for what, words in told.items() if words]
    assert lines
    assert text.splitlines()[-len(lines) :] == lines


def test_rows_that_are_left_out_are_a_command_away(warehouse):
    given(warehouse, "runs", "run_id\nit's")
    times = "\n".join(f"it's f{i} {i}" for i in range(1, 13))
    given(warehouse, "fn_timings", f"run_id function seconds\n{times}")
    (line,) = (one for one in run_report(warehouse, "it's").splitlines() if "more: " in one)
    count, command = line.split(" more: ")
    program, name, query = shlex.split(command)
    assert (count, program, name) == ("... and 2", "pwh", "sql")
    assert len(rows(warehouse, query)) == 12


def test_a_sampled_run_has_its_functions_with_callees(warehouse):
    text, lines = report(warehouse, SAMPLES / "perf-script" / "sieve.txt")
    assert "* sieve takes 89.7 % of the time (61.2 ms)" in text
    assert ["read_zero", "2.01", "2.94", "%", "2.01", "3.01"] == next(
        line[:6] for line in lines if line[:1] == ["read_zero"]
    )
    assert "Unknown (" not in text


def test_weights_without_a_unit_are_said_to_be_weights(warehouse):
    text, _ = report(warehouse, SAMPLES / "folded-stacks" / "wordcount.raw")
    assert "* depth (wordcount.py) takes 67.6 % of all weight; the first 10 functions take" in text


def test_a_profile_of_events_has_no_verdict_on_the_cores(warehouse, tmp_path):
    path = tmp_path / "x.txt"
    line = "app    71 12.345678: {:10d} {}: \n\t            1000 main+0x1 (/home/user/app)\n\n"
    path.write_text(line.format(1000, "cycles:u") * 3)
    text, _ = report(warehouse, path)
    assert "* main takes 100 % of all cycles; the first 2 functions take 100 %." in text
    assert "Instructions per cycle" not in text
    assert "Unknown (" not in text
    path.write_text((line.format(1000, "cycles:u") + line.format(1500, "instructions:u")) * 3)
    text, _ = report(warehouse, path)
    assert "The cores completed 1.50 instructions per cycle." in text


def test_what_no_core_counts_has_no_verdict_on_the_cores(warehouse, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("sample,event,value\n0,read,7\n0,write,9\n")
    assert "Unknown (" not in report(warehouse, path)[0]
    path.write_text("sample,event,value\n0,instructions,7\n0,branches,2\n")
    assert "Unknown (" in report(warehouse, path)[0]


@pytest.mark.parametrize(
    ("cycles", "said"),
    [
        ("300", "Instructions per cycle are unknown: the two were not counted together."),
        ("<not counted>", "The cores completed 2.00 instructions per cycle."),
    ],
)
def test_instructions_and_cycles_of_other_samples_have_no_ratio(warehouse, tmp_path, cycles, said):
    path = tmp_path / "x.csv"
    path.write_text(
        "     1.000123456,100,,cycles,9,100.00,,\n     1.000123456,200,,instructions,9,100.00,,\n"
        f"     2.000123456,{cycles},,cycles,9,100.00,,\n"
        "     2.000123456,<not counted>,,instructions,0,0.00,,\n"
    )
    text, _ = report(warehouse, path)
    assert said in text


def test_sockets_are_no_functions(warehouse, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("S0,8,1000,,cycles,9,100.00,,\nS1,8,3000,,cycles,9,100.00,,\n")
    text, _ = report(warehouse, path)
    assert "* S1 takes 75 % of all cycles; the first 2 regions take 100 %." in text
    assert "Regions by their own cost (cycles)" in text


def test_times_of_calls_and_of_the_gpu_overlap(warehouse):
    text, _ = report(warehouse, SAMPLES / "function-tables" / "nvprof.csv")
    assert "* cudaMalloc takes 98.4 % of the calls' and the GPU's times, which overlap (" in text


@pytest.mark.parametrize(
    ("events", "said"),
    [
        ("INSTR_RETIRED_ANY 300\nCPU_CLK_UNHALTED_CORE 200", "completed 1.50 instructions"),
        ("sm__inst_executed.sum 300\nsm__cycles_active.sum 200", "completed 1.50 instructions"),
        ("PM_RUN_INST_CMPL 300\nPM_RUN_CYC 200", "completed 1.50 instructions"),
        (
            "instructions:u 600\ncycles:u 300\ninstructions:k 50\ncycles:k 100",
            "completed 2.00 (user) and 0.50 (kernel) instructions",
        ),
        (
            "cpu_core/instructions/ 400\ncpu_core/cycles/ 200\n"
            "cpu_atom/instructions/u 300\ncpu_atom/cycles/u 300",
            "completed 2.00 (cpu_core) and 1.00 (cpu_atom) instructions",
        ),
        ("cpu/inst_retired.any/u 300\ncpu/cycles/u 200", "completed 1.50 instructions"),
        ("instructions 300\nbranches 20", "are unknown: no cycles were counted"),
        ("instructions 0\ncycles 2e9", "0.00 instructions per cycle are implausible"),
        (
            "instructions 300\ncycles 200\nbranches 20\nbranch-misses 30",
            "more than the branches that they are a part of (30 of 20)",
        ),
        (
            "instructions 300\ncycles 200\nbranches 400",
            "1.50 instructions per cycle are in doubt: another count contradicts",
        ),
        ("power.draw 50", None),
    ],
)
def test_instructions_per_cycle_by_any_name(warehouse, events, said):
    given(warehouse, "runs", "run_id\nr1")
    given(warehouse, "pmu_samples", f"event value\n{events}", sample=0)
    text = run_report(warehouse, "r1")
    assert said in text if said else "nstructions per cycle" not in text


def test_the_path_of_many_tasks_is_a_command_away(demo_warehouse, monkeypatch):
    with connect(demo_warehouse, read_only=True) as con:
        run_id = resolve_run(con, "heat_tasks")
        whole = run_report(con, run_id)
        monkeypatch.setattr(runs, "MOST_AT_ONCE", 0)
        short = run_report(con, run_id)
    command = f"pwh idle {run_id}"
    assert "critical path" in whole and command not in whole
    assert f"The critical path of so many, and what could be gained: {command}" in short
    assert "starvation" in short
