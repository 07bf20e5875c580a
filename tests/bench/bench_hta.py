"""Idle time of a million events: pwh ingest and pwh idle against HolisticTraceAnalysis, in turn.

python -m tests.bench.bench_hta --hta PYTHON [--events 1000000] [--runs 3]

PYTHON is the interpreter of an environment with HolisticTraceAnalysis. Both get the same schedule,
load included: workers run tasks that something launched before. HTA reads it as a trace of a GPU,
each worker a stream, each task a kernel and the event of its launch, and tells host wait from
kernel wait and the rest; pwh reads fragments with their times of submission and the launches as
work of the runtime, and attributes every interval in every mode.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np

import warehouse
from tests.bench.common import PWH, fresh, in_turn, peak_child_mib
from tests.bench.schedule import named, write

WORKERS = 16
PAIR = (
    '{{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": {thread}, '
    '"ts": {1}, "dur": 1, "args": {{"cbid": 211, "correlation": {n}}}}},\n'
    '{{"ph": "X", "cat": "kernel", "name": "task", "pid": 0, "tid": {stream}, "ts": {2}, '
    '"dur": {3}, "args": {{"device": 0, "stream": {stream}, "correlation": {n}}}}}'
)
Columns = dict[str, np.ndarray]
IDLE = """
import sys
from hta.trace_analysis import TraceAnalysis
trace = TraceAnalysis(trace_files={0: sys.argv[1]})
found, _ = trace.get_idle_time_breakdown(ranks=[0], visualize=False)
print(int(found.idle_time.sum()))
"""
INNER = """
SELECT CAST(sum(t_end - t_start) // 1000 AS BIGINT) FROM idle_intervals WHERE kind = 'inner'
"""


def main() -> None:
    """Print both times, the ratio, and how much idle time each found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hta", help="interpreter with HolisticTraceAnalysis")
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--folder", type=Path)
    asked = parser.parse_args()
    if not has_hta(asked.hta):
        print("No HolisticTraceAnalysis: name an interpreter that has it with --hta; nothing done.")
        return
    with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
        compare(Path(folder), asked.hta, asked.events // 2, asked.runs)


def has_hta(python: str | None) -> bool:
    """Return whether an interpreter can import HolisticTraceAnalysis."""
    check = [python, "-c", "import hta.trace_analysis"]
    return python is not None and subprocess.run(check, capture_output=True).returncode == 0


def compare(folder: Path, hta: str, tasks: int, runs: int) -> None:
    """Time both over the same schedule, whole processes in turn."""
    trace, source = generate(folder, tasks)
    found: dict[str, int] = {}

    def ours() -> float:
        # Making a warehouse, a quarter of a second, happens once in its life.
        db = fresh(folder / "pwh.duckdb")
        warehouse.connect(db).close()
        began = time.perf_counter()
        said([*PWH, "--db", db, "ingest", source, "--run", "r"])
        said([*PWH, "--db", db, "idle", "r"])
        took = time.perf_counter() - began
        with warehouse.connect(db, read_only=True) as con:
            found["pwh"] = con.execute(INNER).fetchall()[0][0]
        return took

    def theirs() -> float:
        began = time.perf_counter()
        found["hta"] = int(said([hta, "-c", IDLE, trace]).split()[-1])
        return time.perf_counter() - began

    a, b, ratio = in_turn(ours, theirs, runs)
    print(
        f"{2 * tasks} events of {tasks} tasks on {WORKERS} workers; medians of {runs} runs in turn"
    )
    print(f"  pwh ingest and idle {a:.2f} s, HTA load and idle breakdown {b:.2f} s")
    print(f"  ratio {ratio:.3f}; largest process {peak_child_mib():.0f} MiB")
    same = "the same" if found["pwh"] == found["hta"] else "NOT the same"
    print(f"  idle time between tasks {found['hta']} us by HTA, {found['pwh']} us by pwh: {same}")


def said(command: list[object]) -> str:
    """Run a command; return what it printed."""
    return subprocess.run(
        [str(word) for word in command], check=True, capture_output=True, text=True
    ).stdout


def generate(folder: Path, tasks: int) -> tuple[Path, Path]:
    """Write one schedule as a Kineto trace and as neutral tables; return both places."""
    rng = np.random.default_rng(1)
    shape = (WORKERS, tasks // WORKERS)
    length = rng.integers(5, 200, shape) * 1000
    gap = np.where(rng.random(shape) < 0.9, rng.integers(1, 90, shape), 0) * 1000
    start = np.cumsum(length + gap, axis=1) - length
    rows = {
        "worker": np.repeat(np.arange(WORKERS), shape[1]),
        "launch": (start - np.minimum(rng.integers(1, 300, shape) * 1000, start)).ravel(),
        "start": start.ravel(),
        "length": length.ravel(),
    }
    return as_trace(folder / "trace.json", rows), as_tables(folder / "tables", rows)


def as_trace(path: Path, rows: Columns) -> Path:
    """Write a Kineto trace: a launch and a kernel for each task, times in us."""
    columns = (rows[name] // 1000 for name in ("launch", "start", "length"))
    with path.open("w") as file:
        file.write('{"schemaVersion": 1, "distributedInfo": {"rank": 0}, "traceEvents": [')
        for n, task in enumerate(zip(rows["worker"].tolist(), *map(list, columns), strict=True)):
            file.write(",\n" if n else "\n")
            file.write(PAIR.format(*task, n=n + 1, stream=task[0] + 7, thread=task[0] + 100))
        file.write("]}\n")
    return path


def as_tables(folder: Path, rows: Columns) -> Path:
    """Write neutral tables: a task and work of the runtime, the launch, for each; times in ns."""
    folder.mkdir()
    every = np.arange(WORKERS)
    worker = named("w", rows["worker"])
    write(
        folder / "workers.csv",
        {"worker_id": named("w", every), "node_id": named("n", every // WORKERS)},
    )
    write(
        folder / "fragments.csv",
        {
            "fragment_id": named("f", np.arange(len(worker))),
            "worker_id": worker,
            "t_start": rows["start"],
            "t_end": rows["start"] + rows["length"],
            "t_submit": rows["launch"],
        },
    )
    write(
        folder / "runtime.csv",
        {"worker_id": worker, "t_start": rows["launch"], "t_end": rows["launch"] + 1000},
    )
    return folder


if __name__ == "__main__":
    main()
