"""Warp traces of real GPUs: real ones against known facts, and ones written here."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter, defaultdict

import pytest

from ingest.readers.blocks.nvbit import reader as nvbit
from ingest.readers.blocks.nvbit.reader import Nvbit
from tests.helpers.support import land, rows, shared
from tests.ingest.cases.nvbit import HALVE, ROUND, THROUGH, follower, trace

READER = Nvbit()
VISITS = "SELECT bb, sum(visits), sum(instructions) FROM bb_visits GROUP BY ALL ORDER BY ALL"
BLOCKS = "SELECT bb, size, pc_first FROM bb_blocks ORDER BY bb"
EDGES = "SELECT src, dst, count FROM bb_edges ORDER BY ALL"


@pytest.mark.parametrize(
    ("folder", "visits", "barriers"),
    [
        ("vectoradd-100", [(0, 1024, 9116), (1, 100, 1400)], 0),
        ("matrixmul-32", [(0, 1024, 26624), (1, 1024, 107520), (2, 1024, 5120)], 2048),
    ],
)
def test_real_trace_has_the_facts(folder, visits, barriers, warehouse):
    fact = json.loads(shared("bb/facts/nvbit.json").read_text())[folder]
    (done,) = land(warehouse, shared(f"bb/nvbit/{folder}"))
    assert done.runs[0].startswith(f"{folder}-")
    assert rows(warehouse, "SELECT warp_instructions, instructions FROM bb_launches") == [
        (fact["warp_instructions"], fact["thread_instructions_by_mask"])
    ]
    query = (
        "SELECT count(DISTINCT (block, warp)), count(DISTINCT opcode) FROM bb_visits, bb_opcodes"
    )
    assert rows(warehouse, query) == [(fact["warps"], fact["distinct_opcodes"])]
    assert rows(warehouse, VISITS) == visits
    found = "SELECT sum(count) FROM bb_opcodes WHERE opcode LIKE 'BAR%'"
    assert rows(warehouse, found) == [(barriers or None,)]
    query = "SELECT sum(visits * barriers) FROM bb_visits JOIN bb_blocks USING (kernel, bb)"
    assert rows(warehouse, query) == [(barriers,)]


def test_lanes_that_leave_visit_no_more(warehouse):
    land(warehouse, shared("bb/nvbit/vectoradd-100"))
    query = "SELECT count(*), max(thread) FROM bb_visits WHERE bb = 1"
    assert rows(warehouse, query) == [(100, 99)]
    assert rows(warehouse, EDGES) == [(0, 1, 100)]


def test_branch_that_nobody_takes_was_executed(landed, warehouse):
    query = "SELECT opcode, count FROM bb_opcodes WHERE opcode = 'BRA'"
    assert landed(trace([THROUGH] * 32), query) == [("BRA", 0)]
    assert rows(warehouse, "SELECT instructions, warp_instructions FROM bb_launches") == [
        (7 * 32, 8)
    ]


def test_block_of_a_branch_that_nobody_takes_is_visited(landed, warehouse):
    code = HALVE | {0x28: "0 BRA 0 0 ", 0x30: "0 BRA 0 0 "}
    assert landed(trace([THROUGH] * 4, code=code), VISITS) == [
        (0, 4, 8),
        (1, 4, 0),
        (2, 4, 0),
        (3, 4, 12),
    ]
    assert rows(warehouse, EDGES) == [(0, 1, 4), (1, 2, 4), (2, 3, 4)]


def test_loop_that_begins_with_its_exit(landed, warehouse):
    code = {
        0x00: "1 R1 S2R 0 0 ",
        0x10: "0 BRA 0 0 ",
        0x20: "1 R1 IADD 1 R1 0 ",
        0x30: "0 BRA 0 0 ",
        0x40: "0 EXIT 0 0 ",
    }
    paths = [(0x00, *(0x10, 0x20, 0x30) * turns, 0x10, 0x40) for turns in (3, 3, 5)]
    assert landed(trace(paths, code=code, sm=70), VISITS) == [
        (0, 3, 3),
        (1, 14, 3),
        (2, 11, 22),
        (3, 3, 3),
    ]
    assert rows(warehouse, EDGES) == [(0, 1, 3), (1, 2, 11), (1, 3, 3), (2, 1, 11)]


def test_lane_that_its_predicate_switches_off_visits_all_the_same(landed):
    text = trace([THROUGH] * 4, off=lambda pc, thread: pc == 0x28 and thread < 3)
    query = "SELECT thread, visits, instructions FROM bb_visits WHERE bb = 1 ORDER BY ALL"
    assert landed(text, query) == [
        *((0, 1, 4), (1, 1, 4), (2, 1, 4)),
        (3, 1, 5),
    ]


def test_place_where_lanes_come_back_begins_a_block(landed, warehouse):
    assert landed(trace([THROUGH, ROUND]), BLOCKS) == [
        (0, 3, 0x08),
        (1, 2, 0x28),
        (2, 3, 0x38),
    ]
    assert rows(warehouse, EDGES) == [(0, 1, 1), (0, 2, 1), (1, 2, 1)]


def test_launches_of_a_kernel_share_its_blocks(warehouse, tmp_path):
    for number, paths in enumerate(([THROUGH], [ROUND]), 1):
        text = trace(paths)
        (tmp_path / f"kernel-{number}.traceg").write_text(text, encoding="utf-8")
    (tmp_path / "kernelslist.g").write_text("kernel-2.traceg\nkernel-1.traceg\n")
    land(warehouse, tmp_path)
    query = "SELECT launch, bb, visits FROM bb_visits ORDER BY ALL"
    assert rows(warehouse, query) == [(0, 0, 1), (0, 2, 1), (1, 0, 1), (1, 1, 1), (1, 2, 1)]


def test_traces_without_their_list_go_by_their_numbers(warehouse, tmp_path):
    for number in (10, 9):
        text = trace([THROUGH], name=f"k{number}")
        (tmp_path / f"kernel-{number}.traceg").write_text(text, encoding="utf-8")
    (done,) = land(warehouse, tmp_path)
    assert rows(warehouse, "SELECT launch, kernel FROM bb_launches ORDER BY ALL") == [
        (0, "k9"),
        (1, "k10"),
    ]
    assert done.runs[0].startswith(tmp_path.name)


@pytest.mark.parametrize(
    ("sm", "pcs"),
    [
        (37, (0x08, 0x10, 0x18, 0x20, 0x28, 0x30, 0x38, 0x48)),
        (61, (0x08, 0x10, 0x18, 0x28, 0x30, 0x38, 0x48, 0x50)),
        (80, (0x00, 0x10, 0x20, 0x30, 0x40, 0x50, 0x60, 0x70)),
    ],
)
def test_what_follows_what_depends_on_the_architecture(sm, pcs, landed):
    code = dict(zip(pcs, HALVE.values(), strict=True))
    text = trace([pcs] * 3, code=code, sm=sm)
    # A branch that is not taken has no lane in its mask.
    text = text.replace(f"{pcs[2]:04x} 00000007", f"{pcs[2]:04x} 00000000")
    assert landed(text, BLOCKS) == [(0, 3, pcs[0]), (1, 5, pcs[3])]


def test_source_lines_of_blocks(landed):
    text = trace([THROUGH], lines=True)
    query = "SELECT bb, pc_first, source_line FROM bb_blocks ORDER BY bb"
    assert landed(text, query) == [(0, 8, 8), (1, 0x28, 0x28)]


def test_immediate_at_the_end_of_a_line(landed):
    text = trace([THROUGH]).replace("SHL 1 R1 0 ", "SHL 1 R1 0 2")
    assert landed(text, VISITS) == [(0, 1, 2), (1, 1, 5)]


def test_dependence_distances(landed):
    code = {
        0x00: "1 R2 S2R 0 0 ",
        0x10: "1 R3 IADD3 2 R2 R255 0 ",
        0x20: "1 R3 IADD3 2 R3 R2 0 ",
        0x30: "0 BRA 0 0 ",
        0x40: "0 STG.E 2 R2 R3 4 1 0x7f00 4 ",
        0x50: "0 EXIT 0 0 ",
    }
    path = (0x00, 0x10, 0x20, 0x30, 0x20, 0x30, 0x40, 0x50)
    text = trace([path] * 2, code=code, sm=70)
    query = "SELECT bb, distance, count FROM bb_dependences ORDER BY ALL"
    # The sum waits 1 instruction for R3 the first time, then 2 for itself, as the store does.
    assert landed(text, query) == [
        (0, 1, 2),
        (0, None, 2),
        (1, 1, 2),
        (1, 2, 2),
        (1, None, 4),
        (2, 2, 2),
        (2, None, 2),
    ]


def walks(rng, threads):
    """Return ways through a program of 30 instructions with branches at every fifth, as PCs.

    None leads to a branch: of a branch alone the masks do not show who was there.
    """
    targets = {
        pc: 16 * rng.choice([k for k in range(30) if k % 5 != 4]) for pc in range(64, 464, 80)
    }
    paths = []
    for _ in range(threads):
        path, pc = [], 0
        while pc < 480:
            path.append(pc)
            turns = pc in targets and len(path) < 80 and rng.random() < 0.5
            pc = targets[pc] if turns else pc + 16
        paths.append(tuple(path))
    code = {pc: "0 BRA 0 0 " if pc in targets else "1 R1 IADD 1 R2 0 " for pc in range(0, 464, 16)}
    return paths, code | {464: "0 EXIT 0 0 "}, targets


def expected(paths, code):
    """Count visits and edges thread by thread."""
    leaders = {path[0] for path in paths}
    for path in paths:
        for before, pc in itertools.pairwise(path):
            if "BRA" in code[before] or pc != before + 16:
                leaders.add(pc)
    order = sorted(leaders)
    visits: dict[int, Counter[int]] = defaultdict(Counter)
    edges: Counter[tuple[int, int]] = Counter()
    for thread, path in enumerate(paths):
        blocks = [order.index(pc) for pc in path if pc in leaders]
        visits[thread].update(blocks)
        edges.update(itertools.pairwise(blocks))
    return order, visits, edges


@pytest.mark.parametrize("piece", [200, 3000, 4 << 20])
@pytest.mark.parametrize("seed", range(4))
def test_random_ways_through_a_program(seed, piece, landed, warehouse, monkeypatch):
    monkeypatch.setattr(nvbit, "_PIECE", piece)
    paths, code, _ = walks(random.Random(seed), 70)
    order, visits, edges = expected(paths, code)
    text = trace(paths, code=code, sm=75)
    found = landed(text, "SELECT pc_first FROM bb_blocks ORDER BY bb")
    assert [pc for (pc,) in found] == order
    found = rows(warehouse, "SELECT thread, bb, visits FROM bb_visits")
    assert len(found) == sum(len(counts) for counts in visits.values())
    assert all(visits[thread][bb] == count for thread, bb, count in found)
    assert {(src, dst): n for src, dst, n in rows(warehouse, EDGES)} == edges
    total = sum(map(len, paths))
    assert rows(warehouse, "SELECT sum(count) FROM bb_dependences") == [(total,)]
    taken = sum(
        pc not in path[k + 1 : k + 2] and "BRA" in code[pc] and path[k + 1] == follower(pc, 75)
        for path in paths
        for k, pc in enumerate(path[:-1])
    )
    assert rows(warehouse, "SELECT instructions FROM bb_launches") == [(total - taken,)]
    query = "SELECT sum(instructions) FROM bb_visits"
    assert rows(warehouse, query) == [(total - taken,)]
