"""A core estimated from measured blocks: what differs from the relative is found, nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from udfs.throughput.blocks import describe
from udfs.throughput.estimate import estimate, simulated_cycles
from udfs.throughput.x86_core import Core, core_of

# Chains and mixes of imul, popcnt, add and mulsd on different registers.
IMUL = ("480fafc0", "480fafd8", "480fafc3")
POPCNT = ("f3480fb8c0", "f3480fb8d8", "f3480fb8c3")
MULSD = ("f20f59c0", "f20f59c8", "f20f59c1")
ADD = ("4801c0", "4801d8", "4801c3")


@pytest.fixture(scope="module")
def blocks():
    generator = np.random.default_rng(1)
    forms = [*IMUL, *POPCNT, *MULSD, *ADD]
    mixes = ["".join(generator.choice(forms, generator.integers(1, 7))) for _ in range(120)]
    wide = ["4801c0" + "4801db" + "4801c9" + "4801d2" + "4801f6" + "4801ff"] * 5
    return [*mixes, *wide]


def changed(**rows):
    table = core_of(None).table
    own = [
        {**next(r for r in table["instructions"] if name in r["pattern"].split("|")), **row}
        for name, row in rows.items()
    ]
    own = [{**row, "pattern": name} for row, name in zip(own, rows, strict=True)]
    return {**table, "instructions": [*own, *table["instructions"]]}


def test_the_relative_itself_is_found_without_a_change(blocks):
    cycles = simulated_cycles(blocks, core_of(None))
    found = estimate(blocks, cycles, core_of(None).table)
    assert (found.costs, found.ports) == ([], [])
    assert found.errors == (0.0, 0.0)


def test_latencies_that_differ_are_found(blocks):
    true = changed(POPCNT={"latency": 3, "ports": "alu1"}, MULSD={"latency": 5})
    cycles = simulated_cycles(blocks, Core(true))
    found = estimate(blocks, cycles, core_of(None).table)
    core = Core(found.table)
    assert [core.cost(name).latency for name in ("POPCNT", "MULSD", "IMUL")] == [3, 5, 3]
    assert found.errors[1] < 0.1 * found.errors[0]


def test_forms_of_few_blocks_cost_what_others_of_their_row_do(blocks):
    table = core_of(None).table
    (row,) = (r for r in table["instructions"] if "MULSD" in r["pattern"].split("|"))
    true = {**table, "instructions": [{**row, "latency": 5}, *table["instructions"]]}
    mulss = "f30f59c0"
    cycles = simulated_cycles(blocks, Core(true))
    found = estimate(blocks, cycles, table)
    assert simulated_cycles([mulss], Core(found.table)) == pytest.approx([5.0])


def test_ports_of_loads_and_stores_are_found(blocks):
    table = core_of(None).table
    loads = [f"48{0x8B47 + 8 * r:04x}{8 * r:02x}" for r in (0, 1, 2, 3, 5, 6)]
    others = ("", *ADD, *IMUL, *POPCNT)
    mixes = ["".join(loads[:n]) + other for n in range(1, 7) for other in others]
    true = {**table, "units": [{"unit": "load", "ports": "4/5"}, *table["units"]]}
    cycles = simulated_cycles([*blocks, *mixes], Core(true))
    found = estimate([*blocks, *mixes], cycles, table)
    (ports,) = (row["ports"] for row in found.ports if row["unit"] == "load")
    assert len(ports.split("/")) == 2


def test_cycles_of_a_full_stack_are_found(blocks):
    fld = ("db2c24", "d9e8", "d9ee", "d90424")
    cycles = np.array([*simulated_cycles(blocks, core_of(None)), 300, 301, 299, 300.0])
    found = estimate([*blocks, *fld], cycles, core_of(None).table)
    assert Core(found.table).stack_fault == pytest.approx(300, abs=2)


def test_sets_of_instructions_that_ran_are_there(blocks):
    zmm_add = "62f17d48fec0"
    cycles = np.array([*simulated_cycles(blocks, core_of(None)), 1.0])
    found = estimate([*blocks, zmm_add], cycles, core_of(None).table)
    assert "AVX512" in core_of(None).lacks
    assert "AVX512" not in found.table["lacks"].split()


def test_blocks_with_other_obstacles_make_no_instruction_slower(blocks):
    true = core_of(None)
    obstacles = np.random.default_rng(2).uniform(1, 1.4, len(blocks))
    cycles = obstacles * simulated_cycles(blocks, true)
    found = estimate(blocks, cycles, true.table)
    assert np.mean(simulated_cycles(blocks, Core(found.table)) > 1.01 * cycles) < 0.03


def test_candidates_for_ports_are_ports():
    core = Core(core_of(None).table)
    before = core.port_count
    core.numbered("0/another")
    assert core.port_count == before + 1


def bounds(blocks, table):
    code = describe(blocks, False, table)["code"].combine_chunks()
    limits = [code.field(f"{name}_cycles").to_numpy() for name in ("critical_path", "unit")]
    return np.stack(limits, axis=1)


def test_a_form_that_measurements_contradict_takes_nothing_from_other_bounds(blocks):
    # Some chains of multiplications are faster, as those of small numbers are on some cores.
    table = core_of(None).table
    early = [IMUL[0] * n for n in range(1, 5)]
    cycles = np.array([*simulated_cycles(blocks, core_of(None)), 2, 4, 6, 8])
    found = estimate([*blocks, *early], cycles, table)
    before, after = (bounds([*blocks, *early], one) for one in (table, found.table))
    others = [k for k, text in enumerate(blocks) if not any(imul in text for imul in IMUL)]
    assert (before > 1.03 * cycles[:, None]).any()
    assert not (after > 1.03 * cycles[:, None]).any()
    assert after[others] == pytest.approx(before[others])
    assert Core(found.table).cost("IMUL").least_latency == 2


@pytest.mark.parametrize("name", ["load", "forward"])
def test_accesses_that_are_faster_in_some_blocks_claim_less(blocks, name):
    loads = {"load": "488b00", "forward": "488907488b07"}[name]
    chains = [loads + other for other in ("", "4801db", "480fafdb", "f3480fb8db")] * 3
    cycles = simulated_cycles([*blocks, *chains], core_of(None))
    cycles[-3:] -= 1
    found = estimate([*blocks, *chains], cycles, core_of(None).table)
    core, relative = Core(found.table), core_of(None)
    assert core.cost(name).least_latency == relative.cost(name).latency - 1
    assert core.cost("IMUL").least_latency == relative.cost("IMUL").least_latency
