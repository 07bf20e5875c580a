"""What limits the launches of a kernel, by what Nsight Compute measured."""

from __future__ import annotations

import csv
import gzip
import io

import pytest

from tests.helpers.support import land, rows, shared

LIMITS = {
    "stream_copy": "memory_bandwidth",
    "strided_copy": "memory_bandwidth",
    "fma_parallel": "compute",
    "fma_chain_one_warp": "occupancy",
    "divergent_paths": "divergence",
    "uniform_paths": "compute",
    "shared_conflicts": "shared_memory",
    "barriers": "barriers",
    "few_blocks": "few_blocks",
    "tail_block": "tail",
}
FOUND = "SELECT split_part(kernel, '(', 1), code FROM kernel_limits WHERE place = 1"


@pytest.mark.parametrize("name", ["details.csv.gz", "details.txt.gz", "raw.csv.gz"])
def test_known_kernels_are_limited_by_what_they_were_made_for(warehouse, name):
    land(warehouse, shared(f"h100/ncu/{name}"))
    assert dict(rows(warehouse, FOUND)) == LIMITS


def raw_page():
    """Return the heading of the raw page, its units, and a line a launch."""
    with gzip.open(shared("h100/ncu/raw.csv.gz"), "rt") as file:
        heading, units, *launches = csv.reader(file)
    return heading, units, launches


def test_the_raw_page_as_text_lands_as_its_table_does(warehouse, tmp_path):
    heading, units, launches = raw_page()
    first = heading.index("CC") + 1
    lines = ["[1498] kernels@127.0.0.1"]
    for launch in launches:
        kernel = launch[heading.index("Kernel Name")]
        lines.append(f"  {kernel} (4, 1, 1)x(32, 1, 1), Context 1, Stream 7, Device 0, CC 9.0")
        dashes = f"    {'-' * 90} {'-' * 20} {'-' * 20}"
        lines += [
            dashes,
            f"    {'Metric Name':90} {'Metric Unit':>20} {'Metric Value':>20}",
            dashes,
        ]
        lines += [
            f"    {name:90} {unit:>20} {value:>20}"
            for name, unit, value in zip(
                heading[first:], units[first:], launch[first:], strict=True
            )
        ]
        lines += [dashes, ""]
    (tmp_path / "raw.txt").write_text("\n".join(lines))
    land(warehouse, tmp_path / "raw.txt")
    assert dict(rows(warehouse, FOUND)) == LIMITS


def test_a_table_without_needless_quotes_is_read(warehouse, tmp_path):
    buffer = io.StringIO()
    heading, units, launches = raw_page()
    csv.writer(buffer).writerows([heading, units, *launches])
    (tmp_path / "raw.csv").write_text(buffer.getvalue())
    land(warehouse, tmp_path / "raw.csv")
    assert dict(rows(warehouse, FOUND)) == LIMITS


@pytest.mark.parametrize(
    ("figures", "code"),
    [
        ({"CPIStall: long_scoreboard": 95, "L2 Cache Throughput": 4}, "memory_latency"),
        ({"CPIStall: long_scoreboard": 90, "DRAM Throughput": 20, "Theoretical Occupancy": 12.5,
          "Achieved Occupancy": 12, "Issue Slots Busy": 3}, "occupancy"),
        ({"CPIStall: long_scoreboard": 70, "Local Memory Spilling Request Overhead": 80,
          "L1/TEX Cache Throughput": 60}, "local_memory"),
        ({"CPIStall: lg_throttle": 90, "WorkloadImbalance: L2 Slices": 98}, "atomics"),
        ({"l1tex__t_requests_pipe_lsu_mem_global_op_red.sum": 900,
          "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum": 100,
          "lts__throughput.max.pct_of_peak_sustained_elapsed": 95}, "atomics"),
        ({"Avg. Active Threads Per Warp": 8, "SM Busy": 90, "Issue Slots Busy": 90}, "divergence"),
        ({"Grid Size": 200, "# SMs": 132, "SM Active Cycles": 900, "Elapsed Cycles": 2000},
         "unknown"),
        ({}, "unknown"),
    ],
)  # fmt: skip
def test_the_largest_share_is_the_limit(warehouse, figures, code):
    every = {"Memory Throughput [%]": 5, "Compute (SM) Throughput": 5} | figures
    warehouse.executemany(
        "INSERT INTO pmu_samples (run_id, source_id, region, sample, event, value) "
        "VALUES ('r1', 0, 'k', 0, ?, ?)",
        list(every.items()),
    )
    assert rows(warehouse, "SELECT code FROM kernel_limits WHERE place = 1") == [(code,)]
