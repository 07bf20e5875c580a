"""Warp traces that are cut, damaged or of another kind: the messages."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.blocks.nvbit.reader import Nvbit
from tests.helpers.support import land, rows
from tests.ingest.cases.nvbit import LISTED, THROUGH, trace
from warehouse.errors import InputError

READER = Nvbit()
WHOLE = trace([THROUGH] * 33, [THROUGH] * 33)
DAMAGE = [
    ("-kernel name = halve\n", "-kernel name = \n", "the header lacks '-kernel name = '"),
    ("-kernel id", "kernel id", "the line belongs to no header"),
    ("-grid dim = (2,1,1)\n", "", "the header lacks '-grid dim = '"),
    ("-grid dim = (2,1,1)", "-grid dim = (2,1)", "the grid dim is (2,1)"),
    ("-grid dim = (2,1,1)", "-grid dim = (0,1,1)", "the grid dim is (0,1,1)"),
    ("-grid dim = (2,1,1)", "-grid dim = (3,1,1)", "2 of the 3 thread blocks of 'halve' are there"),
    ("-block dim = (33,1,1)", "-block dim = (9999,99,1)", "the block dim is (9999,99,1)"),
    ("-block dim = (33,1,1)", "-block dim = (65,1,1)", "the thread block has 2 of its 3 warps"),
    ("-binary version = 61", "-binary version = 6x", "the binary version is '6x'"),
    ("-binary version = 61\n", "", "the header lacks '-binary version = '"),
    (
        "-binary version = 61",
        "-binary version = 70",
        "PC 0008 is no place of an instruction on sm_",
    ),
    ("#BEGIN_TB\n\nthread block = 1", "thread block = 1", "the line is not in its place"),
    ("thread block = 1,0,0", "thread block = 1,0", "the line is damaged"),
    ("thread block = 1,0,0", "thread block = 2,0,0", "thread block 2,0,0 is outside the grid of 2"),
    (
        "thread block = 1,0,0",
        "thread block = 0,0,0",
        "1 of the 2 thread blocks of 'halve' are ther",
    ),
    ("warp = 1", "warp = 2", "warp 2 is where 1 is due"),
    ("warp = 1", "warp = x", "the line is damaged"),
    ("insts = 8", "insts = 7", "the warp has 8 instructions instead of 7"),
    ("insts = 8", "insts = 9", "the warp has 8 instructions instead of 9"),
    ("insts = 8\n", "", "the line is not in its place"),
    ("0010 ffffffff 0 ISETP", "0010 fffffff 0 ISETP", "the line is damaged"),
    ("0010 ffffffff 0 ISETP", "0010 fffffffff 0 ISETP", "the line is damaged"),
    ("0010 ffffffff 0 ISETP", "001g ffffffff 0 ISETP", "the line is damaged"),
    ("0010 ffffffff 0 ISETP", "0011 ffffffff 0 ISETP", "PC 0011 is no place of an instruction"),
    ("0010 ffffffff 0 ISETP", "9000010 ffffffff 0 ISETP", "PC 9000010 is no place of an instruct"),
    ("0010 ffffffff 0 ISETP", "0010 ffffffff 1 ISETP", "the instruction cannot be read"),
    ("0010 00000001 0 ISETP", "0010 00000001 0 ISETQ", "PC 0010 is another instruction here than"),
    (
        "0010 00000001 0 ISETP",
        "0010 00000003 0 ISETP",
        "lanes from 1 on are active, but the thread",
    ),
    ("0010 00000001 0 ISETP", "0010 00000001", "the line is damaged"),
]


def refused(con, path):
    with pytest.raises(InputError) as caught:
        land(con, path)
    assert rows(con, "SELECT count(*) FROM bb_visits") == [(0,)]
    return caught.value


@pytest.mark.parametrize(("old", "new", "problem"), DAMAGE)
def test_damage_is_reported(old, new, problem, warehouse, tmp_path):
    assert old in WHOLE
    (tmp_path / "a.traceg").write_text(WHOLE.replace(old, new, 1), encoding="utf-8")
    error = refused(warehouse, tmp_path / "a.traceg")
    assert error.problem.startswith(problem)
    assert error.where.startswith("a.traceg, line ")
    assert error.hint


def test_cut_header_is_reported(warehouse, tmp_path):
    (tmp_path / "a.traceg").write_text(WHOLE[: WHOLE.index("#BEGIN")], encoding="utf-8")
    assert refused(warehouse, tmp_path / "a.traceg").problem == "there is no thread block"


def test_raw_trace_is_reported_with_what_to_do(warehouse, tmp_path):
    raw = "#traces format = threadblock_x threadblock_y threadblock_z warpid_tb PC mask"
    text = WHOLE.replace("#traces format = [line_num] PC mask", raw)
    (tmp_path / "kernel-1.trace").write_text(text, encoding="utf-8")
    error = refused(warehouse, tmp_path / "kernel-1.trace")
    assert error.problem.startswith("this is a raw trace")
    assert "post-traces-processing" in error.hint


def test_listed_trace_that_is_not_there(warehouse, tmp_path):
    text = LISTED.format("kernel-1.traceg", "kernel-2.traceg")
    (tmp_path / "kernelslist.g").write_text(text, encoding="utf-8")
    (tmp_path / "kernel-1.traceg").write_text(WHOLE, encoding="utf-8")
    error = refused(warehouse, tmp_path)
    assert (error.problem, error.where) == ("kernel-2.traceg is listed, but not there", "line 4")


def test_list_without_traces(warehouse, tmp_path):
    text = "MemcpyHtoD,0x00007f2b2d500000,400\n"
    (tmp_path / "kernelslist.g").write_text(text, encoding="utf-8")
    assert refused(warehouse, tmp_path / "kernelslist.g").problem == "the list names no trace"


def test_traces_of_two_architectures(warehouse, tmp_path):
    for number, sm in (1, 61), (2, 60):
        text = WHOLE.replace("version = 61", f"version = {sm}")
        (tmp_path / f"kernel-{number}.traceg").write_text(text, encoding="utf-8")
    problem = "the kernel is code for sm_60, before it was for sm_61"
    assert refused(warehouse, tmp_path).problem == problem


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        (["kernel-1.traceg", "kernel-2.traceg.xz"], "kernel-2.traceg.xz", [0, 1]),
        (["kernel-2.traceg", "kernel-10.traceg"], "kernel-2.traceg", [0, 1]),
        (["mine.traceg", "kernel-1.traceg"], "mine.traceg", [0]),
        (["kernelslist.g", "kernel-7.traceg.gz", "kernel-1.traceg"], "kernelslist.g", [0, 2, 1]),
        (["kernel-9.traceg", "kernelslist.g"], "kernel-9.traceg", [0]),
    ],
)
def test_files_that_belong_together(names, given, expected, tmp_path):
    for name in names:
        (tmp_path / name).write_text("kernel-1.traceg\nkernel-7.traceg\n", encoding="utf-8")
    found = [part.name for part in READER.parts(tmp_path / given)]
    assert found == [names[k] for k in expected]
    for name in found:
        assert READER.parts(tmp_path / name) == READER.parts(tmp_path / given)


def test_page_of_a_server_is_not_recognised():
    assert not READER.sniff(Head(b"<!DOCTYPE html>\n-kernel name = x\n", Path("kernelslist.g")))
