"""Sampling profiles in JSON: what each form says, and damage."""

from __future__ import annotations

import copy
import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ingest.contract import written
from tests.helpers.support import land, rows
from tests.helpers.thorough import cases
from tests.ingest.case import SAMPLES
from tests.ingest.mutations import MUTATIONS, mutated
from tests.ingest.test_fuzz import lands_or_is_refused

SAMPLE = SAMPLES / "json-profile"
TIMES = "SELECT callpath, seconds, inclusive_seconds, thread FROM fn_timings ORDER BY 4, 1"
COUNTS = "SELECT region, event, value, unit, thread FROM pmu_samples WHERE value > 0 ORDER BY ALL"
TOTALS = "SELECT function, round(own, 4), round(inclusive, 4) FROM function_totals"

SPEEDSCOPE = {
    "$schema": "https://www.speedscope.app/file-format-schema.json",
    "shared": {"frames": [{"name": "main"}, {"name": "f", "file": "a.py", "line": 3}]},
    "profiles": [
        {
            "type": "sampled",
            "name": "one",
            "unit": "milliseconds",
            "startValue": 0,
            "endValue": 5,
            "samples": [[0, 1], [0], [0, 1, 1]],
            "weights": [2, 1, 2],
        }
    ],
}
EVENTED = {
    "type": "evented",
    "name": "two",
    "unit": "none",
    "startValue": 0,
    "endValue": 10,
    "events": [
        {"type": "O", "frame": 0, "at": 0},
        {"type": "O", "frame": 1, "at": 2},
        {"type": "C", "frame": 1, "at": 6},
        {"type": "C", "frame": 0, "at": 10},
    ],
}
V8 = {
    "nodes": [
        {"id": 1, "callFrame": {"functionName": "(root)", "url": ""}, "children": [2, 4]},
        {
            "id": 2,
            "callFrame": {"functionName": "f", "url": "file:///home/user/a.js", "lineNumber": 3},
            "children": [3],
        },
        {
            "id": 3,
            "callFrame": {"functionName": "", "url": "file:///home/user/a.js", "lineNumber": 8},
        },
        {"id": 4, "callFrame": {"functionName": "(idle)", "url": ""}},
    ],
    "startTime": 1000,
    "endTime": 9000,
    "samples": [2, 3, 4, 2],
    "timeDeltas": [1000, 2000, 500, 1500],
}
FIREFOX = {
    "meta": {
        "interval": 2,
        "startTime": 1.7e12,
        "preprocessedProfileVersion": 48,
        "product": "app",
    },
    "libs": [],
    "threads": [
        {
            "name": "GeckoMain",
            "tid": 77,
            "samples": {
                "stack": [1, 1, 0, None],
                "time": [0, 2, 4, 6],
                "weight": None,
                "length": 4,
            },
            "stackTable": {"frame": [0, 1], "prefix": [None, 0], "length": 2},
            "frameTable": {"func": [0, 1], "length": 2},
            "funcTable": {"name": [0, 1], "isJS": [False, True], "fileName": [None, 2]},
            "stringArray": ["main", "f", "a.js"],
            "markers": {"data": [None], "name": [0], "length": 1},
        }
    ],
}
GECKO = {
    "libs": [{"start": 1, "end": 2, "name": "app", "breakpadId": "0"}],
    "meta": {"interval": 2, "startTime": 1.7e12, "version": 30},
    "threads": [
        {
            "name": "GeckoMain",
            "tid": 5,
            "samples": {"schema": {"stack": 0, "time": 1}, "data": [[1, 0.0], [0, 2.0], [1, 4.0]]},
            "stackTable": {"schema": {"prefix": 0, "frame": 1}, "data": [[None, 0], [0, 1]]},
            "frameTable": {"schema": {"location": 0}, "data": [[0], [1]]},
            "stringTable": ["main", "f (a.js:3:1)"],
        }
    ],
    "processes": [],
}


@pytest.fixture
def landed(warehouse, tmp_path):
    """Land a document and return the rows of a query."""

    def do(document, query):
        path = tmp_path / "x.json"
        path.write_text(json.dumps(document), encoding="utf-8")
        land(warehouse, path)
        return rows(warehouse, query)

    return do


def test_speedscope_sampled(landed, warehouse):
    assert landed(SPEEDSCOPE, TIMES) == [
        ("main", 0.001, 0.005, None),
        ("main->f (a.py)", 0.002, 0.004, None),
        ("main->f (a.py)->f (a.py)", 0.002, 0.002, None),
    ]
    assert ("main", "samples", 1, "samples", None) in rows(warehouse, COUNTS)
    assert ("f (a.py)", 0.004, 0.004) in rows(warehouse, TOTALS)


def test_speedscope_profiles_are_threads(landed, warehouse):
    both = SPEEDSCOPE | {"profiles": [*SPEEDSCOPE["profiles"], EVENTED]}
    assert {thread for *_, thread in landed(both, TIMES)} == {0}
    assert rows(warehouse, COUNTS)[0:1] == [("main", "samples", 1, "samples", 0)]
    assert [row for row in rows(warehouse, COUNTS) if row[1] == "weight"] == [
        ("main", "weight", 6, None, 1),
        ("main->f (a.py)", "weight", 4, None, 1),
    ]


def test_speedscope_of_pyinstrument(warehouse):
    land(warehouse, SAMPLE / "evented.speedscope.json")
    found = {name: (own, whole) for name, own, whole in rows(warehouse, TOTALS)}
    assert found["<module> (wordcount.py)"] == (0.0, 1.8583)
    assert "[self]" not in found


def test_pyinstrument(warehouse):
    land(warehouse, SAMPLE / "pyinstrument.json")
    query = "SELECT app, round(wall_seconds, 2), tags['recorder'] FROM runs"
    assert rows(warehouse, query) == [("wordcount.py", 1.66, "pyinstrument")]
    found = {name: (own, whole) for name, own, whole in rows(warehouse, TOTALS)}
    assert found["Counter.add (wordcount.py)"] == (0.3645, 1.4091)
    assert found["depth (wordcount.py)"] == (0.9422, 0.9422)


def test_scalenes_lines_are_added_up_by_function(warehouse):
    # The program itself timed 0.2 s, 0.5 s (asleep), and 0.22 s.
    land(warehouse, SAMPLES / "json-profile" / "scalene.json")
    query = "SELECT function, round(seconds, 3) FROM fn_timings ORDER BY function"
    assert rows(warehouse, query) == [
        ("<module> (prog.py)", 0.313),
        ("A.nap (prog.py)", 0.408),
        ("spin (helper.py)", 0.198),
    ]
    query = "SELECT app, round(wall_seconds, 3) FROM runs"
    assert rows(warehouse, query) == [("prog.py", 0.92)]


def test_pyinstrument_session(landed, warehouse):
    own = ["MainThread\0<thread>\x007", "main\0/x/pyinstrument/__main__.py\x0030\1l410"]
    main = "<module>\0a.py\x001\1l9"
    run = "run\0/x/lib/b.py\x0011\1cJob\1l12"
    document = {
        "start_time": 1.7e9,
        "duration": 2.5,
        "sample_count": 2,
        "target_description": "Program: a.py 5",
        "sys_path": ["", "/x", "/x/lib"],
        "frame_records": [[[*own, main, run], 1.5], [[*own, main], 0.5]],
    }
    assert landed(document, TIMES) == [
        ("<module> (a.py)", 0.5, 2.0, None),
        ("<module> (a.py)->Job.run (b.py)", 1.5, 1.5, None),
    ]
    query = "SELECT app, wall_seconds, epoch(started_at), tags['command'] FROM runs"
    assert rows(warehouse, query) == [("a.py", 2.5, 1.7e9, "a.py 5")]


def test_v8_samples_last_until_the_next(landed, warehouse):
    assert landed(V8, TIMES) == [
        ("f (/home/user/a.js)", 0.005, 0.0055, None),
        ("f (/home/user/a.js)->(anonymous) (/home/user/a.js:9)", 0.0005, 0.0005, None),
    ]
    assert rows(warehouse, "SELECT wall_seconds, left_out FROM runs, sources") == [
        (0.008, "1 sample ((idle): nothing ran for 0.0015 s of them)")
    ]


def test_node_profile(warehouse):
    land(warehouse, SAMPLE / "words.cpuprofile")
    found = {name: (own, whole) for name, own, whole in rows(warehouse, TOTALS)}
    assert found["count (/home/user/words.js)"] == (0.0131, 0.1192)


def test_firefox_as_saved(landed, warehouse):
    assert landed(FIREFOX, TIMES) == [
        ("main", 0.002, 0.006, 77),
        ("main->f (a.js)", 0.004, 0.004, 77),
    ]
    assert rows(warehouse, "SELECT app, epoch(started_at), left_out FROM runs, sources") == [
        ("app", 1.7e9, "1 sample (without a stack); 1 marker (no sample)")
    ]


def test_firefox_with_shared_tables_and_weights(landed):
    document = copy.deepcopy(FIREFOX)
    (thread,) = document["threads"]
    names = ("stackTable", "frameTable", "funcTable", "stringArray")
    document["shared"] = {name: thread.pop(name) for name in names}
    document["shared"]["funcTable"] |= {"source": [None, 0]}
    del document["shared"]["funcTable"]["fileName"]
    thread["samples"] |= {"weight": [5, 1, 1, 1], "weightType": "tracing-ms"}
    document["shared"]["sources"] = {"filename": [2]}
    assert landed(document, TIMES)[-1] == ("main->f (a.js)", 0.006, 0.006, 77)


def test_firefox_as_recorded(landed):
    assert landed(GECKO, TIMES) == [
        ("main", 0.002, 0.006, 5),
        ("main->f (a.js)", 0.004, 0.004, 5),
    ]


def changed(document, place, value):
    """Return a document with another value at a place (names and numbers)."""
    document = copy.deepcopy(document)
    at = document
    for name in place[:-1]:
        at = at[name]
    at[place[-1]] = value
    return document


@pytest.mark.parametrize(
    ("document", "place", "value", "message"),
    [
        (SPEEDSCOPE, ("profiles", 0, "weights"), [1], "3 samples have 1 weights"),
        (
            SPEEDSCOPE,
            ("profiles", 0, "samples", 1),
            [2],
            "profile 0, sample 1: there is no frame 2",
        ),
        (SPEEDSCOPE, ("profiles", 0, "weights", 1), -1, "profile 0, sample 1: the weight is -1"),
        (SPEEDSCOPE, ("profiles", 0, "unit"), "parsecs", "the unit is 'parsecs'"),
        (SPEEDSCOPE, ("profiles", 0), EVENTED | {"events": EVENTED["events"][:3]}, "never closed"),
        (SPEEDSCOPE, ("profiles", 0), EVENTED | {"events": EVENTED["events"][3:]}, "event 0: 'C'"),
        (V8, ("samples", 1), 9, "node 9: the node 9 is missing"),
        (V8, ("nodes", 2, "children"), [2], "above itself"),
        (V8, ("timeDeltas",), [1], "do not belong together"),
        (
            FIREFOX,
            ("threads", 0, "samples", "stack", 2),
            7,
            "thread 0, sample 2: there is no stack 7",
        ),
        (FIREFOX, ("threads", 0, "stackTable", "prefix"), [1, 0], "above itself"),
        (FIREFOX, ("threads", 0, "frameTable"), None, "frameTable is null"),
    ],
)
def test_damage_is_refused_with_its_place(refusal, document, place, value, message):
    assert message in refusal(json.dumps(changed(document, place, value)).encode(), "x.json")


def test_children_take_no_more_than_their_function(refusal):
    document = json.loads((SAMPLE / "pyinstrument.json").read_text(encoding="utf-8"))
    document["root_frame"]["children"][0]["time"] *= 2
    message = refusal(json.dumps(document).encode(), "x.json")
    assert "<module> (wordcount.py): the functions called take" in message


def test_damaged_forms_land_or_are_refused(warehouse):
    files = [(SAMPLE / name).read_bytes() for name in ("pyinstrument.json", "words.cpuprofile")]
    files += [json.dumps(document).encode() for document in (FIREFOX, GECKO)]

    @settings(
        max_examples=cases(15, 200),
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(data=st.sampled_from(files), mutations=MUTATIONS)
    def run(data, mutations):
        with tempfile.TemporaryDirectory() as folder:
            path = written(Path(folder), {"x.json": mutated(data, mutations)})
            lands_or_is_refused(warehouse, path, "json-profile")

    run()
