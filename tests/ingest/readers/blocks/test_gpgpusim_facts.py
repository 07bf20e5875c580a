"""GPGPU-Sim's real logs against facts that another program found in them."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter

import pytest

from ingest.compressed import open_bytes
from tests.helpers.support import rows, shared
from tests.ingest.readers.blocks.test_gpgpusim import READER, TABLES, contents, land

PROGRAMS = {
    "vecadd": "log.gz",
    "reduce": "log.gz",
    "reduce_timing": "log.gz",
    "diverge4": "log.gz",
    "bitonic": "log.zst",
    "matmul": "log.zst",
    "mandel": "log.zst",
    "bfs": "log.zst",
    "twokernels": "log.gz",
}


def facts(program):
    name = f"bb/facts/{program.removesuffix('_timing')}.json"
    return json.loads(shared(name).read_text())["launches"]


def check_launch(con, fact):
    launch, kernel = fact["launch"], fact["kernel"]
    assert rows(
        con,
        "SELECT kernel, grid, block_dim, instructions, warp_instructions, warp_size, granularity "
        "FROM bb_launches WHERE launch = ?",
        launch,
    ) == [
        (
            kernel,
            fact["grid"],
            fact["block"],
            fact["instructions"],
            fact["warp_instructions"],
            32,
            "thread",
        )
    ]
    blocks = rows(
        con,
        "SELECT b.bb, b.size, coalesce(sum(v.visits), 0), coalesce(sum(v.visits * b.barriers), 0) "
        "FROM bb_blocks AS b LEFT JOIN bb_visits AS v "
        "ON v.kernel = b.kernel AND v.bb = b.bb AND v.launch = ? "
        "WHERE b.kernel = ? GROUP BY ALL ORDER BY b.bb",
        launch,
        kernel,
    )
    assert [bb for bb, *_ in blocks] == list(range(fact["blocks_with_code"]))
    assert [size for _, size, *_ in blocks] == fact["block_sizes"]
    assert [visits for _, _, visits, _ in blocks] == fact["block_visits"]
    assert sum(barriers for *_, barriers in blocks) == fact["bar_instructions"]
    edges = rows(con, "SELECT src, dst, count FROM bb_edges WHERE launch = ?", launch)
    assert {f"{src}->{dst}": count for src, dst, count in edges} == fact["edges"]


def check_threads(con, fact):
    vectors: dict[tuple[int, int], list[int]] = {}
    instructions = 0
    for block, thread, bb, visits, executed in rows(
        con,
        "SELECT block, thread, bb, visits, instructions FROM bb_visits WHERE launch = ?",
        fact["launch"],
    ):
        vectors.setdefault((block, thread), [0] * fact["blocks_with_code"])[bb] = visits
        instructions += executed
    assert instructions == fact["instructions"]
    assert len(vectors) == fact["threads"]
    assert len({tuple(vector) for vector in vectors.values()}) == fact["distinct_bbv"]
    across, down, _ = fact["grid"]
    for place, vector in fact["bbv_examples"].items():
        x, y, z, thread = map(int, re.findall(r"\d+", place))
        assert vectors[x + across * (y + down * z), thread] == vector
    for table in ("bb_opcodes", "bb_dependences"):
        query = f"SELECT sum(count) FROM {table} WHERE launch = ?"
        assert rows(con, query, fact["launch"]) == [(fact["instructions"],)]


@pytest.mark.parametrize("listed", [True, False], ids=["with listing", "without listing"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_log_has_the_facts(program, listed, warehouse, tmp_path):
    log = shared(f"bb/gpgpusim/{program}.{PROGRAMS[program]}")
    if not listed:
        log = shutil.copy(log, tmp_path / log.name)
    listing = listed and program != "reduce_timing"
    assert len(READER.parts(log)) == (2 if listing else 1)
    land(warehouse, log)
    for fact in facts(program):
        check_launch(warehouse, fact)
        check_threads(warehouse, fact)


def test_bfs_visits_of_all_launches_are_the_edges_of_reached_nodes(warehouse):
    land(warehouse, shared("bb/gpgpusim/bfs.log.zst"))
    assert rows(warehouse, "SELECT count(DISTINCT launch) FROM bb_visits") == [(10,)]
    assert rows(warehouse, "SELECT sum(visits) FROM bb_visits WHERE bb = 4") == [(1468,)]


def test_mandel_visits_are_the_programs_own_result(warehouse):
    land(warehouse, shared("bb/gpgpusim/mandel.log.zst"))
    with open_bytes(shared("bb/facts/mandel_iterations.txt.gz")) as file:
        image = [[int(value) for value in line.split()] for line in file]
    found = rows(warehouse, "SELECT block, thread, visits FROM bb_visits WHERE bb = 3")
    assert sum(visits for *_, visits in found) == 15248
    for block, thread, visits in found:
        y, x = block // 4 * 8 + thread // 8, block % 4 * 8 + thread % 8
        assert image[y][x] == visits


@pytest.mark.parametrize("program", ["vecadd", "reduce", "diverge4"])
@pytest.mark.parametrize("uid", ["1", "2", "4"])
def test_dependence_distances_of_one_thread(program, uid, warehouse, tmp_path):
    fact = json.loads(shared(f"bb/facts/{program}.dep.json").read_text())[uid]
    with open_bytes(shared(f"bb/gpgpusim/{program}.log.gz")) as file:
        lines = [line for line in file if b"[thd=" not in line or f"[thd={uid}]".encode() in line]
    (tmp_path / "one.log").write_bytes(b"".join(lines))
    land(warehouse, tmp_path / "one.log")
    found = rows(warehouse, "SELECT distance, sum(count) FROM bb_dependences GROUP BY ALL")
    assert {str(distance): n for distance, n in found} == fact["min_dep_distance_histogram"]
    found = rows(warehouse, "SELECT opcode, sum(count) FROM bb_opcodes GROUP BY ALL")
    assert dict(found) == fact["opcode_counts"]


def test_dependence_distances_of_all_threads(warehouse):
    land(warehouse, shared("bb/gpgpusim/bitonic.log.zst"))
    with open_bytes(shared("bb/gpgpusim/bitonic.log.zst")) as file:
        expected = distances(line.decode() for line in file if b"[thd=" in line)
    found = rows(warehouse, "SELECT distance, sum(count) FROM bb_dependences GROUP BY ALL")
    assert dict(found) == expected


def distances(lines):
    """Follow every register of every thread, line by line."""
    written: dict[tuple[str, str], int] = {}
    counts: Counter[int | None] = Counter()
    for line in lines:
        thread, icount, code = re.search(r"thd=(\d+).*icount=(\d+) .* - (.*);\)", line).groups()
        guard, opcode, operands = re.match(r"(@\S+ )?(\S+) ?(.*)", code).groups(default="")
        names = re.findall(r"%(?!ctaid|tid|ntid)\w+", operands)
        into = opcode.split(".")[0] not in ("st", "bra", "bar", "ret")
        sources = re.findall(r"%\w+", guard) + (names[1:] if into else names)
        ages = [int(icount) - written[thread, r] for r in sources if (thread, r) in written]
        counts[min(ages, default=None)] += 1
        if into:
            written[thread, names[0]] = int(icount)
    return counts


def test_level_6_log_of_one_thread(warehouse):
    land(warehouse, shared("bb/gpgpusim/reduce32_level6_thread5.log.gz"))
    query = "SELECT block, thread, sum(instructions) FROM bb_visits GROUP BY ALL"
    assert rows(warehouse, query) == [(0, 4, 67)]
    assert rows(warehouse, "SELECT kernel, instructions, warp_instructions FROM bb_launches") == [
        ("reduce_sum", None, None)
    ]


def test_listing_in_the_log_is_as_good_as_next_to_it(warehouse, tmp_path):
    with open_bytes(shared("bb/gpgpusim/twokernels.log.gz")) as file:
        text = file.read().decode()
    listing = shared("bb/gpgpusim/twokernels.blocks.txt").read_text(encoding="utf-8")
    apart = contents(warehouse, tmp_path, text, blocks=listing)
    (tmp_path / "a.blocks.txt").unlink()
    start = text.index("GPGPU-Sim PTX: pushing kernel")
    assert contents(warehouse, tmp_path, text[:start] + listing + text[start:]) == apart
    assert apart.keys() == TABLES.keys()


def test_a_log_with_instructions_has_the_statistics_of_its_kernels_too(warehouse):
    land(warehouse, shared("bb/gpgpusim/reduce_timing.log.gz"))
    found = rows(
        warehouse, "SELECT event, value FROM pmu_samples WHERE region = 'reduce_sum' ORDER BY event"
    )
    # 0 of 0 is not known
    caches = [("L1D_total_cache_accesses", 68), ("L1D_total_cache_misses", 68)]
    assert [row for row in found if row[1] and row[0].startswith("L1")] == caches
    assert [row for row in found if row[0].startswith("gpu")] == [
        ("gpu_ipc", 5.7205), ("gpu_occupancy", None), ("gpu_sim_cycle", 6175),
        ("gpu_sim_insn", 35324),
    ]  # fmt: skip
    assert rows(warehouse, "SELECT count(*) FROM bb_launches") == [(1,)]
