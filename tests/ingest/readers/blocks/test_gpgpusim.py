"""GPGPU-Sim logs: one thing at a time, on logs written here (see cases/gpgpusim.py)."""

from __future__ import annotations

import re

import pytest

from ingest.base import Head
from ingest.load import load
from ingest.parsed import Options
from ingest.readers.blocks.gpgpusim import reader as gpgpusim
from ingest.readers.blocks.gpgpusim import threads as gpgpusim_threads
from ingest.readers.blocks.gpgpusim.reader import GpgpuSim
from ingest.recording import Recording
from tests.helpers.support import rows
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
    launch,
    whole,
)
from warehouse.errors import InputError

READER = GpgpuSim()
VISITS = "SELECT launch, bb, sum(visits) FROM bb_visits GROUP BY ALL ORDER BY ALL"
EDGES = "SELECT launch, src, dst, count FROM bb_edges ORDER BY ALL"
BLOCKS = "SELECT bb, size, pc_first FROM bb_blocks ORDER BY bb"
TABLES = {name: f"SELECT * EXCLUDE (run_id, source_id) FROM {name} ORDER BY ALL"
          for name in READER.TABLES}  # fmt: skip
TIMING = """\
GPGPU-Sim PTX: pushing kernel 'halve' to stream 0, gridDim= (2,1,1) blockDim = (2,1,1)
GPGPU-Sim API: stream 0 performing kernel 1: 'halve', latency 0 not ready to transfer to GPU hardware scheduler
GPGPU-Sim API: stream 0 performing kernel 1: 'halve' transfer to GPU hardware scheduler
"""  # noqa: E501
ENDED = "kernel_name = halve \nkernel_launch_uid = {} \ngpu_tot_sim_insn = 20\n"


def land(con, path):
    return load(con, Recording(READER.parts(path)), READER, Options())


def landed(con, folder, text, query, **others):
    path = folder / "a.log"
    path.write_text(text, encoding="utf-8")
    for suffix, content in others.items():
        (folder / f"a.{suffix}.txt").write_text(content, encoding="utf-8")
    assert READER.sniff(Head(text.encode()[: 1 << 16], path))
    land(con, path)
    return rows(con, query)


def refused(con, folder, text, **others):
    with pytest.raises(InputError) as caught:
        landed(con, folder, text, "FROM bb_visits", **others)
    assert rows(con, "SELECT count(*) FROM bb_visits") == [(0,)]
    return caught.value


def contents(con, folder, text, **others):
    landed(con, folder, text, "FROM runs", **others)
    found = {name: rows(con, query) for name, query in TABLES.items()}
    con.execute("DELETE FROM sources")
    for name in (*TABLES, "runs", "run_facts"):
        con.execute(f"DELETE FROM {name}")
    return found


def log(*paths, joins="", code=HALVE):
    writer = Writer()
    return HEAD + joins + begin(len(paths)) + writer.lines(paths, code) + done(writer)


def test_blocks_begin_after_branches_and_at_jumps(warehouse, tmp_path):
    assert landed(warehouse, tmp_path, log(THROUGH, ROUND), BLOCKS) == [
        (0, 3, 0),
        (1, 1, 24),
        (2, 2, 32),
    ]
    assert rows(warehouse, EDGES) == [(0, 0, 1, 1), (0, 0, 2, 1), (0, 1, 2, 1)]


@pytest.mark.parametrize(
    ("joins", "blocks"),
    [("", [(0, 3, 0), (1, 3, 24)]), (JOIN, [(0, 3, 0), (1, 1, 24), (2, 2, 32)])],
    ids=["not logged", "logged"],
)
def test_post_dominator_begins_a_block_that_is_only_fallen_into(joins, blocks, warehouse, tmp_path):
    assert landed(warehouse, tmp_path, log(THROUGH, joins=joins), BLOCKS) == blocks


def test_late_jump_splits_what_was_counted_before(warehouse, tmp_path):
    writer = Writer()
    text = HEAD + launch(writer, [THROUGH] * 3) + launch(writer, [THROUGH, ROUND])
    assert landed(warehouse, tmp_path, text, VISITS) == [
        (0, 0, 3),
        (0, 1, 3),
        (0, 2, 3),
        (1, 0, 2),
        (1, 1, 1),
        (1, 2, 2),
    ]
    assert rows(warehouse, EDGES) == [
        (0, 0, 1, 3),
        (0, 1, 2, 3),
        (1, 0, 1, 1),
        (1, 0, 2, 1),
        (1, 1, 2, 1),
    ]


def test_exit_ends_a_block_as_in_the_simulators_own_listing(warehouse, tmp_path):
    code = HALVE | {16: "halve.ptx:14 - @%p1 exit;"}
    text = log(THROUGH, (0, 8, 16), code=code)
    assert landed(warehouse, tmp_path, text, BLOCKS) == [(0, 3, 0), (1, 3, 24)]
    assert rows(warehouse, "SELECT thread, bb FROM bb_visits ORDER BY ALL") == [
        (0, 0),
        (0, 1),
        (1, 0),
    ]


def test_dependence_distance_is_to_the_latest_writer(warehouse, tmp_path):
    code = {
        0: "k.ptx:1 - mov.u32 %r1, %tid.x;",
        8: "k.ptx:2 - mov.u32 %r2, 0;",
        16: "k.ptx:3 - add.s32 %r2, %r2, %r1;",
        24: "k.ptx:4 - setp.lt.s32 %p1, %r2, %r1;",
        32: "k.ptx:5 - @%p1 bra $L;",
        40: "k.ptx:6 - st.global.u32 [%rd1], %r1;",
        48: "k.ptx:7 - ret;",
    }
    text = log((0, 8, 16, 24, 32, 16, 24, 32, 40, 48), code=code)
    query = "SELECT bb, distance, count FROM bb_dependences ORDER BY ALL"
    # The sum waits 1 instruction the first time, then 3, for itself; the store 8 for %r1.
    assert landed(warehouse, tmp_path, text, query) == [
        (0, None, 2),
        (1, 1, 5),
        (1, 3, 1),
        (2, 8, 1),
        (2, None, 1),
    ]


def test_threads_of_a_block_and_their_warps(warehouse, tmp_path):
    writer = Writer()
    text = HEAD + launch(writer, [THROUGH] * 65, grid=2)
    query = "SELECT block, warp, count(DISTINCT thread) FROM bb_visits GROUP BY ALL ORDER BY ALL"
    assert landed(warehouse, tmp_path, text, query) == [
        (0, 0, 32),
        (0, 1, 32),
        (0, 2, 1),
        (1, 0, 32),
        (1, 1, 32),
        (1, 2, 1),
    ]
    assert rows(warehouse, "SELECT instructions, warp_instructions FROM bb_launches") == [
        (2 * 65 * 6, 2 * 3 * 6)
    ]


def test_indices_in_three_dimensions_are_linear(warehouse, tmp_path):
    text = log(ROUND).replace("(1,1,1) blockDim = (1,1,1)", "(2,3,4) blockDim = (4,4,2)")
    text = text.replace("ctaid=(0,0,0) tid=(0,0,0)", "ctaid=(1,2,3) tid=(3,1,1)")
    # One thread only, as PTX_SIM_DEBUG_THREAD_UID leaves it: its running numbers have gaps.
    text = re.sub(r"^(\d) \[", r"\g<1>0 [", text, flags=re.MULTILINE)
    query = "SELECT DISTINCT block, warp, thread FROM bb_visits"
    assert landed(warehouse, tmp_path, text, query) == [(1 + 2 * 2 + 6 * 3, 0, 3 + 4 * 1 + 16 * 1)]


def test_old_form_with_cycles_lands_the_same(warehouse, tmp_path):
    old = re.sub(r"^(\d+) \[thd", r"\1 [cyc=1\1][thd", whole(), flags=re.MULTILINE)
    assert contents(warehouse, tmp_path, old) == contents(warehouse, tmp_path, whole())


def test_register_sections_of_higher_levels_are_skipped(warehouse, tmp_path):
    sections = "\\g<0>\nOutput Registers:\n      %r1   .b32 0x00000020\nInput Registers:\n"
    text = re.sub(r"^\d+ \[thd.*", sections, whole(), flags=re.MULTILINE)
    assert contents(warehouse, tmp_path, text) == contents(warehouse, tmp_path, whole())


def test_one_thread_only_has_no_totals(warehouse, tmp_path):
    lines = whole().splitlines(keepends=True)
    text = "".join(line for line in lines if "[thd=" not in line or "[thd=34]" in line)
    query = "SELECT launch, block, thread, bb, visits FROM bb_visits ORDER BY ALL"
    assert landed(warehouse, tmp_path, text, query) == [(0, 0, 33, 0, 1), (0, 0, 33, 1, 1)]
    assert rows(warehouse, "SELECT instructions, warp_instructions FROM bb_launches") == [
        (None, None),
        (None, None),
    ]


@pytest.mark.parametrize("others", [False, True], ids=["in the log", "next to it"])
def test_listing_numbers_the_blocks(others, warehouse, tmp_path):
    text = log(THROUGH, THROUGH)
    files = {"blocks": LISTING} if others else {}
    text = text if others else text.replace(HEAD, HEAD + LISTING)
    assert landed(warehouse, tmp_path, text, BLOCKS, **files) == [
        (0, 3, 0),
        (1, 1, 24),
        (2, 2, 32),
    ]
    assert rows(warehouse, EDGES) == [(0, 0, 1, 2), (0, 1, 2, 2)]


def test_listed_blocks_are_there_though_never_visited(warehouse, tmp_path):
    text = log(ROUND).replace(HEAD, HEAD + LISTING)
    assert landed(warehouse, tmp_path, text, BLOCKS) == [(0, 3, 0), (1, 1, 24), (2, 2, 32)]
    assert rows(warehouse, VISITS) == [(0, 0, 1), (0, 2, 1)]


def test_block_of_labels_only_has_a_number_but_no_instructions(warehouse, tmp_path):
    labels = "bb_02\t:                 (halve.ptx:18) $L1:\n\n"
    listing = LISTING.replace("bb_02", "bb_03").replace("bb_03\t:  ", f"{labels}bb_03\t:  ", 1)
    query = "SELECT bb, size FROM bb_blocks ORDER BY bb"
    found = landed(warehouse, tmp_path, log(THROUGH, ROUND), query, blocks=listing)
    assert found == [(0, 3), (1, 1), (3, 2)]
    assert rows(warehouse, EDGES) == [(0, 0, 1, 1), (0, 0, 3, 1), (0, 1, 3, 1)]


def test_kernels_launched_ahead_run_in_their_turn(warehouse, tmp_path):
    other = {pc + 80: text.replace("halve", "other") for pc, text in HALVE.items()}
    pushes = [begin(2).splitlines()[0], begin(1, kernel="other").splitlines()[0]]
    run = "GPGPU-Sim: Performing Functional Simulation, executing kernel {}...\n"
    writer = Writer()
    text = HEAD + "\n".join(pushes) + "\n"
    text += run.format("halve") + writer.lines([THROUGH, ROUND]) + done(writer)
    text += run.format("other") + writer.lines([[pc + 80 for pc in ROUND]], other) + done(writer)
    query = "SELECT launch, kernel, instructions FROM bb_launches ORDER BY launch"
    assert landed(warehouse, tmp_path, text, query) == [(0, "halve", 11), (1, "other", 5)]


@pytest.mark.parametrize("listing", ["", LISTING], ids=["without listing", "with listing"])
def test_called_function_has_blocks_after_the_kernels(listing, warehouse, tmp_path):
    code = HALVE | {
        24: "halve.ptx:16 - call.uni twice, (param0);",
        80: "halve.ptx:40 - ld.param.u32 %r1, [param0];",
        88: "halve.ptx:41 - ret;",
    }
    listing = listing.replace("shl.b32 %r2, %r1, 2;", "call.uni twice, (param0);")
    text = log((0, 8, 16, 24, 80, 88, 32, 40), (0, 8, 16, 32, 40), code=code)
    first = 4 if listing else 3
    assert landed(warehouse, tmp_path, text.replace(HEAD, HEAD + listing), BLOCKS) == [
        (0, 3, 0),
        (1, 1, 24),
        (2, 2, 32),
        (first, 2, 80),
    ]
    assert rows(warehouse, EDGES) == [
        (0, 0, 1, 1),
        (0, 0, 2, 1),
        (0, 1, first, 1),
        (0, first, 2, 1),
    ]
    # Registers of caller and called function share names.
    assert rows(warehouse, "FROM bb_dependences") == []


def test_timing_simulation_interleaves_thread_blocks(warehouse, tmp_path):
    functional = Writer()
    text = HEAD + launch(functional, [THROUGH, ROUND], grid=2)
    first, second = Writer(), Writer()
    lines = [w.lines([THROUGH, ROUND], grid=1, first_block=k).splitlines(keepends=True)
             for k, w in enumerate((first, second))]  # fmt: skip
    second_uids = [re.sub(r"thd=(\d)", lambda m: f"thd={int(m[1]) + 2}", x) for x in lines[1]]
    mixed = [line for pair in zip(lines[0], second_uids, strict=True) for line in pair]
    numbered = [re.sub(r"^\d+", str(n), line) for n, line in enumerate(mixed)]
    timing = HEAD + TIMING + "".join(numbered) + ENDED.format(1)
    expected = contents(warehouse, tmp_path, text)
    assert landed(warehouse, tmp_path, timing, "SELECT tags['simulation'] FROM runs") == [
        ("timing",)
    ]
    for name in TABLES.keys() - {"bb_launches"}:
        assert rows(warehouse, TABLES[name]) == expected[name], name


@pytest.mark.parametrize(("piece", "slots"), [(200, 1), (3000, 1 << 14), (1 << 20, 1)])
def test_pieces_of_any_size_give_the_same(piece, slots, warehouse, tmp_path, monkeypatch):
    writer = Writer()
    text = HEAD + launch(writer, [THROUGH] * 40, grid=3) + launch(writer, [ROUND, THROUGH], grid=4)
    expected = contents(warehouse, tmp_path, text)
    monkeypatch.setattr(gpgpusim, "_PIECE", piece)
    monkeypatch.setattr(gpgpusim_threads, "_MANY_SLOTS", slots)
    assert contents(warehouse, tmp_path, text) == expected


def test_line_ends_of_windows(warehouse, tmp_path):
    text = whole().replace("\n", "\r\n")
    (tmp_path / "a.log").write_bytes(text.encode())
    land(warehouse, tmp_path / "a.log")
    assert rows(warehouse, "SELECT sum(instructions) FROM bb_launches") == [(251,)]
