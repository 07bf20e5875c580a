"""Predicted throughput: bounds, predictions, flags, threads and contributions."""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.support import given, land, rows
from udfs.throughput.inputs import TRACE
from warehouse import models
from warehouse.models import Fit

RUN = """
    run_id  app
    r1      stencil
"""
# 4000 micro-operations, 4 wide, an ideal front end of 1200 cycles, chains of mean length 8.
SEGMENT = """
    cycles instructions uops n_int n_load n_store serialising critical_path front_end rob segment
    1500 3000 4000 2600 800 400 0 [0,0,0,0,0,0,0,100] [200,0,0,0,1000] 128 0
"""
PREDICTED = (
    "SELECT round(predicted, 3), round(measured, 3), flag_codes(flags) FROM throughput_predictions"
)


def network(con, factor=1.5, typical=None):
    """Store a network that says: the tightest bound times a factor, +-10 %."""
    arrays = {
        **TRACE.arrays(),
        "mean": np.zeros(24),
        "deviation": np.ones(24),
        "components": np.zeros((24, 1)),
        "goal": np.array([np.log(factor), 1.0]),
        "loss": np.zeros(1),
        "band": np.log([0.9, 1.1]),
        "inputs": np.array([float(len(TRACE.names))]),
    }
    for i, shape in enumerate([(1, 30), (30, 15), (15, 15), (15, 1)]):
        arrays |= {f"w{i}": np.zeros((1, *shape)), f"b{i}": np.zeros((1, shape[1]))}
    if typical is not None:
        arrays["typical"] = typical
    fit = Fit("throughput", "made", "network", TRACE.names, "nothing", arrays)
    return models.store(con, fit)


@pytest.fixture
def modelled(warehouse):
    given(warehouse, "runs", RUN)
    network(warehouse)
    return warehouse


def test_bounds_are_instructions_per_cycle(modelled):
    given(modelled, "segments", SEGMENT)
    assert rows(
        modelled,
        "SELECT width_bound, round(critical_path_bound, 2), unit_bound FROM throughput_predictions",
    ) == [
        # 4000 / 4 of the width; 4000 * 8 / (128 + 40) of chains; 2600 / 6 integer operations
        (3.0, 15.75, 3000 / (2600 / 6))
    ]


def test_prediction_is_the_models_with_its_band(modelled):
    given(modelled, "segments", SEGMENT)
    assert rows(
        modelled,
        "SELECT predicted, low, high, predicted_cycles, measured, "
        "starts_with(model, 'throughput/'), flag_codes(flags) FROM throughput_predictions",
    ) == [
        (
            pytest.approx(2.0, rel=1e-5),
            pytest.approx(2.0 / 1.1, rel=1e-5),
            pytest.approx(2.0 / 0.9, rel=1e-5),
            pytest.approx(1500, rel=1e-5),
            2.0,
            True,
            [],
        )
    ]


def test_what_cannot_be_or_is_rough_is_flagged(modelled):
    given(
        modelled,
        "segments",
        """
        segment  cycles  instructions  n_int  critical_path  front_end
        0        NULL    3000          NULL   NULL           NULL
        1        1500    0             NULL   NULL           NULL
        2        700     3000          2600   [0,100]        [0,0,0,0,750]
        3        NULL    6000          5200   NULL           NULL
        """,
    )
    query = "SELECT segment, predicted IS NOT NULL, flag_codes(flags) FROM throughput_predictions"
    assert rows(modelled, f"{query} ORDER BY segment") == [
        (0, False, ["no_features"]),
        (1, False, ["empty"]),
        (2, True, ["short", "implausible", "assumed_window"]),
        (3, True, ["no_front_end", "no_dependences", "assumed_window"]),
    ]


def test_measured_issue_serves_only_where_there_is_nothing_else(modelled):
    given(
        modelled,
        "segments",
        """
        thread  segment  instructions  issued              front_end
        0       0        3000          [500,200,200,0,600]  NULL
        0       1        3000          [500,200,200,0,600]  [0,0,0,0,750]
        """,
    )
    found = rows(
        modelled,
        "SELECT segment, predicted, model = 'issued', "
        "list_contains(flag_codes(flags), 'uses_measured_issue') FROM throughput_predictions "
        "ORDER BY segment",
    )
    assert found[0] == (0, 2.0, True, True)
    assert found[1][2:] == (False, False)


def test_without_a_model_there_are_bounds_and_a_flag(warehouse):
    given(warehouse, "runs", RUN)
    warehouse.execute("DELETE FROM models WHERE kind = 'throughput'")
    given(warehouse, "segments", SEGMENT)
    assert rows(
        warehouse,
        "SELECT predicted, low, high, width_bound, flag_codes(flags) FROM throughput_predictions",
    ) == [(None, None, None, 3.0, ["no_model"])]


def test_threads_add_up_what_is_used_and_count_the_rest(modelled):
    given(
        modelled,
        "segments",
        """
        thread  segment  cycles  instructions  uops  n_int  front_end        rob
        0       0        1500    3000          4000  4000   [200,0,0,0,1000]  128
        0       1        3000    3000          4000  4000   [200,0,0,0,1000]  128
        0       2        900     3000          4000  4000   [0,0,0,0,1000]    128
        1       3        2000    3000          4000  4000   [200,0,0,0,1000]  128
        """,
    )
    assert rows(
        modelled,
        "SELECT thread, segments, used, short, implausible, instructions, round(predicted, 4), "
        "round(measured, 4), flag_codes(flags) FROM throughput_by_thread ORDER BY thread",
    ) == [
        (0, 3, 2, 1, 1, 6000, 2.0, 1.3333, []),
        (1, 1, 1, 0, 0, 3000, 2.0, 1.5, ["one_segment"]),
    ]


def test_contributions_name_the_tightest_bound_and_what_comes_on_top(modelled):
    given(modelled, "segments", SEGMENT)
    found = rows(
        modelled,
        "SELECT component, round(cycles_per_instruction, 3), round(share, 3), is_tightest "
        "FROM throughput_contributions ORDER BY component",
    )
    assert found == [
        ("critical path", 0.063, 0.127, False),
        ("front end", 0.333, 0.667, True),
        ("functional units", 0.144, 0.289, False),
        ("interplay", 0.167, 0.333, False),
    ]


def test_the_model_of_the_runs_machine_comes_first(modelled):
    modelled.execute("UPDATE runs SET machine = 'mine'")
    arrays = models.load(modelled, "throughput", models.in_force(modelled, "throughput", "made"))
    arrays["goal"] = np.array([np.log(2.0), 1.0])
    for subject in ("mine", "newer"):
        models.store(
            modelled, Fit("throughput", subject, "network", TRACE.names, "nothing", arrays)
        )
        arrays["goal"] = np.array([np.log(3.0), 1.0])
    given(modelled, "segments", SEGMENT)
    assert rows(modelled, PREDICTED) == [(1.5, 2.0, [])]


def test_settings_say_what_short_is(modelled):
    given(modelled, "segments", SEGMENT)
    modelled.execute("UPDATE throughput_settings SET shortest = 2000")
    assert rows(modelled, PREDICTED) == [(2.0, 2.0, ["short"])]


def test_code_is_decoded_as_it_lands(warehouse, tmp_path):
    path = tmp_path / "blocks.csv"
    path.write_text("hex,cycles_per_100\n4801d8,100\nffff,100\n4801d84801d8,\n")
    land(warehouse, path)
    assert rows(
        warehouse, "SELECT segment, instructions, n_int FROM segments ORDER BY segment"
    ) == [(0, 1, 1), (1, None, None), (2, 2, 2)]
    assert rows(
        warehouse,
        "SELECT segment, measured, list_contains(flag_codes(flags), 'undecodable') "
        "FROM throughput_predictions ORDER BY segment",
    ) == [(0, 1.0, False), (1, None, True), (2, None, False)]


def test_segments_count_as_often_as_they_are_executed(warehouse, tmp_path):
    path = tmp_path / "blocks.csv"
    path.write_text(
        "hex,cycles_per_100,executions,address,function,source_file,source_line\n"
        "4801d8,200,1000,0x401000,axpy,a.c,12\n"
        "480fafc3,900,10,4198416,dot,,\n"
        "90,100,0,,,,\n"
    )
    land(warehouse, path)
    places = "address, function, source_file, source_line, executions, instructions"
    gain = "round(cycles_to_gain / executions, 1)"
    assert rows(
        warehouse, f"SELECT {places}, {gain} FROM throughput_predictions ORDER BY segment LIMIT 2"
    ) == [
        (0x401000, "axpy", "a.c", 12, 1000, 1, 1.0),
        (0x401010, "dot", None, None, 10, 1, 6.0),
    ]
    assert rows(
        warehouse, "SELECT segments, used, instructions, measured FROM throughput_by_thread"
    ) == [(3, 2, 1010, pytest.approx(1010 / (2000 + 90)))]


def test_what_is_missing_makes_no_prediction_fail(warehouse):
    assert rows(
        warehouse,
        "SELECT predict_throughput([1.0, 2.0]::FLOAT[], NULL), predict_throughput(NULL, NULL)",
    ) == [(None, None)]


def test_longest_chain_of_groups(warehouse):
    groups = "([[], [1], [1, 2], []]), ([]), (NULL), ([[5]])"
    query = f"SELECT longest_chain(g::INTEGER[][]) FROM (VALUES {groups}) AS t(g)"
    assert rows(warehouse, query) == [(3,), (0,), (None,), (1,)]


def trace(con, folder, lines, header="class,producers"):
    """Land a trace of instructions; return its prediction and bounds, instructions per cycle."""
    path = folder / "trace.csv"
    path.write_text("\n".join([header, *lines]) + "\n")
    con.execute("DELETE FROM segments")
    land(con, path, replace=True)
    query = (
        "SELECT predicted, critical_path_bound, unit_bound, serialising_bound "
        "FROM throughput_predictions"
    )
    return rows(con, query)[0]


@pytest.mark.parametrize(
    ("header", "line", "rate"),
    [
        ("class,producers", "fp,1", 1 / 3),
        ("class,producers", "load,1", 1 / 4),
        ("class,producers", "int,1", 1),
        ("class,producers,latency", "int,1,5", 1 / 5),
        ("class,producers", "div,1", 1 / 10),
    ],
)
def test_a_chain_runs_at_its_latency(warehouse, tmp_path, header, line, rate):
    predicted, chain, _, _ = trace(warehouse, tmp_path, [line] * 2000, header)
    assert chain == pytest.approx(rate)
    assert 0.75 * rate < predicted <= rate


def test_units_that_are_not_pipelined_limit_divisions_that_are_independent(warehouse, tmp_path):
    predicted, _, units, _ = trace(warehouse, tmp_path, ["div,"] * 2000)
    assert units == pytest.approx(1 / 6)
    assert 0.9 / 6 < predicted <= 1 / 6


def test_serialising_instructions_only_slow_down(warehouse, tmp_path):
    found = []
    for percent in (0, 1, 5, 20, 50, 90, 100):
        lines = ["serialising," if i % 100 < percent else "int," for i in range(2000)]
        found.append(trace(warehouse, tmp_path, lines)[0])
    assert found == sorted(found, reverse=True)
    assert found[-1] < 0.15


def test_drains_interrupt_chains_and_come_on_top(warehouse, tmp_path):
    # Of 100 instructions in three chains the first waits for all before: 1 + 33 cycles.
    lines = ["serialising," if i % 100 == 0 else "int,3" for i in range(2000)]
    _, chains, _, drains = trace(warehouse, tmp_path, lines)
    assert chains == pytest.approx(100 / 34, rel=0.01)
    assert drains == pytest.approx(100 / (34 + 7), rel=0.01)


def test_groups_that_are_one_chain_continue_each_other(modelled):
    whole = str([0] * 39 + [100]).replace(" ", "")
    given(
        modelled,
        "segments",
        f"""
        segment  instructions  critical_path  distances
        0        4000          {whole}        NULL
        1        4000          NULL           [4000,0,0]
        """,
    )
    assert rows(
        modelled, "SELECT critical_path_bound FROM throughput_predictions ORDER BY segment"
    ) == [(1.0,), (1.0,)]


def test_no_prediction_passes_a_bound(modelled):
    network(modelled, factor=0.5)
    given(modelled, "segments", SEGMENT)
    assert rows(modelled, "SELECT predicted, high, width_bound FROM throughput_predictions") == [
        (3.0, 3.0, 3.0)
    ]


def test_a_mix_unlike_training_is_flagged_and_its_band_is_wide(warehouse, tmp_path):
    trace(warehouse, tmp_path, ["serialising,"] * 2000)
    ((flags, low, predicted),) = rows(
        warehouse, "SELECT flag_codes(flags), low, predicted FROM throughput_predictions"
    )
    assert "outside_training" in flags
    assert low < 0.5 * predicted


def test_a_machine_that_no_model_is_of_is_flagged(warehouse, tmp_path):
    path = tmp_path / "blocks.csv"
    path.write_text("hex\n4801d8\n")
    land(warehouse, path)
    warehouse.execute("UPDATE runs SET machine = 'zen3-1'")
    assert rows(warehouse, "SELECT flag_codes(flags) FROM throughput_predictions") == [([],)]
    warehouse.execute("UPDATE runs SET machine = 'skylake-7'")
    assert rows(warehouse, "SELECT flag_codes(flags) FROM throughput_predictions") == [
        (["other_core"],)
    ]


@pytest.mark.parametrize(
    ("core", "processors"),
    [
        (
            "zen3",
            "AMD Ryzen 9 5950X 16-Core Processor, 32 cores|AMD Ryzen 5950X|Zen3|"
            "AMD EPYC 7R13 Processor|AMD EPYC 73F3|AMD Ryzen 5 5625U|"
            "AMD Ryzen Threadripper PRO 5995WX|AMD EPYC-Milan Processor",
        ),
        ("neoverse-n1", "AWS Graviton2|Ampere(R) Altra(R) Max|aarch64 0x41 0xd0c, 64 cores"),
        # Zen 1, 2, 4 and 5, Intel, Neoverse V1
        (
            None,
            "AMD EPYC 7742 64-Core Processor|AMD Ryzen 7 5700U|AMD Ryzen 9 7950X|AMD EPYC 9575F|"
            "AMD Ryzen 9 3950X|AMD EPYC|Intel(R) Core(TM) i5-5300U CPU|"
            "AWS Graviton3|Apple M1|node5950x",
        ),
    ],
)
def test_processors_are_known_by_their_core(warehouse, core, processors):
    for machine in processors.split("|"):
        warehouse.execute("INSERT INTO runs (run_id, machine) VALUES ($1, $1)", [machine])
    assert rows(warehouse, "SELECT DISTINCT core FROM _run_cores") == [(core,)]
    own = "SELECT DISTINCT is_own FROM _run_models WHERE form = 'code'"
    assert rows(warehouse, own) == [(core == "zen3",)]


def test_a_core_of_your_own_comes_before_what_its_processor_is_called(warehouse):
    warehouse.execute("INSERT INTO cores (core, isa, width) VALUES ('zen3-lab', 'x86-64', 4)")
    warehouse.execute("INSERT INTO runs (run_id, machine) VALUES ('r', 'zen3-lab-7')")
    assert rows(warehouse, "SELECT core FROM _run_cores") == [("zen3-lab",)]


def test_code_that_the_core_or_the_model_does_not_know(warehouse, tmp_path):
    blocks = (
        ("62f17c4858c1", "", "not_on_core"),  # vaddps zmm0, zmm0, zmm1
        ("0f05", "", "system_instruction"),  # syscall
        ("0fa2", "", "system_instruction"),  # cpuid
        ("0fae38", "", "system_instruction"),  # clflush [rax]
        ("f348ab", "", "unknown_cycles"),  # rep stosq
        ("d9fe", "", "unknown_cycles"),  # fsin
        ("c4e2ed9204ce", "", "unknown_cycles"),  # vgatherdpd ymm0, [rsi + xmm1 * 8], ymm2
        ("c4e2752e06", "", "unknown_cycles"),  # vmaskmovps [rsi], ymm1, ymm0
        ("d8c1", "", "poor_support"),  # fadd st0, st1
        ("ac4801d8", "", "poor_support"),  # lodsb; add rax, rbx
        ("4801d8", "riscv64", "other_isa"),
        # mov w0, 1; sub x0, x0, 1; add x0, x0, 1; ret, of AArch64
        ("20008052000400d100040091c0035fd6", "", "like_aarch64"),
    )
    path = tmp_path / "blocks.csv"
    path.write_text("hex,isa\n" + "".join(f"{code},{isa}\n" for code, isa, _ in blocks))
    land(warehouse, path)
    query = (
        "SELECT flag_codes(flags), predicted IS NOT NULL FROM throughput_predictions "
        "ORDER BY segment"
    )
    expected = [([flag], flag == "poor_support") for _, _, flag in blocks]
    assert rows(warehouse, query) == expected


def test_different_registers_are_different_arrays_unless_the_block_was_measured(
    warehouse, tmp_path
):
    blocks = (
        ("488b03488901", True),  # mov rax, [rbx]; mov [rcx], rax
        ("488b03488903", False),  # mov rax, [rbx]; mov [rbx], rax
        ("488b4340488901", False),  # mov rax, [rbx + 64]; mov [rcx], rax
    )
    for name, cycles in (("measured", ",600"), ("code", ",")):
        path = tmp_path / f"{name}.csv"
        text = "".join(f"{code}{cycles}\n" for code, _ in blocks)
        path.write_text(f"hex,cycles_per_100\n{text}")
        land(warehouse, path, run_id=name)
    # the band of what was measured begins at the bounds, the other one ends where they alias
    found = "run_id, flag_codes(flags), predicted_cycles > 2, instructions / low > 5"
    query = f"SELECT {found} FROM throughput_predictions ORDER BY run_id DESC, segment"
    assert rows(warehouse, query) == [
        *(("measured", ["assumed_addresses"] if yes else [], yes or k == 1, yes or k == 1)
          for k, (_, yes) in enumerate(blocks)),
        *(("code", ["distinct_arrays"] if yes else [], k == 1, yes or k == 1)
          for k, (_, yes) in enumerate(blocks)),
    ]  # fmt: skip


def test_a_block_is_predicted_as_a_landed_one(warehouse, tmp_path):
    path = tmp_path / "blocks.csv"
    path.write_text("hex\n4801d8480fafca\n")
    land(warehouse, path)
    columns = "predicted, low, high, predicted_cycles, unit_bound, model, flag_codes(flags)"
    found = rows(warehouse, f"SELECT {columns} FROM predict_block('4801D8480fafca')")
    assert found == rows(warehouse, f"SELECT {columns} FROM throughput_predictions")
    query = (
        "SELECT coalesce(predicted, low, high), flag_codes(flags) "
        "FROM predict_block('{}', core := '{}')"
    )
    for code, core, flags in (
        ("0f05", "zen3", ["system_instruction"]),
        ("06", "zen3", ["undecodable"]),
        ("4801d8", "other", ["unknown_core"]),
    ):
        assert rows(warehouse, query.format(code, core)) == [(None, flags)]


CORE_OF_ONES_OWN = (
    "INSERT INTO cores (core, isa, width, relative, source) "
    "VALUES ('mine', 'x86-64', 4, 'cascadelake', 'me')",
    "INSERT INTO instruction_costs (core, line, pattern, class, ports, cycles, latency) "
    "VALUES ('mine', 1, 'POPCNT', 'int', 'alu1', 1, 7)",
)


def test_a_core_without_a_model_has_its_relatives_with_its_own_costs(warehouse, tmp_path):
    for statement in CORE_OF_ONES_OWN:
        warehouse.execute(statement)
    query = (
        "SELECT model, predicted_cycles, high / low, flag_codes(flags) "
        "FROM predict_block('f3480fb8c0', core := ?)"
    )
    theirs, own = (warehouse.execute(query, [c]).fetchone() for c in ("cascadelake", "mine"))
    assert own[0] == theirs[0]
    assert (own[1], theirs[1]) == (pytest.approx(7, rel=0.05), pytest.approx(3, rel=0.05))
    assert own[2] >= theirs[2]
    assert "model_of_relative" in own[3] and "model_of_relative" not in theirs[3]
    path = tmp_path / "blocks.csv"
    path.write_text("hex,cycles\nf3480fb8c0,7\n")
    land(warehouse, path, facts={"machine": "mine"})
    assert rows(
        warehouse, "SELECT model, predicted_cycles, flag_codes(flags) FROM throughput_predictions"
    ) == [(own[0], own[1], own[3])]
