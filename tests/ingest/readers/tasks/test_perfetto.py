"""Perfetto's own traces, read by its real trace processor.

The sample is a recording of Linux by Perfetto 56: switches of threads on the CPUs, free memory and
times of CPUs, 60 ms. Traces with slices of threads are pwh's own exports: see
tests/apps/exports/test_exports.py.
"""

from __future__ import annotations

from tests.helpers import trace_processor
from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES

SAMPLE = SAMPLES / "perfetto" / "sched.pftrace"


def test_without_slices_of_threads_the_cpus_are_workers(warehouse, tmp_path, monkeypatch):
    trace_processor.install(tmp_path, monkeypatch)
    (landed,) = land(warehouse, SAMPLE)
    assert rows(
        warehouse,
        "SELECT worker, name, count(*), sum(t_end - t_start) FROM tasks GROUP BY ALL ORDER BY ALL",
    ) == [
        ("CPU 0", "ld-linux-x86-64", 2, 146298),
        ("CPU 0", "python", 12, 7002706),
        ("CPU 0", "rcu_preempt", 1, 9424),
        ("CPU 1", "python", 5, 78196),
    ]
    assert rows(
        warehouse,
        "SELECT metric, value, unit FROM metrics WHERE value > 0 ORDER BY ALL",
    ) == [
        ("MemFree, maximum", 7514812416, "bytes"),
        ("MemFree, mean over time", 7514812416, "bytes"),
        ("cpu.times.user_nice_ns of CPU 1, increase", 10000000, None),
    ]
    assert landed.left_out == (
        "2 points of counters (mean and maximum land); 32 points of counters (their increase "
        "lands); 2 slices (without an end)"
    )
    assert rows(warehouse, "SELECT started_at::DATE::VARCHAR FROM runs") == [("2026-11-23",)]


def test_what_the_trace_processor_cannot_read(refusal, tmp_path, monkeypatch):
    trace_processor.script(tmp_path, "echo 'unknown trace type' >&2; exit 1", monkeypatch)
    message = refusal(SAMPLE.read_bytes(), "x.pftrace")
    assert "trace processor cannot read it: unknown trace type" in message


def test_without_the_trace_processor(refusal, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "trace_processor on the PATH" in refusal(SAMPLE.read_bytes(), "x.pftrace")
