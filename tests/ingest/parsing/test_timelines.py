"""Timelines: tasks and call paths of nested slices, against a look at every nanosecond."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.base import LeftOut, Rows
from ingest.parsing.timelines.landing import landing
from ingest.parsing.timelines.microseconds import nanoseconds
from ingest.parsing.timelines.slices import (
    Arrows,
    Launches,
    Role,
    Slices,
    Timeline,
    Worker,
    no_arrows,
    no_launches,
)
from tests.helpers.thorough import cases

WORK, SPAN, WAIT, DEVICE, CLOCK = Role
NAMES = list("abcdefgh")


def timeline(rows, launches=(), arrows=()):
    """Return the timeline of (worker, name, role, start, end), all on workers 0, 1, ..."""
    worker, name, role, start, end = (np.array(c, np.int64) for c in zip(*rows, strict=True))
    caller = no_launches()
    if launches:
        caller = Launches(*(np.array(c, np.int64) for c in zip(*launches, strict=True)))
    drawn = no_arrows()
    if arrows:
        ends = (np.array(c, np.int64) for c in zip(*arrows, strict=True))
        drawn = Arrows(*ends, np.ones(len(arrows), np.bool_))
    streams = set(worker[role == DEVICE].tolist())
    return Timeline(
        workers=[
            Worker(f"w{n}", "host", n, "GPU" if n in streams else None)
            for n in range(int(worker.max()) + 1)
        ],
        names=NAMES,
        kinds=["k"],
        slices=Slices(worker, name, np.zeros_like(name), role, start, end),
        launches=caller,
        arrows=drawn,
    )


def landed(found):
    """Return the rows of each table."""
    tables = {}
    for item in landing(found, 0):
        if isinstance(item, Rows):
            tables.setdefault(item.table, []).extend(item.batch.to_pylist())
        else:
            assert isinstance(item, LeftOut)
            tables.setdefault("left_out", []).append(item.count)
    return tables


def tasks(rows, **others):
    """Return (worker, name, start, end) of the tasks."""
    found = landed(timeline(rows, **others))["tasks"]
    return [(t["worker"], t["name"], t["t_start"], t["t_end"]) for t in found]


@st.composite
def nested(draw, begin=0, end=40, depth=0):
    """Return slices of one thread that nest, as (name, role, start, end)."""
    slices = []
    at = begin
    while at < end and draw(st.booleans()):
        start = draw(st.integers(at, end - 1))
        stop = draw(st.integers(start + 1, end))
        name, role = draw(st.integers(0, 7)), draw(st.sampled_from([WORK, WORK, SPAN, WAIT]))
        slices.append((name, role, start, stop))
        if depth < 4:
            slices += draw(nested(begin=start, end=stop, depth=depth + 1))
        at = stop
    return slices


def at_each_moment(slices):
    """Return what a thread does at each ns by the rules, and the innermost slice, as names."""
    does, innermost = {}, Counter()
    for t in range(40):
        active = [s for s in slices if s[2] <= t < s[3]]
        if not active:
            continue
        innermost[NAMES[active[-1][0]]] += 1
        called = next((n for n, s in enumerate(active) if s[1] != SPAN), None)
        if called is None:
            does[t] = NAMES[active[-1][0]]
        elif all(s[1] != WAIT for s in active[called:]):
            does[t] = NAMES[active[called][0]]
    return does, innermost


@settings(max_examples=cases(30, 500), deadline=None)
@given(slices=nested())
def test_a_thread_does_one_thing_at_a_time(slices):
    if not slices:
        return
    does, innermost = at_each_moment(slices)
    tables = landed(timeline([(0, *s) for s in slices]))
    found = {}
    for task in tables.get("tasks", ()):
        for t in range(task["t_start"], task["t_end"]):
            assert t not in found
            found[t] = task["name"]
    assert found == does
    own, calls = Counter(), Counter()
    for row in tables["fn_timings"]:
        own[row["function"]] += round(row["seconds"] * 1e9)
        calls[row["function"]] += row["calls"]
    assert +own == innermost
    assert calls == Counter(NAMES[s[0]] for s in slices)


def test_slices_that_overlap_without_nesting_count_no_time_twice():
    rows = [(0, 0, WORK, 0, 10), (0, 1, WORK, 5, 15), (0, 2, WORK, 12, 13)]
    found = landed(timeline(rows))["fn_timings"]
    seconds = {r["callpath"]: round(r["seconds"] * 1e9) for r in found}
    assert seconds == {"a": 5, "a->b": 9, "a->b->c": 1}


def test_calls_without_length_count():
    assert tasks([(0, 0, WORK, 5, 5), (0, 1, WORK, 5, 5), (0, 2, SPAN, 7, 7)]) == [
        ("w0", "a", 5, 5),
        ("w0", "b", 5, 5),
    ]


def test_a_launch_is_read_by_what_it_launched_and_a_wait_reads_what_ended_within():
    rows = [
        (0, 0, WORK, 0, 50),  # a: op on the thread
        (0, 1, WORK, 5, 9),  # b: launch in it
        (0, 2, WAIT, 20, 40),  # c: waits for the kernel
        (1, 3, DEVICE, 7, 35),  # d: starts before its launch has returned
        (1, 3, DEVICE, 36, 45),  # d: launched by something that was not recorded
    ]
    found = landed(timeline(rows, launches=[(1, 3, 77)]))
    assert [(t["task"], t["name"], t["t_submit"], t["t_start"], t["t_end"]) for t in found["tasks"]
    ] == [
        ("task 0", "a", None, 0, 20),
        ("task 1", "a", None, 40, 50),
        ("task 2", "d", 5, 7, 35),
        ("task 3", "d", None, 36, 45),
    ]  # fmt: skip
    assert [(d["data"], d["producer"], d.get("t_ready")) for d in found["task_data"]] == [
        ("launch 77", "task 0", 7),
        ("result 2", "task 2", None),
    ]
    assert [(i["task"], i["data"]) for i in found["task_inputs"]] == [
        ("task 2", "launch 77"),
        ("task 1", "result 2"),
    ]


def test_an_arrow_parts_the_task_that_it_ends_in():
    rows = [(0, 0, WORK, 0, 10), (1, 1, WORK, 5, 30), (1, 2, WORK, 12, 20)]
    arrows = [(0, 8, 1, 12), (0, 20, 1, 25)]
    found = landed(timeline(rows, arrows=arrows))
    spans = [(t["name"], t["t_start"], t["t_end"]) for t in found["tasks"]]
    assert spans == [("a", 0, 10), ("b", 5, 12), ("b", 12, 25), ("b", 25, 30)]
    assert [(d["producer"], d["t_ready"]) for d in found["task_data"]] == [("task 0", 8)]
    assert [i["task"] for i in found["task_inputs"]] == ["task 2"]
    assert found["left_out"] == [1]


def test_elapsed_times_have_no_exclusive_time():
    found = landed(timeline([(0, 0, CLOCK, 0, 10), (0, 0, CLOCK, 5, 20), (0, 1, WORK, 0, 1)]))
    of_clock = [r for r in found["fn_timings"] if r["function"] == "a"]
    assert [(r.get("seconds"), r["inclusive_seconds"], r["calls"]) for r in of_clock] == [
        (None, 25e-9, 2)
    ]
    assert len(found["tasks"]) == 1


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        (b"0", 0),
        (b"1", 1000),
        (b"4500540413519.430", 4500540413519430),
        (b"1700000000000000.123", 1700000000000000123),
        (b"0.0004", 0),
        (b"0.0005", 1),
        (b"0.0014999", 1),
        (b"12.9996", 13000),
        (b"-2.5", -2500),
        (b"1.5e3", 1500000),
        (b'"7.25"', 7250),
        (b"999999999999999999", None),
        (b"1e400", None),
        (b"abc", None),
        (b"", None),
        (b",", None),
        (b"1,2", None),
        (b".", None),
        (b"1.2.3", None),
        (b"9" * 400, None),
        (b"null", None),
        (b"NaN", None),
    ],
)
def test_microseconds(text, ns):
    if ns is None:
        with pytest.raises(ValueError, match=r".*"):
            nanoseconds([b"1", text])
    else:
        assert nanoseconds([b"1", text]).tolist() == [1000, ns]


@settings(max_examples=cases(30, 500), deadline=None)
@given(st.lists(st.decimals(0, 10**15, places=3), min_size=1, max_size=5))
def test_microseconds_are_exact(values):
    texts = [f"{value:f}".encode() for value in values]
    assert nanoseconds(texts).tolist() == [int(Decimal(value) * 1000) for value in values]


def test_microseconds_of_nothing():
    assert nanoseconds([]).tolist() == []
    with pytest.raises(ValueError, match=r".*"):
        nanoseconds([b""])
