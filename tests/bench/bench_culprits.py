"""Whether explain names the function and the mechanism of a slowdown that was put into a program.

Twelve mechanisms (culprit_program) in open programs of PyPI, each recorded by `pwh record` with the
tools named, against the same program without. What counts is the first sentence: it has to name the
function and the mechanism, or, of what no trace here contains, the last one has to say what is
missing. Pairs of equal programs have to have no cause. Rules are chosen on TUNED programs; the
figures of the others are what is reported.

    python -m tests.bench.bench_culprits [--programs a b] [--mechanisms x y] [--runs 5]
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench.culprit_program import MECHANISMS, PROGRAMS

TUNED = {"highlight", "render", "paths"}
PROGRAM = Path(__file__).with_name("culprit_program.py")
TOOLS = ("--tool", "perf-stat", "--tool", "cprofile")
# What names the function, and what the mechanism, in the first sentence.
TRUTHS = {
    "more_work": ("more_work", "called|instructions|each call"),
    "worse_locality": ("worse_locality", "called|main memory|cache"),
    "lock": ("lock", "lock"),
    "allocation": ("allocation|bytearray", "memory|called"),
    "fsync": ("fsync", "disk|writes"),
    "sleep": ("sleep", "sleeps"),
    "garbage": ("gc.collect", "garbage"),
    "recursion": ("_fib", "called"),
    "scalar": ("scalar|genexpr|sum", "called"),
    "slower_library": ("slower_library|insert", "called"),
    "warm_up": ("compile|warm_up", "called"),
    "neighbour": ("neighbour|wait|more_work", "other programs|processor|waits|called"),
}


def main() -> None:
    """Print what explain says of each case, and how many are right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", nargs="+", default=list(PROGRAMS))
    parser.add_argument("--mechanisms", nargs="+", default=list(MECHANISMS))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.6)
    options = parser.parse_args()
    scores: dict[bool, list[bool]] = {True: [], False: []}
    false_causes = []
    with TemporaryDirectory() as folder:
        for program in options.programs:
            for version in ("none", "again", *options.mechanisms):
                _record(folder, program, version, options.seconds, options.runs)
            first = _first_sentence(folder, program, "again")
            false_causes.append(", since " in first or "; why" in first)
            for mechanism in options.mechanisms:
                first = _first_sentence(folder, program, mechanism)
                function, how = TRUTHS[mechanism]
                is_right = bool(re.search(function, first)) and bool(re.search(how, first))
                scores[program in TUNED].append(is_right)
                print(f"{'right' if is_right else 'WRONG'}  {program} {mechanism}: {first}")
    for is_tuned, rights in scores.items():
        if rights:
            kind = "tuned on" if is_tuned else "others"
            print(f"{kind}: {sum(rights)} of {len(rights)} first sentences are right")
    print(f"pairs of equal programs with a cause: {sum(false_causes)} of {len(false_causes)}")


def _record(folder: str, program: str, version: str, seconds: float, runs: int) -> None:
    mechanism = version if version in MECHANISMS else "none"
    command = [sys.executable, str(PROGRAM), program, mechanism, str(seconds)]
    name = ("--app", program, "--version", version, "--repeat", str(runs))
    _pwh(folder, "record", *TOOLS, *name, "--", *command)


def _first_sentence(folder: str, program: str, version: str) -> str:
    against = ("--against", f"{program}@none")
    shown = _pwh(folder, "explain", f"{program}@{version}", *against)
    return next(line[2:] for line in shown.splitlines() if line.startswith("* "))


def _pwh(folder: str, *arguments: str) -> str:
    command = [sys.executable, "-m", "apps.cli", "--db", f"{folder}/culprits.duckdb", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    main()
