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


def test_logs_without_instructions_have_statistics(warehouse):
    land(warehouse, SAMPLES / "gpgpusim" / "statistics.log")
    assert rows(
        warehouse, "SELECT region, sample, event, value FROM pmu_samples ORDER BY ALL NULLS FIRST"
    ) == [
        (None, None, "L1D_total_cache_misses", 25000),
        ("vecAdd", 0, "gpu_ipc", 208.0361),
        ("vecAdd", 0, "gpu_occupancy", 71.4),
        ("vecAdd", 0, "gpu_sim_cycle", 8412),
        ("vecAdd", 0, "gpu_sim_insn", 1750000),
        ("vecAdd", 1, "gpu_sim_cycle", 8000),
        ("vecAdd", 1, "gpu_sim_insn", 1750000),
    ]


def test_statistics_that_are_cut_off_are_refused(warehouse, tmp_path):
    text = (SAMPLES / "gpgpusim" / "statistics.log").read_text()
    path = tmp_path / "sim.log"
    path.write_text(text[: text.rindex("gpgpu_simulation_rate")])
    with pytest.raises(InputError, match="ends within the statistics of vecAdd"):
        land(warehouse, path)
