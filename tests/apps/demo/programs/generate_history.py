"""The history of three programs and a suite of benchmarks, GENERATED: no machine has run them.

    python -m tests.apps.demo.programs.generate_history FOLDER

Virtual machines have no hardware counters and no steady clock, so these stand in for a machine that
was measured every day; they are ingested with the tag generated=true. What is planted:

- stencil: from version 1.23 on `sweep` works on tiles that no longer fit its cache. It takes longer
  and reads more from main memory, the processes then wait longer for each other, and `sweep` gains
  less from more processes, as they share the memory. Nothing else of it changes; the compiler does
  in version 1.16, without effect.
- sorter: one run, of version 2.6, is slow; the next is as fast as before.
- spmv: its times scatter by 12 per cent, and nothing changes.
- kernels, the suite: `pack` takes 9 per cent longer from version 3.13 on; `flush` scatters by
  15 per cent, and nothing else changes.
"""

from __future__ import annotations

import csv
import random
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.apps.demo.programs import generate_traces as traces

CHANGED = 23
STENCIL = range(9, 31)
TRACED = range(20, 26)
SCALED = (22, 23)
RANKS = 4
COUNTS = (1, 2, 8, 16, 32)
FIRST_DAY = datetime(2026, 10, 19, 3, 0, tzinfo=UTC)
CYCLES_PER_SECOND = 2e9
RUN_COLUMNS = "run_id,app,version,started_at,ranks,problem_size,wall_seconds,compiler"

# Seconds of a process in each function, on 4 processes, before the change and after it.
SECONDS = {
    "sweep": (7.2, 9.06),
    "residual": (1.8, 1.8),
    "exchange": (1.35, 1.63),
    "boundary": (0.95, 0.95),
    "checkpoint": (0.6, 0.6),
}
# Exponents of their seconds in the number of processes.
EXPONENTS = {
    "sweep": (-0.97, -0.72),
    "residual": (-0.95, -0.95),
    "exchange": (-0.4, -0.4),
    "boundary": (-0.6, -0.6),
    "checkpoint": (0.0, 0.0),
}
SORTER = {"partition": 2.6, "merge": 1.3, "read": 0.7}
SPMV = {"multiply": 3.1, "dot": 0.8}
# Microseconds of each benchmark before the change and after it, and their scatter.
KERNELS = {
    "parse": (151.0, 151.0, 0.01),
    "pack": (42.0, 45.8, 0.01),
    "lookup": (8.6, 8.6, 0.015),
    "flush": (380.0, 380.0, 0.15),
}
# Events per cycle, in `residual` and in `sweep` before the change and after it.
RATES = {
    "uops": (2.8, 2.9, 2.3),
    "instructions": (1.75, 1.7, 1.35),
    "l1i_accesses": (0.19, 0.19, 0.151),
    "l2i_accesses": (2e-5, 2e-5, 1.6e-5),
    "l2i_misses": (1e-6, 1e-6, 8e-7),
    "itb_misses": (1e-6, 1e-6, 8e-7),
    "dtb_misses": (4e-5, 3e-5, 4e-5),
    "l3_misses": (2e-4, 1.5e-4, 2e-2),
    "mem_reads": (2e-4, 1.5e-4, 2e-2),
    "mem_writes": (1.5e-4, 1.2e-4, 1.6e-2),
    "mispredicts": (3e-4, 1.1e-4, 9e-5),
}


@dataclass(slots=True)
class History:
    """Where the files go, and the noise; one generator, so that every call draws on."""

    folder: Path
    noise: random.Random = field(default_factory=lambda: random.Random(23))
    runs: list[tuple[Any, ...]] = field(default_factory=list)

    def write(self, name: str, header: str, rows: Iterable[Sequence[Any]]) -> None:
        """Write one table."""
        with (self.folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(header.split(","))
            writer.writerows(rows)

    def run(self, app: str, version: str, day: int, times: dict[str, float], **facts: Any) -> str:
        """Write a run's function times, note its facts, and return its id."""
        run_id = f"{app}-{version}"
        self.write(
            f"{run_id}.csv", "function,seconds", [(f, round(s, 5)) for f, s in times.items()]
        )
        wall = round(sum(times.values()) + 0.02 * self.noise.gauss(1, 0.1), 4)
        started_at = (FIRST_DAY + timedelta(days=day)).isoformat()
        compiler = facts.get("compiler", "gcc-13.3")
        size, ranks = facts.get("problem_size"), facts.get("ranks")
        self.runs.append((run_id, app, version, started_at, ranks, size, wall, compiler))
        return run_id

    def scatter(self, times: dict[str, float], both: float, each: float) -> dict[str, float]:
        """Return times as a run has them: a factor for all of them, and one for each."""
        common = self.noise.gauss(1, both)
        return {name: t * common * self.noise.gauss(1, each) for name, t in times.items()}


def stencil(history: History) -> None:
    """Write the runs of the stencil, their counters, and the traces of some."""
    counters: list[tuple[Any, ...]] = []
    visits: list[tuple[Any, ...]] = []
    for day, minor in enumerate(STENCIL):
        changed = minor >= CHANGED
        times = history.scatter({f: s[changed] for f, s in SECONDS.items()}, 0.004, 0.006)
        compiler = "gcc-13.3" if minor >= 16 else "gcc-13.2"
        facts = {"ranks": RANKS, "problem_size": 4096, "compiler": compiler}
        run_id = history.run("stencil", f"1.{minor}", day, times, **facts)
        counters += _counters(history.noise, run_id, times, changed)
        if minor in TRACED:
            traces.write_tasks(history.folder / f"{run_id}.tasks", history.noise, changed)
            visits += traces.visits(run_id, history.noise)
    history.write("stencil_counters.csv", "run_id,rank,region,sample,event,value", counters)
    history.write("stencil_visits.csv", "run_id,launch,kernel,block,thread,bb,visits", visits)
    edges = traces.edges(visits)
    history.write("stencil_edges.csv", "run_id,launch,kernel,src,dst,count", edges)
    history.write(
        "stencil_blocks.csv",
        "run_id,kernel,bb,size,barriers,function,source_file,source_line",
        traces.blocks(dict.fromkeys(row[0] for row in visits)),
    )
    history.write(
        "stencil_scaling.csv",
        "run_id,app,version,machine,started_at,ranks,problem_size,function,seconds",
        _scaling(history.noise),
    )


def _counters(
    noise: random.Random, run_id: str, times: dict[str, float], changed: bool
) -> list[tuple[Any, ...]]:
    """Return the counts of each process in its two largest functions."""
    rows: list[tuple[Any, ...]] = []
    for rank in range(RANKS):
        for region, column in (("sweep", 1 + changed), ("residual", 0)):
            cycles = times[region] * CYCLES_PER_SECOND * noise.gauss(1, 0.003)
            counts = {"cycles": cycles, "dma_ops": 0, "dma_bytes": 0}
            for event, rates in RATES.items():
                counts[event] = cycles * rates[column] * noise.gauss(1, 0.02)
            rows += [(run_id, rank, region, 0, e, round(c)) for e, c in counts.items()]
    return rows


def _scaling(noise: random.Random) -> list[tuple[Any, ...]]:
    """Return the function times of two versions on other numbers of processes, measured once."""
    rows: list[tuple[Any, ...]] = []
    for minor in SCALED:
        changed = minor >= CHANGED
        at = (FIRST_DAY + timedelta(days=minor - STENCIL[0], hours=6)).isoformat()
        for ranks in COUNTS:
            run = (f"stencil-1.{minor}-p{ranks}", "stencil", f"1.{minor}", "generated", at, ranks)
            for function, seconds in SECONDS.items():
                growth = (ranks / RANKS) ** EXPONENTS[function][changed]
                taken = seconds[changed] * growth * noise.gauss(1, 0.006)
                rows.append((*run, 4096, function, round(taken, 5)))
    return rows


def others(history: History) -> None:
    """Write the runs of the two programs that did not change."""
    for day in range(10):
        times = history.scatter(SORTER, 0.004, 0.006)
        if day == 5:
            times = {name: 1.6 * seconds for name, seconds in times.items()}
        history.run("sorter", f"2.{day + 1}", day + 12, times)
    for day in range(10):
        history.run("spmv", f"0.{day + 1}", day + 12, history.scatter(SPMV, 0.12, 0.02))


def kernels(history: History) -> None:
    """Write the nightly results of a suite of benchmarks."""
    rows: list[tuple[Any, ...]] = []
    for day in range(20):
        version = f"3.{day + 1}"
        at = (FIRST_DAY + timedelta(days=day, hours=1)).isoformat()
        for name, (before, after, scatter) in KERNELS.items():
            time = (after if day >= 12 else before) * history.noise.gauss(1, scatter)
            run = (f"kernels-{version}", "kernels", version, "generated", at)
            rows.append((*run, name, round(time, 3), "us", "lower"))
    header = "run_id,app,version,machine,started_at,metric,value,unit,better"
    history.write("kernels.csv", header, rows)


if __name__ == "__main__":
    history = History(Path(sys.argv[1]))
    stencil(history)
    others(history)
    kernels(history)
    history.write("runs.csv", RUN_COLUMNS, history.runs)
