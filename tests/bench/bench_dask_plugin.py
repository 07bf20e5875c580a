"""Ten thousand one-millisecond Dask tasks, with and without the recording plugin, in turn.

python -m tests.bench.bench_dask_plugin [--tasks 10000] [--rounds 6] [--workers 4]

All rounds run on one LocalCluster: the plugin comes and goes. A round is one run with and one
without, their order swapped from round to round. The slowdown is that of the run itself, from
submission to the last result; saving the folder comes after it and is timed apart. Tasks sleep, so
that what is timed is Dask's own work; the processor time of scheduler, client and workers is shown
too, because on a machine that others use it is steadier than the wall time.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from pathlib import Path

import psutil
from distributed import Client, LocalCluster

from ingest.dask_plugin import TraceRecorder


def main() -> None:
    """Print a line a round, then the median of the ratios, pair by pair."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--workers", type=int, default=4)
    asked = parser.parse_args()
    print(f"{asked.tasks} tasks of 1 ms on {asked.workers} workers of one thread")
    with (
        tempfile.TemporaryDirectory() as folder,
        LocalCluster(
            n_workers=asked.workers, threads_per_worker=1, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        run(client, asked.tasks)
        pairs = [
            pair(client, asked.tasks, Path(folder) / str(number), number % 2 == 0)
            for number in range(asked.rounds)
        ]
    for what, ratios in zip(("wall", "processor"), zip(*pairs, strict=True), strict=True):
        print(f"{what:9} time: median of {len(ratios)} ratios {statistics.median(ratios):.4f}")
    print("target: at most 1.03")


def pair(client: Client, tasks: int, folder: Path, ours_first: bool) -> tuple[float, float]:
    """Time a run with the plugin and one without; return the ratios of wall and CPU time."""
    plain = (0.0, 0.0) if ours_first else run(client, tasks)
    client.register_plugin(TraceRecorder(folder))
    ours = run(client, tasks)
    began = time.perf_counter()
    TraceRecorder.save(client)
    saving = time.perf_counter() - began
    if ours_first:
        plain = run(client, tasks)
    wall, processor = (a / b for a, b in zip(ours, plain, strict=True))
    print(
        f"wall {ours[0]:6.3f} s with, {plain[0]:6.3f} s without, ratio {wall:.3f};  "
        f"processor {ours[1]:6.3f} s, {plain[1]:6.3f} s, {processor:.3f};  saved in {saving:.2f} s"
    )
    return wall, processor


def run(client: Client, tasks: int) -> tuple[float, float]:
    """Run the tasks; return wall and processor time from submission to the last result, s."""
    began, used = time.perf_counter(), processor_time()
    futures = client.map(work, range(tasks), pure=False)
    client.gather(futures)
    took = time.perf_counter() - began, processor_time() - used
    del futures
    while client.run_on_scheduler(known):
        time.sleep(0.05)
    return took


def processor_time() -> float:
    """Return what this process and its children have used so far, s."""
    own = psutil.Process()
    times = [process.cpu_times() for process in (own, *own.children(recursive=True))]
    return sum(t.user + t.system for t in times)


def work(number: int) -> int:
    """Take a millisecond."""
    time.sleep(0.001)
    return number


def known(dask_scheduler: object) -> int:
    """Count the tasks that the scheduler has not forgotten yet."""
    return len(dask_scheduler.tasks)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
