"""Try many faults and print a table: python -m tests.faults [--count 200] [--seed 1].

Takes some hours at 200 each on two cores.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tests.faults import clients, damage, places
from tests.faults.damage import warehouse_of_samples

_SUITES = {
    "kills": ("PWH_KILLS", 1, "tests/test_reliability.py", "killed and not migrates"),
    "kills of migrate": ("PWH_KILLS", 0.25, "tests/test_reliability.py", "while_it_migrates"),
    "kills over a server": ("PWH_KILLS", 0.1, "tests/warehouse/test_serve.py", "killed_while"),
    "cuts of the network": ("PWH_KILLS", 1, "tests/warehouse/test_cuts.py", "any_moment"),
    "crowds, full disks, other files": (None, 1, "tests/test_reliability.py", "not killed"),
    "mutated recordings, a reader": ("PWH_FUZZ_EXAMPLES", 1.5, "tests/ingest/test_fuzz.py", ""),
    "sequences, the analyses": (
        "PWH_ANALYSES_EXAMPLES",
        0.5,
        "tests/ingest/test_analyses.py",
        "Warehouse",
    ),
}


def main() -> None:
    """Print how many cases of each fault there were, and how many did harm."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{'fault':36} {'cases':>6} {'harm':>5} {'s':>6}")
    harm = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        warehouse = warehouse_of_samples(folder)
        damaged = damage.outcomes(warehouse, folder, options.count, options.seed)
        harm += _tried("warehouse, ", damaged)
    with tempfile.TemporaryDirectory() as name:
        harm += _tried("", places.outcomes(Path(name)))
        harm += _tried("served, ", clients.outcomes(Path(name), options.count))
    for name, (variable, factor, path, words) in _SUITES.items():
        count = round(options.count * factor)
        harm += _suite(name, {} if variable is None else {variable: str(count)}, path, words)
    sys.exit(1 if harm else 0)


def _line(name: str, cases: int, harm: int, began: float) -> None:
    print(f"{name:36} {cases:6} {harm:5} {time.monotonic() - began:6.0f}", flush=True)


def _tried(of: str, outcomes: Iterable[tuple[str, str]]) -> int:
    """Print how many cases of each kind there were; return how many did harm."""
    began = time.monotonic()
    cases: Counter[str] = Counter()
    harm: Counter[str] = Counter()
    for kind, problem in outcomes:
        cases[kind] += 1
        harm[kind] += bool(problem)
        if problem:
            print(f"  {of}{kind}: {problem}")
    for kind in sorted(cases):
        _line(f"{of}{kind}", cases[kind], harm[kind], began)
    return harm.total()


def _suite(name: str, environment: dict[str, str], path: str, words: str) -> int:
    began = time.monotonic()
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", path, "-k", words]
    done = subprocess.run(
        command, env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )
    summary = done.stdout.strip().splitlines()[-1]
    found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", summary)}
    failed = found.get("failed", 0) + found.get("error", 0)
    if failed:
        print(done.stdout[-3000:])
    cases = next(iter(environment.values()), str(found.get("passed", 0) + failed))
    _line(name, int(cases), failed, began)
    return failed


if __name__ == "__main__":
    main()
