"""Sentences about devices, on the command line and on the pages."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

import warehouse as pwh
from apps.cli import app
from apps.reports.gpu import gpu_sentences
from tests.helpers.support import land, rows
from warehouse.errors import NothingToAnalyse


def event(cat, name, tid, begin, length, pid=1, **args):
    return {"ph": "X", "cat": cat, "name": name, "pid": pid, "tid": tid, "ts": begin,
            "dur": length, "args": args}  # fmt: skip


def kineto(tmp_path, *, steps=3, silence=500.0):
    """Write a trace: each step has an operator that launches a kernel, then silence of the host."""
    events, at = [], 1000.0
    for step in range(steps):
        call = step + 1
        events += [
            event("user_annotation", f"ProfilerStep#{step}", 1, at, 50 + silence),
            event("cpu_op", "aten::mm", 1, at, 40),
            event("cuda_runtime", "cudaLaunchKernel", 1, at + 30, 5, correlation=call),
            event("kernel", "sgemm", 7, at + 40, 100, pid=0, correlation=call),
        ]
        at += 60 + silence
    file = tmp_path / "a.pt.trace.json"
    file.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    return file


def test_sentences_lead_with_busy_time_and_the_verdict(warehouse, tmp_path):
    land(warehouse, kineto(tmp_path))
    ((run,),) = rows(warehouse, "SELECT run_id FROM runs")
    told = gpu_sentences(warehouse, run)
    assert told[:2] == [
        "GPU 0 was busy 24.6 % of 1.22 ms, from its first work to its last.",
        "GPU 0 is bound by the host: in 91.3 % of the idle time (840 µs) it did what is neither "
        "operator nor call before it launched more.",
    ]
    assert any(one.startswith("Record stacks: ") for one in told)
    assert any("with all work launched before the GPU is free" in one for one in told)
    assert not any("parallelism" in one for one in told)


def test_work_that_waits_for_other_devices_is_not_called_the_work_of_the_device(
    warehouse, tmp_path
):
    trace = [
        event("kernel", "sgemm", 7, 0, 100, pid=0),
        event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 7, 100, 900, pid=0),
    ]
    file = tmp_path / "a.pt.trace.json"
    file.write_text(json.dumps({"schemaVersion": 1, "traceEvents": trace}))
    land(warehouse, file)
    ((run,),) = rows(warehouse, "SELECT run_id FROM runs")
    told = " ".join(gpu_sentences(warehouse, run))
    assert "GPU 0 is GPU bound" in told and "ends when the last device has come" in told
    assert "Nothing that the host does" not in told


def test_a_run_without_devices_has_no_such_sentence(demo_warehouse):
    with pwh.connect(demo_warehouse, read_only=True) as con:
        for (run,) in con.execute("SELECT DISTINCT run_id FROM tasks").fetchall():
            assert gpu_sentences(con, run) == []


@pytest.fixture
def stored(tmp_path, template):
    db = tmp_path / "w.duckdb"
    found = CliRunner().invoke(
        app, ["--db", str(db), "ingest", str(kineto(tmp_path)), "--run", "g"]
    )
    assert found.exit_code == 0, found.output
    return db


def test_idle_reads_runtimes_of_tasks_only_when_told_to(stored):
    def told(*words):
        return CliRunner().invoke(app, ["--db", str(stored), "idle", "g", *words])

    assert "is bound by the host" in told().output
    assert "aten::mm" in told("--by", "late", "--format", "csv").output
    assert "step 1" in told("--by", "step").output
    for words in (["--tasks"], ["--by", "worker"], ["--mode", "transitive"]):
        found = told(*words)
        assert found.exit_code == 0
        assert "bound by the host" not in found.output
        assert "starvation" in found.output
    assert isinstance(told("--tasks", "--by", "step").exception, NothingToAnalyse)


def test_report_has_devices_and_no_advice_about_tasks(stored):
    told = CliRunner().invoke(app, ["--db", str(stored), "report", "g"]).output
    assert "GPU 0 was busy" in told
    assert "sgemm" in told
    assert "starvation" not in told


def test_explain_says_what_changed_on_the_device(stored, tmp_path):
    (folder := tmp_path / "slow").mkdir()
    file = kineto(folder, silence=900.0)
    run = CliRunner().invoke(app, ["--db", str(stored), "ingest", str(file), "--run", "h"])
    assert run.exit_code == 0
    told = CliRunner().invoke(app, ["--db", str(stored), "explain", "h", "--against", "g"]).output
    assert "Devices took 2.02 ms from the first work to the last instead of 1.22 ms" in told
    assert "100 % of that is idle time in what was not recorded: 0.84 ms -> 1.64 ms" in told
    assert "ProfilerStep" not in told.split("What changed")[0]
    assert "workers" not in told


def test_kernels_are_compared_by_what_they_compute_and_parts_add_up(stored, tmp_path):
    file = kineto(tmp_path, silence=900.0)
    events = json.loads(file.read_text())
    for one in events["traceEvents"]:
        if one["cat"] == "kernel":
            one |= {"name": "ampere_bf16_gemm<128, 64>(int)", "dur": 150}
    file.write_text(json.dumps(events))
    run = CliRunner().invoke(app, ["--db", str(stored), "ingest", str(file), "--run", "h"])
    assert run.exit_code == 0
    found = CliRunner().invoke(
        app, ["--db", str(stored), "explain", "h", "--against", "g", "--format", "json"]
    )
    parts = {row["subject"]: row for row in json.loads(found.stdout) if row["topic"] == "device"}
    assert set(parts) == {None, "matrix products", "unrecorded"}
    assert sum(row["share"] or 0 for row in parts.values()) == pytest.approx(1)
    assert parts["matrix products"]["after_label"] == "aten::mm"
    told = CliRunner().invoke(app, ["--db", str(stored), "compare", "g", "h"]).output
    assert "matrix products +150 \N{MICRO SIGN}s" in told
    assert "gemm<" not in told
    assert told.index("Devices took") < told.index("wall_seconds")


def test_work_without_length_or_calls_is_described_without_advice(warehouse, tmp_path):
    file = tmp_path / "a.pt.trace.json"
    kernels = [event("kernel", "k", 7, at, 0, pid=0) for at in (10.0, 30.0)]
    file.write_text(json.dumps({"schemaVersion": 1, "traceEvents": kernels}))
    land(warehouse, file)
    ((run,),) = rows(warehouse, "SELECT run_id FROM runs")
    assert gpu_sentences(warehouse, run) == [
        "GPU 0 was busy 0 % of 20 µs, from its first work to its last.",
        "GPU 0 is limited by what is not recorded, which is 100 % of the idle time (20 µs).",
        "Calls unknown: for 100 % of the idle time the call that launched the next work is not "
        "recorded, or begins after it; record the runtime's calls, too.",
        "Of the 20 µs idle, the host spent before the next work: 100 % before work of which no "
        "call is known.",
    ]
