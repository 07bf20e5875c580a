"""The page Idle time: the timeline in pieces and in bins, sums, blame, critical path."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import warehouse as pwh
from apps.output.tables import dicts
from apps.queries import timeline
from apps.queries.base import ask_dicts
from apps.queries.idle import Reading, in_reading, within
from tests.apps.pages.conftest import address, sent, texts
from tests.helpers.schedules import land_schedule
from tests.helpers.support import land, rows

# A makes x, B waits for it, then for the network, then for the runtime. Times in s.
SECOND = 1_000_000_000
SCHEDULE = {
    "workers": [
        {"worker_id": "w10", "node_id": "n1", "t_begin": 0, "t_end": 100 * SECOND},
        {"worker_id": "w9", "node_id": "n1", "t_begin": 0, "t_end": 100 * SECOND},
    ],
    "fragments": [
        {"fragment_id": "p", "worker_id": "w9", "t_start": 0, "t_end": 30 * SECOND,
         "ftype": "make"},
        {"fragment_id": "m", "worker_id": "w10", "t_start": 45 * SECOND, "t_end": 90 * SECOND,
         "ftype": "use"},
    ],
    "data": [{"data_id": "x", "producer_fragment": "p"}],
    "inputs": [{"fragment_id": "m", "data_id": "x"}],
    "runtime": [{"worker_id": "w9", "t_start": 10 * SECOND, "t_end": 15 * SECOND}],
}  # fmt: skip


@pytest.fixture
def schedule(warehouse):
    land_schedule(warehouse, SCHEDULE)
    ((run,),) = rows(warehouse, "SELECT DISTINCT run_id FROM tasks")
    span = timeline.timeline_span(warehouse, run)
    assert span == timeline.Span(0, 100 * SECOND, 2, 5)
    return warehouse, run, span


def pieces(schedule, window=None, **options):
    con, run, span = schedule
    found = timeline.timeline(con, run, span, window or (0, span.t_end), **options)
    return [
        (row["worker"], row["cause"], row["t_start"], row["t_end"], row["low"], row["high"])
        for row in dicts(found)
    ]


def test_pieces_of_workers_in_the_order_of_their_numbers(schedule):
    assert pieces(schedule) == [
        ("w9", "busy", 0, 30, 0, 1),
        ("w9", "after last task", 30, 100, 0, 1),
        ("w10", "starvation", 0, 10, 0, 1),
        ("w10", "overhead", 10, 15, 0, 1),
        ("w10", "starvation", 15, 30, 0, 1),
        ("w10", "overhead", 30, 45, 0, 1),
        ("w10", "busy", 45, 90, 0, 1),
        ("w10", "after last task", 90, 100, 0, 1),
    ]


def test_a_window_cuts_the_pieces(schedule):
    assert pieces(schedule, (40 * SECOND, 50 * SECOND)) == [
        ("w9", "after last task", 40, 50, 0, 1),
        ("w10", "overhead", 40, 45, 0, 1),
        ("w10", "busy", 45, 50, 0, 1),
    ]


def test_too_many_pieces_are_added_up_in_bins(schedule, monkeypatch):
    monkeypatch.setattr(timeline, "_MOST_PIECES", 1)
    monkeypatch.setattr(timeline, "_BINS", 2)
    found = [row for row in pieces(schedule) if row[0] == "w10"]
    expected = [
        ("w10", "starvation", 0, 50, 0, 0.5),
        ("w10", "overhead", 0, 50, 0.5, 0.9),
        ("w10", "busy", 0, 50, 0.9, 1),
        ("w10", "after last task", 50, 100, 0, 0.2),
        ("w10", "busy", 50, 100, 0.2, 1),
    ]
    assert [row[:4] for row in found] == [row[:4] for row in expected]
    assert [row[4:] for row in found] == [pytest.approx(row[4:]) for row in expected]


@pytest.mark.parametrize("mode", ["direct", "propagated", "transitive"])
@pytest.mark.parametrize("most", [4000, 1])
def test_the_timeline_adds_up_to_the_sums_of_the_workers(schedule, monkeypatch, mode, most):
    monkeypatch.setattr(timeline, "_MOST_PIECES", most)
    con, run, _ = schedule
    drawn = {}
    for worker, cause, t_start, t_end, low, high in pieces(schedule, mode=mode):
        key = (worker, cause)
        drawn[key] = drawn.get(key, 0) + (t_end - t_start) * (high - low)
    for row in dicts(in_reading(con, "idle/workers", Reading(mode), run_id=run, most=32)):
        found = drawn.get((row["worker"], row["cause"]), 0)
        assert found == pytest.approx(row["seconds"], abs=0.2), (row, found)


def test_only_the_lanes_asked_for_are_given(schedule, monkeypatch):
    monkeypatch.setattr(timeline, "LANES", 1)
    assert {row[0] for row in pieces(schedule, first=2)} == {"w10"}


@pytest.mark.parametrize("by_type", [False, True])
def test_bins_are_never_narrower_than_time(schedule, monkeypatch, by_type):
    monkeypatch.setattr(timeline, "_MOST_PIECES", 1)
    shown = pieces(schedule, (29 * SECOND, 29 * SECOND + 3), by_type=by_type)
    assert shown and all(t_end > t_start for _, _, t_start, t_end, _, _ in shown)


def test_clocks_ahead_of_each_other_lose_no_task(warehouse):
    """Which tasks are in a window is decided on one clock, however far the others are ahead."""
    ahead = {"n1": 70 * SECOND, "n2": -90 * SECOND}
    nodes = [{"node_id": node, "clock_offset_ns": ns} for node, ns in ahead.items()]
    workers = [{"worker_id": f"w{node}", "node_id": node} for node in ahead]
    tasks = [
        {"fragment_id": f"t{node}", "worker_id": f"w{node}", "t_start": 10 * SECOND + ns,
         "t_end": 20 * SECOND + ns}
        for node, ns in ahead.items()
    ]  # fmt: skip
    land_schedule(warehouse, {"nodes": nodes, "workers": workers, "fragments": tasks})
    ((run,),) = rows(warehouse, "SELECT DISTINCT run_id FROM tasks")
    span = timeline.timeline_span(warehouse, run)
    assert (span.t_begin, span.t_end) == (10 * SECOND, 20 * SECOND)
    drawn = pieces((warehouse, run, span), (12 * SECOND, 13 * SECOND))
    assert drawn == [(f"w{node}", "busy", 2, 3, 0, 1) for node in ahead]


def test_blame_and_path(schedule):
    con, run, _ = schedule
    assert [
        (row["waits_by"], row["what"], row["cause"], row["seconds"])
        for row in dicts(in_reading(con, "idle/blame", Reading(), run_id=run, most=12, worker=None))
    ] == [
        ("type", "make", "overhead", 5),
        ("type", "make", "starvation", 25),
        ("worker", "w9", "overhead", 5),
        ("worker", "w9", "starvation", 25),
    ]
    assert [
        (row["what"], row["cause"], row["seconds"])
        for row in dicts(within(con, "idle/path_parts", None, run_id=run, most=12, worker=None))
    ] == [
        ("use", "compute", 45),
        ("use", "overhead", 15),
        ("make", "compute", 30),
    ]


def test_a_run_without_time_has_no_span(warehouse):
    assert timeline.timeline_span(warehouse, "nobody") is None


def test_an_empty_warehouse_shows_what_to_ingest(open_page, empty_warehouse):
    text = texts(open_page("idle", empty_warehouse))
    assert "No run of a task runtime has landed yet" in text
    assert "pwh ingest" in text


def test_the_demo_is_explained(open_page, demo_warehouse):
    app = open_page("idle", demo_warehouse)
    text = texts(app)
    assert "workers were busy" in text and "dominates" in text
    assert [heading.value for heading in app.subheader] == [
        "Workers by time",
        "Where the time went",
        "What workers waited for",
        "Critical path",
        "What could be gained",
    ]


def test_a_link_reproduces_mode_and_window(open_page, demo_warehouse):
    app = open_page("idle", demo_warehouse, mode="transitive", **{"from": "25", "to": "50"})
    assert app.selectbox("mode").value == "transitive"
    data = sent(app, "timeline")
    assert (data["from"], data["to"]) == (25, 50)
    assert min(data["pieces"]["p"]) == pytest.approx(data["span"] / 4)
    assert max(data["pieces"]["q"]) == pytest.approx(data["span"] / 2)
    assert "All but what could be gained is of the window." in texts(app)


@pytest.mark.parametrize(
    ("begin", "end", "said"),
    [("50", "20", "empty window"), ("7", "7", "empty window"), ("0", "inf", "from 0 to 100")],
)
def test_an_impossible_window_is_told(open_page, demo_warehouse, begin, end, said):
    app = open_page("idle", demo_warehouse, **{"from": begin, "to": end})
    assert said in texts(app)
    assert address(app, "to") == end


def test_waits_know_whom_they_are_for(schedule):
    con, run, span = schedule
    (wait,) = dicts(timeline.timeline_waits(con, run, span, (0, span.t_end)))
    assert (wait["lane"], wait["t_start"], wait["t_end"]) == (2, 0, 45)
    assert (wait["type"], wait["blamed_type"], wait["blamed_worker"]) == ("use", "make", "w9")
    assert (wait["blamed_lane"], wait["blamed_until"]) == (1, 30)


def test_tasks_are_found_by_name_and_type_as_text(schedule):
    con, run, span = schedule
    found = {
        text: [row["task"] for row in dicts(timeline.tasks_found(con, run, span, text))]
        for text in ("MAKE", "m", "%", "' OR 1=1")
    }
    assert found == {"MAKE": ["p"], "m": ["p", "m"], "%": [], "' OR 1=1": []}


def test_the_critical_path_is_on_the_lanes(schedule):
    con, run, _ = schedule
    drawn = [
        (row["lane"], row["t_start"], row["cause"])
        for row in ask_dicts(con, "timeline/path", run_id=run)
    ]
    assert drawn == [(1, 0, "compute"), (2, 30 * SECOND, "overhead"), (2, 45 * SECOND, "compute")]


def test_bins_by_type_are_the_time_of_each_type(schedule, monkeypatch):
    monkeypatch.setattr(timeline, "_MOST_PIECES", 1)
    monkeypatch.setattr(timeline, "_BINS", 2)
    con, run, span = schedule
    rows = dicts(timeline.timeline(con, run, span, (0, span.t_end), by_type=True))
    found = [(row["worker"], row["what"], row["t_start"], row["high"] - row["low"]) for row in rows]
    assert found == [
        ("w9", "make", 0, pytest.approx(0.6)),
        ("w10", "use", 0, pytest.approx(0.1)),
        ("w10", "use", 50, pytest.approx(0.8)),
    ]


@pytest.mark.parametrize("mode", ["direct", "propagated", "transitive"])
def test_large_runs_have_the_same_sums_without_exact_pieces(schedule, monkeypatch, mode):
    exact = sums(pieces(schedule, mode=mode))
    monkeypatch.setattr(timeline, "_MOST_OF_RUN", 1)
    assert sums(pieces(schedule, mode=mode)) == pytest.approx(exact)


def sums(drawn):
    """Return the time of each worker and cause that is drawn."""
    found = {}
    for worker, cause, t_start, t_end, low, high in drawn:
        key = (worker, cause)
        found[key] = found.get(key, 0) + (t_end - t_start) * (high - low)
    return found


@pytest.mark.parametrize("window", [(0, 100), (5, 40), (31, 44), (95, 99)])
def test_the_charts_follow_the_window(schedule, window):
    con, run, _ = schedule
    t0, t1 = (time * SECOND for time in window)
    drawn = sums(pieces(schedule, (t0, t1)))
    for row in dicts(
        in_reading(con, "idle/workers", Reading(window=(t0, t1)), run_id=run, most=32)
    ):
        found = drawn.get((row["worker"], row["cause"]), 0)
        assert found == pytest.approx(row["seconds"], abs=1e-6), (row, found)
    blamed = sum(
        row["seconds"]
        for row in dicts(
            in_reading(
                con, "idle/blame", Reading(window=(t0, t1)), run_id=run, most=12, worker=None
            )
        )
    )
    # Both the type and the worker that were waited for, until 30 s.
    assert blamed == pytest.approx(2 * max(0, min(30, window[1]) - window[0]))
    path = sum(
        row["seconds"]
        for row in dicts(within(con, "idle/path_parts", (t0, t1), run_id=run, most=12, worker=None))
    )
    assert path == pytest.approx(max(0, min(90, window[1]) - window[0]))


def test_waits_are_narrowed_to_a_worker(schedule, open_page, demo_warehouse):
    con, run, _ = schedule
    whole = Reading(window=(0, 100 * SECOND))

    def waits(worker):
        rows = in_reading(con, "idle/blame", whole, run_id=run, most=12, worker=worker)
        return sum(row["seconds"] for row in dicts(rows) if row["waits_by"] == "type")

    workers = [name for (name,) in con.execute("SELECT DISTINCT worker FROM workers").fetchall()]
    assert sum(map(waits, workers)) == pytest.approx(waits(None)) != 0
    assert waits("nobody") == 0
    app = open_page("idle", demo_warehouse, of="1/t0")
    assert "Waits and critical path are those of 1/t0." in texts(app)
    assert "0/t0, waits for the worker" in texts(app)
    assert sent(app, "timeline")["worker"] == "1/t0"


def test_runs_with_devices_are_read_by_device_first(open_page, new_warehouse, tmp_path):
    sample = Path(__file__).parents[2] / "samples" / "kineto" / "rank0.pt.trace.json"
    trace = json.loads(sample.read_text())
    used = {"Device Type": 1, "Device Id": 0, "Total Allocated": 512}
    at = {"ph": "i", "cat": "cpu_instant_event", "s": "t", "name": "[memory]", "pid": 1, "tid": 1}
    ts = max(event["ts"] for event in trace["traceEvents"] if event["ph"] == "X")
    trace["traceEvents"].append({**at, "ts": ts, "args": used})
    file = tmp_path / "rank0.pt.trace.json"
    file.write_text(json.dumps(trace))
    with pwh.connect(new_warehouse) as con:
        ((run,),) = [landed.runs for landed in land(con, file)]
    told = texts(open_page("idle", new_warehouse, run=run))
    assert "GPU 0 was busy" in told
    assert "arvation" not in told
    assert "a click leads to that call" in told
    assert "512 B of memory in use" in told and "Memory over time" in told
    told = texts(open_page("idle", new_warehouse, run=run, reading="tasks"))
    assert "GPU 0 was busy" not in told
    assert "arvation" in told
