"""perf script: what fields, events and stacks there can be, and what damage looks like."""

from __future__ import annotations

import pytest

from ingest.readers.profiles.sampling import stacks
from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES

SAMPLE = SAMPLES / "perf-script"
PATHS = "SELECT callpath, seconds * 1e9, inclusive_seconds * 1e9, thread FROM fn_timings ORDER BY 1"
EVENTS = "SELECT region, event, value, inclusive, unit FROM pmu_samples ORDER BY ALL"


def sample(line: str, *stack: str) -> str:
    """Return a sample: its first line, and functions from the leaf on with made-up addresses."""
    frames = (f"\t{4096 + number:16x} {frame}\n" for number, frame in enumerate(stack))
    return f"{line}\n{''.join(frames)}\n"


def prog(period: int = 250000, event: str = "cpu-clock:ppp", thread: int = 71) -> str:
    return f"prog {thread:5d} 12.345678: {period:10d} {event}: "


MAIN = "main+0x10 (/home/user/prog)"
WORK = "work+0x20 (/home/user/prog)"


def test_clocks_are_times_and_their_samples_are_counted(landed, warehouse):
    text = sample(prog(), WORK, MAIN) * 3 + sample(prog(), MAIN)
    assert landed(text, PATHS) == [
        ("command prog", 0, 1000000, 71),
        ("command prog->main", 250000, 1000000, 71),
        ("command prog->main->work", 750000, 750000, 71),
    ]
    assert rows(warehouse, EVENTS)[1:] == [
        ("command prog->main", "samples", 1, 4, "samples"),
        ("command prog->main->work", "samples", 3, 3, "samples"),
    ]
    assert rows(warehouse, "SELECT app, tags['recorder'] FROM runs") == [("prog", "perf")]


def test_events_are_metrics_of_their_own(landed, warehouse):
    text = sample(prog(1000, "cycles:u"), WORK, MAIN) + sample(prog(700, "instructions:u"), MAIN)
    text += sample(prog(3000, "cycles:u"), MAIN) + sample(prog(1, "page-faults"), MAIN)
    query = EVENTS.replace("ORDER", "WHERE region LIKE '%main' AND event NOT LIKE 'sam%' ORDER")
    assert landed(text, query) == [
        ("command prog->main", "cycles:u", 3000, 4000, None),
        ("command prog->main", "instructions:u", 700, 700, None),
        ("command prog->main", "page-faults", 1, 1, None),
    ]
    query = "SELECT event, sum(value) FROM pmu_samples GROUP BY 1 ORDER BY 1"
    assert dict(rows(warehouse, query))["samples of cycles:u"] == 2
    query = "SELECT event, function, cost, share, unit FROM function_costs ORDER BY cost DESC"
    assert rows(warehouse, query)[:2] == [
        ("cycles", "main", 3000, 0.75, "cycles"),
        ("cycles", "work", 1000, 0.25, "cycles"),
    ]


def test_events_without_a_period_name_their_samples(landed, warehouse):
    text = sample("prog    71 [001] 12.345678: sched:sched_switch: prev_comm=prog ==> next", MAIN)
    query = "SELECT DISTINCT event, unit, thread FROM pmu_samples"
    assert landed(text * 2, query) == [("samples of sched:sched_switch", "samples", 71)]
    query = "SELECT event, function, cost FROM function_costs WHERE cost > 0"
    assert rows(warehouse, query) == [("samples of sched:sched_switch", "main", 2)]


def test_recursion_counts_once(landed, warehouse):
    fib = "fib+0x25 (/home/user/prog)"
    assert len(landed(sample(prog(), fib, fib, fib, MAIN), PATHS)) == 5
    query = "SELECT function, own * 1e9, inclusive * 1e9 FROM function_totals ORDER BY 1"
    assert rows(warehouse, query) == [
        ("command prog", 0, 250000),
        ("fib", 250000, 250000),
        ("main", 0, 250000),
    ]


@pytest.mark.parametrize(
    ("frame", "name"),
    [
        ("mix+0x66 (inlined)", "mix"),
        ("mix (inlined)", "mix"),
        (
            "operator new(unsigned long)+0x1c (/usr/lib/libstdc++.so.6)",
            "operator new(unsigned long)",
        ),
        ("(anonymous namespace)::f(int) (/home/user/a b)", "(anonymous namespace)::f(int)"),
        ("f (/home/user/x (deleted))", "f"),
        ("[unknown] (/usr/lib/libc.so.6)", "[libc.so.6]"),
        ("[unknown] (/home/user/libx.so (deleted))", "[libx.so]"),
        ("[unknown] ([unknown])", "[unknown]"),
        ("[unknown] (/tmp/perf-123.map)", "[perf-N.map]"),
        ("do_syscall_64+0x5c ([kernel.kallsyms])", "do_syscall_64"),
        ("[unknown] ([kernel.kallsyms])", "[kernel.kallsyms]"),
        ("call<fn() -> u8>+0x1 (/home/user/x)", "call<fn() \u2192 u8>"),
        ("T::operator->()+0x1 (/home/user/x)", "T::operator->()"),
        ("solve", "solve"),
        ("(/home/user/prog)", "[prog]"),
    ],
)
def test_names_of_functions(landed, frame, name):
    query = "SELECT function FROM fn_timings WHERE seconds > 0"
    assert landed(sample(prog(), frame, MAIN), query) == [(name,)]


@pytest.mark.parametrize(
    ("line", "thread", "seconds"),
    [
        ("prog 71 12.345678:     250000 cpu-clock: ", 71, 0.00025),
        ("prog      71/72      12.345678:     250000 cpu-clock: ", 72, 0.00025),
        ("prog    71 [001]    12.345678901:     250000 cpu-clock: ", 71, 0.00025),
        ("prog     250000 cpu-clock: ", None, 0.00025),
        ("prog  250000 cpu-clock: ", 250000, None),
        ("prog 71 cpu-clock: ", 71, None),
        ("   71     12.345678:     250000 cpu-clock: ", 71, 0.00025),
        ("swapper     0 [000]    12.345678:     250000 cpu-clock: ", 0, 0.00025),
        (":-1    -1 12.345678:     250000 cpu-clock: ", None, 0.00025),
        ("my prog 2 71 12.345678:     250000 cpu-clock: ", 71, 0.00025),
        ("prog 71 12.345678: 4000000000000 cpu-clock:u: ", 71, 4000.0),
        ("", None, None),
    ],
)
def test_fields_of_ones_own(landed, warehouse, line, thread, seconds):
    query = "SELECT thread, value FROM pmu_samples WHERE event = 'samples' AND value > 0"
    assert landed(sample(line, WORK, MAIN), query) == [(thread, 1)]
    found = rows(warehouse, "SELECT sum(seconds) FROM fn_timings")
    assert found == [(seconds,)]


def test_source_lines_and_other_records_are_no_functions(landed, warehouse):
    text = "prog 71 12.0: PERF_RECORD_COMM exec: prog:71/71\n"
    text += "prog 71 12.1: PERF_RECORD_LOST lost 17\n"
    frames = f"\t{4096:16x} {WORK}\n  prog.c:12\n\t{4097:16x} {MAIN}\n  prog.c:40\n"
    text += f"{prog()}\n{frames}\n{prog()}\n\n"
    assert [path for path, *_ in landed(text, PATHS)][-1] == "command prog->main->work"
    assert rows(warehouse, "SELECT left_out FROM sources") == [
        (
            "1 sample (without a stack); 17 samples (lost while they were recorded); "
            "1 line (about processes and mappings, no sample)",
        )
    ]


def test_without_call_graphs_callers_are_unknown(warehouse):
    land(warehouse, SAMPLE / "flat.txt")
    query = "SELECT function, own, inclusive FROM function_totals ORDER BY own DESC LIMIT 2"
    assert rows(warehouse, query) == [("sieve", 0.008, None), ("fib", 0.00325, None)]
    query = "SELECT count(callpath), count(inclusive_seconds), count(thread) FROM fn_timings"
    assert rows(warehouse, query) == [(0, 0, 9)]


def test_two_events_of_one_recording(warehouse):
    land(warehouse, SAMPLE / "two-events.txt")
    query = "SELECT event, sum(value) FROM pmu_samples GROUP BY 1 ORDER BY 1"
    assert rows(warehouse, query) == [
        ("page-faults", 813),
        ("samples of cpu-clock", 36),
        ("samples of page-faults", 6),
    ]


def test_what_only_starts_the_program_is_not_the_app(landed):
    def of(command, thread):
        line = prog(thread=thread).replace("prog", command)
        return sample(line, MAIN)

    query = "SELECT app FROM runs ORDER BY started_at DESC, run_id LIMIT 1"
    text = of("run.sh", 70) + of("make", 72) + of("solver", 71) * 3
    assert landed(text, query) == [("solver",)]


def test_the_app_is_that_of_the_first_thread_unless_all_were_recorded(landed, warehouse):
    def line(comm, thread, cpu=""):
        return sample(f"{comm} {thread} {cpu}12.345678:     250000 cpu-clock: ", MAIN)

    text = line("perf-exec", 71) + line("pool 1", 72) + line("prog", 71)
    query = "SELECT app FROM runs"
    assert landed(text, query) == [("prog",)]
    text = "".join(line(name, 71 + n, "[000] ") for n, name in enumerate(("a", "b")))
    assert landed(text, query, replace=True) == [(None,)]


def test_the_text_may_be_as_windows_or_an_editor_leaves_it(landed):
    text = (sample(prog(), WORK, MAIN) * 2).encode()
    assert landed(b"\xef\xbb\xbf" + text.replace(b"\n", b"\r\n"), PATHS)[-1][1] == 500000


@pytest.mark.parametrize(("limit", "most"), [("_MOST_ROWS", 3), ("_MOST_TEXT", 100)])
def test_long_profiles_land_only_what_was_sampled(landed, warehouse, monkeypatch, limit, most):
    monkeypatch.setattr(stacks, limit, most)
    assert landed(sample(prog(), WORK, MAIN), PATHS) == [
        ("command prog->main->work", 250000, 250000, 71)
    ]
    query = "SELECT callpath, inclusive * 1e9 FROM call_tree ORDER BY 1"
    assert rows(warehouse, query)[1] == ("command prog->main", 250000)
    ((left_out,),) = rows(warehouse, "SELECT left_out FROM sources")
    assert left_out.startswith("4 values (of a call path above sampled ones")


def test_deep_recursion_is_shortened(landed, warehouse):
    frames = ["leaf+0x1 (/x)", *["f+0x1 (/x)"] * 400, MAIN]
    query = "SELECT max(len(string_split(callpath, '->'))) FROM fn_timings"
    assert landed(sample(prog(), *frames), query) == [(257,)]
    query = "SELECT function, inclusive FROM function_totals ORDER BY 1"
    assert [name for name, _ in rows(warehouse, query)] == ["command prog", "f", "leaf", "main"]


def test_chunks_end_where_samples_end(landed, monkeypatch):
    monkeypatch.setattr("ingest.parsing.lines.CHUNK_BYTES", 100)
    text = "".join(sample(prog(), f"f{number}+0x1 (/x)", MAIN) for number in range(20))
    assert len(landed(text, PATHS)) == 22


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (sample(prog(), WORK, MAIN)[:-1], "line 3: the file ends within a stack"),
        (sample(prog(), WORK, MAIN)[:-9], "line 3: the last line has no end"),
        (sample(prog(), WORK, MAIN) + prog() + "\n", "line 5: the file ends within a stack"),
        (
            sample(prog(), MAIN) + sample("prog 71 12.x45678: 250000 cpu-clock: ", MAIN),
            "line 4: 'prog 71 12.x45678: 250000 cpu-clock: ' was found",
        ),
        (
            sample(prog(), WORK, MAIN).replace("1001 main", "10g1 main"),
            "line 3: '\\t            10g1 main",
        ),
        (sample(prog(), MAIN) + sample("", MAIN), "line 4: '' was found"),
        (f"{prog()}\n{prog()}\n", "no sample has a function or a stack"),
        (sample(prog(), MAIN) + sample(prog(1 << 64), MAIN), "line 4: 'prog  "),
    ],
)
def test_damage_is_refused_with_its_line(refusal, text, message):
    assert message in refusal(text.encode(), "x.txt")


def test_tracepoints_without_functions_are_counted_by_thread(warehouse, tmp_path):
    switch = "sched:sched_switch: prev_comm=a prev_pid=12 prev_prio=120 ==> next_comm=b next_pid=13"
    wakeup = "sched:sched_wakeup: comm=b pid=13 prio=120 target_cpu=001"
    (tmp_path / "s.txt").write_text(
        f"    a    12 [000]  1234.568890: {switch}\n"
        f" :-1     -1 [001]  1234.568990: {wakeup}\n"
        f"    a    12 [000]  1234.569890: {switch}\n"
    )
    land(warehouse, tmp_path / "s.txt")
    query = "SELECT thread, region, event, value, unit FROM pmu_samples ORDER BY rowid"
    assert rows(warehouse, query) == [
        (12, None, "samples of sched:sched_switch", 2.0, "samples"),
        (None, None, "samples of sched:sched_wakeup", 1.0, "samples"),
    ]
