"""`pwh throughput` and `pwh fit throughput`: verdicts, tables, the reduction, what is refused."""

from __future__ import annotations

import csv
import io
import re
import shutil

import pytest

import warehouse
from apps.queries.base import ask_dicts
from apps.reports.throughput import block_sentences, effects_sentence
from tests.helpers.segments import segments
from tests.helpers.support import given
from tests.ingest.case import SAMPLES

SEGMENTS = SAMPLES / "gem5-segments" / "segments.csv"


@pytest.fixture(scope="module")
def ingested_once(ingested):
    """Land the small sample of segments."""
    return ingested(SEGMENTS)


def run_of(pwh, app, machine):
    query = f"SELECT run_id FROM runs WHERE app = '{app}' AND machine = '{machine}'"
    _, out, _ = pwh("sql", query, "--format", "csv")
    return out.splitlines()[1]


def test_verdict_comes_first_with_what_limits_and_what_was_reached(pwh):
    code, out, err = pwh("throughput", run_of(pwh, "stencil", "gem5-E"))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[2].startswith("* The code could sustain ")
    assert "limited by" in lines[2]
    assert lines[3].startswith("* It reaches 2.33 where that was measured: ")
    assert "What limits the predicted cycles" in out
    assert "Instructions per cycle by thread" in out


def test_feature_contributions_are_listed_by_group(pwh):
    _, out, _ = pwh("throughput", run_of(pwh, "stencil", "gem5-E"))
    lines = out.splitlines()
    (said,) = (line for line in lines if line.startswith("* The model predicts "))
    assert "times the cycles per instruction of a typical segment" in said
    at = lines.index("Feature contributions (Shapley values) relative to a typical segment")
    table = "\n".join(lines[at + 1 : lines.index("Instructions per cycle by thread")])
    for group in ("dependence chains", "division and ports", "memory", "serialising instructions"):
        assert group in table


def test_groups_that_stand_out_are_named_the_furthest_first():
    def row(group, factor):
        return {"feature_group": group, "factor": factor}

    rows = [row("memory", 2.0), row("instruction mix", 1.01), row("dependence chains", 0.25)]
    assert effects_sentence(rows) == (
        "The model predicts 0.51 times the cycles per instruction of a typical segment "
        "(geometric mean): dependence chains x0.25, memory x2.00."
    )
    assert "no group of features stands out" in str(effects_sentence(rows[1:2]))
    assert effects_sentence([]) is None


def test_a_bound_far_below_the_prediction_is_not_what_limits_a_block():
    block = {
        "instructions": 8, "core": "zen3", "predicted": 2.0, "predicted_cycles": 4.0, "low": 1.9,
        "high": 2.1, "tightest_bound": 16.0, "width_bound": 16.0, "critical_path_bound": None,
        "unit_bound": None,
    }  # fmt: skip
    assert block_sentences(block)[1] == (
        "What limits it: the interplay of several limits, or a cost that no bound covers; of the "
        "bounds the front end: at least 0.5 cycles a pass."
    )
    near = {**block, "critical_path_bound": 2.5}
    assert block_sentences(near)[1] == (
        "What limits it: the longest dependence chain: at least 3.2 cycles a pass."
    )


def test_effects_leave_out_what_threads_leave_out(warehouse):
    given(warehouse, "runs", "run_id\nr1")
    given(
        warehouse,
        "segments",
        """
        run_id  segment  cycles  instructions  n_int  front_end
        r1      0        1500    3000          3000   [0,0,0,0,1000]
        r1      1        500     1600          1600   [0,0,0,0,400]
        """,
    )
    found = ask_dicts(warehouse, "throughput/effects", run_id="r1")
    assert len(found) == 6
    assert {row["segments"] for row in found} == {1}
    factors = [row["factor"] for row in found]
    assert factors == sorted(factors, reverse=True)


def test_short_segments_are_counted(pwh):
    _, out, _ = pwh("throughput", run_of(pwh, "sort", "gem5-E"), "--by", "segment")
    assert (
        "1 segment flagged short: what takes fewer cycles than throughput_settings.shortest" in out
    )
    assert "1 segment flagged implausible: what was measured to be faster than the width" in out


def test_rows_for_programs(pwh):
    name = run_of(pwh, "stencil", "gem5-E")
    _, out, _ = pwh("throughput", name, "--by", "segment", "--format", "csv")
    found = list(csv.DictReader(io.StringIO(out)))
    assert sorted(row["segment"] for row in found) == ["0", "1"]
    assert all(float(r["low"]) < float(r["predicted"]) < float(r["high"]) for r in found)


def test_limit_states_what_is_left_out(pwh):
    name = run_of(pwh, "stencil", "gem5-E")
    _, out, _ = pwh("throughput", name, "--by", "segment", "--limit", "1")
    assert "... and 1 more: --limit shows more, --format csv all" in out


def test_report_has_the_verdict(pwh):
    _, out, _ = pwh("report", run_of(pwh, "stencil", "gem5-E"))
    assert "* The code could sustain " in out


def test_a_prediction_for_another_core_is_told_to_be_one(run, tmp_path):
    # measured at 4 adds a cycle, where the core of the model could do 1
    (tmp_path / "blocks.csv").write_text("hex,cycles_per_100\n4801d8,25\n")
    run("ingest", tmp_path / "blocks.csv", "--machine", "Xeon Platinum 8480")
    _, out, _ = run("throughput", "latest")
    assert "* On a core that the machine of the run is not known to have, the code " in out
    assert "than predicted" not in out and "of what it could" not in out


def test_a_run_without_segments_is_nothing_to_analyse(run, tmp_path):
    (tmp_path / "timings.csv").write_text("run_id,function,seconds\nr,f,1.0\n")
    run("ingest", tmp_path / "timings.csv")
    code, out, err = run("throughput", "r")
    assert (code, out) == (5, "")
    assert "the run r has no segments of instruction streams" in err


def test_undecodable_code_is_reported_with_the_reason(run, tmp_path):
    (tmp_path / "segments.csv").write_text("run_id,segment,cycles\nr,0,2000\nr,1,3000\n")
    run("ingest", tmp_path / "segments.csv")
    code, _, err = run("throughput", "r")
    assert code == 5
    assert "nothing can be predicted for the run r: 2 segments flagged empty: " in err


@pytest.mark.parametrize("text", ["som", "som:0,0.1", "som:10,0", "som:10,1.5", "kmeans:10,0.1"])
def test_reductions_that_are_none(pwh, text):
    code, _, err = pwh("fit", "throughput", "--reduce", text)
    assert code == 2
    assert "som:200,0.15" in err


def test_too_little_to_learn_from(pwh):
    code, _, err = pwh("fit", "throughput")
    assert code == 5
    assert "there are 4 segments to learn from" in err
    assert "1 faster than the core is wide" in err


def test_fit_stores_scores_and_reports_the_reduction(run, tmp_path):
    segments(tmp_path / "made.csv")
    assert run("ingest", tmp_path / "made.csv")[0] == 0
    asked = ("fit", "throughput", "--reduce", "som:12,0.5", "--subject", "made")
    asked += ("--optimiser", "scg", "--iterations", 60, "--precision", "1e-6")
    code, out, err = run(*asked)
    assert code == 0, err
    assert re.search(": network( with distributions)?, in use from now on.", out.splitlines()[0])
    assert "segments represent" in out
    for name in ("constant", "tightest bound", "linear regression", "network with", "boosting"):
        assert name in out
    _, stored, _ = run(
        "sql",
        "SELECT algorithm, subject FROM models WHERE kind = 'throughput' AND NOT shipped",
        "--format",
        "csv",
    )
    assert stored.splitlines()[1:] in (["network,made"], ["network with distributions,made"])
    assert run("fit", "choose", "throughput/1", "--by", "ann")[0] == 0
    _, chosen, _ = run("sql", "SELECT version, said_by FROM model_choice", "--format", "csv")
    assert chosen.splitlines()[1:] == ["1,ann"]
    code, _, err = run("fit", "choose", "throughput")
    assert code == 2 and "is not a kind and a version" in err


def test_migrate_decodes_anew_what_another_pwh_described(run, tmp_path):
    shutil.copy(SAMPLES / "machine-code" / "blocks.csv", tmp_path / "blocks.csv")
    run("ingest", tmp_path / "blocks.csv", "--run", "blocks")
    query = "SELECT segment, predicted, flags FROM throughput_predictions ORDER BY segment"
    _, before, _ = run("sql", query, "--format", "csv")
    con = warehouse.connect(tmp_path / "pwh.duckdb")
    con.execute("UPDATE segment_features SET features = features[:-2], revision = NULL")
    con.close()

    done = "decoded the machine code of 1 file again\ncomputed the scalars of 1 run\ncomputed "
    assert run("migrate")[1].startswith(done)
    assert run("sql", query, "--format", "csv")[1] == before
    assert run("migrate")[1] == "pwh.duckdb is up to date\n"


def test_aarch64_is_bounded_and_other_instruction_sets_are_named(run, tmp_path):
    (tmp_path / "blocks.csv").write_text(
        "hex,isa,cycles\n0000018b,aarch64,1.25\n000040f9,arm64,4\n13050500,riscv64,1\n"
    )
    run("ingest", tmp_path / "blocks.csv", "--run", "blocks")
    code, out, _ = run("throughput", "blocks")
    assert code == 0
    assert "by its bounds it can sustain at most 0.40 instructions per cycle" in out
    assert "limited by its dependence chains" in out
    assert "It reaches 0.38 where that was measured.\n" in out
    assert "of neoverse-n1, by: Arm Neoverse N1 Software Optimization Guide" in out
    assert "1 segment flagged other instruction set: machine code that is not decoded" in out

    _, out, _ = run("throughput", "--hex", "0000018b", "--core", "neoverse-n1")
    assert "neoverse-n1" in out and "* no model: only bounds are known" in out
    _, out, _ = run("throughput", "--hex", "13050500", "--isa", "riscv64")
    assert "* other instruction set: machine code that is not decoded" in out
