"""Java Flight Recorder as JSON, as JDK 17's tool jfr prints it."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import land, rows
from warehouse.errors import InputError


def frame(owner, name):
    loader = {"name": "app", "type": {"name": "jdk/internal/loader/ClassLoaders$AppClassLoader"}}
    kind = {"classLoader": loader, "name": owner, "modifiers": 1, "hidden": False}
    method = {"type": kind, "name": name, "descriptor": "(I)D", "modifiers": 8, "hidden": False}
    return {"method": method, "lineNumber": 1, "bytecodeIndex": 20, "type": "JIT compiled"}


def sample(*frames, thread=14002, truncated=False):
    return {
        "type": "jdk.ExecutionSample",
        "values": {
            "startTime": "2026-11-23T00:09:42.810675248Z",
            "sampledThread": {"osName": "main", "osThreadId": thread, "javaThreadId": 1},
            "stackTrace": {"truncated": truncated, "frames": list(frames)},
            "state": "STATE_RUNNABLE",
        },
    }


MAIN, SORT = frame("com/acme/Main", "main"), frame("java/util/Arrays", "sort")
EVENTS = [
    sample(SORT, MAIN),
    sample(SORT, MAIN),
    sample(MAIN),
    sample(SORT, truncated=True, thread=7),
    {"type": "jdk.ExecutionSample", "values": {"stackTrace": None}},
    {"type": "jdk.CPULoad", "values": {"machineTotal": 0.5}},
]


def landed(con, folder, document):
    path = folder / "j.json"
    path.write_text(json.dumps(document, indent=2))
    land(con, path)


def test_samples_land_by_class_and_method(warehouse, tmp_path):
    landed(warehouse, tmp_path, {"recording": {"events": EVENTS}})
    values = "SELECT thread, region, value, inclusive, unit FROM pmu_samples ORDER BY ALL"
    assert rows(warehouse, values) == [
        (7, "java.util.Arrays.sort", 1.0, 1.0, "samples"),
        (14002, "com.acme.Main.main", 1.0, 3.0, "samples"),
        (14002, "com.acme.Main.main->java.util.Arrays.sort", 2.0, 2.0, "samples"),
    ]
    assert rows(warehouse, "SELECT count(*) FROM fn_timings") == [(0,)]
    left_out = str(rows(warehouse, "SELECT left_out FROM sources"))
    assert "1 sample (without a stack)" in left_out
    assert "1 stack's callers (cut off by the recorder)" in left_out
    assert "1 event of jdk.CPULoad (only jdk.ExecutionSample is read)" in left_out


def test_callers_that_jfr_print_leaves_out_by_default_are_noted(warehouse, tmp_path):
    events = [sample(*[SORT] * 4, MAIN), sample(MAIN)]
    landed(warehouse, tmp_path, {"recording": {"events": events}})
    note = "1 stack's callers (beyond 5 frames: jfr print --stack-depth 64 shows them)"
    assert rows(warehouse, "SELECT left_out FROM sources") == [(note,)]


def test_many_other_kinds_are_counted_together(warehouse, tmp_path):
    others = [{"type": f"jdk.Kind{n % 5}", "values": {}} for n in range(20)]
    landed(warehouse, tmp_path, {"recording": {"events": EVENTS[:1] + others}})
    assert rows(warehouse, "SELECT left_out FROM sources") == [
        ("20 events of 5 other kinds (only jdk.ExecutionSample is read)",)
    ]


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([EVENTS[-1]], "no jdk.ExecutionSample with a stack"),
        ([EVENTS[0], {"type": "jdk.ExecutionSample"}], "'values' is missing"),
        ([EVENTS[0], {"type": 7}], "'type' is 7"),
        ([EVENTS[0], sample({"method": {"type": None}})], "'name' is missing"),
    ],
)
def test_what_is_refused(warehouse, tmp_path, events, message):
    with pytest.raises(InputError, match=message):
        landed(warehouse, tmp_path, {"recording": {"events": events}})
