"""GPGPU-Sim logs that are cut, damaged or cannot be distinguished: the messages."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ingest.base import Head
from ingest.parsing.lines import Chunk
from ingest.readers.blocks.gpgpusim.fields import parse
from tests.ingest.cases.gpgpusim import (
    HALVE,
    HEAD,
    JOIN,
    LISTING,
    ROUND,
    THROUGH,
    Writer,
    begin,
    done,
    whole,
)
from tests.ingest.readers.blocks.test_gpgpusim import ENDED, READER, TIMING, land, log, refused
from warehouse.errors import InputError

DAMAGE = [
    (" tid=(7,0,0) icount=2 ", " tid=(7,0,0) icount=3 ", "is at icount=3, after icount=1"),
    (" tid=(7,0,0) icount=2 ", " tid=(7,0;0) icount=2 ", "the instruction line is damaged"),
    (" tid=(7,0,0) icount=2 ", " tid=(77,0,0) icount=2 ", "thread (77,0,0) is outside the block"),
    ("[thd=8][i=2]", "[thd=9][i=2]", "thread 9 is at the place of thread 8"),
    ("[thd=8][i=2] : ctaid=(0,0,0)", "[thd=8][i=2] : ctaid=(0,3,0)", "(0,3,0) is outside the grid"),
    ("[pc=8]", "[pc=9]", "pc=9 is not the address of a PTX instruction"),
    ("[pc=8]", "[pc=999999999999]", "pc=999999999999 is not the address"),
    ("[pc=8]", "[pc=x]", "the instruction line is damaged"),
    ("[thd=8][i=2]", "[thd=12345678901234567890][i=2]", "the instruction line is damaged"),
    ("halve.ptx:12 - mov", "halve.ptx:12 + mov", "the instruction cannot be read"),
    ("halve.ptx:12 - mov", "halve.ptx:12 - muv", "pc=0 is another instruction here than elsewhere"),
    ("ret;)  [0x3]", "ret;)  [0x3", "the line does not end as it should"),
    ("ret;)  [0x3]", "ret; ", "the line does not end as it should"),
    ("gridDim= (1,1,1)", "gridDim= (1,1)", "the launch line is damaged"),
    ("gridDim= (1,1,1)", "gridDim= (0,1,1)", "the launch line is damaged"),
    ("blockDim = (34,1,1)", "blockDim = (99999,99,9)", "threads is not possible"),
    ("blockDim = (34,1,1)", "blockDim = (35,1,1)", "34 of the 35 threads of 'halve' ran"),
    ("1024:32 #", "1024:3 #", "warps of 3 threads are not possible"),
    ("executing kernel halve", "executing kernel half", "'half' runs that was not launched"),
    ("pushing kernel 'halve'", "pushing kernel 'h\u0000lve'", "'halve' runs that was not launched"),
    ("GPGPU-Sim PTX: pushing", "GPGPU-Sim: pushing", "'halve' runs that was not launched"),
    (
        "(203 instr",
        "(204 instr",
        "the simulator counts 204 instructions up to here, but the log has",
    ),
    ("PC=0x020 (halve.ptx:19)", "PC=0x020 (halve.ptx:99)", "the post-dominator is another instr"),
    ("@  PC=0x020 (halve", "@  PC=0x120 (halve", "given PC=0x120, but is executed at pc=32"),
    ("@  PC=0x020 (halve", "@  PC=0xzz (halve", "the post-dominator cannot be read"),
    ("immediate post dom", "immediate post", "the branch has no post-dominator line"),
]
LISTED = [
    ("bb_02\t:  PC=0x020", "bb_02\t:  PC=0x0x0", "the line does not name a block"),
    ("bb_01\t:  PC=0x018 (halve.ptx:16) shl.b32 %r2, %r1, 2;\n", "", "block 2 comes after block 0"),
    (
        "bb_00\t:  PC=0x008 (halve.ptx:13) setp.ge.u32 %p1, %r1, 33;\n",
        "",
        "PC=0x010 comes after 0x000",
    ),
    (
        "bb_00\t:  PC=0x000 (halve.ptx:12) mov.u32 %r1, %tid.x;\n",
        "",
        "pc=0 is not in the block list",
    ),
    ("bb_02\t:  PC=0x028", "bb_04\t:  PC=0x028", "block 4 comes after block 2"),
    ("bb_02\t:  PC=0x028 (halve.ptx:20) ret;\n", "", "pc=40 is not in the block listing"),
    ("for function 'halve':\nbb", "for function 'half':\nbb", "'half' has no blocks"),
    ("Summary of basic blocks for", "Summary for", "the listing of 'halve' is cut off"),
    ("Printing basic blocks for", "Printing blocks for", "the block belongs to no function"),
    ("shl.b32 %r2", "shl.b32 %r9", "pc=24 is another instruction here than elsewhere"),
]


@pytest.mark.parametrize(("old", "new", "problem"), DAMAGE)
def test_damage_is_reported(old, new, problem, warehouse, tmp_path):
    text = whole()
    assert old in text
    error = refused(warehouse, tmp_path, text.replace(old, new, 1))
    assert problem in error.problem
    assert error.where.startswith("line ")
    assert error.hint


@pytest.mark.parametrize(("old", "new", "problem"), LISTED)
def test_damaged_listing_is_reported(old, new, problem, warehouse, tmp_path):
    assert old in LISTING
    error = refused(warehouse, tmp_path, whole(), blocks=LISTING.replace(old, new, 1))
    assert problem in error.problem


def test_listing_of_another_program(warehouse, tmp_path):
    other = (
        LISTING.replace("bb_01", "bb_00").replace("bb_02", "bb_01").replace("20) ret", "20) exit")
    )
    assert (
        "pc=40 is another instruction"
        in refused(warehouse, tmp_path, whole(), blocks=other).problem
    )
    merged = LISTING.replace("bb_02", "bb_01")
    error = refused(warehouse, tmp_path, log(THROUGH, ROUND), blocks=merged)
    assert error.problem == "the listing has pc=32 in the middle of a block, but it is jumped to"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (whole()[:5000], "the instruction line is damaged"),
        (whole()[: whole().index("30 [thd=31]")], "the log ends before launch 0, of 'halve', is"),
        (whole()[: whole().index("230 [thd=")], "the log ends before launch 1, of 'halve', is"),
        (
            whole().replace("17 [thd=18]", "gone [thd=18]", 1),
            "instruction lines are missing before",
        ),
        (HEAD + JOIN, "the log has no instruction lines"),
        (HEAD + begin(1) + done(Writer()), "the log has no instruction lines"),
        (HEAD + Writer().lines([THROUGH]), "a kernel runs that was not launched"),
    ],
)
def test_log_that_is_not_whole(text, problem, warehouse, tmp_path):
    error = refused(warehouse, tmp_path, text)
    assert problem in error.problem
    assert error.where.startswith("line ")


def test_missing_instruction_lines_are_asked_for(warehouse, tmp_path):
    error = refused(warehouse, tmp_path, HEAD)
    assert error.hint == "Run the simulation with PTX_SIM_DEBUG=5 in the environment."


def test_kernels_that_run_at_once_are_refused(warehouse, tmp_path):
    second = TIMING.replace("kernel 1", "kernel 2").replace("halve", "other")
    lines = Writer().lines([THROUGH, ROUND], grid=2)
    error = refused(warehouse, tmp_path, HEAD + TIMING + second + lines + ENDED.format(1))
    assert error.problem.startswith("'halve' and 'other' run at the same time")
    assert "CUDA_LAUNCH_BLOCKING=1" in error.hint


def test_kernels_in_each_others_lines_are_refused(warehouse, tmp_path):
    other = {pc + 80: text.replace("halve", "other") for pc, text in HALVE.items()}
    writer = Writer()
    first = writer.lines([THROUGH, ROUND]).splitlines(keepends=True)
    second = writer.lines([[pc + 80 for pc in THROUGH]], other).splitlines(keepends=True)
    mixed = [line for pair in zip(first, second, strict=False) for line in pair]
    text = "".join(re.sub(r"^\d+", str(n), line) for n, line in enumerate(mixed))
    assert "thread 3 is at icount=1" in refused(warehouse, tmp_path, HEAD + begin(2) + text).problem


def test_listing_alone_is_refused(warehouse, tmp_path):
    (tmp_path / "a.blocks.txt").write_text(LISTING, encoding="utf-8")
    with pytest.raises(InputError, match="a listing of blocks without the log"):
        land(warehouse, tmp_path / "a.blocks.txt")


def test_thread_that_stops_inside_a_listed_block(warehouse, tmp_path):
    text = log(THROUGH, THROUGH[:5]).replace(HEAD, HEAD + LISTING)
    assert "stop in the middle of a block" in refused(warehouse, tmp_path, text).problem


@pytest.mark.parametrize("number", [0, 9, 1234567, 12345678, 123456789, 987654321098765])
def test_numbers_of_any_length(number):
    line = f"{number} [thd={number}][i={number}] : ctaid=({number},0,1) tid=(0,{number},2) "
    line += f"icount={number} [pc={number}] ({HALVE[40]})  [0x0]\n"
    lines = parse(Chunk(f"0, 1, 2\n{line}11.0\n69f9 x\n".encode()))
    assert (lines.damaged, lines.rows, lines.row.tolist()) == (None, 4, [1])
    for found in (lines.number, lines.uid, lines.block[0], lines.thread[1], lines.icount, lines.pc):
        assert np.array_equal(found, [number])


def test_sniffs_damaged_logs(tmp_path):
    for text in (whole()[:200], whole()[3000:9000], LISTING, "GPGPU-Sim: something\n"):
        assert READER.sniff(Head(text.encode(), tmp_path / "a.log"))
