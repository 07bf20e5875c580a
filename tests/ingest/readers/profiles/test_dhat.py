"""DHAT: names of functions, other modes, and damage."""

from __future__ import annotations

import json

import pytest

from tests.helpers.support import land, rows
from warehouse.errors import InputError

# Of Rust's crate dhat, which counts no accesses.
RUST = {
    "dhatFileVersion": 2,
    "mode": "rust-heap",
    "verb": "Allocated",
    "cmd": "target/release/app",
    "pps": [{"tb": 300, "tbk": 3, "tl": 5, "gb": 200, "gbk": 2, "eb": 0, "ebk": 0, "fs": [1, 2]}],
    "ftbl": [
        "[root]",
        "0x1: <T as From<U>>::from (src/a.rs:1:2)",
        "0x2: app::main (src/m.rs:3:4)",
    ],
}


def _land(warehouse, folder, document):
    path = folder / "dhat-heap.json"
    path.write_text(json.dumps(document))
    return land(warehouse, path)


def test_a_profile_of_rust(warehouse, tmp_path):
    _land(warehouse, tmp_path, RUST)
    query = "SELECT region, event, value FROM pmu_samples ORDER BY rowid LIMIT 3"
    path = "app::main-><T as From<U>>::from"
    assert rows(warehouse, query) == [
        (path, "allocated bytes", 300),
        (path, "allocated blocks", 3),
        (path, "peak bytes", 200),
    ]


def test_events_of_a_program_are_named_by_it(warehouse, tmp_path):
    point = {"tb": 7, "tbk": 2, "fs": [2]}
    names = {"verb": "Occurred", "bsu": "units", "bksu": "events"}
    _land(warehouse, tmp_path, {**RUST, **names, "mode": "ad-hoc", "pps": [point]})
    assert rows(warehouse, "SELECT event, value, unit FROM pmu_samples ORDER BY rowid") == [
        ("occurred units", 7, "units"),
        ("occurred events", 2, "events"),
    ]
    assert rows(warehouse, "SELECT count(*) FROM metrics") == [(0,)]


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"dhatFileVersion": 3}, "the version of the format is 3"),
        ({"pps": [{"tb": 1, "fs": [3]}]}, "'fs' is [3.0]"),
        ({"pps": [{"tb": "1", "fs": [1]}]}, "'tb' is"),
        ({"pps": []}, "'pps' is empty"),
    ],
)
def test_damage_is_found(warehouse, tmp_path, change, problem):
    with pytest.raises(InputError) as error:
        _land(warehouse, tmp_path, RUST | change)
    assert problem in str(error.value)
