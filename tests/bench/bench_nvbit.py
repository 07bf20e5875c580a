"""NVBit warp traces: pwh ingest, whole process, against a plain loop of Python's re.

    python -m tests.bench.bench_nvbit [--blocks 1500] [--runs 3] [--trace FILE]

The trace is written for this: thread blocks of 128 threads, whose lanes go 8, 12, 16 or 20 times
round a loop. The loop of re does less: it counts executions per warp and PC, and lands nothing.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from pathlib import Path

import warehouse
from tests.bench.common import ingest_beside_loop
from tests.ingest.cases.nvbit import trace

CODE = {
    0x00: "1 R1 S2R 0 0 ",
    0x10: "1 R2 LOP3.LUT 2 R1 R255 0 ",
    0x20: "1 R3 IMAD 3 R2 R1 R255 0 ",
    0x30: "1 R4 FFMA 3 R5 R6 R4 0 ",
    0x40: "1 R3 IADD3 2 R3 R255 0 ",
    0x50: "0 ISETP.GT.AND 2 R3 R255 0 ",
    0x60: "0 BRA 0 0 ",
    0x70: "0 STG.E 2 R2 R4 4 1 0x7f2b2d500400 4 ",
    0x80: "0 EXIT 0 0 ",
}
LINE = re.compile(rb"^(?:([0-9a-f]{4}) ([0-9a-f]{8}) (.*)|(warp|thread block) = (.*))$")


def loop(path: Path) -> Counter[tuple[bytes, bytes]]:
    """Count executions per warp and PC, line by line."""
    counts: Counter[tuple[bytes, bytes]] = Counter()
    block = warp = b""
    with path.open("rb") as file:
        for line in file:
            found = LINE.match(line)
            if found is None:
                continue
            if found[1]:
                counts[warp, found[1]] += int(found[2], 16).bit_count()
            elif found[4] == b"warp":
                warp = block + b" " + found[5]
            else:
                block = found[5]
    return counts


def write(path: Path, blocks: int) -> None:
    """Write a trace of one launch."""
    loops = [(0x30, 0x40, 0x50, 0x60) * (8 + 4 * (thread & 3)) for thread in range(128)]
    text = trace([(0x00, 0x10, 0x20, *turns, 0x70, 0x80) for turns in loops], code=CODE, sm=75)
    header, begin, body = text.partition("#BEGIN_TB")
    with path.open("w") as file:
        file.write(header.replace("-grid dim = (1,", f"-grid dim = ({blocks},"))
        for number in range(blocks):
            file.write(begin + body.replace("thread block = 0,", f"thread block = {number},"))


def main() -> None:
    """Print both times, lines a second, the ratio and the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=1500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--trace", type=Path, help="a trace of your own, not compressed")
    parser.add_argument("--loop", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.loop:
        loop(asked.loop)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = asked.trace or Path(folder) / "grown.traceg"
        if asked.trace is None:
            write(path, asked.blocks)
        db = Path(folder) / "pwh.duckdb"
        module = "tests.bench.bench_nvbit"
        a, b, ratio, peak = ingest_beside_loop(module, path, db, asked.runs)
        con = warehouse.connect(db, read_only=True)
        query = "SELECT sum(warp_instructions), sum(instructions) FROM bb_launches"
        warps, threads = con.execute(query).fetchall()[0]
        con.close()
    print(f"{warps} warp instructions, {threads} thread instructions; medians of {asked.runs} runs")
    print(f"pwh ingest      {a:6.2f} s  {warps / a / 1e6:.2f} million warp instructions/s")
    print(f"                          {threads / a / 1e6:.2f} million thread instructions/s")
    print(f"loop of re      {b:6.2f} s  {warps / b / 1e6:.2f} million warp instructions/s")
    print(f"time, pwh/loop  {ratio:6.2f}")
    print(f"pwh ingest took {peak:.0f} MiB at most")


if __name__ == "__main__":
    main()
