"""What devices did, why they idled, and what limits them."""

from __future__ import annotations

import json

import pytest

from apps.output.tables import dicts
from apps.queries.base import ask
from apps.reports.gpu import gpu_sentences
from tests.helpers.support import given, land, rows, shared

PARTS = (
    *("sync", "copy", "memory", "launch", "operators", "python", "unrecorded"),
    *("call", "device", "unknown"),
)


def works(con, text):
    """Write work of one device G with the streams s7 and s9."""
    given(
        con,
        "workers",
        """
        run_id  source_id  worker  node  device
        r1      0          host    h     NULL
        r1      0          s7      h     G
        r1      0          s9      h     G
    """,
    )
    given(con, "tasks", text)


def gap(
    con, start, end, *, step=None, other=False, late=None, interpreter=0, staging=None, **parts
):
    """Write a gap of the device; `parts` in ns add up to it."""
    assert sum(parts.values()) == end - start
    columns = {f"{part}_ns": parts.get(part, 0) for part in PARTS}
    columns |= {"run_id": "r1", "source_id": 0, "device": "G", "t_start": start, "t_end": end,
                "task": "t", "step": step, "is_other_stream": other, "late": late,
                "interpreter_ns": interpreter, "staging_ns": staging}  # fmt: skip
    names = ", ".join(columns)
    marks = ", ".join("?" for _ in columns)
    con.execute(f"INSERT INTO gpu_gaps ({names}) VALUES ({marks})", list(columns.values()))


def test_busy_time_is_a_union_and_split_by_kind(warehouse):
    works(warehouse, """
        run_id  source_id  task  worker  name    kind    t_start  t_end
        r1      0          a     s7      k       kernel  0        40
        r1      0          b     s9      copy    copy    30       60
        r1      0          c     s9      nccl    communication  70  80
        r1      0          d     s7      k       kernel  75       100
    """)  # fmt: skip
    gap(warehouse, 60, 70, unknown=10)
    assert rows(
        warehouse,
        """
        SELECT
          device, activities, window_seconds * 1e9, busy_seconds * 1e9, computing_seconds * 1e9,
          copying_seconds * 1e9, both_seconds * 1e9, communicating_seconds * 1e9, idle_seconds * 1e9
        FROM gpu_activity
    """,
    ) == [("G", 4, *map(pytest.approx, (100, 90, 60, 20, 10, 10, 10)))]
    assert rows(
        warehouse,
        """
        SELECT stream, window_seconds * 1e9, busy_seconds * 1e9
        FROM gpu_activity_by ORDER BY stream
    """,
    ) == [
        ("s7", pytest.approx(65), pytest.approx(65)),
        ("s9", pytest.approx(40), pytest.approx(40)),
    ]


@pytest.mark.parametrize(
    ("parts", "code", "second", "is_tied"),
    [
        ({"operators": 500, "launch": 100, "call": 100, "sync": 200}, "launch_bound", "sync_bound",
         False),
        ({"sync": 700, "device": 200}, "sync_bound", None, False),
        ({"copy": 600, "python": 300}, "copy_bound", "host_unrecorded", False),
        ({"memory": 470, "operators": 430}, "memory_bound_host", "launch_bound", True),
        ({"unrecorded": 700, "device": 200}, "host_unrecorded", None, False),
        ({"unknown": 500, "operators": 400}, "unknown", "launch_bound", False),
        ({"device": 900}, "unknown", None, False),
    ],
)  # fmt: skip
def test_verdict_is_the_cause_with_most_idle_time(warehouse, parts, code, second, is_tied):
    works(
        warehouse,
        """
        run_id  source_id  task  worker  name  kind    t_start  t_end
        r1      0          a     s7      k     kernel  0        50
        r1      0          b     s7      k     kernel  950      1000
    """,
    )
    gap(warehouse, 50, 950, **parts)
    assert rows(warehouse, "SELECT code, second.code, is_tied FROM gpu_verdicts") == [
        (code, second, is_tied)
    ]


@pytest.mark.parametrize(("staging", "code"), [(None, "launch_bound"), (600, "copy_bound")])
def test_a_call_that_moves_the_bytes_of_a_copy_itself_copies(warehouse, staging, code):
    works(
        warehouse,
        """
        run_id  source_id  task  worker  name                  kind    t_start  t_end
        r1      0          a     s7      k                     kernel  0        50
        r1      0          t     s7      HtoD_pageable_memory  copy    950      1000
    """,
    )
    gap(warehouse, 50, 950, operators=300, call=600, staging=staging)
    assert rows(
        warehouse, "SELECT code, call_seconds FROM gpu_verdicts JOIN gpu_activity USING (run_id)"
    ) == [(code, 600e-9)]


def test_the_interpreter_counts_with_operators_and_long_silence_does_not(warehouse):
    works(
        warehouse,
        """
        run_id  source_id  task  worker  name  kind    t_start  t_end
        r1      0          a     s7      k     kernel  0        50
        r1      0          b     s7      k     kernel  950      1000
    """,
    )
    gap(warehouse, 50, 950, unrecorded=600, operators=300, interpreter=400)
    assert rows(warehouse, "SELECT code, flag_codes(flags) FROM gpu_verdicts") == [
        ("launch_bound", ["record_stacks"])
    ]


def test_an_annotation_names_what_is_not_recorded(warehouse, tmp_path):
    """Steps do not; and where half of the time has a name no stacks are asked for."""

    def slices(cat, name, tid, ts, dur, **args):
        return {"ph": "X", "cat": cat, "name": name, "pid": 1, "tid": tid, "ts": ts, "dur": dur,
                "args": args}  # fmt: skip

    events = []
    for i in range(10):
        t, known = 1000 * i, {"correlation": i + 1}
        events += [
            slices("user_annotation", f"ProfilerStep#{i}", 1, t, 1000),
            slices("user_annotation", "load", 1, t, 700),
            slices("cpu_op", "aten::mm", 1, t + 905, 20),
            slices("cuda_runtime", "cudaLaunchKernel", 1, t + 910, 5, **known),
            slices("kernel", "gemm", 7, t + 917, 60, device=0, stream=7, **known),
        ]
    path = tmp_path / "marks.json"
    path.write_text(json.dumps({"schemaVersion": 1, "traceEvents": events}))
    land(warehouse, path)
    assert rows(warehouse, "SELECT code, args['late'], flag_codes(flags) FROM gpu_verdicts") == [
        ("host_unrecorded", "load", [])
    ]
    assert rows(warehouse, "SELECT DISTINCT name FROM gpu_late WHERE doing = 'unrecorded'") == [
        ("load",)
    ]


def test_waits_between_streams_are_a_dependence_from_ten_us_on(warehouse):
    works(
        warehouse,
        """
        run_id  source_id  task  worker  name  kind    t_start  t_end
        r1      0          a     s7      k     kernel  0        5000
        r1      0          b     s9      k     kernel  30000    35000
        r1      0          c     s9      k     kernel  50000    55000
    """,
    )
    gap(warehouse, 5000, 30000, device=25000, other=True)
    gap(warehouse, 35000, 50000, device=15000)
    assert rows(warehouse, "SELECT code, args['share'] FROM gpu_verdicts") == [
        ("dependency_bound", "62.5 %")
    ]


def test_a_busy_device_is_bound_by_its_kernels_or_its_copies(warehouse):
    works(
        warehouse,
        """
        run_id  source_id  task  worker  name          kind    operator  bytes  t_start  t_end
        r1      0          a     s7      HtoD_Pageable  copy    NULL      6000   0        600
        r1      0          b     s7      gemm          kernel  aten::mm  NULL   600      900
    """,
    )
    assert rows(warehouse, "SELECT code, args['rate'], args['memory'] FROM gpu_verdicts") == [
        ("copy_bound", "10 GB/s", "pageable")
    ]
    warehouse.execute("UPDATE tasks SET t_end = 2000 WHERE task = 'b'")
    assert rows(warehouse, "SELECT code, args['operations'], args['share'] FROM gpu_verdicts") == [
        ("gpu_bound", "matrix products", "70 %")
    ]


def test_steps_add_up_to_the_device_and_have_verdicts(warehouse):
    works(
        warehouse,
        """
        run_id  source_id  task  worker  name  kind    step  t_start  t_end
        r1      0          a     s7      k     kernel  0     0        10
        r1      0          b     s7      k     kernel  1     100      110
        r1      0          c     s7      k     kernel  1     111      200
    """,
    )
    gap(warehouse, 10, 100, step=1, operators=90)
    gap(warehouse, 110, 111, step=1, device=1)
    assert rows(
        warehouse,
        """
        SELECT step, code, window_seconds * 1e9, busy_seconds * 1e9
        FROM gpu_activity_by WHERE stream IS NULL ORDER BY step
    """,
    ) == [
        (0, "gpu_bound", pytest.approx(10), pytest.approx(10)),
        (1, "launch_bound", pytest.approx(190), pytest.approx(99)),
    ]


def test_gains_stay_below_what_the_device_itself_takes(warehouse):
    works(warehouse, """
        run_id  source_id  task  worker  name  kind    step  t_submit  t_submitted  t_start  t_end
        r1      0          a     s7      k     kernel  0     0         5            0        50
        r1      0          b     s9      c     copy    0     10        15           50       70
        r1      0          d     s7      k     kernel  0     90        95           97       100
    """)  # fmt: skip
    gap(warehouse, 70, 97, step=0, operators=20, call=5, device=2)
    assert rows(warehouse, """
        SELECT change, round(window_seconds * 1e9), round(gain_share, 2)
        FROM gpu_gains ORDER BY change
    """) == [
        ("early_launches", 75, 0.25), ("graph_a_step", 80, 0.2), ("overlapped_copies", 80, 0.2),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "name",
    ["chain_eager", "copies_pageable", "copies_pinned", "resnet", "resnet_allocator",
     "resnet_nchw", "resnet_starved", "resnet_syncs", "streams_4", "tokens_batch", "tokens_eager",
     "tokens_graph"],
)  # fmt: skip
def test_recordings_of_a_gpu_get_the_verdict_that_they_were_made_for(warehouse, name):
    facts = json.loads(shared("h100/kineto/facts.json").read_text())[name]
    land(warehouse, shared(f"h100/kineto/{name}.pt.trace.json.gz"))
    parts = ", ".join(f"{part}_seconds * 1e6 AS {part}" for part in PARTS)
    (found,) = rows(
        warehouse,
        f"""
        SELECT code, window_seconds * 1e6 AS w, busy_seconds * 1e6 AS b, {parts},
          idle_seconds * 1e6 AS idle
        FROM gpu_activity JOIN gpu_verdicts USING (run_id, device)
    """,
    )
    code, window, busy, *by_part, idle = found
    assert code in facts["code"].split("|")
    assert [window, busy] == pytest.approx([facts["window_us"], facts["busy_us"]], abs=0.06)
    split = {name.removeprefix("host: "): us for name, us in facts["idle_by"].items()}
    assert by_part == pytest.approx([split.get(part, 0) for part in PARTS], abs=0.06)
    assert sum(by_part) == pytest.approx(idle, abs=1e-6)
    # advice for runtimes of tasks does not hold
    advised = "SELECT DISTINCT advice FROM slo_by_run WHERE advice IS NOT NULL"
    assert all("gpu_verdicts" in advice for (advice,) in rows(warehouse, advised))


def test_gaps_are_drawn_with_their_cause_and_lead_to_the_call_that_was_late(warehouse):
    works(warehouse, """
        run_id source_id task worker name kind   submitter t_submit t_submitted t_start t_end
        r1     0         a    s7     k    kernel host      0        2           5       40
        r1     0         t    s9     c    copy   host      70       75          80      100
    """)  # fmt: skip
    gap(warehouse, 40, 80, operators=30, call=5, device=5, late="aten::mm")
    where = {"run_id": "r1", "origin": 0, "t0": 0, "t1": 100, "lanes": 40, "most": 99}
    lanes = ask(warehouse, "gpu/rows", run_id="r1", most=40).fetchall()
    assert lanes == [(0, "G"), (1, "s7"), (2, "s9"), (3, "host")]
    pieces = ask(warehouse, "gpu/pieces", **where, bins=4).fetchall()
    assert [(lane, round(p * 1e9), round(q * 1e9), cause) for lane, p, q, cause, *_ in pieces] == [
        (0, 5, 40, "busy"), (0, 40, 80, "operators"), (0, 80, 100, "busy"), (1, 5, 40, "busy"),
        (2, 80, 100, "busy"), (3, 0, 2, "launching call"), (3, 70, 75, "launching call"),
    ]  # fmt: skip
    (found,) = dicts(ask(warehouse, "gpu/gaps", **where))
    assert (found["blamed_type"], found["blamed_lane"], round(found["until"] * 1e9)) == (
        "aten::mm", 3, 70,
    )  # fmt: skip
    bins = ask(warehouse, "gpu/pieces", **(where | {"most": 1}), bins=4).fetchall()
    assert sum(row[8] - row[7] for row in bins if row[0] == 0) == pytest.approx(3.8)


def test_what_people_ask_of_traces(warehouse):
    works(warehouse, """
        task worker name kind          operator module t_submit t_submitted t_start t_end
        a    s7     k    kernel        aten::mm M      0        2           10      40
        b    s7     k    kernel        aten::mm M      5        6           40      60
        c    s9     nccl communication NULL     NULL   20       21          30      70
    """)  # fmt: skip
    queue = "SELECT t, length FROM gpu_queue WHERE stream = 's7' ORDER BY t"
    assert rows(warehouse, queue) == [(0, 1), (5, 2), (10, 1), (40, 0)]
    assert rows(
        warehouse, "SELECT operator, module, name, calls FROM gpu_operators ORDER BY name"
    ) == [("aten::mm", "M", "k", 2), (None, None, "nccl", 1)]
    assert rows(
        warehouse, "SELECT communicating_seconds * 1e9, hidden_seconds * 1e9 FROM gpu_activity"
    ) == [(pytest.approx(40), pytest.approx(30))]


def test_memory_over_time_is_that_of_the_allocator(warehouse, tmp_path):
    """Moments in order, devices apart, the host beside them, unknown where it is not stated."""
    at = {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1}
    stated = [(30, 0, 200, 512), (10, 0, 100, 512), (20, 1, 7, None), (40, 0, 50, 512)]
    events = [
        {**at, "ts": ts, "args": {"Device Type": 1, "Device Id": device, "Total Allocated": used}
         | ({} if reserved is None else {"Total Reserved": reserved})}
        for ts, device, used, reserved in stated
    ]  # fmt: skip
    host = {"Device Type": 0, "Device Id": -1, "Total Allocated": 3, "Total Reserved": 0}
    kernels = [
        {"ph": "X", "cat": "kernel", "name": "k", "pid": device, "tid": 7, "ts": 5, "dur": 60}
        | {"args": {"device": device, "stream": 7, "correlation": device + 1}}
        for device in (0, 1)
    ]
    path = tmp_path / "t.json"
    path.write_text(
        json.dumps(
            {
                "schemaVersion": 1,
                "traceEvents": [*kernels, *events, {**at, "ts": 11, "args": host}],
            }
        )
    )
    (landed,) = land(warehouse, path)
    assert rows(
        warehouse,
        "SELECT device, t, allocated_bytes, reserved_bytes FROM gpu_memory ORDER BY device, t",
    ) == [
        ("GPU 0", 5000, 100, 512),
        ("GPU 0", 25000, 200, 512),
        ("GPU 0", 35000, 50, 512),
        ("GPU 1", 15000, 7, None),
        ("host", 6000, 3, 0),
    ]
    assert gpu_sentences(warehouse, landed.runs[0])[-2:] == [
        "GPU 0 had at most 200 B of memory in use of 512 B reserved.",
        "GPU 1 had at most 7 B of memory in use.",
    ]


def test_the_device_that_communicates_least_is_the_straggler(warehouse):
    given(
        warehouse,
        "workers",
        """
        worker  node  device
        s0      h     G0
        s1      h     G1
        s2      h     G2
    """,
    )
    given(
        warehouse,
        "tasks",
        """
        task worker name kind          t_start t_end
        a    s0     nccl communication 50      100
        b    s1     nccl communication 90      100
        c    s2     nccl communication 60      100
    """,
    )
    assert rows(
        warehouse, "SELECT straggler, devices, waited_seconds * 1e9 FROM gpu_stragglers"
    ) == [("G1", 3, pytest.approx(35))]


def test_a_kernel_of_two_operators_counts_with_each(warehouse):
    """As in the verdict; in the list of kernels it is one, of the operator that calls most."""
    works(warehouse, """
        task worker name  operator     t_start t_end
        a    s7     sgemm aten::mm     0       20
        b    s7     sgemm aten::mm     20      40
        c    s7     sgemm aten::conv2d 40      100
    """)  # fmt: skip
    assert rows(
        warehouse, "SELECT args['operations'], args['share'] FROM gpu_verdicts"
    ) == [("convolutions", "60 %")]  # fmt: skip
    assert "Work of G: convolutions 60 %, matrix products 40 %." in gpu_sentences(warehouse, "r1")
    assert rows(warehouse, "SELECT name, operation, operator, calls FROM gpu_kernels") == [
        ("sgemm", "matrix products", "aten::mm", 3)
    ]
