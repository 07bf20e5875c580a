"""perf script: pwh ingest, whole process, against the shortest loop that folds the same stacks.

    python -m tests.bench.bench_perf_script [--samples 1000000] [--deepest 40] [--file FILE]

10^7 samples of stacks of up to 10 functions are 4.6 GB.

The file is written for this: 20 threads, 5000 different stacks of 3 to 40 functions of a program
with 2000 functions, two events. The loop is what stackcollapse-perf.pl does: it splits lines, and
adds up a dict of joined names; it lands nothing.
"""

from __future__ import annotations

import argparse
import random
import tempfile
from collections import Counter
from pathlib import Path

from tests.bench.common import ingest_beside_loop

_STACKS = 5_000
_FUNCTIONS = 2000


def write(path: Path, samples: int, deepest: int = 40) -> None:
    """Write a file of that many samples, of stacks of up to `deepest` functions."""
    choice = random.Random(1)
    calls = {f: [choice.randrange(_FUNCTIONS) for _ in range(4)] for f in range(_FUNCTIONS)}
    stacks = []
    for _ in range(_STACKS):
        stack = [0]
        for _ in range(choice.randint(2, deepest - 1)):
            stack.append(calls[stack[-1]][int(4 * choice.random() ** 4)])
        lines = (_line(function, 0x1D) for function in reversed(stack[:-1]))
        stacks.append((stack[-1], "".join(lines)))
    with path.open("w") as file:
        for number in range(samples):
            leaf, callers = stacks[int(_STACKS * choice.random() ** 3)]
            at = choice.randrange(64)
            file.write(
                f"worker {number % 2} {4000 + number % 20:5d} {number / 4000:12.6f}: "
                f"{250000 + at:10d} {('cycles', 'cpu-clock')[number & 1]:>9}: \n"
                f"{_line(leaf, at)}{callers}\n"
            )


def _line(function: int, offset: int) -> str:
    address = 0x55D0C0000000 + 4096 * function + offset
    name = f"module{function % 50}::function_{function}"
    return f"\t{address:16x} {name}+0x{offset:x} (/home/user/app)\n"


def loop(path: Path) -> Counter[str]:
    """Fold the stacks line by line."""
    found: Counter[str] = Counter()
    stack: list[str] = []
    name = ""
    with path.open() as file:
        for line in file:
            if line[0] == "\t":
                stack.append(line.split(None, 1)[1].partition("+0x")[0])
            elif line == "\n":
                found[";".join([name, *reversed(stack)])] += 1
                stack = []
            else:
                name = line.split(None, 1)[0]
    return found


def main() -> None:
    """Print both times, samples a second, the ratio and the memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1_000_000)
    parser.add_argument("--deepest", type=int, default=40, help="functions of a stack, at most")
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--file", type=Path, help="a file of your own, not compressed")
    parser.add_argument("--loop", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.loop:
        loop(asked.loop)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = asked.file or Path(folder) / "perf.script"
        if asked.file is None:
            write(path, asked.samples, asked.deepest)
        with path.open("rb") as file:
            samples = sum(piece.count(b"\n\n") for piece in iter(lambda: file.read(1 << 24), b""))
        db = Path(folder) / "pwh.duckdb"
        module = "tests.bench.bench_perf_script"
        a, b, ratio, peak = ingest_beside_loop(module, path, db, asked.runs)
        size = path.stat().st_size / 1e6
    print(f"{samples} samples, {size:.0f} MB; medians of {asked.runs} runs in turn")
    for name, time in (("pwh ingest", a), ("loop", b)):
        rate = f"{samples / time / 1e3:.0f} thousand samples/s, {size / time:.0f} MB/s"
        print(f"{name:15} {time:6.2f} s  {rate}")
    print(f"time, pwh/loop  {ratio:6.2f}")
    print(f"pwh ingest took {peak:.0f} MiB at most")


if __name__ == "__main__":
    main()
