"""`pwh fit throughput --core`: the blocks it takes, the rows it stores, what is refused."""

from __future__ import annotations

import pytest

from apps.fitting.cores import read_measured_blocks, store_core
from tests.helpers.support import land, rows
from udfs.throughput.estimate import Estimated
from warehouse.errors import NothingToAnalyse, UsageError

POPCNT = "f3480fb8c0"
COUNT = 120


@pytest.fixture
def measured(warehouse, tmp_path):
    path = tmp_path / "blocks.csv"
    # Chains of additions and of popcnt, each of another length.
    lines = [
        f"{POPCNT * (k % 30 + 1)}{'4801c0' * (k // 30)},{3 * (k % 30 + 1)}" for k in range(COUNT)
    ]
    path.write_text("\n".join(["hex,cycles", *lines]) + "\n")
    land(warehouse, path)
    return warehouse


def estimated(con):
    (table,) = con.execute("SELECT costs FROM _cores WHERE of_core = 'zen3'").fetchone()
    row = {
        **table["instructions"][0],
        **{"pattern": "POPCNT", "class": "int", "ports": "alu1", "cycles": 1, "latency": 3},
        **{"operations": None, "front_end": None, "least_share": None, "least_latency": None},
    }
    ports = [{"unit": "fp", "ports": "7/8"}]
    return Estimated({**table, "width": 4.0, "lacks": "XOP"}, [row], ports, (0.3, 0.1))


def test_runs_without_a_machine_are_of_the_core_and_decoded_by_its_rows(measured):
    before = "SELECT DISTINCT core FROM segment_features"
    assert rows(measured, before) == [("zen3",)]
    blocks = read_measured_blocks(measured, "Mine", "zen3")
    assert (blocks.core, len(blocks.hexes), list(blocks.relatives)) == ("mine", COUNT, ["zen3"])
    store_core(measured, blocks, "zen3", estimated(measured))
    assert rows(measured, before) == [("mine",)]
    assert rows(measured, "SELECT DISTINCT machine FROM runs") == [("mine",)]
    query = "SELECT critical_path_cycles FROM segment_features WHERE instructions = 1"
    assert rows(measured, query) == [(3.0,)]
    assert rows(measured, "SELECT width, relative, lacks FROM cores WHERE core = 'mine'") == [
        (4.0, "zen3", "XOP")
    ]


def test_storing_again_replaces_the_rows(measured):
    for _ in range(2):
        blocks = read_measured_blocks(measured, "mine", None)
        assert "mine" not in blocks.relatives
        store_core(measured, blocks, "zen3", estimated(measured))
    for table in ("cores", "core_ports", "instruction_costs"):
        assert rows(measured, f"SELECT count(*) FROM {table} WHERE core = 'mine'") == [(1,)]


@pytest.mark.parametrize(
    ("core", "relative", "text"),
    [
        ("mine", "nothing", "'nothing' is no core"),
        ("zen3", None, "the core zen3 comes with pwh"),
    ],
)
def test_what_cannot_be_a_core_is_refused(measured, core, relative, text):
    with pytest.raises(UsageError, match=text):
        read_measured_blocks(measured, core, relative)


def test_too_few_blocks_are_named(warehouse):
    with pytest.raises(NothingToAnalyse, match="there are 0 measured blocks of mine"):
        read_measured_blocks(warehouse, "mine", None)


def test_loops_are_known_where_enough_were_measured(warehouse, tmp_path):
    body = "4801c8"  # add rax,rcx; then dec r8 and a branch back
    lines = []
    for k in range(1, 41):
        for copies in (k, k + 41, k + 82):
            code = body * copies + "49ffc8"
            back = len(code) // 2 + 6
            lines.append(f"{code}0f85{(-back).to_bytes(4, 'little', signed=True).hex()},{copies}")
    path = tmp_path / "loops.csv"
    path.write_text("\n".join(["hex,cycles", *lines]) + "\n")
    land(warehouse, path)
    blocks = read_measured_blocks(warehouse, "mine", "zen3")
    assert blocks.loops
    store_core(warehouse, blocks, "zen3", estimated(warehouse))
    assert rows(warehouse, "SELECT loops FROM cores WHERE core = 'mine'") == [(True,)]


def test_a_core_of_aarch64_is_fitted_to_measured_blocks(run, tmp_path):
    # nop, six a cycle; mul w0,w0,w1, five cycles each; add x0,x0,x1, one each
    nop, mul, add = "1f2003d5", "007c011b", "0000018b"
    lines = [f"{nop * k},{k / 6},aarch64" for k in range(1, 61)]
    lines += [f"{mul * (k % 20 + 1)},{5 * (k % 20 + 1)},aarch64" for k in range(20)]
    lines += [f"{mul * a}{add * b},{5 * a + b},aarch64" for a in range(1, 6) for b in range(1, 9)]
    path = tmp_path / "blocks.csv"
    path.write_text("\n".join(["hex,cycles,isa", *lines]) + "\n")
    db = ("--db", tmp_path / "w.duckdb")
    assert run(*db, "ingest", path, "--machine", "mine")[0] == 0
    code, _, err = run(*db, "fit", "throughput", "--core", "mine")
    assert code == 0, err
    assert "differ from neoverse-n1's" in err
    assert "predictions for aarch64 are bounds: there is no model to fit" in err
    query = "SELECT isa, width, relative FROM cores WHERE core = 'mine'"
    assert run(*db, "sql", query, "--format", "csv")[1].splitlines()[1:] == [
        "aarch64,6.0,neoverse-n1"
    ]
    query = "SELECT pattern, latency FROM instruction_costs WHERE core = 'mine'"
    assert "mul w\\.w\\.w,5.0" in run(*db, "sql", query, "--format", "csv")[1]
    _, out, _ = run(*db, "throughput", "--hex", 3 * mul, "--core", "mine")
    assert "15" in out
