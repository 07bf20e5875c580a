"""GPGPU-Sim logs: which files are recognised, and which belong together."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.blocks.gpgpusim.reader import GpgpuSim
from tests.helpers.support import land, rows
from tests.ingest.case import SAMPLES
from warehouse.errors import InputError

READER = GpgpuSim()


@pytest.mark.parametrize(
    ("names", "given", "expected"),
    [
        (["a.log", "a.blocks.txt"], "a.blocks.txt", "a.log a.blocks.txt"),
        (["a.log.gz", "a.blocks.txt"], "a.log.gz", "a.log.gz a.blocks.txt"),
        (["a.log", "a.out", "a.blocks.txt"], "a.out", "a.out"),
        (["a.log", "b.blocks.txt"], "a.log", "a.log"),
        (["a", "a.blocks.txt.xz"], "a", "a a.blocks.txt.xz"),
        (["a.blocks.txt"], "a.blocks.txt", "a.blocks.txt"),
    ],
)
def test_log_and_listing_belong_together(names, given, expected, tmp_path):
    for name in names:
        (tmp_path / name).touch()
    assert " ".join(part.name for part in READER.parts(tmp_path / given)) == expected
    for part in expected.split():
        assert READER.parts(tmp_path / part) == READER.parts(tmp_path / given)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"CFLog00: 0 0 \nCFLog01: 0 0 \n",
        b"kernel line : count latency dram_traffic\nreduce.ptx 26 : 128 448\n",
        b"-kernel name = vecadd\n#BEGIN_TB\n",
        b"thd,pc\n1,2\n",
        b"\x00\xff" * 500,
    ],
)
def test_others_are_not_recognised(head):
    assert not READER.sniff(Head(head, Path("a.log")))


def test_logs_without_instructions_have_statistics_of_each_kernel(warehouse):
    land(warehouse, SAMPLES / "gpgpusim" / "statistics.log")
    assert rows(
        warehouse, "SELECT region, sample, event, value FROM pmu_samples ORDER BY ALL NULLS FIRST"
    ) == [
        ("vecAdd", 0, "L1D_total_cache_misses", 12500),
        ("vecAdd", 0, "gpu_ipc", 208.0361),
        ("vecAdd", 0, "gpu_occupancy", 71.4),
        ("vecAdd", 0, "gpu_sim_cycle", 8412),
        ("vecAdd", 0, "gpu_sim_insn", 1750000),
        ("vecAdd", 1, "L1D_total_cache_misses", 12500),
        ("vecAdd", 1, "gpu_sim_cycle", 8000),
        ("vecAdd", 1, "gpu_sim_insn", 1750000),
    ]


def test_ratios_of_kernels_are_averaged_by_their_time(warehouse, tmp_path):
    """Cache counts start anew where they are lower; the last rate is the whole run's."""
    path = tmp_path / "sim.log"
    path.write_text(
        "Accel-Sim [build 1.2.0]\n"
        "GPGPU-Sim uArch: clock freqs: 1000000000.000000:1000000000.0:1.0:1.0\n"
        + "".join(
            f"kernel_name = k{n} \ngpu_sim_cycle = {cycles}\ngpu_ipc = {ipc}\n"
            f"\tL1D_total_cache_accesses = {accesses}\n\tL1D_total_cache_miss_rate = 0.{n}\n"
            "gpgpu_simulation_rate = 1 (inst/sec)\n"
            for n, cycles, ipc, accesses in ((1, 3000, 200.0, 50), (2, 1000, 100.0, 40))
        )
    )
    land(warehouse, path)
    assert rows(warehouse, "SELECT event, value FROM counter_summary ORDER BY event") == [
        ("L1D_total_cache_accesses", 90),
        ("L1D_total_cache_miss_rate", 0.2),
        ("gpu_ipc", 175),
        ("gpu_sim_cycle", 4000),
    ]
    seconds = "SELECT DISTINCT region, seconds FROM pmu_samples WHERE region IS NOT NULL ORDER BY 1"
    assert rows(warehouse, seconds) == [("k1", 3e-6), ("k2", 1e-6)]


def test_statistics_that_are_cut_off_are_refused(warehouse, tmp_path):
    text = (SAMPLES / "gpgpusim" / "statistics.log").read_text()
    path = tmp_path / "sim.log"
    path.write_text(text[: text.rindex("gpgpu_simulation_rate")])
    with pytest.raises(InputError, match="ends within the statistics of vecAdd"):
        land(warehouse, path)
