"""Chrome traces and Kineto's: what each kind of event becomes."""

from __future__ import annotations

import json
from collections import Counter
from decimal import Decimal

import pytest

from ingest.readers.tasks.chrome_trace import document
from tests.helpers.support import land, rows
from tests.ingest.cases.chrome_trace import KINETO, enlarge_kineto
from warehouse.errors import InputError

TASKS = "SELECT worker, name, t_start, t_end FROM tasks ORDER BY t_start, worker, t_end"
LEFT = "SELECT left_out FROM sources"


def slice_(name, ts, dur, tid=1, **fields):
    """Return a complete event of process 1."""
    return {"ph": "X", "name": name, "ts": ts, "dur": dur, "pid": 1, "tid": tid} | fields


def mark(ph, ts, name="a", tid=1, **fields):
    """Return an event without duration of process 1."""
    return {"ph": ph, "name": name, "ts": ts, "pid": 1, "tid": tid} | fields


def runtime(name, ts, dur, correlation):
    """Return a call of the CUDA runtime."""
    args = {"correlation": correlation}
    return slice_(name, ts, dur, cat="cuda_runtime", args=args)


def kernel(name, ts, dur, correlation, cat="kernel", tid="stream 7"):
    """Return what GPU 0 executed."""
    return slice_(name, ts, dur, cat=cat, pid=0, tid=tid, args={"correlation": correlation})


@pytest.fixture
def trace(warehouse, tmp_path):
    """Return a function that lands events, as an object or as given."""

    def write(events, name="t.json", **facts):
        path = tmp_path / name
        if isinstance(events, list):
            events = json.dumps({**facts, "traceEvents": events})
        path.write_text(events)
        return land(warehouse, path)

    return write


def test_begins_and_ends_are_paired_by_thread(trace, warehouse):
    trace([
        mark("E", 0.5),
        mark("B", 1, "outer"), mark("B", 2, "inner"), mark("B", 2.5, "other", tid=2),
        mark("E", 3), mark("E", 4.001, "ignored"), mark("E", 5, tid=2), mark("B", 6, "open"),
    ])  # fmt: skip
    assert rows(warehouse, TASKS) == [
        ("thread 1", "outer", 0, 3001),
        ("thread 2", "other", 1500, 4000),
    ]
    assert rows(warehouse, "SELECT callpath, round(seconds * 1e9) FROM fn_timings ORDER BY 1") == [
        ("other", 2500),
        ("outer", 2001),
        ("outer->inner", 1000),
    ]
    assert rows(warehouse, LEFT) == [("2 slices (without a start or an end)",)]


def test_an_end_with_a_name_ends_only_what_has_it(trace, warehouse):
    # uftrace writes ends of linux:schedule, and never a begin.
    trace([
        mark("B", 1, "main"), mark("B", 2, "dot"), mark("E", 3, "linux:schedule"),
        mark("B", 4, "sin"), mark("E", 5, "sin"), mark("E", 7, "dot"), mark("E", 9, "main"),
        mark("B", 1, "p", tid=2), mark("E", 2, "end", tid=2),
        mark("B", 3, "q", tid=2), mark("E", 4, None, tid=2),
    ])  # fmt: skip
    path = "SELECT callpath, round(inclusive_seconds * 1e9) FROM fn_timings ORDER BY 1"
    assert rows(warehouse, path) == [
        ("main", 8000),
        ("main->dot", 5000),
        ("main->dot->sin", 1000),
        ("p", 1000),
        ("q", 1000),
    ]
    assert rows(warehouse, LEFT) == [("1 slice (without a start or an end)",)]


def test_slices_that_overlap_without_nesting_are_one_task(trace, warehouse):
    trace([slice_("alpha", 0, 10), slice_("beta", 5, 10), slice_("gamma", 12, 1)])
    assert rows(warehouse, TASKS) == [("thread 1", "alpha", 0, 15_000)]
    assert rows(warehouse, "SELECT wall_seconds FROM runs") == [(15e-6,)]


def test_marks_out_of_order_are_sorted(trace, warehouse):
    trace([mark("E", 4), mark("B", 1, "a"), mark("B", 4, "b"), mark("E", 9, "b")])
    assert rows(warehouse, TASKS) == [("thread 1", "a", 0, 3000), ("thread 1", "b", 3000, 8000)]


@pytest.mark.parametrize("end", ["]", "", ",", "\n]\n", ", {}]"])
def test_an_array_need_not_be_closed(trace, warehouse, end):
    trace("[" + json.dumps(slice_("a", 1, 2)) + ",\n" + json.dumps(slice_("b", 5, 1)) + end)
    assert len(rows(warehouse, TASKS)) == 2


@pytest.mark.parametrize("size", [200, 333, 1000])
def test_batches_of_any_size_are_the_same(trace, warehouse, monkeypatch, size):
    inner = {"list": [{"a": 1}, {"b": '}, {"'}], "text": '},\n{"ph": "X"'}
    events = [slice_(f"n{n}", n * 10, 9.5, args=inner) for n in range(100)]
    monkeypatch.setattr(document, "BATCH_BYTES", size)
    trace(events, samples=[{"x": [{}, {}]}] * 20)
    assert rows(warehouse, "SELECT count(*), count(DISTINCT name), max(t_end) FROM tasks") == [
        (100, 100, 999500)
    ]
    assert "20 samples" in rows(warehouse, LEFT)[0][0]


def test_times_of_day_are_whole_nanoseconds(trace, warehouse):
    text = '{"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":%s,"dur":%s}%s]}'
    second = ',{"ph":"X","name":"b","pid":1,"tid":1,"ts":1700000000000000.457,"dur":"0.001"}'
    trace(text % ("1700000000000000.123", "0.333", second))
    assert rows(warehouse, TASKS) == [("thread 1", "a", 0, 333), ("thread 1", "b", 334, 335)]
    assert rows(warehouse, "SELECT CAST(epoch(started_at) AS BIGINT) FROM runs") == [(1700000000,)]


def test_bandwidths_of_no_time_are_not_json(trace, warehouse):
    event = json.dumps(slice_("copy, nan", 1, 2, args={"x": 0}))
    trace('{"traceEvents": [' + event.replace('"x": 0', '"GB/s": inf, "x": -nan') + "]}")
    assert rows(warehouse, "SELECT name FROM tasks") == [("copy, nan",)]


def test_flows_are_dependences(trace, warehouse):
    flow = {"cat": "f", "id": 3}
    trace([
        slice_("send", 0, 10), slice_("loop", 0, 40, tid=2), slice_("receive", 15, 5, tid=2),
        mark("s", 8, **flow), mark("t", 12, tid=2, **flow), mark("f", 14, tid=2, **flow),
        mark("s", 99, cat="f", id=4), mark("f", 100, cat="f", id=4),
    ])  # fmt: skip
    assert rows(warehouse, TASKS) == [
        ("thread 1", "send", 0, 10000),
        ("thread 2", "loop", 0, 12000),
        ("thread 2", "loop", 12000, 15000),
        ("thread 2", "loop", 15000, 40000),
    ]
    found = """
        SELECT p.name, p.t_end, d.t_ready, r.t_start FROM task_inputs AS i
        JOIN task_data AS d USING (data) JOIN tasks AS p ON d.producer = p.task
        JOIN tasks AS r ON i.task = r.task ORDER BY ALL
    """
    assert rows(warehouse, found) == [("loop", 15000, 12000, 15000), ("send", 10000, 8000, 12000)]
    assert rows(warehouse, LEFT) == [("1 flow arrow (no slice at its start or its end)",)]


def test_operations_have_elapsed_times(trace, warehouse):
    trace([
        mark("b", 0, "load", cat="net", id="0x1"), mark("b", 5, "load", cat="net", id="0x2"),
        mark("e", 10, "load", cat="net", id="0x1"), mark("e", 25, "load", cat="net", id="0x2"),
        mark("n", 7, "load", cat="net", id="0x2"), mark("S", 0, "old", id=1), mark("F", 1, id=1),
        mark("b", 1, "lost", cat="net", id="0x3"), slice_("work", 0, 1),
    ])  # fmt: skip
    query = "SELECT function, seconds, inclusive_seconds, calls FROM fn_timings ORDER BY ALL"
    assert rows(warehouse, query) == [
        ("load", None, 3e-05, 2), ("old", None, 1e-06, 1), ("work", 1e-06, 1e-06, 1),
    ]  # fmt: skip
    assert rows(warehouse, "SELECT count(*) FROM tasks") == [(1,)]


def test_counters_are_weighed_by_time(trace, warehouse):
    trace([
        slice_("a", 0, 1),
        mark("C", 10, "memory", args={"used": 5}), mark("C", 0, "memory", args={"used": 1}),
        mark("C", 30, "memory", args={"used": 100, "free": 7, "text": "x", "none": None}),
    ])  # fmt: skip
    assert rows(warehouse, "SELECT metric, value FROM metrics ORDER BY 1") == [
        ("memory free, maximum", 7), ("memory free, mean over time", 7),
        ("memory used, maximum", 100), ("memory used, mean over time", 110 / 30),
    ]  # fmt: skip


def test_nodes_of_ray_are_its_hosts(trace, warehouse):
    trace([slice_("f", 0, 5, tid=f"worker:{pid}", pid=pid) for pid in ("10.0.0.1", "10.0.0.2", 7)])
    assert rows(warehouse, "SELECT node FROM workers ORDER BY ALL") == [
        ("10.0.0.1",),
        ("10.0.0.2",),
        ("host",),
    ]


def test_threads_have_the_names_of_the_trace(trace, warehouse):
    def named(what, pid, tid, name):
        return mark("M", 0, what, tid=tid, pid=pid, args={"name": name})

    trace([
        named("process_name", 1, 0, "server"), named("thread_name", 1, 1, "pool"),
        named("thread_name", 1, 2, "pool"), named("thread_name", 2, 1, "main"),
        slice_("a", 0, 1), slice_("a", 0, 1, tid=2), slice_("a", 0, 1, pid=2),
        slice_("a", 0, 1, "x"),
    ])  # fmt: skip
    assert rows(warehouse, "SELECT worker FROM workers ORDER BY 1") == [
        ("process 2 main",), ("server 1 pool 1",), ("server 1 pool 2",), ("server 1 thread x",),
    ]  # fmt: skip


def test_kineto_of_older_versions(trace, warehouse):
    trace([
        slice_("aten::add", 0, 20, tid="24572", cat="Operator"),
        slice_("cudaLaunchKernel", 5, 3, tid="24572", cat="Runtime", args={"correlation": 9}),
        kernel("k", 12, 4, 9, cat="Kernel"), kernel("Memset", 17, 1, 0, cat="Memset"),
        slice_("PyTorch Profiler", 0, 99, cat="Trace"),
    ], schemaVersion=1)  # fmt: skip
    assert rows(warehouse, TASKS) == [
        ("thread 24572", "aten::add", 0, 20000),
        ("GPU 0 stream 7", "k", 12000, 16000),
        ("GPU 0 stream 7", "Memset", 17000, 18000),
    ]
    assert rows(warehouse, "SELECT data, t_ready FROM task_data") == [("launch 9", 8000)]
    idle = "SELECT kind, starvation, overhead, blamed_worker FROM idle_intervals WHERE worker "
    assert rows(warehouse, idle + "LIKE 'GPU%' ORDER BY t_start") == [
        ("lead", 8000, 4000, "thread 24572"), ("inner", 0, 1000, None), ("tail", 2000, 0, None),
    ]  # fmt: skip


def test_a_graph_launches_many_kernels(trace, warehouse):
    kernels = [kernel(f"k{n}", 10 + n, 1, 5) for n in range(3)]
    trace([runtime("cudaGraphLaunch", 0, 4, 5), *kernels], schemaVersion=1)
    assert rows(warehouse, "SELECT count(*), count(DISTINCT data) FROM task_inputs") == [(3, 1)]


@pytest.mark.parametrize("name", ["cudaDeviceSynchronize", "hipStreamSynchronize_ptsz"])
def test_a_wait_for_the_gpu_is_no_work(trace, warehouse, name):
    trace([runtime("cudaLaunchKernel", 0, 2, 1), kernel("k", 3, 10, 1), runtime(name, 2, 12, 2),
           slice_("aten::item", 20, 5, cat="cpu_op")], schemaVersion=1)  # fmt: skip
    idle = "SELECT t_start, t_end, starvation, overhead, blamed_worker FROM idle_intervals"
    assert rows(warehouse, f"{idle} WHERE worker = 'thread 1'") == [
        (2000, 20000, 11000, 7000, "GPU 0 stream 7")
    ]


def test_the_last_wait_for_the_gpu_is_no_end_of_all_work(trace, warehouse):
    """Its return is a task without length, as is that of a second one."""
    trace([runtime("cudaLaunchKernel", 0, 2, 1), kernel("k", 3, 10, 1),
           runtime("cudaStreamSynchronize", 2, 12, 2), runtime("cudaLaunchKernel", 14, 2, 3),
           kernel("l", 17, 10, 3), runtime("cudaStreamSynchronize", 16, 12, 4),
           runtime("cudaDeviceSynchronize", 29, 1, 5),
           runtime("cudaDeviceSynchronize", 1, 27, 6) | {"tid": 2}],
          schemaVersion=1)  # fmt: skip
    idle = "SELECT worker, t_start, t_end, kind, starvation, overhead FROM idle_intervals"
    assert rows(warehouse, f"{idle} WHERE worker NOT LIKE 'GPU%' ORDER BY t_start") == [
        ("thread 1", 2000, 14000, "inner", 11000, 1000),
        ("thread 1", 16000, 28000, "inner", 11000, 1000),
        ("thread 1", 28000, 30000, "inner", 0, 2000),
    ]


def test_annotations_are_tasks_where_nothing_runs_in_them(trace, warehouse):
    note = {"cat": "user_annotation"}
    trace([slice_("ProfilerStep#7", 0, 100, **note), slice_("load", 10, 20, **note),
           slice_("aten::add", 15, 5, cat="cpu_op")], schemaVersion=1)  # fmt: skip
    assert [(name, a, b) for _, name, a, b in rows(warehouse, TASKS)] == [
        ("ProfilerStep", 0, 10000), ("load", 10000, 15000), ("aten::add", 15000, 20000),
        ("load", 20000, 30000), ("ProfilerStep", 30000, 100000),
    ]  # fmt: skip


def test_arrows_in_names_of_kernels_part_no_call_path(trace, warehouse):
    trace([runtime("cudaLaunchKernel", 0, 2, 1), kernel("k<[](int)->int>", 3, 10, 1)],
          schemaVersion=1)  # fmt: skip
    totals = rows(warehouse, "SELECT function, seconds FROM fn_timings WHERE device IS NOT NULL")
    assert totals == [("k<[](int)\u2192int>", 10e-6)]


@pytest.mark.usefixtures("analyses")
def test_marks_have_no_time_of_their_own_and_waits_only_that_of_an_idle_gpu(trace, warehouse):
    trace(
        [
            slice_("step 1", 0, 100, cat="user_annotation"),
            slice_("main", 0, 100, cat="python_function"),
            runtime("cudaLaunchKernel", 10, 5, 1), runtime("cudaStreamSynchronize", 20, 50, 2),
            kernel("k", 15, 40, 1),
        ],
        schemaVersion=1,
    )  # fmt: skip
    assert rows(
        warehouse,
        """
        SELECT function, round(seconds * 1e6), round(inclusive_seconds * 1e6)
        FROM fn_timings ORDER BY function
    """,
    ) == [
        ("cudaLaunchKernel", 5, 5), ("cudaStreamSynchronize", 15, 50), ("k", 40, 40),
        ("main", 45, 100), ("step 1", None, 100),
    ]  # fmt: skip
    assert rows(warehouse, "SELECT metric FROM run_metrics WHERE metric GLOB 'seconds:*k'") == []


def test_totals_of_kernels_are_those_of_the_file(warehouse):
    land(warehouse, KINETO)
    for part in sorted(KINETO.parent.iterdir()):
        document_ = json.loads(part.read_text(), parse_float=Decimal)
        rank = document_["distributedInfo"]["rank"]
        total, count = Counter(), Counter()
        for event in document_["traceEvents"]:
            if event.get("cat") == "kernel":
                total[event["name"]] += int(event["dur"] * 1000)
                count[event["name"]] += 1
        query = (
            "SELECT function, CAST(round(seconds * 1e9) AS BIGINT), calls FROM fn_timings "
            "WHERE kind = 'kernel' AND rank = $rank"
        )
        found = warehouse.execute(query, {"rank": rank}).fetchall()
        assert sorted(found) == sorted((name, total[name], count[name]) for name in total)


def write_rank(folder, rank, size, ts=0):
    """Write the trace of a rank."""
    info = {"backend": "nccl", "rank": rank, "world_size": size, "pg_config": [{"pg_size": 9}]}
    facts = {"schemaVersion": 1, "distributedInfo": info, "baseTimeNanoseconds": 10**18}
    events = [slice_("aten::add", ts, 5, cat="cpu_op")]
    path = folder / f"r{rank}_{ts}.json"
    path.write_text(json.dumps({**facts, "traceEvents": events}))
    return path


def test_ranks_in_a_folder_are_one_run(warehouse, tmp_path):
    for rank in (2, 0):
        write_rank(tmp_path, rank, 4)
    write_rank(tmp_path, 0, 8, ts=1)
    (tmp_path / "other.json").write_text('{"distributedInfo": {"rank": 1, "world_size": 4}}')
    assert len(land(warehouse, tmp_path / "r2_0.json")[0].runs) == 1
    assert rows(warehouse, "SELECT ranks, tags['ranks_recorded'] FROM runs") == [(4, "0, 2")]
    assert rows(warehouse, "SELECT count(*) FROM workers") == [(2,)]


def test_a_rank_twice_in_a_folder_makes_runs_of_their_own(warehouse, tmp_path):
    for rank, ts in ((0, 0), (0, 1), (1, 0)):
        write_rank(tmp_path, rank, 2, ts)
    land(warehouse, tmp_path / "r1_0.json")
    assert rows(warehouse, "SELECT count(*) FROM workers") == [(1,)]


def test_ranks_of_different_times_are_refused(warehouse, tmp_path):
    write_rank(tmp_path, 0, 2)
    path = write_rank(tmp_path, 1, 2, ts=10_000_000)
    with pytest.raises(InputError, match="not of one run"):
        land(warehouse, path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"traceEvents": []}', "has no slice"),
        ('{"traceEvents": [{"ph": "M", "name": "process_name", "ts": 0, "args": {}}]}', "no slice"),
        ('{"traceEvents": [{"ph": "X", "name": "a", "ts": "x", "dur": 1}]}', "ts is '\"x\"'"),
        ('{"traceEvents": [{"ph": "X", "name": "a", "dur": 1}]}', "ts is missing"),
        ('{"traceEvents": [{"ph": 7}]}', "not as expected"),
        ('{"traceEvents": [{"ph": "X", "ts": 1e300, "dur": 1}]}', "ts is '1e300'"),
        ('{"traceEvents": [{"ph": "X", "ts": 1, "dur": 1}', "end of it missing"),
        ('{"traceEvents": {"ph": 1}}', "no reader recognises"),
        ('[{"ph": "X", "ts": 1, "dur": 1}, {"ph": "X", "ts": 1, "du', "end of it missing"),
        ('{"traceEvents": [{"ph": "C", "ts": 1, "args": [1]}]}', "not as expected"),
        ('{"schemaVersion": 1, "distributedInfo": {"rank": 3, "world_size": 2}, "traceEvents": '
         '[{"ph": "X", "ts": 1, "dur": 1}]}', "below world_size"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(trace, text, message):
    with pytest.raises(InputError, match=message) as error:
        trace(text)
    assert "t.json" in str(error.value)


def test_slices_that_end_before_they_start_are_left_out(trace, warehouse):
    trace([slice_("a", 5, -1), slice_("b", 5, 1), slice_("c", 5, None)])
    assert rows(warehouse, "SELECT name FROM tasks") == [("b",)]
    assert rows(warehouse, LEFT) == [
        ("1 slice (without a start or an end); 1 slice (it ends before it starts)",)
    ]


def test_arrows_that_end_before_they_start_are_left_out(trace, warehouse):
    flow = {"cat": "f", "id": 3}
    trace([
        slice_("a", 0, 10), slice_("b", 5, 10, tid=2),
        mark("s", 9, **flow), mark("f", 6, tid=2, **flow),
    ])  # fmt: skip
    assert rows(warehouse, "SELECT count(*) FROM task_inputs") == [(0,)]
    assert rows(warehouse, LEFT) == [("1 end of an arrow (without an earlier start)",)]


def test_a_larger_trace_keeps_exact_totals(warehouse, tmp_path):
    enlarge_kineto(tmp_path, 3)
    land(warehouse, tmp_path / KINETO.name)
    query = "SELECT sum(calls), round(sum(seconds) * 1e9) FROM fn_timings WHERE kind = 'kernel'"
    assert rows(warehouse, query) == [(3 * 48, 3 * (256906 + 235690))]


def test_a_thread_and_a_stream_of_the_same_numbers_are_two_workers(trace, warehouse):
    trace([
        slice_("aten::add", 0, 10, cat="cpu_op", pid=7, tid=7),
        slice_("cudaLaunchKernel", 2, 3, cat="cuda_runtime", pid=7, tid=7, args={"correlation": 1}),
        slice_("k", 7, 6, cat="kernel", pid=7, tid=7, args={"correlation": 1}),
    ], schemaVersion=1)  # fmt: skip
    assert rows(warehouse, TASKS) == [
        ("thread 7", "aten::add", 0, 10000),
        ("GPU 7 stream 7", "k", 7000, 13000),
    ]


def test_totals_of_clang_are_no_threads(trace, warehouse):
    trace([
        slice_("ExecuteCompiler", 0, 900), slice_("Source", 10, 500),
        slice_("Total Source", 0, 500, tid=2, args={"count": 1, "avg ms": 0}),
    ], beginningOfTime=1760000000000000)  # fmt: skip
    assert rows(warehouse, TASKS) == [("thread 1", "ExecuteCompiler", 0, 900000)]
    assert rows(warehouse, "SELECT epoch(started_at) FROM runs") == [(1760000000,)]
    assert rows(warehouse, LEFT) == [("1 total of clang (its slices land)",)]


def test_threads_of_viztracer_do_not_wait_before_they_start(trace, warehouse):
    events = [slice_("main", 0, 9), slice_("work", 3, 1, tid=2), slice_("work", 5, 1, tid=2)]
    trace(events, viztracer_metadata={"version": "1.1.1"})
    query = "SELECT worker, kind, t_start, t_end FROM idle_intervals"
    assert rows(warehouse, query) == [("thread 2", "inner", 4000, 5000)]


def test_a_full_buffer_of_viztracer_is_told(trace, warehouse):
    trace([slice_("a", 0, 1)], viztracer_metadata={"overflow": True, "version": "1.1.1"})
    assert rows(warehouse, LEFT) == [("1 beginning of the trace (VizTracer's buffer was full)",)]


def test_control_characters_in_texts_are_blanks(trace, warehouse):
    trace('{"traceEvents": [\n{"ph": "X",\t"name": "a\tb", "ts": 1, "dur": 1}]}')
    assert rows(warehouse, "SELECT name FROM tasks") == [("a b",)]


def test_facts_of_other_kinds_are_no_facts(trace, warehouse):
    trace([slice_("a", 0, 1)], samples=5, host_name=[1], deviceProperties={"a": 1},
          viztracer_metadata=3)  # fmt: skip
    assert rows(warehouse, "SELECT machine, tags FROM runs") == [(None, {})]


def test_devices_of_xla_are_in_the_names_of_processes(warehouse, tmp_path):
    def named(what, name, **place):
        return {"ph": "M", "name": what, "args": {"name": name}, **place}

    def of(pid, tid, name, ts, **args):
        return {"ph": "X", "pid": pid, "tid": tid, "name": name, "ts": ts, "dur": 4, "args": args}

    events = [
        named("process_name", "/device:GPU:0", pid=1),
        named("thread_name", "Stream #14(Memset,Compute)", pid=1, tid=14),
        named("thread_name", "XLA Ops", pid=1, tid=15),
        named("process_name", "/host:CPU", pid=701),
        named("thread_name", "python3", pid=701, tid=3),
        of(701, 3, "$train.py:3 fit", 0.0),
        of(701, 3, "train", 10.0, step_num="2"),
        of(701, 3, "cuGraphLaunch (CudaGraph:6)", 11.0, correlation_id="1"),
        of(1, 14, "fusion", 20.0, correlation_id="1"),
        of(1, 14, "MemcpyD2H", 30.0, memcpy_details="kind_src:device size:64 dest:0"),
        of(1, 15, "fusion", 20.0),
    ]
    head = {"displayTimeUnit": "ns", "metadata": {"highres-ticks": True}}
    file = tmp_path / "vm.trace.json"
    file.write_text(json.dumps(head | {"traceEvents": events}))
    land(warehouse, file)
    assert rows(warehouse, """
        SELECT worker, name, kind, bytes, submitter, step, t_submit - t_start
        FROM tasks WHERE kind IS NOT NULL ORDER BY t_start
    """) == [
        ("GPU 0 stream 14", "fusion", "kernel", None, "/host:CPU 701 python3", 2, -9000),
        ("GPU 0 stream 14", "MemcpyD2H", "copy", 64, None, None, None),
    ]  # fmt: skip
    assert rows(warehouse, "SELECT device, unknown_ns FROM gpu_gaps") == [("GPU 0", 6000)]
