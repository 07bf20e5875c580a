"""`pwh diagnose` and `pwh label`: verdicts, manual labels, and what is refused."""

from __future__ import annotations

import json

import pytest

TOPDOWN = """app,rank,region,sample,event,value
a,0,copy,0,topdown.retiring,0.05
a,0,copy,0,topdown.bad_speculation,0.01
a,0,copy,0,topdown.frontend_bound,0.01
a,0,copy,0,topdown.backend_bound,0.93
a,0,copy,0,topdown.memory_bound,0.85
a,0,copy,0,topdown.core_bound,0.08
a,0,sort,0,topdown.retiring,0.2
a,0,sort,0,topdown.bad_speculation,0.55
a,0,sort,0,topdown.frontend_bound,0.15
a,0,sort,0,topdown.backend_bound,0.1
"""


@pytest.fixture(scope="module")
def ingested_once(ingested, folder):
    (folder / "slots.csv").write_text(TOPDOWN)
    return ingested(folder / "slots.csv", run_id="r1")


def test_top_down_shares_are_listed_by_region(pwh):
    code, out, err = pwh("diagnose", "r1")
    assert (code, err) == (0, "")
    assert out.splitlines()[:5] == [
        "Run r1",
        "",
        "* A tie: Mem or Other (Mem 50 % and Other 50 % of the samples).",
        "* Top-down: backend bound takes most issue slots in 1 of 2 places, most in copy (93 %, "
        "mostly memory bound; a limit over 20 %, by Intel's rule).",
        "* Top-down: bad speculation takes most issue slots in 1 of 2 places, most in sort (55 %; "
        "a limit over 15 %, by Intel's rule).",
    ]


def test_what_was_not_measured_is_named_with_its_events_and_what_to_record(run, tmp_path):
    counts = "CPU_CLK_UNHALTED_CORE,100\nINSTR_RETIRED_ANY,50\nBR_MISP_RETIRED_ALL_BRANCHES,1\n"
    (tmp_path / "c.csv").write_text("event,value\n" + counts)
    run("--db", tmp_path / "w.duckdb", "ingest", tmp_path / "c.csv", "--run", "r1")
    _, out, _ = run("--db", tmp_path / "w.duckdb", "diagnose", "r1")
    assert "or all misses: Intel: perf stat -M TopdownL1,TopdownL2 COMMAND." in out
    assert (
        "Note: not measured of the set linux-intel: main-memory accesses (longest_lat_cache.miss), "
    ) in out


def test_issue_slots_are_told_beside_counts_as_perf_stat_d_has_both(run, tmp_path):
    counts = "cycles,100\ninstructions,50\ncache-misses,1\nL1-dcache-loads,9\nbranch-misses,1\n"
    slots = "slots,600\ntopdown-retiring,60\ntopdown-bad-spec,0\ntopdown-fe-bound,60\n"
    slots += "topdown-be-bound,480\n"
    (tmp_path / "c.csv").write_text("event,value\n" + counts + slots)
    run("--db", tmp_path / "w.duckdb", "ingest", tmp_path / "c.csv", "--run", "r1")
    _, out, _ = run("--db", tmp_path / "w.duckdb", "diagnose", "r1")
    assert "takes most issue slots (80 %; a limit over 20 %, by Intel's rule)." in out
    assert "* Mem, main memory (the one sample, mean probability 72 %)." in out
    assert "MEMAPC" in out


@pytest.mark.parametrize(
    ("events", "said"),
    [
        (
            {
                "ls_not_halted_cyc": 1000, "de_no_dispatch_per_slot.no_ops_from_frontend": 600,
                "de_no_dispatch_per_slot.backend_stalls": 3000, "de_src_op_disp.all": 2400,
                "de_no_dispatch_per_slot.smt_contention": 0, "ex_ret_ops": 2280,
            },
            "(50 %; a limit over 20 %, by Intel's rule: AMD's event files state none)",
        ),
        (
            {
                "CPU_CYCLES": 1000, "STALL_SLOT_FRONTEND": 800, "STALL_SLOT_BACKEND": 4000,
                "OP_SPEC": 3200, "OP_RETIRED": 3000, "BR_MIS_PRED": 0,
            },
            "(50 %; a limit over 20 %, by Intel's rule: Arm's event files state none)",
        ),
    ],
)  # fmt: skip
def test_a_limit_is_named_by_the_vendor_that_publishes_it(run, tmp_path, events, said):
    lines = "".join(f"{event},{value}\n" for event, value in events.items())
    (tmp_path / "c.csv").write_text("event,value\n" + lines)
    run("--db", tmp_path / "w.duckdb", "ingest", tmp_path / "c.csv", "--run", "r1")
    assert said in run("--db", tmp_path / "w.duckdb", "diagnose", "r1")[1]


def test_categories_over_time_are_shares_of_the_recording(run, tmp_path):
    # one sample of three has 3 of 4 slots
    parts = ("retiring", "bad-spec", "fe-bound", "be-bound")
    samples = [(900, (90, 0, 0, 810)), (150, (150, 0, 0, 0)), (150, (150, 0, 0, 0))]
    lines = ["sample,event,value"]
    for sample, (slots, counts) in enumerate(samples):
        lines.append(f"{sample},slots,{slots}")
        lines += [f"{sample},topdown-{p},{n}" for p, n in zip(parts, counts, strict=True)]
    (tmp_path / "c.csv").write_text("\n".join(lines) + "\n")
    run("--db", tmp_path / "w.duckdb", "ingest", tmp_path / "c.csv", "--run", "r1")
    assert (
        "samples differ: the largest is backend bound in 75 %, retiring in 25 % of the recording, "
        "by slots or time."
    ) in run("--db", tmp_path / "w.duckdb", "diagnose", "r1")[1]


def test_shares_of_level_1_that_follow_from_level_2_are_not_said_to_lack(run, tmp_path):
    parts = "light_operations 30 heavy_operations 7 branch_mispredicts 1 machine_clears 1 "
    parts += "fetch_latency 5 fetch_bandwidth 3 memory_bound 11 core_bound 42"
    words = parts.split()
    lines = [f"tma_{name},{share},%\n" for name, share in zip(words[::2], words[1::2], strict=True)]
    (tmp_path / "c.csv").write_text("event,value,unit\n" + "".join(lines))
    run("--db", tmp_path / "w.duckdb", "ingest", tmp_path / "c.csv", "--run", "r1")
    _, out, _ = run("--db", tmp_path / "w.duckdb", "diagnose", "r1")
    assert "issue slots (53 %, mostly core bound; a limit over 20 %, by Intel's rule)." in out
    assert "* What usually helps: shorter chains of dependences, " in out
    assert "not measured" not in out


def test_what_limits_gpu_kernels_is_told_without_a_model(run, tmp_path):
    head = "region,sample,seconds,unit,event,value\n"
    lines = [
        f"{kernel},{sample},{seconds},%,{event},{value}\n"
        for sample, (kernel, seconds, memory, compute) in enumerate(
            [("copy", 3, 92, 12), ("copy", 3, 90, 10), ("gemm", 2, 30, 95), ("tiny", 0.01, 1, 2)]
        )
        for event, value in (("Memory [%]", memory), ("SM [%]", compute))
    ]
    (tmp_path / "c.csv").write_text(head + "".join(lines))
    run("--db", tmp_path / "w.duckdb", "ingest", tmp_path / "c.csv", "--run", "r1")
    _, out, _ = run("--db", tmp_path / "w.duckdb", "diagnose", "r1")
    assert out.splitlines()[2:5] == [
        "* The bandwidth of memory limits the GPU kernel copy (74.9 % of the time measured): "
        "memory reaches 91 % of its peak, compute 11 %.",
        "* Compute limits the GPU kernel gemm (25 % of the time measured): memory reaches 30 % of "
        "its peak, compute 95 %.",
        "* What usually helps: fewer bytes moved (coalesced accesses, reuse in shared memory and "
        "registers, smaller types, kernels joined).",
    ]


def test_an_application_is_all_its_runs(pwh):
    assert pwh("diagnose", "a")[1] == pwh("diagnose", "latest")[1]


def test_verdicts_by_region_as_rows(pwh):
    _, out, _ = pwh("diagnose", "r1", "--by", "region", "--format", "json")
    assert [(row["region"], row["class"]) for row in json.loads(out)] == [
        ("copy", "Mem"),
        ("sort", "Other"),
    ]


@pytest.mark.usefixtures("changeable")
def test_a_manual_label_counts_and_names_its_author(pwh):
    code, out, err = pwh("label", "r1", "dtb", "--region", "copy", "--by", "Ada")
    assert code == 0 and err.strip() == "pwh: r1 is DTB, region copy"
    assert [line.split() for line in out.splitlines()[2:]] == [
        ["DTB", "1", "50", "%"],
        ["Other", "1", "50", "%"],
    ]
    _, out, _ = pwh("diagnose", "r1")
    assert "* A tie: DTB or Other (DTB 50 % and Other 50 % of the samples)." in out
    assert "* What usually helps where it is DTB: order accesses, avoid large strides" in out


@pytest.mark.usefixtures("changeable")
def test_a_manual_label_of_a_sample_needs_no_author(pwh):
    code, out, _ = pwh("label", "r1", "Mem", "--sample", "0", "--region", "copy")
    assert code == 0
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [["Mem", "1"], ["Other", "1"]]
    _, out, _ = pwh("label", "r1", "DTB", "--sample", "0")
    assert [line.split()[:2] for line in out.splitlines()[2:]] == [["DTB", "2"]]


@pytest.mark.usefixtures("changeable")
def test_history_needs_versions_with_counters(pwh, tmp_path):
    for version in ("1", "2"):
        text = TOPDOWN.replace("app,", "app,version,").replace("a,0", f"a,{version},0")
        (tmp_path / f"{version}.csv").write_text(text)
        pwh("ingest", f"{version}.csv")
    pwh("label", "r1", "Balance")
    code, out, _ = pwh("diagnose", "a", "--history", "--format", "json")
    assert code == 0
    assert [(row["version"], row["class"]) for row in json.loads(out)] == [
        (None, "Balance"),
        ("1", "Mem or Other"),
        ("2", "Mem or Other"),
    ]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("diagnose", "nobody"), 5, "there is no run 'nobody', and no APP"),
        (("label", "r1", "Memory"), 2, "there is no class 'Memory'"),
        (("label", "r1", "Mem", "--rank", "7"), 2, "the run r1 has no counters at that place"),
        (("label", "nobody", "Mem"), 5, "there is no run 'nobody'"),
    ],
)
@pytest.mark.usefixtures("changeable")
def test_what_is_refused(arguments, code, message, pwh):
    given, out, err = pwh(*arguments)
    assert (given, out) == (code, "")
    assert message in err


def test_a_run_without_counters_has_nothing_to_diagnose(run, tmp_path):
    (tmp_path / "t.csv").write_text("function,seconds\nf,1\n")
    run("ingest", "t.csv", "--run", "r1")
    code, _, err = run("diagnose", "r1")
    assert code == 5
    assert "there are no counters to diagnose" in err
