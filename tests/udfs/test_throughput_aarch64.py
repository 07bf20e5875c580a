"""AArch64 machine code by the table of Neoverse N1: chains, ports and width, computed by hand."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from udfs.throughput.aarch64 import decode
from udfs.throughput.blocks import block_instructions
from udfs.throughput.described import describe_aarch64
from udfs.throughput.estimate_aarch64 import estimate_aarch64

REFERENCE = Path(__file__).parents[2] / "sql" / "reference"


@pytest.fixture(scope="module")
def neoverse_n1():
    with (REFERENCE / "instruction_costs.csv").open() as file:
        rows = [
            {
                "pattern": row["pattern"],
                "class": row["class"],
                "ports": row["ports"],
                **{
                    name: float(row[name]) if row[name] else None
                    for name in ("cycles", "latency", "accumulate")
                },
            }
            for row in csv.DictReader(file)
        ]
    return {"width": 4.0, "dispatch": 8.0, "instructions": rows}


def described(core, *codes):
    return describe_aarch64(pa.array([codes]), pa.array([core])).to_pylist()[0]


# Cycles of one pass of a block that repeats, by its width, its chain and its ports.
@pytest.mark.parametrize(
    ("text", "code", "width", "chain", "ports"),
    [
        ("add x0, x0, x1", "0000018b", 1 / 4, 1, 1 / 3),
        ("add x0, xzr, x1", "e003018b", 1 / 4, 0, 1 / 3),
        ("mov x0, xzr; add x0, x0, #1", "e0031faa00040091", 2 / 4, 0, 2 / 3),
        ("mov x0, x1; mov x1, x0", "e00301aae10300aa", 2 / 4, 2, 2 / 3),
        ("add x0, x0, x1, lsl #5", "0014018b", 1 / 4, 2, 1),
        ("subs x0, x0, #1; b.ne", "000400f1e1ffff54", 2 / 4, 1, 1),
        ("cset x0, eq; cmp x0, #1", "e0179f9a1f0400f1", 2 / 4, 2, 2 / 3),
        ("cmp x0, x1; cbz x2", "1f0001eb020000b4", 2 / 4, 0, 1),
        ("madd w0, w1, w2, w0", "2000021b", 1 / 4, 1, 1),
        ("madd w0, w0, w1, w2", "0008011b", 1 / 4, 2, 1),
        ("madd x0, x1, x2, x0", "2000029b", 1 / 4, 3, 3),
        ("smulh x0, x0, x1", "007c419b", 1 / 4, 5, 3),
        ("sdiv x0, x0, x1", "000cc19a", 1 / 4, 5, 5),
        ("sdiv x0, x1, x2", "200cc29a", 1 / 4, 0, 5),
        ("crc32x w0, w0, x1", "004cc19a", 1 / 4, 1, 1),
        ("movk x0, #1, lsl #16", "2000a0f2", 1 / 4, 1, 1 / 3),
        ("ldr x0, [x0]", "000040f9", 1 / 4, 4, 1 / 2),
        ("ldr x1, [x1, x2, lsl #3]", "217862f8", 1 / 4, 4, 1 / 2),
        ("ldr x0, [x1], #8", "208440f8", 1 / 4, 1, 1 / 2),
        ("ldr q0, [x1], #16", "2004c13c", 1 / 4, 1, 1 / 2),
        ("ldp x0, x1, [x2]", "400440a9", 1 / 4, 0, 1),
        ("ldp w0, w1, [x2]", "40044029", 1 / 4, 0, 1 / 2),
        ("stp x0, x1, [sp, #-16]!", "e007bfa9", 4 / 8, 1, 1),
        ("ldr x0, [x1]; str x0, [x1], #8", "200040f9208400f8", 2 / 4, 1, 1),
        ("fadd d0, d0, d1", "0028611e", 1 / 4, 2, 1 / 2),
        ("fmul d0, d0, d1", "0008611e", 1 / 4, 3, 1 / 2),
        ("fmadd d0, d1, d2, d0", "2000421f", 1 / 4, 2, 1 / 2),
        ("fmadd d0, d0, d2, d1", "0004421f", 1 / 4, 4, 1 / 2),
        ("fmla v0.4s, v1.4s, v2.4s", "20cc224e", 1 / 4, 2, 1 / 2),
        ("fmla v0.4s, v0.4s, v2.4s", "00cc224e", 1 / 4, 4, 1 / 2),
        ("fadd d0, d0, d1; fmadd d0, d1, d2, d0", "0028611e2000421f", 2 / 4, 6, 1),
        ("mla v0.4s, v1.4s, v2.4s", "2094a24e", 1 / 4, 2, 2),
        ("sqxtn2 v0.4s, v1.2d", "2048a14e", 1 / 4, 4, 1),
        ("ld1 {v0.s}[1], [x0]", "0090400d", 1 / 4, 7, 1 / 2),
        ("movi v0.2d, #0; add v0.4s, v0.4s, v1.4s", "00e4006f0084a14e", 2 / 4, 0, 1),
        ("fmov x0, d0; fmov d0, x0", "0000669e0000679e", 2 / 4, 5, 1),
        ("fdiv d0, d0, d1", "0018611e", 1 / 4, 7, 7),
        # through memory: the load's latency and the addition; not where the address moves
        (
            "ldr w0, [sp, 12]; add w0, w0, 1; str w0, [sp, 12]",
            "e00f40b900040011e00f00b9",
            3 / 4,
            5,
            1,
        ),
        ("stp x29, x30, [sp, -16]!; ldp x29, x30, [sp], 16", "fd7bbfa9fd7bc1a8", 7 / 8, 4, 2),
        ("str xzr, [sp]; ldr x0, [sp]; add x2, x2, x0", "ff0300f9e00340f94200008b", 3 / 4, 1, 1),
        ("ldr x0, [x1]; str x0, [x1, 8]; add x1, x1, 16", "200040f9200400f921400091", 3 / 4, 1, 1),
        (
            "ldr w0, [sp, 12]; add w0, w0, 1; strb w0, [sp, 12]",
            "e00f40b900040011e0330039",
            3 / 4,
            0,
            1,
        ),
        # a chain over two passes: x0 and x1 change places, and only one is added to
        ("mov x2, x0; add x0, x1, #1; mov x1, x2", "e20300aa20040091e10302aa", 3 / 4, 3 / 2, 1),
    ],
)
def test_bounds_are_those_computed_by_hand(neoverse_n1, text, code, width, chain, ports):
    (row,) = described(neoverse_n1, code)
    found = (row["width_cycles"], row["critical_path_cycles"], row["unit_cycles"])
    assert found == pytest.approx((width, chain, ports)), text
    assert row["flags"] == []


def test_what_is_counted(neoverse_n1):
    # ldr x0, [x1], #8; fadd d0, d0, d1; add v0.4s, v0.4s, v1.4s; stp x0, x1, [sp]; dmb ish; b.ne
    code = "208440f80028611e0084a14ee00700a9bf3b03d501000054"
    (row,) = described(neoverse_n1, code)
    names = ("instructions", "n_int", "n_fp", "n_simd", "n_load", "n_store", "n_branch")
    assert [row[name] for name in names] == [6, 0, 1, 1, 1, 1, 1]
    assert row["serialising"] == 1
    assert sum(row["critical_path"]) == 3


@pytest.mark.parametrize(
    ("text", "code", "flag", "is_bounded"),
    [
        ("dmb ish", "bf3b03d5", "system_instruction", False),
        ("svc #0", "010000d4", "system_instruction", False),
        ("mrs x0, tpidr_el0", "40d03bd5", "system_instruction", False),
        ("add z0.s, z0.s, z1.s", "0000a104", "not_on_core", False),
        # its name is that of an instruction of the core
        ("fadd z0.d, z0.d, z1.d", "0000c165", "not_on_core", False),
        ("ldr z0, [x0]", "00408085", "not_on_core", False),
        ("retaa", "ff0b5fd6", "not_on_core", False),
        ("ldadd x0, x1, [x2]", "410020f8", "poor_support", True),
        ("paciasp", "3f2303d5", None, True),
    ],
)
def test_what_the_core_lacks_or_its_guide_leaves_out_is_flagged(
    neoverse_n1, text, code, flag, is_bounded
):
    (row,) = described(neoverse_n1, code)
    assert row["flags"] == ([flag] if flag else []), text
    assert (row["width_cycles"] is not None) == is_bounded


def test_what_is_no_aarch64_is_null(neoverse_n1):
    codes = ("", None, "0000018", "0000018b00", "xx", "ffffffff", "0000018bffffffff")
    assert described(neoverse_n1, *codes) == [None] * len(codes)
    without = describe_aarch64(pa.array([["0000018b"], None]), pa.array([None, neoverse_n1]))
    assert without.to_pylist() == [None, None]


def test_elements_and_accumulators_are_read(neoverse_n1):
    read = {
        "2094826e": "v0",  # udot v0.4s, v1.16b, v2.16b
        "201c184e": "v0",  # mov v0.d[1], x1
        "2028a14e": "v0",  # xtn2 v0.4s, v1.2d
        "0090600d": "v1",  # ld2 {v0.s, v1.s}[1], [x0]
        "417ca0c8": "x0",  # cas x0, x1, [x2]
    }
    for code, register in read.items():
        (word,) = decode(bytes.fromhex(code))
        assert register in (*word.sources, word.accumulator)
        assert register in word.targets


def test_a_long_block_is_described(neoverse_n1):
    (row,) = described(neoverse_n1, "0000018b" * 2000)
    assert row["critical_path_cycles"] == 2000
    assert row["critical_path"][39] == 3


def test_an_estimated_core_has_no_bound_that_its_blocks_break(neoverse_n1):
    # add, mul and madd chains; on the measured core sdiv ends early in half of its blocks.
    add, mul, sdiv = "0000018b", "007c019b", "000cc19a"
    rng = np.random.default_rng(3)
    blocks = ["".join(rng.choice([add, mul, sdiv], rng.integers(1, 5))) for _ in range(150)]
    limits = np.array([bounds(one) for one in described(neoverse_n1, *blocks)])
    cycles = limits.max(axis=1)
    early = [k for k, text in enumerate(blocks) if sdiv in text]
    cycles[early[::2]] = np.maximum(0.6 * cycles[early[::2]], limits[early[::2], 0])
    table = estimate_aarch64(blocks, cycles, neoverse_n1).table
    after = np.array([bounds(one) for one in described(table, *blocks)])
    assert (limits > 1.03 * cycles[:, None]).any()
    assert not (after > 1.03 * cycles[:, None] + 1e-9).any()
    adds = [k for k, text in enumerate(blocks) if text == len(text) // len(add) * add]
    assert after[adds] == pytest.approx(limits[adds])


def bounds(block):
    return [block[f"{name}_cycles"] for name in ("width", "critical_path", "unit")]


def test_instructions_are_listed_with_their_ports_and_the_longest_chain(neoverse_n1):
    # add x0, x0, x1; mul x0, x0, x1; eor x7, x7, x8
    code, core = pa.array(["0000018b007c019be70008ca"]), pa.array([neoverse_n1])
    (rows,) = block_instructions(code, core, pa.array(["aarch64"])).to_pylist()
    assert [(row["text"], row["ports"], row["latency"], row["on_chain"]) for row in rows] == [
        ("add x0, x0, x1", "M|S0|S1", 1, True),
        ("mul x0, x0, x1", "M", 4, True),
        ("eor x7, x7, x8", "M|S0|S1", 1, False),
    ]
