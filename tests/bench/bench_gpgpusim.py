"""GPGPU-Sim level-5 logs: pwh ingest, whole process, against a plain loop of Python's re.

    python -m tests.bench.bench_gpgpusim [--blocks 500] [--runs 3] [--log FILE]

The log is written for this: thread blocks of 128 threads that go 8, 12, 16 or 20 times round a
loop. The loop of re does less: it counts executions per thread and pc, and lands nothing.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from pathlib import Path

from tests.bench.common import ingest_beside_loop
from tests.ingest.cases.gpgpusim import HEAD, Writer, begin, done

CODE = {
    0: "turns.ptx:33 - mov.u32 %r1, %tid.x;",
    8: "turns.ptx:34 - and.b32 %r2, %r1, 3;",
    16: "turns.ptx:35 - mad.lo.s32 %r3, %r2, 4, 8;",
    24: "turns.ptx:38 - fma.rn.f32 %f1, %f2, %f3, %f1;",
    32: "turns.ptx:39 - add.s32 %r3, %r3, -1;",
    40: "turns.ptx:40 - setp.gt.s32 %p1, %r3, 0;",
    48: "turns.ptx:41 - @%p1 bra $L__BB0_1;",
    56: "turns.ptx:44 - st.global.f32 [%rd4], %f1;",
    64: "turns.ptx:45 - ret;",
}

LINE = re.compile(
    rb"^\d+ \[thd=(\d+)\]\[i=\d+\] : ctaid=\((\d+),(\d+),(\d+)\) tid=\((\d+),(\d+),(\d+)\) "
    rb"icount=(\d+) \[pc=(\d+)\] \((.+):(\d+) - (.+)\)"
)


def loop(path: Path) -> Counter[tuple[int, int]]:
    """Count executions per thread and pc, line by line."""
    counts: Counter[tuple[int, int]] = Counter()
    with path.open("rb") as file:
        for line in file:
            if found := LINE.match(line):
                counts[int(found[1]), int(found[9])] += 1
    return counts


def write(path: Path, blocks: int) -> None:
    """Write a log of one launch."""
    paths = [(0, 8, 16, *(24, 32, 40, 48) * (8 + 4 * (t & 3)), 56, 64) for t in range(128)]
    writer = Writer()
    with path.open("w") as file:
        file.write(HEAD + begin(len(paths), blocks, "turns"))
        for block in range(blocks):
            file.write(writer.lines(paths, CODE, first_block=block))
        file.write(done(writer))


def main() -> None:
    """Print both times, lines a second, the ratio and the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--blocks", type=int, default=500)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--log", type=Path, help="a log of your own, not compressed")
    parser.add_argument("--loop", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.loop:
        loop(asked.loop)
        return
    with tempfile.TemporaryDirectory() as folder:
        log = asked.log or Path(folder) / "grown.log"
        if asked.log is None:
            write(log, asked.blocks)
        with log.open("rb") as file:
            lines = sum(piece.count(b"\n") for piece in iter(lambda: file.read(1 << 24), b""))
        db = Path(folder) / "pwh.duckdb"
        module = "tests.bench.bench_gpgpusim"
        a, b, ratio, peak = ingest_beside_loop(module, log, db, asked.runs)
    print(f"{lines} lines; medians of {asked.runs} runs in turn")
    print(f"pwh ingest      {a:6.2f} s  {lines / a / 1e6:.2f} million lines/s (target 1.0)")
    print(f"loop of re      {b:6.2f} s  {lines / b / 1e6:.2f} million lines/s")
    print(f"time, pwh/loop  {ratio:6.2f}")
    print(f"pwh ingest took {peak:.0f} MiB at most")


if __name__ == "__main__":
    main()
