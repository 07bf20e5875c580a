"""Task traces and basic-block visits of the generated stencil (see generate_history.py).

A step is a `sweep` on each of four workers and a `residual` that needs them all; the next step
needs the residual. Before the change a sweep takes equally long everywhere. After it, the two
workers whose memory controller is shared take a third longer, so the others wait for them.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

WORKERS = 4
STEPS = 5
SWEEP = 0.3e9
RESIDUAL = 0.05e9
SLOWER = (1.1, 1.1, 1.4, 1.4)
HOP = 0.002e9
THREADS = 16


def write_tasks(folder: Path, noise: random.Random, changed: bool) -> None:
    """Write the first steps of a run as neutral task tables."""
    folder.mkdir(exist_ok=True)
    tasks: list[tuple[Any, ...]] = []
    inputs: list[tuple[Any, ...]] = []
    ready = 0
    for step in range(STEPS):
        ends = []
        for worker in range(WORKERS):
            taken = SWEEP * (SLOWER[worker] if changed else 1) * noise.gauss(1, 0.01)
            begin = ready + round(HOP if step and worker else 0)
            ends.append(begin + round(taken))
            tasks.append((f"sweep-{step}-{worker}", f"w{worker}", "sweep", 0, begin, ends[-1]))
            inputs.append((f"residual-{step}", f"d-sweep-{step}-{worker}"))
            if step:
                inputs.append((f"sweep-{step}-{worker}", f"d-residual-{step - 1}"))
        begin = max(ends) + round(HOP)
        ready = begin + round(RESIDUAL * noise.gauss(1, 0.01))
        tasks.append((f"residual-{step}", "w0", "residual", 0, begin, ready))
    _write(folder / "fragments.csv", "fragment_id,worker_id,ftype,t_submit,t_start,t_end", tasks)
    workers = [(f"w{n}", f"n{n // 2}", 0, ready) for n in range(WORKERS)]
    _write(folder / "workers.csv", "worker_id,node_id,t_begin,t_end", workers)
    data = [(f"d-{task[0]}", task[0], task[5]) for task in tasks]
    _write(folder / "data.csv", "data_id,producer_fragment,t_ready", data)
    _write(folder / "inputs.csv", "fragment_id,data_id", inputs)


def visits(run_id: str, noise: random.Random) -> list[tuple[Any, ...]]:
    """Return how often each thread of a kernel visits its basic blocks: all do nearly the same."""
    rows: list[tuple[Any, ...]] = []
    for block in range(2):
        inner = 4096 + noise.randrange(4)
        for thread in range(THREADS):
            counts = (1, 64, inner, 1)
            rows += [
                (run_id, 0, "sweep", block, block * THREADS + thread, bb, count)
                for bb, count in enumerate(counts)
            ]
    return rows


def edges(visited: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return how often one block followed another, which the visits of each run leave no choice.

    Block 0 begins, block 1 is a row of the plate, block 2 a cell of it, block 3 ends.
    """
    totals: dict[str, Counter[int]] = {}
    for run_id, _, _, _, _, bb, count in visited:
        totals.setdefault(run_id, Counter())[bb] += count
    return [
        (run_id, 0, "sweep", source, target, count)
        for run_id, n in totals.items()
        for source, target, count in (
            (0, 1, n[0]),
            (1, 2, n[1]),
            (2, 2, n[2] - n[1]),
            (2, 1, n[1] - n[3]),
            (2, 3, n[3]),
        )
    ]


def blocks(run_ids: Iterable[str]) -> list[tuple[Any, ...]]:
    """Return the basic blocks of the kernel: instructions, barriers, and the line of each."""
    sizes = ((0, 9, 10), (1, 6, 12), (2, 14, 13), (3, 3, 16))
    return [
        (run_id, "sweep", bb, size, 0, "sweep", "stencil.cu", line)
        for run_id in run_ids
        for bb, size, line in sizes
    ]


def _write(path: Path, header: str, rows: Iterable[Sequence[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header.split(","))
        writer.writerows(rows)
