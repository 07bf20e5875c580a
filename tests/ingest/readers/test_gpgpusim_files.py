"""GPGPU-Sim logs: which files are recognised, and which belong together."""

from __future__ import annotations

from pathlib import Path

import pytest

from ingest.base import Head
from ingest.readers.gpgpusim.reader import GpgpuSim

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
