"""The plate on 1, 2 and 4 processes: how long each function takes, as Extra-P JSON Lines.

    python -m tests.apps.demo.programs.heat_processes > heat_scaling.jsonl

Every process has a strip of rows. Neighbours exchange their edge rows before a sweep; after
every second sweep the first process collects all strips and saves the plate, alone. A value is
the mean over the processes, in seconds.
"""

from __future__ import annotations

import json
import sys
import time
from multiprocessing import Pipe, Process
from multiprocessing.connection import Connection

from tests.apps.demo.programs.heat import Plate, save, start, sweep

SIZE = 240
SWEEPS = 30
SAVE_EVERY = 2
REPETITIONS = 5
Times = dict[str, float]
Ends = dict[int, Connection]


def work(rank: int, processes: int, ends: Ends, report: Connection) -> None:
    """Run one process."""
    strip = start(SIZE, SIZE)[rank * SIZE // processes : (rank + 1) * SIZE // processes]
    times: Times = {"sweep": 0.0, "exchange": 0.0, "save": 0.0}
    for number in range(1, SWEEPS + 1):
        began = time.perf_counter()
        above, below = exchange(rank, strip, ends)
        swept = time.perf_counter()
        strip = sweep([*above, *strip, *below])[len(above) :]
        del strip[len(strip) - len(below) :]
        done = time.perf_counter()
        if number % SAVE_EVERY == 0:
            collect(rank, processes, strip, ends)
        times["exchange"] += swept - began
        times["sweep"] += done - swept
        times["save"] += time.perf_counter() - done
    report.send(times)


def exchange(rank: int, strip: Plate, ends: Ends) -> tuple[Plate, Plate]:
    """Exchange edge rows with the neighbours; return theirs."""
    up, down = ends.get(rank - 1), ends.get(rank + 1)
    if up is not None:
        up.send(strip[0])
    if down is not None:
        down.send(strip[-1])
    return [] if up is None else [up.recv()], [] if down is None else [down.recv()]


def collect(rank: int, processes: int, strip: Plate, ends: Ends) -> None:
    """Send strips up to the first process, which saves the plate while the others wait."""
    below = ends[rank + 1].recv() if rank + 1 < processes else []
    if rank:
        ends[rank - 1].send([*strip, *below])
        ends[rank - 1].recv()
    else:
        save([*strip, *below])
    if rank + 1 < processes:
        ends[rank + 1].send(None)


def measure(processes: int) -> Times:
    """Return the time of each function, the mean over the processes, in seconds."""
    ends: list[Ends] = [{} for _ in range(processes)]
    for upper in range(processes - 1):
        ends[upper][upper + 1], ends[upper + 1][upper] = Pipe()
    reports = [Pipe() for _ in range(processes)]
    team = [
        Process(target=work, args=(rank, processes, ends[rank], reports[rank][1]))
        for rank in range(processes)
    ]
    for process in team:
        process.start()
    times: list[Times] = [report.recv() for report, _ in reports]
    for process in team:
        process.join()
    return {name: sum(t[name] for t in times) / processes for name in times[0]}


if __name__ == "__main__":
    for processes in (1, 2, 4):
        for _ in range(REPETITIONS):
            for function, seconds in measure(processes).items():
                point = {
                    "params": {"p": processes},
                    "callpath": f"run->{function}",
                    "metric": "time",
                    "value": round(seconds, 6),
                }
                sys.stdout.write(json.dumps(point) + "\n")
