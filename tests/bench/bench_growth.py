"""Ten times as many runs in one file, against ten times the time; memory of large profiles.

    python -m tests.bench.bench_growth [--runs 100000] [--samples 700000] [--stacks 5000]

Each file is landed by a process of its own, of which the processor time and the memory are printed
beside those of landing a tiny file. 700 000 samples are 1 GB of perf script.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import warehouse
from tests.bench import bench_perf_script
from tests.bench.common import fresh

# What the system counts as the memory of a child has that of its parent in it, as it was then.
_LAND = """
import atexit, re, sys, time
from apps.cli import main

def spent():
    peak = re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]
    print(time.process_time(), peak, file=sys.stderr)

atexit.register(spent)
main()
"""
_REPETITIONS = 5
# Columns, and the values of each row of a run, beside the run's own.
_RUN = ("run_id", "app", "version", "machine", "started_at")
_KINDS: dict[str, tuple[tuple[str, ...], tuple[tuple[object, ...], ...]]] = {
    "counters": ((*_RUN, "event", "value"), (("cycles", 1e6), ("instructions", 2e6))),
    "functions": ((*_RUN, "function", "seconds"), (("main", 0.5), ("solve", 2.0))),
    "unnamed": ((*_RUN[1:], "event", "value"), (("cycles", 1e6), ("instructions", 2e6))),
    "walls": ((*_RUN, "wall_seconds"), ((2.5,),)),
    "traces": (
        (*_RUN, "task", "name", "worker", "t_submit", "t_ready", "t_start", "t_end"),
        (("t0", "work", "w0", 0, 0, 5, 80), ("t1", "work", "w1", 0, 100, 105, 180)),
    ),
}


def runs_of(path: Path, runs: int, kind: str) -> Path:
    """Write a CSV of so many runs, of a few rows each; return its path."""
    columns, values = _KINDS[kind]
    began = datetime(2020, 1, 1, tzinfo=UTC)
    with path.open("w") as file:
        print(*columns, sep=",", file=file)
        for number in range(runs):
            at = (began + timedelta(minutes=number)).isoformat()
            run = (f"r{number}", f"app{number % 3}", f"v{number // 20}", "m1", at)
            for row in values:
                print(*run[len(_RUN) - columns.index("started_at") - 1 :], *row, sep=",", file=file)
    return path


def growth(folder: Path, runs: int) -> Iterator[tuple[str, float, float]]:
    """Yield of each kind the processor time of so many runs, s, and that of a tenth of them.

    Both without that of landing three.
    """
    for kind in _KINDS:
        # Medians: of what takes tenths of a second, the differences are small.
        tiny, few, many = (
            statistics.median(_cost(folder, path)[0] for _ in range(_REPETITIONS))
            for path in (
                runs_of(folder / f"{count}.csv", count, kind) for count in (3, runs // 10, runs)
            )
        )
        yield kind, many - tiny, few - tiny


def memory(folder: Path, samples: int, stacks: int) -> float:
    """Return the memory that landing so many samples takes, beside that of a few, MiB."""
    bench_perf_script._STACKS = stacks
    peaks = []
    for count in (50, samples):
        path = folder / f"{count}.script"
        bench_perf_script.write(path, count)
        peaks.append(_cost(folder, path)[1])
        path.unlink()
    return peaks[1] - peaks[0]


def _cost(folder: Path, path: Path) -> tuple[float, float]:
    """Land a file in a warehouse of its own; return the processor time, s, and the memory, MiB."""
    db = fresh(folder / "growth.duckdb")
    warehouse.connect(db).close()
    command = [sys.executable, "-c", _LAND, "--db", db, "ingest", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    seconds, kib = done.stderr.splitlines()[-1].split()
    return float(seconds), int(kib) / 1024


def main() -> None:
    """Print times, ratios and memory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100_000)
    parser.add_argument("--samples", type=int, default=700_000)
    parser.add_argument("--stacks", type=int, default=5000, help="different ones")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{'runs of':10} {asked.runs // 10:>8} {asked.runs:>8}  processor time, s; ratio")
        for kind, many, few in growth(folder, asked.runs):
            print(f"{kind:10} {few:8.2f} {many:8.2f} {many / few:6.1f}", flush=True)
        beside = memory(folder, asked.samples, asked.stacks)
        print(f"{asked.samples} samples of perf script: {beside:.0f} MiB beside a tiny file")


if __name__ == "__main__":
    main()
