"""What the benchmarks share: whole processes timed in turn, ratios of medians."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import warehouse

PWH = (sys.executable, "-m", "apps.cli")


def timed(command: Sequence[str | os.PathLike[str]]) -> float:
    """Run a command to its end and return its wall time, s; raises where it fails."""
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def cost(command: Sequence[str | os.PathLike[str]]) -> tuple[float, float]:
    """Run a command to its end; return its wall and processor time, s. Raises where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = timed(command)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def in_turn(
    ours: Callable[[], float], theirs: Callable[[], float], runs: int
) -> tuple[float, float, float]:
    """Time two things in turn; return the medians and the median of the ratios pair by pair."""
    pairs = [(ours(), theirs()) for _ in range(runs)]
    a, b = (statistics.median(times) for times in zip(*pairs, strict=True))
    return a, b, statistics.median(x / y for x, y in pairs)


def fresh(path: Path) -> Path:
    """Remove a database and what lies beside it."""
    for file in (path, path.with_name(path.name + ".wal")):
        file.unlink(missing_ok=True)
    return path


def peak_child_mib() -> float:
    """Return the largest resident size of any finished child process so far, MiB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024


def ingest_beside_loop(
    module: str, path: Path, db: Path, runs: int
) -> tuple[float, float, float, float]:
    """Time pwh ingest of a file and a benchmark's own loop over it (`--loop FILE`), in turn.

    Return the medians of both (s), the median of their ratios, and the memory of pwh (MiB).
    """

    def ours() -> float:
        warehouse.connect(fresh(db)).close()
        return timed([*PWH, "--db", db, "ingest", path])

    def theirs() -> float:
        return timed([sys.executable, "-m", module, "--loop", path])

    ours()
    peak = peak_child_mib()
    return (*in_turn(ours, theirs, runs), peak)
