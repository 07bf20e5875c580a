"""inst_debug files of GPGPU-Sim: a real one against known facts, and ones written here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.blocks.gpgpusim import inst_debug
from ingest.readers.blocks.gpgpusim.inst_debug import GpgpuSimInstDebug
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.inst_debug import HALVE, ROUND, THROUGH, debugged
from warehouse.errors import InputError

READER = GpgpuSimInstDebug()
VISITS = "SELECT launch, thread, bb, visits FROM bb_visits ORDER BY ALL"
OTHER = {line: text.replace("halve", "other") for line, text in HALVE.items()}


def test_real_file_has_the_facts(warehouse):
    fact = json.loads(shared("bb/facts/vecadd.dep.json").read_text())["1"]
    land(warehouse, shared("bb/gpgpusim/vecadd64_inst_debug.txt.gz"))
    assert rows(warehouse, "SELECT kernel, instructions, warp_instructions FROM bb_launches") == [
        ("vecadd", 1408, None)
    ]
    query = "SELECT count(DISTINCT thread), min(thread), max(thread), count(block) FROM bb_visits"
    assert rows(warehouse, query) == [(64, 1, 64, 0)]
    # All threads do the same as the first, whose distances are known.
    found = rows(warehouse, "SELECT distance, sum(count) // 64 FROM bb_dependences GROUP BY ALL")
    assert {str(distance): n for distance, n in found} == fact["min_dep_distance_histogram"]
    found = rows(warehouse, "SELECT opcode, sum(count) // 64 FROM bb_opcodes GROUP BY ALL")
    assert dict(found) == fact["opcode_counts"]


def test_blocks_begin_after_branches_and_where_they_lead(landed):
    query = "SELECT bb, size, source_line FROM bb_blocks ORDER BY bb"
    assert landed(debugged([THROUGH, ROUND]), query) == [
        (0, 3, 12),
        (1, 2, 16),
        (2, 2, 19),
    ]


def test_kernels_are_launches(landed, warehouse):
    text = debugged([THROUGH] * 2)
    text += debugged([ROUND], OTHER, first=3, file="other.1.sm_75.ptx")
    text += debugged([ROUND], first=4)
    query = "SELECT launch, kernel, instructions FROM bb_launches ORDER BY launch"
    assert landed(text, query) == [
        (0, "halve", 14),
        (1, "other", 5),
        (2, "halve", 5),
    ]
    assert rows(warehouse, VISITS) == [
        *((0, 1, 0, 1), (0, 1, 1, 1), (0, 1, 2, 1)),
        *((0, 2, 0, 1), (0, 2, 1, 1), (0, 2, 2, 1)),
        (1, 3, 0, 1),
        (1, 3, 1, 1),
        (2, 4, 0, 1),
        (2, 4, 2, 1),
    ]


def test_kernel_without_parameters_has_no_name(landed, warehouse):
    code = HALVE | {12: "mov.u32 %r1, %tid.x;"}
    query = "SELECT kernel, function, bb FROM bb_blocks ORDER BY bb"
    assert landed(debugged([ROUND] * 2, code), query) == [
        (None, None, 0),
        (None, None, 1),
    ]
    assert rows(warehouse, "SELECT kernel FROM bb_launches") == [(None,)]


def test_one_thread_only_has_no_total(landed, warehouse):
    text = debugged([THROUGH], first=7)
    assert landed(text, "SELECT instructions FROM bb_launches") == [(None,)]
    assert rows(warehouse, "SELECT DISTINCT thread FROM bb_visits") == [(7,)]


def test_pieces_of_any_size_give_the_same(landed, another, tmp_path, monkeypatch):
    text = debugged([THROUGH, ROUND] * 20) + debugged([ROUND] * 3, first=41)
    expected = landed(text, VISITS)
    monkeypatch.setattr(inst_debug, "_PIECE", 300)
    con = another()
    land(con, tmp_path / "x.txt")
    assert rows(con, VISITS) == expected


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("[thd=2] : (halve.1.sm_75.ptx:16", "[thd=2 : (halve.1.sm_75.ptx:16", "this is no line of"),
        ("[thd=2] : (halve", "[thd=99999999999] : (halve", "this is no line of an inst_debug"),
        ("[thd=2] : (halve", "thd=2] : (halve", "this is no line of an inst_debug file"),
        ("ptx:16 - shl", "ptx 16 - shl", "the instruction cannot be read"),
        ("%rd1, [halve_param_0];)", "%rd1, [halve_param_0];", "this is no line of an inst_debug"),
    ],
)
def test_damage_is_reported(old, new, problem, refused):
    text = debugged([THROUGH] * 2)
    assert old in text
    error = refused(text.replace(old, new, 1))
    assert error.problem.startswith(problem)
    assert error.where.startswith("line ")


def test_lost_line_is_reported(refused):
    text = debugged([THROUGH] * 2)
    line = "[thd=2] : (halve.1.sm_75.ptx:13 - setp.ge.u32 %p1, %r1, 33;)\n"
    error = refused(text.replace(line, "", 1))
    assert error.problem.startswith("thread 2 comes here from line 12 of the PTX file")
    assert error.where == "line 25"


def test_cut_file_is_reported(refused):
    text = debugged([THROUGH] * 2)
    error = refused(text[: text.rindex("[thd=2]")])
    assert error.problem == "the file ends before thread 2 is over"
    error = refused(text[: text.rindex("[thd=2]") + 20])
    assert error.problem == "this is no line of an inst_debug file"


def test_file_of_registers_only(warehouse, tmp_path):
    (tmp_path / "a.txt").write_text("Output Registers:\n      %r1   .b32 0x20\n", encoding="utf-8")
    with pytest.raises(InputError, match="there are no instruction lines"):
        land(warehouse, tmp_path / "a.txt", reader="gpgpusim-inst-debug")


def test_logs_are_not_recognised():
    line = b"0 [thd=1][i=1] : ctaid=(0,0,0) tid=(0,0,0) icount=1 [pc=0] (a.ptx:1 - ret;)  [0x0]\n"
    assert not READER.sniff(Head(line, Path("a.log")))
    assert READER.sniff(Head(b"[thd=1] : (a.ptx:1 - r", Path("a.txt")))
