"""Files that contain themselves or some of their rows twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.contract import written
from ingest.walk import find
from tests.helpers.support import land, rows
from tests.ingest.cases import CASES
from tests.ingest.copies import name_of, parts_of
from warehouse.errors import InputError

pytestmark = pytest.mark.usefixtures("without_analyses")

SAMPLES = Path(__file__).parents[1] / "samples"


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_a_file_appended_to_itself_is_told_or_rejected(case, warehouse, tmp_path):
    parts = {name: data * 2 for name, data in parts_of(case).items()}
    try:
        (landed,) = land(warehouse, written(tmp_path, parts))
    except InputError:
        return
    assert landed.repeats.startswith("its second half is its first half again")
    assert rows(warehouse, "SELECT repeats FROM sources") == [(landed.repeats,)]


def test_threads_that_take_turns_at_the_same_loop_are_no_repetition(warehouse, tmp_path):
    turn = "".join(f"{thread},int,x{thread},x{thread}\n" * 4 for thread in (0, 1))
    (tmp_path / "trace.csv").write_text("thread,class,reads,writes\n" + turn * 8)
    (landed,) = land(warehouse, tmp_path / "trace.csv")
    assert rows(warehouse, "SELECT count(*) FROM segments") == [(16,)]
    assert not landed.repeats


@pytest.mark.parametrize("name", ["ncu-text", "gem5-stats-o3", "machine-code"])
def test_rows_that_were_appended_a_second_time_are_told(warehouse, tmp_path, name):
    (sample, *_) = (found for found in find([SAMPLES / name]) if found.reader is not None)
    twice = tmp_path / sample.path.name
    content = sample.path.read_bytes()
    # A line end more, so that the halves differ.
    twice.write_bytes(content + b"\n" + content)
    (landed,) = land(warehouse, twice)
    assert landed.repeats.startswith("each row of ")


@pytest.mark.parametrize(
    ("name", "at"), [("darshan", 30), ("gem5-stats-o3", 14), ("ncu", 11), ("perf-stat", 13)]
)
def test_a_line_that_is_there_twice_is_told(warehouse, tmp_path, name, at):
    (sample, *_) = (found for found in find([SAMPLES / name]) if found.reader is not None)
    (once,) = land(warehouse, sample.path)
    assert once.repeats is None
    more = tmp_path / sample.path.name
    lines = sample.path.read_bytes().splitlines(keepends=True)
    more.write_bytes(b"".join([*lines[:at], lines[at - 1], *lines[at:]]))
    (landed,) = land(warehouse, more)
    count = once.rows["pmu_samples"] + 1
    assert landed.repeats == f"1 of {count} rows of pmu_samples equal to another"


def test_equal_values_alone_are_no_repetition(warehouse, tmp_path):
    file = tmp_path / "counters.csv"
    lines = (f"{i // 5},r{i % 5},cycles,7\n" for i in range(8))
    file.write_text("sample,region,event,value\n" + "".join(lines))
    assert land(warehouse, file)[0].repeats is None
    # Halves of equal lines are equal whatever they are.
    stacks = tmp_path / "stacks.folded"
    stacks.write_text("main;solve 1\n" * 8)
    assert land(warehouse, stacks)[0].repeats is None
