"""Machine code of other instruction sets: never decoded as x86-64, bounded by a core's table."""

from __future__ import annotations

import duckdb
import pytest

from ingest.derive import decode_again
from tests.helpers.support import keep, land, rows

# add x0, x0, x1; subs x2, x2, #1; b.ne: one cycle by the chain, one by the branch unit
LOOP = "0000018b420400f1c1ffff54"
BOUNDS = (
    "round(width_bound, 3), round(critical_path_bound, 3), round(unit_bound, 3), "
    "round(tightest_bound, 3), predicted, flag_codes(flags), isa, core"
)


@pytest.fixture
def blocks(warehouse, tmp_path):
    def landed(text):
        path = tmp_path / "blocks.csv"
        path.write_text(text)
        land(warehouse, path)
        return warehouse

    return landed


@pytest.mark.parametrize("isa", ["aarch64", "arm64", "AArch64"])
def test_aarch64_is_bounded_by_the_table_of_a_core(blocks, isa):
    con = blocks(f"hex,isa\n{LOOP},{isa}\n")
    expected = [(4.0, 3.0, 3.0, 3.0, None, ["no_model"], "aarch64", "neoverse-n1")]
    assert rows(con, f"SELECT {BOUNDS} FROM throughput_predictions") == expected
    assert rows(con, "SELECT instructions, n_int, n_branch FROM segments") == [(3, 2, 1)]
    for options in ("isa := 'arm64'", "core := 'neoverse-n1'", "core := 'Neoverse-N1'"):
        found = rows(con, f"SELECT {BOUNDS} FROM predict_block('{LOOP}', {options})")
        assert found == expected, options


def test_the_core_of_the_run_states_the_instruction_set(blocks):
    con = blocks(f"hex,cycles\n{LOOP},1.5\n")
    con.execute("UPDATE runs SET machine = 'Neoverse-N1-node7'")
    ((source_id,),) = rows(con, "SELECT DISTINCT source_id FROM segments")
    decode_again(con, source_id)
    keep(con)
    assert rows(
        con, "SELECT tightest_bound, measured, flag_codes(flags), core FROM throughput_predictions"
    ) == [(3.0, 2.0, ["no_model"], "neoverse-n1")]


def test_bounds_of_another_core_are_flagged(blocks):
    con = blocks(f"hex,isa\n{LOOP},aarch64\n")
    con.execute("UPDATE runs SET machine = 'graviton'")
    assert rows(con, "SELECT flag_codes(flags) FROM throughput_predictions") == [
        (["no_model", "other_core"],)
    ]


def test_a_core_of_your_own_is_rows(blocks):
    con = blocks(f"hex,isa\n{LOOP},aarch64\n")
    con.execute("INSERT INTO cores (core, isa, width) VALUES ('mine', 'aarch64', 2)")
    con.execute(
        "INSERT INTO instruction_costs (core, line, pattern, class, ports, cycles, latency) VALUES "
        "('mine', 1, '(add|subs) .*', 'int', 'A', 1, 2), ('mine', 2, 'b.*', 'branch', NULL, 1, 1)"
    )
    query = f"SELECT {BOUNDS} FROM predict_block('{LOOP}', core := 'mine')"
    assert rows(con, query) == [(2.0, 1.5, 1.5, 1.5, None, ["no_model"], "aarch64", "mine")]


def test_a_core_of_your_own_that_is_incomplete_is_named(warehouse):
    warehouse.execute("INSERT INTO cores (core, isa, width) VALUES ('mine', 'aarch64', 2)")
    query = f"SELECT unit_bound, flag_codes(flags) FROM predict_block('{LOOP}', core := 'mine')"
    assert rows(warehouse, query) == [(None, ["unknown_core"])]
    warehouse.execute(
        "INSERT INTO instruction_costs (core, line, pattern, class, cycles) "
        "VALUES ('mine', 1, '(add', 'int', 1)"
    )
    with pytest.raises(duckdb.Error, match=r"instruction_costs\.pattern '\(add' is no regular"):
        rows(warehouse, query)


@pytest.mark.parametrize("isa", ["riscv64", "rv64gc", "mips", "i386"])
def test_other_instruction_sets_are_named_and_not_decoded(blocks, isa):
    con = blocks(f"hex,isa\n4801d8,{isa}\n")
    name = {"rv64gc": "riscv64"}.get(isa, isa)
    expected = [(None, None, None, None, None, ["other_isa"], name)]
    columns = BOUNDS.removesuffix(", core")
    assert rows(con, f"SELECT {columns} FROM throughput_predictions") == expected
    query = f"SELECT {columns} FROM predict_block('4801d8', isa := '{isa}')"
    assert rows(con, query) == expected


def test_what_the_file_states_holds(blocks):
    # mov x0, xzr; add x0, x0, 1: no x86-64
    code = "e0031faa00040091"
    con = blocks(f"hex,isa\n{code},x86-64\n{code},\n4801d8,\n4829d1,\n")
    assert rows(
        con, "SELECT flag_codes(flags) FROM throughput_predictions ORDER BY segment LIMIT 2"
    ) == [
        (["undecodable"],),
        (["like_aarch64"],),
    ]
    query = "SELECT flag_codes(flags) FROM predict_block('{}', core := {}, isa := {})"
    for core, isa, flag in (
        ("NULL", "NULL", "like_aarch64"),
        ("'zen3'", "NULL", "undecodable"),
        ("NULL", "'x86-64'", "undecodable"),
        ("'zen3'", "'aarch64'", "other_isa"),
        ("'cortex-a53'", "'aarch64'", "unknown_core"),
    ):
        assert rows(con, query.format(code, core, isa)) == [([flag],)]


def test_no_block_of_a_file_that_is_plainly_aarch64_is_taken_for_x86(blocks):
    # the last is also x86-64 by chance, as one in five blocks of libraries is
    lines = ["e0031faa00040091", "e0179f9a1f0400f1", "2004c13c20cc224e", LOOP]
    con = blocks("hex\n" + "\n".join(lines) + "\n")
    query = (
        "SELECT DISTINCT predicted, width_bound, isa, flag_codes(flags) FROM throughput_predictions"
    )
    assert rows(con, query) == [(None, None, None, ["like_aarch64"])]
    assert rows(con, "SELECT DISTINCT instructions FROM segments") == [(None,)]


def test_threads_and_limits_of_code_without_a_model_are_those_of_its_bounds(blocks):
    # a chain of additions, and independent stores of which one of two is executed twice
    con = blocks(
        "hex,isa,executions\n0000018b0000018b,aarch64,2\n200000f9200000f9,aarch64,1\nbf3b03d5,aarch64,1\n"
    )
    assert rows(
        con,
        "SELECT segments, used, instructions, predicted, tightest_bound, critical_path_bound "
        "FROM throughput_by_thread",
    ) == [(3, 2, 6, None, 6 / 5, 6 / 4)]
    assert rows(
        con,
        "SELECT segment, component, share FROM throughput_contributions "
        "WHERE is_tightest ORDER BY segment",
    ) == [(0, "critical path", 1.0), (1, "functional units", 1.0)]
