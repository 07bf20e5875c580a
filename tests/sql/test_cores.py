"""Cores as rows: inheritance, names of processors, what a changed row changes."""

from __future__ import annotations

import pytest

from tests.helpers.support import rows

IMUL = "480fafc0"


def bounds(con, hex_, core):
    query = "SELECT 1 / critical_path_bound, 1 / width_bound FROM predict_block(?, core := ?)"
    return con.execute(query, [hex_, core]).fetchone()


def test_a_core_inherits_what_it_does_not_change(warehouse):
    warehouse.execute(
        "INSERT INTO cores (core, isa, width, relative) VALUES "
        "('mine', 'x86-64', 2, 'zen3'), ('ours', 'x86-64', 1, 'mine')"
    )
    warehouse.execute(
        "INSERT INTO instruction_costs (core, line, pattern, class, ports, cycles, latency) "
        "VALUES ('mine', 1, 'IMUL', 'int', 'alu1', 1, 9)"
    )
    assert bounds(warehouse, IMUL, "zen3") == (3.0, pytest.approx(1 / 6))
    assert bounds(warehouse, IMUL, "mine") == (9.0, 0.5)
    assert bounds(warehouse, IMUL, "ours") == (9.0, 1.0)


def test_a_core_has_the_instruction_sets_that_it_does_not_lack(warehouse):
    zmm_add = "62f17d48fec0"
    query = "SELECT flag_codes(flags) FROM predict_block(?, core := ?)"
    assert warehouse.execute(query, [zmm_add, "zen3"]).fetchone() == (["not_on_core"],)
    assert "not_on_core" not in warehouse.execute(query, [zmm_add, "cascadelake"]).fetchone()[0]


@pytest.mark.parametrize(
    ("core", "popcnt", "divide_256"), [("zen3", 1.0, 3.0), ("cascadelake", 3.0, 5.0)]
)
def test_cores_are_known_for_what_was_measured(warehouse, core, popcnt, divide_256):
    query = (
        "SELECT d[1].code.critical_path_cycles, d[2].code.unit_cycles FROM ("
        "SELECT describe_blocks(['f3480fb8c0', 'c5fc5ec1'], true, costs) AS d FROM _cores "
        "WHERE of_core = ?)"
    )
    found = warehouse.execute(query, [core]).fetchone()
    assert found == (popcnt, pytest.approx(divide_256, rel=0.12))


@pytest.mark.parametrize(
    ("core", "constant", "full_stack"), [("zen3", 0.25, 0.5), ("cascadelake", 3.3, 340)]
)
def test_obstacles_are_those_of_a_core(warehouse, core, constant, full_stack):
    query = (
        "SELECT exp(d[1].features[1]), exp(d[2].features[1]) FROM ("
        "SELECT describe_blocks(['6681f9ff7f', 'db2c24'], true, costs) AS d FROM _cores "
        "WHERE of_core = ?)"
    )
    found = warehouse.execute(query, [core]).fetchone()
    assert found == (pytest.approx(constant, abs=0.1), pytest.approx(full_stack, abs=0.6))


def test_forms_that_no_measured_block_has_are_poorly_supported_and_bound_nothing(warehouse):
    warehouse.execute(
        "INSERT INTO cores (core, isa, width, relative, measured) VALUES "
        "('mine', 'x86-64', 6, 'zen3', ['ADD r', 'SUB i'])"
    )
    query = (
        "SELECT list_contains(flag_codes(flags), 'poor_support'), critical_path_bound IS NULL "
        "FROM predict_block(?, core := 'mine')"
    )
    assert warehouse.execute(query, [IMUL]).fetchone() == (True, True)
    assert warehouse.execute(query, ["4801c0"]).fetchone() == (False, False)


@pytest.mark.parametrize(
    ("name", "core"),
    [
        ("Intel(R) Xeon(R) Platinum 8259CL CPU @ 2.50GHz", "cascadelake"),
        ("Intel(R) Xeon(R) Gold 6248 CPU @ 2.50GHz", "cascadelake"),
        ("Cascadelake-Server", "cascadelake"),
        ("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz", None),
        ("Intel(R) Xeon(R) Platinum 8488C", None),
        ("EPYC-Milan", "zen3"),
        ("Intel Xeon Processor (Skylake, IBRS)", "cascadelake"),
        ("c6gn.4xlarge", "neoverse-n1"),
        ("t2a-standard-8", "neoverse-n1"),
        ("c6a.large", "zen3"),
        ("c2d-highcpu-16", "zen3"),
        ("c2-standard-60", "cascadelake"),
        ("m7g.large", None),
        ("c6i.large", None),
        ("n2d-standard-8", None),
    ],
)
def test_processors_name_their_core(warehouse, name, core):
    assert warehouse.execute("SELECT _named_core(?)", [name]).fetchone() == (core,)


def test_a_unit_that_is_none_is_named(warehouse):
    warehouse.execute(
        "INSERT INTO cores (core, isa, width, relative) VALUES ('mine', 'x86-64', 2, 'zen3')"
    )
    warehouse.execute(
        "INSERT INTO instruction_costs (core, line, pattern, class, ports, cycles) "
        "VALUES ('mine', 1, 'IMUL', 'int', 'p7', 1)"
    )
    with pytest.raises(Exception, match="'p7' of an x86-64 core is none of"):
        rows(warehouse, f"FROM predict_block('{IMUL}', core := 'mine')")
