"""Perfetto's own traces, read by its real trace processor.

The sample is a recording of Linux by Perfetto 56: switches of threads on the CPUs, free memory and
times of CPUs, 60 ms. Traces with slices of threads are pwh's own exports: see
tests/apps/exports/test_exports.py.
"""

from __future__ import annotations

import pytest

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


def field(number, value):
    """Return a field of a message of Protocol Buffers: of a number or of bytes."""
    if isinstance(value, int):
        return varint(number * 8) + varint(value)
    return varint(number * 8 + 2) + varint(len(value)) + value


def varint(value):
    found = b""
    while value > 127:
        found += bytes([value % 128 | 128])
        value //= 128
    return found + bytes([value])


def stage(time, length, queue, event):
    """Return the packet of a GpuRenderStageEvent."""
    parts = ((1, event), (2, length), (3, queue), (4, queue))
    of_event = b"".join(field(*part) for part in parts)
    if not event:
        named = ((2, b"compute"), (2, b"transfer"), (3, b"gemm"), (3, b"Memcpy HtoD"))
        of_event += field(7, b"".join(field(number, field(1, name)) for number, name in named))
    return field(1, field(8, time) + field(10, 1) + field(53, of_event))


@pytest.mark.usefixtures("analyses")
def test_queues_of_a_gpu_are_those_of_a_device(warehouse, tmp_path, monkeypatch):
    trace_processor.install(tmp_path, monkeypatch)
    stages = [stage(1000, 0, 0, 0)]
    for n in range(5):
        stages += [stage(10000 + n * 10000, 4000, 0, 2 * n + 1)]
        stages += [stage(13000 + n * 10000, 3000, 1, 2 * n + 2)]
    path = tmp_path / "gpu.pftrace"
    path.write_bytes(b"".join(stages))
    land(warehouse, path)
    assert rows(
        warehouse,
        "SELECT device, round(1e9 * window_seconds), round(1e9 * busy_seconds), "
        "round(1e9 * both_seconds), round(1e9 * unknown_seconds) FROM gpu_activity",
    ) == [("GPU", 46000, 30000, 5000, 16000)]
    assert rows(warehouse, "SELECT code, flag_codes(flags) FROM gpu_verdicts") == [
        ("unknown", ["calls_unknown"])
    ]
    assert rows(warehouse, "SELECT worker, node, device FROM workers ORDER BY ALL") == [
        ("GPU compute", "host", "GPU"),
        ("GPU transfer", "host", "GPU"),
    ]


def test_what_the_trace_processor_cannot_read(refusal, tmp_path, monkeypatch):
    trace_processor.script(tmp_path, "echo 'unknown trace type' >&2; exit 1", monkeypatch)
    message = refusal(SAMPLE.read_bytes(), "x.pftrace")
    assert "trace processor cannot read it: unknown trace type" in message


def test_without_the_trace_processor(refusal, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert "trace_processor on the PATH" in refusal(SAMPLE.read_bytes(), "x.pftrace")
