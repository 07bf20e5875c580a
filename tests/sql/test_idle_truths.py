"""Small traces whose truth is known: the verdict is right, or it is that nothing is recorded."""

from __future__ import annotations

import json

from apps.reports.idle import idle_sentences
from tests.helpers.notation import schedule
from tests.helpers.schedules import land_schedules
from tests.helpers.support import land, rows
from warehouse.errors import NothingToAnalyse

SERIAL = "; ".join(f"{'ABCD'[i % 4]} s{i} {100 * i}-{100 * i + 100}" for i in range(8))
CHAIN = "; ".join(
    f"{'AB'[i % 2]} s{i} {100 * i}-{100 * i + 100}" + (f" <s{i - 1}" if i else "")
    for i in range(12)
)
FINE = "; ".join(
    f"{'AB'[i % 2]} f{i} {i // 2 * 3 + 2}-{i // 2 * 3 + 3} <x; {'AB'[i % 2]} ~{i // 2 * 3}-"
    f"{i // 2 * 3 + 2}"
    for i in range(20)
)
COARSE = "; ".join(
    f"{'AB'[i % 2]} c{i} {i // 2 * 300 + 200}-{i // 2 * 300 + 300} <x" for i in range(12)
)
# Three workers take turns within their tasks; the same without, begun at once and one by one.
WITHIN = "; ".join(f"{'ABC'[i % 3]} w{i} {max(0, 20 * i - 40)}-{20 * i + 20} <x" for i in range(30))
# Some wait longer than others for the lock, and the next then less.
JITTER = (0, 9, 0, 0, 0, 0, -8, 0, 0, 0)
UNEVEN = "; ".join(f"{'ABC'[i % 3]} w{i} {max(0, 20 * i - 40 + JITTER[(i - 3) % 10])}-"
                   f"{20 * i + 20 + JITTER[i % 10]} <x" for i in range(30))  # fmt: skip
# The first is slow to begin; one later finds the lock free.
SLOW_FIRST = "A w0 0-97; B w1 10-147; " + "; ".join(
    f"{'AB'[i % 2]} w{i} {50 * i + (47 if i == 12 else -2)}-{50 * i + 97} <x" for i in range(2, 30)
)
AT_ONCE = "; ".join(f"{'ABC'[i % 3]} w{i} {i // 3 * 60}-{i // 3 * 60 + 60} <x" for i in range(30))
ONE_BY_ONE = "; ".join(f"{'ABC'[i % 3]} w{i} {20 * i}-{20 * i + 60} <x" for i in range(30))
LONG_CHAIN = "; ".join(f"A c{i} {50 * i}-{50 * i + 50}" + (f" <c{i - 1}" if i else "") for i in
                       range(20))  # fmt: skip
# A lock that is not fair: who has it often gets it again, and the others wait long. And tasks that
# are long by themselves, beside short ones of the same type.
HOLDERS = "AAAABAAAACBA" * 4
UNFAIR = "; ".join(
    f"{w} u{i} {20 * (HOLDERS.rfind(w, 0, i) + 1)}-{20 * i + 20} <x" for i, w in enumerate(HOLDERS)
)
SHORT_AND_LONG = "; ".join(
    [f"A v{i} {20 * i}-{20 * i + 20} <x" for i in range(60)]
    + [f"B v{i + 60} {180 * i + 7}-{180 * i + 187} <x" for i in range(6)]
)
LOCK = "; ".join(f"{'ABC'[i % 3]} k{i} {20 * i}-{20 * i + 20} <x" for i in range(30))
# Run: schedule, root cause (unknown: not recorded; none: no waits), words of the verdict.
TRUTHS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    # nothing recorded of what tasks need
    "serial": (SERIAL, "unknown", ("is not recorded",)),
    "serial, one interval of the runtime": (
        SERIAL + "; A ~100-101",
        "unknown",
        ("is not recorded",),
    ),
    "serial, one input": (SERIAL.replace("400-500", "400-500 <s2"), "unknown", ("not recorded",)),
    "serial, the last input": (SERIAL + " <s6", "unknown", ("not recorded",)),
    "gaps": ("A a 0-10; A b 50-60; B c 20-30; B d 90-95", "unknown", ("not recorded",)),
    "one worker with gaps": ("A a 0-10; A b 50-60; A c 90-95", "unknown", ("not recorded",)),
    "only submissions": (
        "A a 0-10 @0; A b 60-70 @55; B c 5-10 @0; B d 62-70 @60",
        "overhead",
        ("Nothing was submitted",),
    ),
    "submitted at once": ("A a 0-10 @0; A b 90-100 @0; B c 5-10 @0", "unknown", ("not recorded",)),
    # starvation
    "chain": (CHAIN, "starvation", ("more workers",)),
    "waits for one": (
        "A p 0-100; B b 0-10; C c 0-10; B m 100-150 <p; C n 100-150 <p",
        "starvation",
        ("Starvation dominates",),
    ),
    "serial start": ("A p 0-80; B m 80-100 <p; C n 80-100 <p", "starvation", ("chain of tasks",)),
    "reduction": (
        "A a 0-50; B b 0-10; C c 0-10; D d 0-10; A m 50-60 <a,b,c,d; B r 60-90 <m; C q 60-90 <m",
        "starvation",
        ("Starvation dominates",),
    ),
    "data of nobody": ("A a 0-10; A b 90-100 <x; x=85", "starvation", ()),
    "made late by a producer": ("A p 0-10; B m 95-100 <p; B b 0-5; A q 10-90", "overhead", ()),
    # latency
    "late transfer": (
        "A:n0; B:n1; A p 0-10; B b 0-10; B m 90-100 <p; p>n1 10-88",
        "latency",
        ("Slow network",),
    ),
    "two transfers": (
        "A:n0; B:n1; C:n1; A p 0-10; A q 10-20; B m 80-90 <p; C k 95-99 <q; p>n1 10-80; q>n1 20-94",
        "latency",
        ("Slow network",),
    ),
    "latency behind starvation": (
        "A:n0; B:n1; C:n1; A p 0-5; B m 85-90 <p; C k 90-95 <m; p>n1 5-85; C c 0-1",
        "latency",
        ("root cause is latency",),
    ),
    "made last, arrived first": (
        "A:n0; B:n1; C:n1; A p 0-10; C q 0-30; C r 30-50; B m 90-99 <p,q; p>n1 11-89; B b 0-29",
        "latency",
        (),
    ),
    "transfer not recorded": (
        "A:n0; B:n1; A p 0-10; B b 0-10; B m 90-100 <p",
        "unknown",
        ("not recorded",),
    ),
    "sending not recorded": (
        "A:n0; B:n1; A p 0-10; B b 0-10; B m 90-99 <p; p>n1 ?-88",
        "latency",
        (),
    ),
    # overhead
    "fine tasks": (FINE + "; x=0", "overhead", ("too fine",)),
    "coarse tasks": (COARSE + "; x=0", "overhead", ("slow to start tasks",)),
    "runtime at work": ("A a 0-10; A ~10-80; A b 80-90; B c 0-90", "overhead", ()),
    "runtime of a producer": (
        "A ~10-85; A p 85-90 <y; B m 90-95 <p; A a 0-10; B b 0-8; y=0",
        "overhead",
        ("Overhead dominates",),
    ),
    "a total of the runtime": ("A ~0-90/80; A p 90-95; B m 95-99 <p; B b 0-1", "overhead", ()),
    # partly recorded
    "half of the inputs": (
        "A a 0-10; A c 10-70; B d 0-10; B m 70-80 <c; C e 0-10; C n 70-75 <c; D g 0-10; D h 50-60",
        "starvation",
        ("in the 75 % of the waits",),
    ),
    "mostly not": (
        "A a 0-10; A b 90-95; B c 0-10; B d 95-99; C e 0-85; C g 90-99 <e",
        "unknown",
        (),
    ),
    "behind what is not recorded": (
        "A a 0-10; A p 90-95; B b 0-10; B m 95-99 <p; C c 0-10; C k 95-99 <p",
        "unknown",
        ("the root cause is unknown",),
    ),
    "runtime of one": (
        "A a 0-10; A ~10-50; A b 50-60; B c 0-10; B d 50-60; C e 0-10; C f 50-60",
        "unknown",
        ("not recorded",),
    ),
    "a tail behind what is not recorded": (
        "A a 0-10; A b 40-50; A c 90-100; B d 0-10; B e 60-70",
        "unknown",
        ("not recorded",),
    ),
    # no waits
    "full": ("A a 0-50; A b 50-100; B c 0-100", "none", ("No worker waited",)),
    "one task": ("A a 0-100", "none", ("No worker waited",)),
    "only tails": ("A a 0-100; B b 0-10; C c 0-10", "none", ("Most idle time",)),
    "hardly": ("A a 0-500; A b 501-1000; B c 0-1000", "unknown", ("hardly waited",)),
    # damaged
    "made after it was read": ("A p 0-60; B b 0-10; B m 50-90 <p; C c 0-90", "starvation", ()),
    "an input that is not listed": ("A a 0-10; A m 90-99 <gone; B b 0-95", "unknown", ()),
    "arrived before it left": (
        "A:n0; B:n1; A p 0-50; B b 0-10; B m 55-90 <p; p>n1 60-40",
        "starvation",
        ("flagged",),
    ),
    "no length": ("A a 0-0; A b 0-0; B c 0-0", "none", ("no workers with recorded time",)),
    "two at once": ("A a 0-50; A b 10-90; B c 0-95 ; B d 40-60", "none", ("No worker waited",)),
    # workers that are none
    "a lock": (LOCK + "; x=0", "overhead", ("Never two tasks", "take turns")),
    "a lock within": (WITHIN + "; x=0", "none", ("take turns within", "one ends every 20 ms")),
    "a lock within, slow at first": (SLOW_FIRST + "; x=0", "overhead", ("took 50 ms",)),
    "a lock within, not fair": (UNFAIR + "; x=0", "none", ("take turns within", "on average")),
    "short and long": (SHORT_AND_LONG + "; x=0", "overhead", ("has the larger tasks",)),
    "one by one, the last is short": (ONE_BY_ONE + "; A wz 640-645 <x; x=0", "overhead", ()),
    "a lock within, uneven": (UNEVEN + "; x=0", "none", ("take turns within",)),
    "no lock within": (AT_ONCE + "; x=0", "none", ("No worker waited",)),
    "one by one": (ONE_BY_ONE + "; x=0", "overhead", ()),
    "a chain on one worker": (
        LONG_CHAIN + "; B d0 0-50; C d1 0-50",
        "none",
        ("in a chain, which no more workers shorten", "of the type c"),
    ),
    # recorded inputs say that the second phase could have begun with the first
    "two phases": (
        "; ".join(
            f"A p{i} {10 * i}-{10 * i + 10} <x; B c{i} {200 + 10 * i}-{210 + 10 * i} <p{i}"
            for i in range(20)
        )
        + "; x=0",
        "overhead",
        ("slow to start tasks that are ready",),
    ),
    "asked for two by two": (
        "; ".join(
            f"{'ABCD'[i % 4]} q{i} {i // 2 * 100}-{i // 2 * 100 + 100} <x @{i // 2 * 100}"
            for i in range(20)
        )
        + "; x=0",
        "overhead",
        ("Nothing was submitted",),
    ),
    "asked for late, and awaited": (
        "; ".join(
            f"A a{i} {100 * i + 50}-{100 * i + 100} <x @{100 * i + 50}; "
            f"B b{i} {100 * i + 100}-{100 * i + 110} <a{i} @{100 * i}"
            for i in range(10)
        )
        + "; x=0",
        "overhead",
        ("the root cause is overhead", "Nothing was submitted"),
    ),
    "a chain, and three tasks after it": (
        LONG_CHAIN + "; A f0 1000-1020 <c19; B f1 1000-1020 <c19; B f2 1020-1040 <c19",
        "starvation",
        ("More workers will hardly help: tasks wait for each other in a chain",),
    ),
    "a helper": (
        SERIAL + "; helper h0 250-251; helper h1 650-651",
        "unknown",
        ("1 worker with tasks for less than 1 %", "not recorded"),
    ),
    "a driver": (
        CHAIN.replace("A s", "w1 s").replace("B s", "w2 s")
        + "; driver d0 0-500; driver d1 900-910",
        "starvation",
        ("2 workers were busy 50 %", "more workers"),
    ),
    "drivers that are done at once": (
        CHAIN.replace("A s", "w1 s").replace("B s", "w2 s") + "; driver d0 0-1; scheduler d1 0-1",
        "starvation",
        ("2 workers were busy 50 %", "2 threads of the runtime itself"),
    ),
}
WITHOUT_TAIL = ("a tail behind what is not recorded", "drivers that are done at once")


def test_threads_of_a_trace_are_judged_by_kind(warehouse, tmp_path):
    """A GPU that is always busy, the thread that feeds it, and one that hardly does anything."""
    launch = [
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1}
        | {"ts": 100 * i, "dur": 5, "args": {"correlation": i + 1}}
        for i in range(20)
    ]
    kernels = [
        {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": "stream 7"}
        | {"ts": 10 + 100 * i, "dur": 98, "args": {"correlation": i + 1}}
        for i in range(20)
    ]
    helper = {"ph": "X", "cat": "cpu_op", "name": "log", "pid": 1, "tid": 2, "ts": 900, "dur": 1}
    path = tmp_path / "gpu.json"
    # without schemaVersion: the categories tell whose trace it is
    path.write_text(json.dumps({"traceEvents": [*launch, *kernels, helper]}))
    land(warehouse, path)
    assert rows(
        warehouse,
        "SELECT kind, workers, round(busy_percent) FROM slo_by_kind "
        "WHERE mode = 'direct' AND latency_rule = 'union' ORDER BY kind",
    ) == [("host", 1, 5), ("not judged", 1, 0), ("stream", 1, 98)]
    ((run,),) = rows(warehouse, "SELECT run_id FROM runs")
    first, second, *rest = idle_sentences(warehouse, run)
    assert first.startswith("1 stream of a device was busy 97")
    assert "1 thread that launches work, busy 4.98 %" in second
    assert "dominates" not in " ".join(rest)


def test_an_arrow_tells_what_it_says(warehouse, tmp_path):
    """What is between its ends was in transit if it says so; a slice with bind_id is its end."""

    def trace(name, *flows):
        slices = [
            {"ph": "X", "pid": 1, "tid": tid, "name": task, "ts": ts, "dur": dur}
            for tid, task, ts, dur in (
                (1, "make", 0, 100),
                (2, "begin", 0, 10),
                (2, "use", 900, 50),
            )
        ]
        path = tmp_path / f"{name}.json"
        bound = {"bind_id": "0x7"}
        if not flows:
            slices[0] |= {**bound, "flow_out": True}
            slices[2] |= {**bound, "flow_in": True}
        path.write_text(json.dumps({"traceEvents": [*slices, *flows]}))
        (landed,) = land(warehouse, path)
        ((found),) = rows(
            warehouse,
            "SELECT starvation, latency, not_recorded, overhead FROM idle_attribution "
            "WHERE run_id = ? AND kind <> 'tail' AND mode = 'direct' AND latency_rule = 'union'",
            landed.runs[0],
        )
        return found

    def arrow(text):
        at = {"pid": 1, "id": 1, "cat": text, "name": text, "bp": "e"}
        return ({**at, "ph": "s", "tid": 1, "ts": 99}, {**at, "ph": "f", "tid": 2, "ts": 900})

    assert trace("v1", *arrow("order")) == (89000, 0, 801000, 801000)
    assert trace("sent", *arrow("MPI send")) == (89000, 801000, 0, 0)
    assert trace("v2") == (89999, 0, 800001, 800001)


def test_verdicts_are_right_or_not_recorded(warehouse):
    land_schedules(warehouse, {run: schedule(text) for run, (text, *_) in TRUTHS.items()})
    found = rows(
        warehouse,
        "SELECT run_id, root_cause, starvation + latency + overhead > 0 FROM slo_by_run "
        "WHERE mode = 'direct' AND latency_rule = 'union'",
    )
    assert {run: cause or ("unknown" if waits else "none") for run, cause, waits in found} == {
        run: cause for run, (_, cause, _) in TRUTHS.items()
    }
    for run, (_, _, words) in TRUTHS.items():
        try:
            told = " ".join(idle_sentences(warehouse, run))
        except NothingToAnalyse as nothing:
            told = nothing.problem
        assert [word for word in words if word not in told] == [], (run, told)
        assert ("take turns within" in told) == run.startswith("a lock within")
        assert "Most idle time" not in told or run not in WITHOUT_TAIL
        assert "take turns" not in told or run != "two phases"


def particle_in_cell(nodes, starvation, latency, overhead, busy, wall):
    """Return a schedule of 16 workers a node whose sums, ms, are those given; the rest is tails."""
    count = 16 * nodes
    made, sent, began, end, window = (
        sum(parts) / count
        for parts in (
            (starvation,),
            (starvation, latency),
            (starvation, latency, overhead),
            (starvation, latency, overhead, busy),
            (wall,),
        )
    )
    parts = [f"x={made}"]
    for node in range(nodes):
        parts += [f"x>n{node} {made}-{sent}"] if latency else []
        for n in range(16):
            name = f"W{node}x{n}"
            parts += [f"{name}:n{node} 0-{window}", f"{name} p{node}x{n} {began}-{end} <x"]
    return schedule("; ".join(parts))


def test_the_published_table_of_a_particle_in_cell_program(warehouse):
    """Litvinov (2017): TS, TL, TO, thread time and wall time on one node and on four, in s."""
    table = {
        "one": (1, 30_100, 0, 110_600, 13_100, 159_800),
        "four": (4, 7_669_000, 1_556_000, 1_234_000, 12_000, 10_499_000),
    }
    land_schedules(warehouse, {run: particle_in_cell(*figures) for run, figures in table.items()})
    assert rows(
        warehouse,
        "SELECT run_id, starvation // 1000000, latency // 1000000, overhead // 1000000, "
        "busy // 1000000, wall // 1000000, dominant FROM slo_by_run "
        "WHERE mode = 'direct' AND latency_rule = 'union' ORDER BY run_id DESC",
    ) == [(run, *table[run][1:], cause) for run, cause in (("one", "overhead"),
                                                          ("four", "starvation"))]  # fmt: skip
    told = {run: " ".join(idle_sentences(warehouse, run)) for run in table}
    assert "starvation 18.8 %, latency 0 %, overhead 69.2 %" in told["one"]
    assert "TS 30.1 s, TL 0 s, TO 111 s, ThreadT 13.1 s, WallT 160 s" in told["one"]
    assert "starvation 73 %, latency 14.8 %, overhead 11.8 %" in told["four"]
