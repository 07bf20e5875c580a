"""The real recordings of blocks and threads, against facts that another program computed."""

from __future__ import annotations

import json
import shutil

import pytest

import warehouse as pwh
from tests.helpers.support import land, rows, shared

PROGRAMS = {
    "vecadd": ("vecadd.log.gz", {0: ""}),
    "reduce": ("reduce.log.gz", {0: "synchronising"}),
    "diverge4": ("diverge4.log.gz", {0: "divergent"}),
    "bitonic": ("bitonic.log.zst", {0: "divergent synchronising"}),
    "matmul": ("matmul.log.zst", {0: "synchronising"}),
    "mandel": ("mandel.log.zst", {0: "divergent"}),
    "bfs": ("bfs.log.zst", {0: "", 5: "divergent"}),
    "twokernels": ("twokernels.log.gz", {0: "", 1: "synchronising", 2: ""}),
}
METRICS = {"euclidean": "euclid", "manhattan": "manhattan"}


def facts(name):
    return json.loads(shared(f"bb/facts/{name}.json").read_text())


def near(value):
    return pytest.approx(value, abs=6e-7)


@pytest.fixture(scope="module", params=PROGRAMS)
def program(request, template, tmp_path_factory):
    """Yield the facts of a program's launches, its verdicts, and a warehouse with its recording."""
    file, verdicts = PROGRAMS[request.param]
    recording = shared(f"bb/gpgpusim/{file}")
    with pwh.connect(shutil.copy(template, tmp_path_factory.mktemp("program"))) as con:
        land(con, recording, run_id="r")
        yield facts(request.param)["launches"], verdicts, con


def test_figures_and_verdicts_of_launches(program):
    launches, verdicts, warehouse = program
    found = rows(
        warehouse,
        "SELECT launch, kernel, threads, blocks, visits, barriers, sync_rate, fluctuation, "
        "simt_efficiency, distinct_vectors FROM thread_behaviour ORDER BY launch",
    )
    assert found == [
        (
            *(fact["launch"], fact["kernel"], fact["threads"], len(fact["per_block"])),
            *(sum(fact["block_visits"]), fact["bar_instructions"], near(fact["sync_rate"])),
            near(fact["fluctuation_euclid_mean_over_blocks"]),
            *(near(fact["simd_efficiency"]), fact["distinct_bbv"]),
        )
        for fact in launches
    ]
    said = rows(warehouse, "SELECT launch, divergent, synchronising FROM thread_behaviour")
    for launch, divergent, synchronising in said:
        if launch in verdicts:
            words = ["divergent"] * divergent + ["synchronising"] * synchronising
            assert " ".join(words) == verdicts[launch]


def test_edges_of_launches(program):
    launches, _, warehouse = program
    for fact in launches:
        found = rows(
            warehouse,
            "SELECT src || '->' || dst, count, probability FROM bb_transitions WHERE launch = ?",
            fact["launch"],
        )
        assert {edge: count for edge, count, _ in found} == fact["edges"]
        assert {edge: share for edge, _, share in found} == near(fact["edge_prob"])


@pytest.mark.parametrize("metric", METRICS)
def test_figures_of_thread_blocks(program, metric):
    launches, _, warehouse = program
    name = METRICS[metric]
    for fact in launches:
        found = rows(
            warehouse,
            "SELECT distinct_vectors, fluctuation, max_distance, mean_distance "
            "FROM block_behaviour('r', ?, metric := ?) ORDER BY block",
            *(fact["launch"], metric),
        )
        assert [row[:3] for row in found] == [
            (
                block["distinct_bbv"],
                near(block[f"fluctuation_{name}_tol0.05"]),
                near(block[f"max_{name}"]),
            )
            for block in fact["per_block"]
        ]
        assert found[0][3] == near(fact[f"first_block_{name}_mean"])


def test_efficiency_from_vectors_is_the_upper_bound(program):
    launches, _, warehouse = program
    found = rows(
        warehouse,
        "SELECT sum(instructions) / (32 * sum(warp_instructions)) FROM warp_divergence "
        "GROUP BY launch ORDER BY launch",
    )
    expected = [fact["simt_efficiency_from_bbv_max_lane"] for fact in launches]
    assert [share for (share,) in found] == near(expected)


@pytest.mark.parametrize("name", ["thr", "xz4"])
def test_distances_between_cpu_threads(warehouse, name):
    land(warehouse, shared(f"bb/valgrind/{name}.bb.gz"), run_id="r")
    for metric, column in METRICS.items():
        found = rows(
            warehouse,
            "SELECT thread_a || '-' || thread_b, distance "
            "FROM thread_distances('r', 0, NULL, metric := ?) WHERE thread_a < thread_b",
            metric,
        )
        known = facts("valgrind_bbv")[name]["thread_distances"]
        assert dict(found) == near({k: v[f"{column}_of_normalised"] for k, v in known.items()})


def test_cpu_threads_have_groups_and_phases_but_no_divergence(warehouse):
    land(warehouse, shared("bb/valgrind/thr.bb.gz"), run_id="r")
    groups = (
        "SELECT list(thread ORDER BY thread) FROM thread_group_members GROUP BY behaviour_group"
    )
    assert sorted(found for (found,) in rows(warehouse, groups)) == [[1], [2, 3], [4, 5], [6]]
    assert rows(
        warehouse,
        "SELECT thread, count(*), round(sum(weight), 9) FROM phase_representatives "
        "WHERE thread IN (1, 2, 3) GROUP BY thread ORDER BY thread",
    ) == [(1, 1, 1), (2, 1, 1), (3, 1, 1)]
    # Thread 6 runs the hash loop of 2 and 3, then the sort of 4 and 5.
    assert rows(warehouse, "SELECT max(interval) FROM phases WHERE thread = 6 AND phase = 0") == [
        (49,)
    ]
    assert rows(
        warehouse, "SELECT divergent, synchronising, note IS NOT NULL FROM thread_behaviour"
    ) == [(None, None, True)]


def test_dependence_distances_and_opcodes(warehouse):
    land(warehouse, shared("bb/gpgpusim/twokernels.log.gz"), run_id="r")
    one = facts("vecadd.dep")["1"]
    assert dict(
        rows(warehouse, "SELECT distance, count / 64 FROM dependence_distances WHERE launch = 2")
    ) == {
        None if distance == "None" else int(distance): count
        for distance, count in one["min_dep_distance_histogram"].items()
    }
    assert (
        dict(rows(warehouse, "SELECT opcode, count / 64 FROM opcode_mix WHERE launch = 2"))
        == one["opcode_counts"]
    )


def test_the_references_have_the_rates_of_their_recordings(program, warehouse):
    rates = "round(t.fluctuation, 6), round(t.simt_efficiency, 6), round(t.sync_rate, 6)"
    for said in rows(
        warehouse,
        f"SELECT DISTINCT r.program, r.fluctuation, r.simt_efficiency, r.sync_rate, "
        f"r.memory_share, {rates}, round(b.memory_share, 6) "
        "FROM thread_behaviour t JOIN launch_balance b USING (run_id, launch) "
        "JOIN behaviour_references r ON r.program IN (regexp_replace(t.kernel, '_.*', ''), "
        "regexp_replace(t.kernel, '_.*', '') || ', launch ' || t.launch) "
        "WHERE (SELECT count(*) FROM bb_launches) IN (1, 10)",
    ):
        assert said[1:5] == said[5:]
