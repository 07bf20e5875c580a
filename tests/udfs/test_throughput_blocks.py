"""Machine code: decoding, mix, chains, bounds, the simulated core, and the trees that predict."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.helpers.machine_code import features_of
from tests.helpers.support import rows, shared
from udfs.throughput import workers
from udfs.throughput.blocks import (
    block_features,
    block_instructions,
    block_summary,
    describe,
    describe_blocks,
)
from udfs.throughput.boosting import fit_boosting, predict_boosting
from udfs.throughput.families import families
from udfs.throughput.features import FEATURES, LOG_BEST
from udfs.throughput.x86_core import core_of
from warehouse import models

ADD, SUB_RCX, IMUL, NOP = "4801d8", "4829d1", "480fafc3", "90"
LOAD_RAX, STORE_RBX, ADD_MEMORY = "488b00", "48890b", "480118"


def summary(code):
    return block_summary(pa.array([code]))[0].as_py()


def feature(code, name):
    return float(features_of([code])[0, FEATURES.index(name)])


@pytest.mark.parametrize(
    ("what", "code", "width", "chain", "units"),
    [
        ("add rax, rbx", ADD, 1 / 6, 1, 0.24),
        ("imul rax, rbx", IMUL, 1 / 6, 3, 1),
        ("mov rax, [rax]", LOAD_RAX, 1 / 6, 4, 0.29),
        ("mov rbx, rax: renamed; add rax, rbx", "4889c3" + ADD, 2 / 6, 1, 0.24),
        ("xor eax, eax: waits for nothing; add rax, rbx", "31c0" + ADD, 2 / 6, 0, 0.24),
        ("lea rax, [rax+rbx+8]: three parts", "488d441808", 1 / 6, 1, 1 / 2),
        ("add [rax], rbx: through the store queue", ADD_MEMORY, 1 / 6, 6, 0.58),
        ("movzx edx, [rdi]; mov [rdi], dl: the same address", "0fb6178817", 2 / 6, 6, 0.58),
        ("movzx edx, [rdi]; mov [rdi+8], dl: another", "0fb617885708", 2 / 6, 0, 0.58),
        ("movzx edx, [rsi]; mov [rdi], dl: not known to meet", "0fb6168817", 2 / 6, 0, 0.58),
        ("mov [rdi], rax; add rdi, 8; mov rax, [rdi-8]", "4889074883c708488b47f8", 3 / 6, 6, 0.58),
        ("divsd xmm0, xmm1", "f20f5ec1", 1 / 6, 13, 4.45),
        ("push rax; pop rax", "5058", 2 / 6, 0, 0.58),
        ("mulx r8, r9, rbx: one multiplication", "c462b3f6c3", 2 / 6, 0, 1),
        ("rcl rax, 1", "48d1d0", 1 / 6, 1, 0.5),
        ("shld rax, rbx, 3", "480fa4d803", 1, 2, 1.43),
        ("xchg rax, rbx: renamed", "4893", 2 / 6, 0, 0),
        ("xchg al, bl", "86d8", 2 / 6, 1, 0.48),
        ("movq rax, xmm0: one a cycle", "66480f7ec0", 1 / 6, 0, 1),
        (
            "cvtsi2sd xmm0, rax: one a cycle, as the move that it begins with",
            "f2480f2ac0",
            1 / 6,
            0,
            1,
        ),
        ("pinsrd xmm0, eax, 1: the rest of xmm0 is at hand soon", "660f3a22c001", 2 / 6, 2, 1),
        ("bt [rdi], 5", "480fba2705", 1 / 6, 0, 0.5),
        ("bt [rdi], r8: of any word", "4c0fa307", 8 / 6, 0, 2.85),
        ("pcmpistri xmm1, xmm2, 12", "660f3a63ca0c", 4 / 6, 0, 2),
        ("lodsb: not in the table, and rsi steps before the load", "ac", 1 / 6, 0, 0.29),
    ],
)
def test_bounds_of_one_pass(what, code, width, chain, units):
    found = summary(code)
    names = ("width", "critical_path", "unit")
    bounds = [found[f"{name}_cycles"] for name in names]
    assert bounds == pytest.approx([width, chain, units], abs=0.01)


@pytest.mark.parametrize(
    ("what", "code", "cycles"),
    [
        ("six nops pass the front end in a cycle", NOP * 6, 1),
        ("a chain of one addition", ADD, 1),
        ("four units add eight registers in two cycles", "".join(
            f"48{0xFFC0 + r:04x}" for r in (0, 1, 2, 3, 5, 6, 7)) + "49ffc0", 2),
        ("shifts leave the other units to additions", "48d1e848d1e94801db4801d2", 1),
        ("a division occupies the divider", "48f7f1", 10),
        ("a store that moved on feeds no load of where it began",
            "66410f10042466410f100f660f7cc1660f110048"
            "83c010", 2),
    ],
)  # fmt: skip
def test_simulated_cycles(what, code, cycles):
    assert np.exp(feature(code, "log_simulated")) == pytest.approx(cycles, rel=0.06)


def test_mix():
    code = LOAD_RAX + STORE_RBX + ADD + "f30f58c1" + "660fefc1" + "75fe" + "0faee8"
    found = summary(code)
    assert {name: value for name, value in found.items() if name.startswith("n_")} == {
        "n_int": 1,
        "n_fp": 1,
        "n_simd": 1,
        "n_load": 1,
        "n_store": 1,
        "n_branch": 1,
        "n_other": 1,
    }
    assert (found["instructions"], found["serialising"]) == (7, 1)


def test_chains_in_windows_of_forty_instructions():
    alone, both = summary(IMUL), summary(ADD + SUB_RCX)
    assert [k + 1 for k, n in enumerate(alone["critical_path"]) if n] == [40]
    assert sum(alone["critical_path"]) == 3
    # rcx and rax are two parallel chains
    assert [k + 1 for k, n in enumerate(both["critical_path"]) if n] == [20]


@pytest.mark.parametrize("code", ["", "48", ADD + "48", "zz", "4", "06", None])
def test_undecodable_blocks_are_null(code):
    column = pa.array([ADD, code, IMUL], pa.string())
    assert block_features(column).is_valid().to_pylist() == [True, False, True]
    assert block_summary(column).is_valid().to_pylist() == [True, False, True]


def test_stores_into_the_same_32_bytes_are_written_two_a_cycle():
    near, far = "488903488943 08".replace(" ", ""), "48890348894340"
    assert (feature(near, "commit"), feature(far, "commit")) == (1, 2)


def test_access_counts():
    # mov rax, [rdi]; add rdi, 0x3d: a load that strides through lines
    walking = "488b074883c73d"
    assert feature(walking, "strided_loads") == 1
    assert feature(walking, "lines_loaded") == pytest.approx(0x3D / 64)
    # mov [rdi-4], rax: over the end of a line, and of a page
    assert feature("488947fc", "split_stores") == 1
    assert feature("488947fc", "page_splits") == 1
    # mov byte [rax], 1; mov rcx, [rax]: the load needs more than was stored
    assert feature("c60001488b08", "failed_forwards") == 1


def test_one_by_one_and_all_at_once_are_the_same(warehouse):
    query = """
        WITH b AS (SELECT unnest([$1, $2, 'zz', $3]) AS hex),
             d AS (
               SELECT unnest(describe_blocks(list(hex), false, NULL)) AS d, unnest(list(hex)) AS hex
               FROM b
             )
        SELECT d.code = block_summary(hex), d.features = block_features(hex), len(d.features) FROM d
    """
    query = query.replace("$1", f"'{ADD}'").replace("$2", f"'{IMUL}'").replace("$3", f"'{NOP}'")
    wide = len(FEATURES)
    assert rows(warehouse, query) == [
        (True, True, wide),
        (True, True, wide),
        (None, None, None),
        (True, True, wide),
    ]


def test_features_do_not_depend_on_other_blocks():
    rng = np.random.default_rng(1)
    parts = (ADD, IMUL, LOAD_RAX, STORE_RBX, NOP, "5058", SUB_RCX, ADD_MEMORY, "48d1e8")
    hexes = ["".join(rng.choice(parts, rng.integers(1, 40))) for _ in range(300)]
    together = features_of(hexes)
    assert all((features_of([hexes[k]])[0] == together[k]).all() for k in range(0, 300, 10))
    some = features_of(hexes * 30)
    assert (some[:300] == together).all()


def test_many_blocks_are_described_in_several_processes(monkeypatch):
    # add rax, rbx; a block cut in the middle; none; imul rcx, rdx
    blocks = pa.array([["4801d8", "4801", None, "480fafca"] * 3, ["4801d8"]])
    distinct = pa.array([False, True])
    expected = describe_blocks(blocks, distinct, pa.nulls(2))
    monkeypatch.setattr(workers, "_MIN_BLOCKS", 2)
    monkeypatch.setattr(workers, "_PROCESSES", 2)
    assert describe_blocks(blocks, distinct, pa.nulls(2)).equals(expected)
    assert expected[0][1].as_py()["features"] is None


def test_a_process_that_fails_raises(monkeypatch):
    monkeypatch.setattr(workers, "_MIN_BLOCKS", 1)
    monkeypatch.setattr(workers, "_PROCESSES", 2)
    monkeypatch.setattr(workers.sys, "executable", "false")
    with pytest.raises(RuntimeError, match="describing blocks failed"):
        describe_blocks(pa.array([["4801d8"] * 4]), pa.array([False]), pa.nulls(1))


def test_a_long_block_is_described():
    assert summary(ADD * 3000)["critical_path_cycles"] == pytest.approx(3000, rel=0.05)


def samples(n):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 5)).astype(np.float32)
    noise = 0.05 * np.exp(x[:, 1].astype(float)) * rng.normal(size=n)
    return x, x[:, 0] + 0.3 * (x[:, 2] > 0) + noise


def test_trees_learn_the_error_of_the_first_estimate_and_their_uncertainty():
    x, y = samples(3000)
    arrays = fit_boosting(x[:2000], y[:2000], offset=0)
    value, low, high = predict_boosting(x[2000:], arrays)
    assert np.median(np.abs(value - y[2000:])) < 0.06
    assert 0.85 <= np.mean((low <= y[2000:]) & (y[2000:] <= high)) <= 0.95
    sure, unsure = x[2000:, 1] < -1, x[2000:, 1] > 1
    assert (high - low)[unsure].mean() > 3 * (high - low)[sure].mean()


def test_families_are_blocks_of_the_same_forms():
    # registers, order and number do not matter; an operand in memory does
    assert families([ADD + IMUL, IMUL + "4801d9" + ADD, ADD, "480300", "zz"]).tolist() == [
        1,
        1,
        2,
        3,
        0,
    ]


def recorded():
    table = pq.read_table(shared("uarch/bb_tput_zen3_train.parquet"))
    return table.column("hex").to_pylist()[::25], table["cycles_per_iter"].to_numpy()[::25]


def test_measured_blocks_before_any_training():
    hexes, cycles = recorded()
    x = features_of(hexes)
    error = np.abs(np.exp(x[:, FEATURES.index(LOG_BEST)]) / cycles - 1)
    assert np.median(error) < 0.06
    assert error.mean() < 0.15


def test_the_shipped_model_takes_these_features():
    found = [
        (row["inputs"], {a["name"]: np.array(a["values"]) for a in row["model_arrays"]}, row)
        for path in models.shipped_files()
        for row in pq.read_table(path).to_pylist()
        if row["kind"] == "throughput" and row["subject"] == "zen3"
    ]
    ((inputs, arrays, row),) = found
    assert tuple(inputs) == FEATURES
    shapes = {a["name"]: a["shape"] for a in row["model_arrays"]}
    arrays = {name: values.reshape(shapes[name]) for name, values in arrays.items()}
    hexes, cycles = recorded()
    value, low, high = predict_boosting(features_of(hexes), arrays)
    assert np.median(np.abs(np.exp(value) / cycles - 1)) < 0.03
    assert 0.85 < np.mean((np.exp(low) <= cycles) & (cycles <= np.exp(high))) < 0.97


def test_measured_blocks_take_no_less_than_their_bounds():
    hexes, cycles = recorded()
    found = block_summary(pa.array(hexes))
    names = ("width_cycles", "critical_path_cycles", "unit_cycles")
    tightest = np.max([found.field(name).to_numpy(zero_copy_only=False) for name in names], axis=0)
    # Shorter by more than the noise of such measurements.
    assert (cycles < 0.98 * tightest - 0.03).mean() <= 0.01


def modelled(code, *, distinct):
    found = describe_blocks(pa.array([[code]]), pa.array([distinct]), pa.nulls(1))
    return found[0].values[0].as_py()


def test_different_registers_are_different_arrays():
    # mov rax, [rdi]; mov [rsi], rax; mov rcx, [rsi]: the last reads what was stored either way
    here = modelled("488b07488906488b0e", distinct=True)
    there = modelled("488b07488906488b0e", distinct=False)
    assert here["code"]["flags"] == ["distinct_arrays"]
    assert there["code"]["flags"] == ["assumed_addresses"]
    best = FEATURES.index("log_best")
    assert here["features"][best] < there["features"][best]
    assert np.exp(there["features"][best]) == pytest.approx(here["code"]["aliased_cycles"])
    assert there["code"]["aliased_cycles"] is None
    assert here["code"]["serial_cycles"] > here["code"]["aliased_cycles"]


def test_a_store_that_is_read_through_the_same_register_is_no_assumption():
    # mov rdi, [rdx]; mov [rdi], rax; mov rax, [rdi]
    assert (
        modelled("488b3a488907488b07", distinct=True)["features"][FEATURES.index("forwards")] == 1
    )


def test_the_jump_that_closes_a_loop_is_left_to_the_bounds():
    # add rax, 8; cmp rax, rcx; jne
    loop, body = "4883c0084839c875f7", "4883c0084839c8"
    assert modelled(loop, distinct=True)["features"] == modelled(body, distinct=True)["features"]
    assert modelled(loop, distinct=True)["code"]["n_branch"] == 1


def test_instructions_are_listed_with_their_units():
    code, sets = pa.array(["4801d8480fafc3", "zz"]), pa.array(["x86-64"] * 2)
    rows, none = block_instructions(code, pa.nulls(2), sets).to_pylist()
    assert [(row["text"], row["unit"], row["ports"], row["latency"]) for row in rows] == [
        ("add rax,rbx", "alu", "0|1|2|3", 1),
        ("imul rax,rbx", "alu1", "1", 3),
    ]
    assert none is None


@pytest.mark.parametrize(
    ("code", "chain"),
    [
        # add rax,rbx; imul rax,rbx; add rcx,1
        ("4801d8480fafc34883c101", [True, True, False]),
        # two chains as long as each other: add rax,1; add rcx,1; mov rdx,rbx
        ("4883c0014883c1014889da", [True, True, False]),
        # through memory and none: mov rdi,[rdi]; add rax,rbx; xor eax,eax
        ("488b3f4801d831c0", [True, False, False]),
        # no chain from pass to pass: lea rax,[rbx+1]; mov rcx,rax
        ("488d43014889c1", [False, False]),
    ],
)
def test_the_instructions_of_the_longest_chain_are_marked(code, chain):
    (rows,) = block_instructions(pa.array([code]), pa.nulls(1), pa.array(["x86-64"])).to_pylist()
    assert [row["on_chain"] for row in rows] == chain


@pytest.mark.parametrize("loops", [False, True])
def test_a_taken_branch_is_a_feature_where_models_know_loops(loops):
    table = {**core_of(None).table, "loops": loops}
    (row,) = describe(["4801c849ffc875f8"], False, table)["features"].to_pylist()
    assert row[FEATURES.index("kind_branch")] == loops
    assert row[FEATURES.index("n_instructions")] == 2 + loops
