"""Gaps of devices, against a look at every nanosecond."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.base import Rows
from ingest.parsing.timelines.devices import steps
from ingest.parsing.timelines.gpu_calls import call_does, executed, number_of_step, step_numbers
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.slices import Launches, Role, Slices, Timeline, Worker
from tests.helpers.thorough import cases

PARTS = (
    *("sync", "copy", "memory", "launch", "operators", "python", "unrecorded"),
    *("call", "device", "unknown"),
)
NAMES = ["aten::mm", "cudaLaunchKernel", "cudaMemcpyAsync", "cudaMalloc", "fit.py(3)", "mark",
         "kernel", "cudaStreamSynchronize", "Memcpy HtoD (Pageable -> Device)",
         "aten::add"]  # fmt: skip
KINDS = ["cpu_op", "cuda_runtime", "python_function", "user_annotation", "kernel"]
OP, LAUNCH, COPY, MALLOC, PYTHON, MARK, KERNEL, SYNC, PAGEABLE, RANGE = range(10)
DOES = {OP: "operators", LAUNCH: "launch", COPY: "copy", MALLOC: "memory", PYTHON: "python",
        SYNC: "sync"}  # fmt: skip
KIND_OF = {OP: 0, LAUNCH: 1, COPY: 1, MALLOC: 1, PYTHON: 2, MARK: 3, KERNEL: 4, SYNC: 1,
           PAGEABLE: 4, RANGE: 3}  # fmt: skip
ROLE_OF = {
    **dict.fromkeys((OP, LAUNCH, COPY, MALLOC), Role.WORK),
    **dict.fromkeys((PYTHON, MARK, RANGE), Role.SPAN),
    **dict.fromkeys((KERNEL, PAGEABLE), Role.DEVICE),
    SYNC: Role.WAIT,
}
WORKERS = [
    Worker("thread 0", "host", 0),
    Worker("thread 1", "host", 1),
    Worker("GPU 0 stream 7", "host", None, "GPU 0"),
    Worker("GPU 0 stream 9", "host", None, "GPU 0"),
    Worker("GPU 1 stream 7", "host", None, "GPU 1"),
]


def timeline(slices, launches):
    """Return the timeline of (worker, name, start, end), and of (caller, device) by position."""
    worker, name, start, end = (np.array(c, np.int64) for c in zip(*slices, strict=True))
    kind = np.array([KIND_OF[n] for n in name.tolist()], np.int64)
    role = np.array([ROLE_OF[n] for n in name.tolist()], np.int64)
    pairs = np.array(launches, np.int64).reshape(-1, 2)
    number = np.unique(pairs[:, 0], return_inverse=True)[1] + 1
    return Timeline(
        WORKERS, NAMES, KINDS, Slices(worker, name, kind, role, start, end),
        Launches(pairs[:, 0], pairs[:, 1], number),
    )  # fmt: skip


def landed(found, table):
    batches = [i.batch for i in landing(found, 0) if isinstance(i, Rows) and i.table == table]
    return [row for batch in batches for row in batch.to_pylist()]


@st.composite
def nested(draw, worker, begin, end, depth=0):
    """Return slices of a thread that nest."""
    found, at = [], begin
    while at < end and draw(st.booleans()):
        start = draw(st.integers(at, end - 1))
        stop = draw(st.integers(start + 1, end))
        found.append((worker, draw(st.sampled_from([*DOES, MARK])), start, stop))
        if depth < 3:
            found += draw(nested(worker, start, stop, depth + 1))
        at = stop
    return found


@st.composite
def traces(draw):
    host = draw(nested(0, 0, 40)) + draw(nested(1, 0, 40))
    works = draw(
        st.lists(
            st.tuples(st.integers(2, 4), st.integers(0, 50), st.integers(0, 6)),
            min_size=1, max_size=8,
        )
    )  # fmt: skip
    device = [(worker, KERNEL, start, start + length) for worker, start, length in works]
    callers = [i for i, (_, name, *_) in enumerate(host) if name in (LAUNCH, COPY)]
    launches = [
        (draw(st.sampled_from(callers)), len(host) + i)
        for i in range(len(device))
        if callers and draw(st.booleans())
    ]
    return host + device, launches


def innermost(host, worker, at):
    """Return what a thread does in a nanosecond."""
    over = [
        (start, -end, place, name)
        for place, (on, name, start, end) in enumerate(host)
        if on == worker and start <= at < end and name in DOES
    ]
    return DOES[max(over)[3]] if over else "unrecorded"


def plainly(slices, launches, workers):
    """Return busy time and idle time by part of the works on some workers, ns by ns."""
    caller = {device: slices[call] for call, device in launches}
    works = [(s, i) for i, s in enumerate(slices) if s[0] in workers]
    works.sort(key=lambda work: work[0][2:])
    parts, until = Counter(), None
    for (_, _, start, end), place in works:
        for at in range(start if until is None else until, start):
            call = caller.get(place)
            if call is None:
                parts["unknown"] += 1
            elif at < call[2]:
                parts[innermost(slices, call[0], at)] += 1
            else:
                parts["call" if at < call[3] else "device"] += 1
        until = max(until or 0, end)
    return parts


@settings(deadline=None, max_examples=cases(20, 300))
@given(traces())
def test_gaps_are_parted_as_a_look_at_every_nanosecond_does(trace):
    slices, launches = trace
    found = landed(timeline(slices, launches), "gpu_gaps")
    used = {worker for worker, *_ in slices}
    lanes = {("GPU 0", None): {2, 3}, ("GPU 1", None): {4}}
    if {2, 3} <= used:
        lanes |= {("GPU 0", WORKERS[n].name): {n} for n in (2, 3)}
    for (device, stream), workers in lanes.items():
        gaps = [g for g in found if (g["device"], g["stream"]) == (device, stream)]
        expected = plainly(slices, launches, workers)
        assert {p: sum(g[f"{p}_ns"] for g in gaps) for p in PARTS} == {
            part: expected[part] for part in PARTS
        }
    for gap in found:
        assert sum(gap[f"{part}_ns"] for part in PARTS) == gap["t_end"] - gap["t_start"] > 0
    late = landed(timeline(slices, launches), "gpu_late")
    for does in PARTS[:6]:
        of_devices = [g for g in found if g["stream"] is None]
        assert sum(g[f"{does}_ns"] for g in of_devices) >= sum(
            row["idle_ns"] for row in late if row["doing"] == does
        )


def test_short_times_between_operators_are_the_interpreters():
    us = 1000
    works = [(2, KERNEL, 0, us), (2, KERNEL, 900 * us, 901 * us)]
    host = [(0, OP, 0, us), (0, OP, 100 * us, 101 * us), (0, OP, 400 * us, 900 * us),
            (0, LAUNCH, 890 * us, 895 * us)]  # fmt: skip
    (gap,) = landed(timeline([*host, *works], [(3, 5)]), "gpu_gaps")
    assert (gap["unrecorded_ns"], gap["interpreter_ns"]) == (398 * us, 99 * us)
    assert (gap["call_ns"], gap["device_ns"], gap["late"]) == (5 * us, 5 * us, "aten::mm")


@pytest.mark.parametrize(("what", "staging"), [(KERNEL, 0), (PAGEABLE, 400)])
def test_the_call_of_a_copy_from_pageable_memory_moves_it(what, staging):
    works = [(2, KERNEL, 0, 100), (2, what, 600, 700)]
    (gap,) = landed(timeline([(0, COPY, 200, 690), *works], [(0, 2)]), "gpu_gaps")
    assert (gap["call_ns"], gap["staging_ns"]) == (400, staging)


def test_ranges_of_operators_are_operators():
    works = [(2, KERNEL, 0, 100), (2, KERNEL, 900, 901)]
    host = [(0, RANGE, 100, 890), (0, MARK, 0, 890), (0, LAUNCH, 880, 885)]
    (gap,) = landed(timeline([*host, *works], [(2, 4)]), "gpu_gaps")
    assert (gap["operators_ns"], gap["unrecorded_ns"], gap["late"]) == (780, 0, "aten::add")


@pytest.mark.parametrize(("begun", "part"), [(21, "unrecorded"), (30, "unknown")])
def test_a_call_after_its_work_did_not_launch_it(begun, part):
    us = 1000
    works = [(2, KERNEL, 0, 10 * us), (2, KERNEL, 20 * us, 21 * us)]
    call = (0, LAUNCH, begun * us, begun * us + us)
    (gap,) = landed(timeline([call, *works], [(0, 2)]), "gpu_gaps")
    assert gap[f"{part}_ns"] == 10 * us


def test_works_know_their_calls_and_operators():
    host = [(0, OP, 0, 10), (0, LAUNCH, 2, 5), (0, COPY, 12, 14)]
    works = [(2, KERNEL, 6, 9), (2, KERNEL, 20, 22), (3, KERNEL, 30, 31)]
    found = landed(timeline([*host, *works], [(1, 3), (2, 4)]), "tasks")
    assert [
        (t["t_submit"], t["t_submitted"], t["submitter"], t["operator"], t["kind"])
        for t in found if t["kind"]
    ] == [
        (2, 5, "thread 0", "aten::mm", "kernel"),
        (12, 14, "thread 0", None, "kernel"),
        (None, None, None, None, "kernel"),
    ]  # fmt: skip


def test_a_time_is_in_the_outermost_step_around_it():
    worker, number = np.zeros(3, np.int64), np.array([4, 0, 5])
    start, end = np.array([0, 2, 10]), np.array([10, 8, 20])
    role = np.full(3, int(Role.SPAN))
    slices = Slices(worker, worker, worker, role, start, end, step=number)
    found = steps(Timeline(WORKERS, NAMES, KINDS, slices), np.array([0, 3, 9, 10, 19, 20]))
    assert found.tolist() == [4, 4, 4, 5, 5, -1]


def test_names_tell_what_calls_do_and_devices_execute():
    assert {
        (kind, name): call_does(kind, name)
        for kind, name in [
            ("cuda_runtime", "cudaLaunchKernel"), ("cuda_driver", "cuMemcpyAsync"),
            ("hip", "hipMalloc"), ("hsa_core_api", "hsa_amd_memory_pool_allocate"),
            (None, "cuGraphLaunch (CudaGraph:6)"), ("cuda", "cudaEventSynchronize"),
            ("mpi", "MPI_Allreduce"), ("cpu_op", "aten::copy_"), (None, "train"),
        ]
    } == {
        ("cuda_runtime", "cudaLaunchKernel"): "launch", ("cuda_driver", "cuMemcpyAsync"): "copy",
        ("hip", "hipMalloc"): "memory", ("hsa_core_api", "hsa_amd_memory_pool_allocate"): "memory",
        (None, "cuGraphLaunch (CudaGraph:6)"): "launch", ("cuda", "cudaEventSynchronize"): "sync",
        ("mpi", "MPI_Allreduce"): "sync", ("cpu_op", "aten::copy_"): None, (None, "train"): None,
    }  # fmt: skip
    assert [
        executed(kind, name)
        for kind, name in [
            ("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)"), ("gpu_memset", "Memset (Device)"),
            ("kernel", "ncclDevKernel_AllReduce"), ("kernel", "copy_kernel<float>"),
            (None, "MemcpyH2D"), ("memory_copy", "host_to_device"), ("kernel", "host_to_device_k"),
        ]
    ] == ["copy", "fill", "communication", "kernel", "copy", "copy", "kernel"]  # fmt: skip
    assert [number_of_step(n) for n in ("ProfilerStep#12", "step 3", "Iteration_7", "mystep")] == [
        12, 3, 7, -1,
    ]  # fmt: skip


def test_steps_without_a_number_are_counted():
    names = ["step", "forward", "step 7", "batch"]
    name = np.array([0, 1, 0, 0, 2, 3])
    worker = np.array([0, 0, 0, 1, 0, 0])
    start = np.array([50, 0, 10, 20, 90, 95])
    assert step_numbers(names, name, worker, start).tolist() == [1, -1, 0, -1, 7, -1]
