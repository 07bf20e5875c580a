"""The contract's case of the reader drcov; the sample is written here, in drcov's syntax."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from tests.ingest.case import SAMPLES, Case

SAMPLE = SAMPLES / "drcov" / "drcov.pair.00042.0000.proc.log"

HEADER = """\
DRCOV VERSION: 2
DRCOV FLAVOR: drcov
Module Table: version 2, count 2
Columns: id, base, end, entry, path
  0, 0x0000000000400000, 0x0000000000403000, 0x0000000000401023, /home/user/pair
  1, 0x00007f0000000000, 0x00007f0000198000, 0x00007f0000000000, /lib/odd, name.so
"""
# Offset in the module, bytes, module; the second comes twice, as 0xffff is no module.
BLOCKS = ((0x102C, 17, 0), (0x103D, 20, 0), (0x103D, 20, 0), (0x20, 200, 1), (0x9E8, 3, 0xFFFF))


def coverage(blocks: Sequence[tuple[int, int, int]] = BLOCKS, header: str = HEADER) -> bytes:
    """Write a file with these blocks."""
    table = f"BB Table: {len(blocks)} bbs\n"
    return (header + table).encode() + b"".join(struct.pack("<IHH", *block) for block in blocks)


def enlarge(folder: Path, times: int) -> Path:
    """Write a file with more blocks."""
    path = folder / SAMPLE.name
    path.write_bytes(coverage([(8 * k, 8, k % 2) for k in range(times * len(BLOCKS) * 100)]))
    return path


CASE = Case(
    reader="drcov",
    sample=SAMPLE,
    golden=(
        (
            "SELECT app, tags['drcov_version'], tags['module_table'] FROM runs",
            [(None, "2", "version 2")],
        ),
        (
            "SELECT kernel, bb, size, barriers, pc_first, pc_last, function, source_file "
            "FROM bb_blocks ORDER BY bb",
            [
                (None, 0, None, None, 0x9E8, None, None, None),
                (None, 1, None, None, 0x102C, None, None, "/home/user/pair"),
                (None, 2, None, None, 0x103D, None, None, "/home/user/pair"),
                (None, 3, None, None, 0x20, None, None, "/lib/odd, name.so"),
            ],
        ),
    ),
    enlarge=enlarge,
)
