"""Records that `ingest.dask_plugin` has gathered at the scheduler; times in s of the epoch."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from distributed.metrics import time

from ingest.dask_plugin.worker import key_text

REPORTED_WIDTH, STORED_WIDTH = 7, 3


def stamp(stimulus: str) -> float | None:
    """Return the time that is behind a stimulus's name, s of the epoch, or None."""
    try:
        return float(stimulus.rpartition("-")[2])
    except ValueError:
        return None


@dataclass(slots=True, kw_only=True)
class Process:
    """One worker process. `joined` and `heard` are on its own clock, `removed` the scheduler's.

    `offset` is (half the time that the quickest question took, by what the clock is ahead), or
    None where nothing is known. `reported` is what the scheduler heard of runs since the last batch
    of records came, `reported_before` since the one before: REPORTED_WIDTH values for each run,
    that is key, thread, start, stop, stimulus, bytes, and whether it made its datum.
    """

    address: str
    threads: int
    loop_thread: int
    joined: float
    heard: float = 0.0
    removed: float | None = None
    offset: tuple[float, float] | None = None
    said_farewell: bool = False
    batches: list[bytes] = field(default_factory=list)
    reported: list[Any] = field(default_factory=list)
    reported_before: list[Any] = field(default_factory=list)


class Graphs:
    """Submitted graphs: columns with a row for each submission of a key.

    `times` is when the scheduler got it (None: before the record began), `counts` how many keys
    it reads, and `needs` those keys, one submission's after the other's: a list for each would
    set off the garbage collector. `stored` has STORED_WIDTH values for each key that was in memory
    before: key, a worker's address, bytes.
    """

    def __init__(self, scheduler: Any) -> None:
        self.keys: list[Any] = []
        self.names: list[str] = []
        self.times: list[float | None] = []
        self.counts: list[int] = []
        self.needs: list[Any] = []
        self.stored: list[Any] = []
        for key, task in scheduler.tasks.items():
            if task.who_has:
                holder = next(iter(task.who_has)).address
                self.stored += key_text(key), holder, task.nbytes if task.nbytes >= 0 else None
            if task.run_spec is not None:
                self._add(key, task, None)

    def add(self, scheduler: Any, keys: list[Any], stimulus_id: str) -> None:
        """Record those tasks of a graph that are not under way already."""
        # The stamp of the graph's arrival; it was unpacked since.
        t = stamp(stimulus_id)
        if t is None:
            t = time()
        tasks = scheduler.tasks
        for key in keys:
            task = tasks[key]
            if task.state == "released":
                self._add(key, task, t)

    def _add(self, key: Any, task: Any, t: float | None) -> None:
        self.keys.append(key)
        self.names.append(task.prefix.name)
        self.times.append(t)
        self.counts.append(len(task.dependencies))
        for need in task.dependencies:
            self.needs.append(need.key)


@dataclass(slots=True, kw_only=True)
class Record:
    """All of a recording. `silent` are workers that never recorded, `running` tasks under way."""

    processes: list[Process]
    graphs: Graphs
    silent: list[str]
    running: int
