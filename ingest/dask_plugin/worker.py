"""Recorder inside a Dask worker process, for `ingest.dask_plugin`.

Dask adds a worker's current `scheduler_delay`, its guess at the clock offset, to the times of
computations and transfers. The guess changes with heartbeats only, so it is noted right after
each of them, in the same step of the event loop: what was in force when is then known exactly.
What was recorded goes to the scheduler after a heartbeat, every few seconds.
"""

from __future__ import annotations

import asyncio
import operator
import socket
import uuid
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgpack
from distributed.diagnostics.plugin import WorkerPlugin
from distributed.metrics import time

NAME = "pwh-trace"
HANDLER = "pwh_trace"
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_CLOCK_PROBES = 10
_FAREWELL_SECONDS = 5
_SEND_SECONDS = 5
RUN_WIDTH, ARRIVAL_WIDTH, PLACED_WIDTH = 11, 5, 3
_ABSENT = object()


def machine_id() -> str:
    """Name the machine: processes of the same name read the same clock."""
    with suppress(OSError):
        # Shared by the containers of one machine, and different on the next one.
        return _BOOT_ID.read_text(encoding="ascii").strip()
    return f"{socket.gethostname()} {uuid.getnode():x}"


def key_text(key: Any) -> str:
    """Return a key as Dask prints it."""
    return key if type(key) is str else str(key)


class WorkerRecorder(WorkerPlugin):  # type: ignore[misc] # distributed has no types
    """Records runs of tasks, arrivals and scattered data; times in s, on the worker's clock.

    Each is one flat list, so many values a row: a tuple a row would set off the garbage collector.
    """

    name = NAME

    def setup(self, worker: Any) -> Any:
        """Begin to record. Raises `RuntimeError` where Dask keeps no log of transfers."""
        self._worker = worker
        self._tasks, self._threads = worker.state.tasks, worker.threads
        self._arrived = worker.transfer_incoming_log
        if self._arrived.maxlen == 0:
            raise RuntimeError(
                "Transfers cannot be recorded: the Dask option "
                "distributed.admin.low-level-log-length is 0. Set it to 1000, its default."
            )
        self._last_arrival = self._arrived[-1] if self._arrived else None
        self._delay = worker.scheduler_delay
        self._runs: list[Any] = []
        self._arrivals: list[Any] = []
        self._placed: list[Any] = []
        self._delays: list[float] = [0.0, self._delay]
        self._sent = time()
        # Tasks that run now began before the record.
        running = [*worker.state.executing, *worker.state.long_running]
        self._turned: dict[Any, float | None] = {task.key: None for task in running}
        self._cancelled: dict[Any, int] = {}
        self._steps = self._table_of_steps()
        self._timer = worker.periodic_callbacks["heartbeat"]
        self._beat, self._timer.callback = self._timer.callback, self._heartbeat
        return self._greet()

    async def teardown(self, worker: Any) -> None:  # noqa: ARG002 - the plugin's interface
        """Send the rest and stop; a scheduler that is gone is not waited for."""
        self._timer.callback = self._beat
        self._steps = {}
        with suppress(OSError):
            await asyncio.wait_for(self._say_farewell(), _FAREWELL_SECONDS)

    def transition(self, key: Any, start: str, finish: str, **kwargs: Any) -> None:  # noqa: ARG002
        """Record the few steps that matter; Dask calls this about six times a task."""
        step = self._steps.get((start, finish))
        if step is not None:
            step(key, start)

    def _table_of_steps(self) -> dict[tuple[str, str], Callable[[Any, str], None]]:
        return {
            ("ready", "executing"): self._turn,
            ("constrained", "executing"): self._turn,
            ("flight", "memory"): self._drain,
            ("released", "memory"): self._place,
            ("executing", "released"): self._cancel,
            ("long-running", "released"): self._cancel,
            **{
                (state, end): self._end
                for state in ("executing", "long-running", "cancelled", "resumed")
                for end in ("memory", "error", "rescheduled")
            },
        }

    def _turn(self, key: Any, _: str) -> None:
        self._turned[key] = time()

    def _cancel(self, key: Any, _: str) -> None:
        """Record the thread of a task that runs on to its end, but is forgotten by then."""
        for thread, running in list(self._worker.active_threads.items()):
            if running == key:
                self._cancelled[key] = thread

    def _end(self, key: Any, state: str) -> None:
        now = time()
        turned = self._turned.pop(key, _ABSENT)
        task = self._tasks.get(key)
        if turned is _ABSENT or task is None:
            # It was not a run but a transfer that was cancelled.
            return
        for span in reversed(task.startstops):
            if span["action"] == "compute":
                start, stop = span["start"], span["stop"]
                break
        else:
            start = stop = None
        thread = self._threads.get(key)
        if thread is None:
            thread = self._cancelled.pop(key, None)
        self._runs += (
            key_text(key),
            *(thread, start, stop, turned, now, task.start_time, task.nbytes),
            task.state == "memory",
            state == "long-running",
            not (task.annotations and "executor" in task.annotations),
        )

    def _place(self, key: Any, _: str) -> None:
        self._placed += key_text(key), time(), self._tasks[key].nbytes

    def _drain(self, *_: Any) -> None:
        """Take the log's new entries: all of them were stamped with the guess now in force."""
        fresh = []
        for entry in reversed(self._arrived):
            if entry is self._last_arrival:
                break
            fresh.append(entry)
        if fresh:
            self._last_arrival = fresh[0]
        for entry in reversed(fresh):
            start, stop = entry["start"] - self._delay, entry["stop"] - self._delay
            for key, nbytes in entry["keys"].items():
                self._arrivals += entry["who"], key_text(key), start, stop, nbytes

    async def _heartbeat(self) -> None:
        await self._beat()
        if self._worker.scheduler_delay != self._delay:
            self._drain()
            self._delay = self._worker.scheduler_delay
            self._delays += time(), self._delay
        if time() - self._sent > _SEND_SECONDS:
            with suppress(OSError):
                await self._send("records")

    async def _send(self, event: str) -> None:
        """Send what was recorded; it is kept for the next time where that fails."""
        self._drain()
        self._sent = time()
        taken = self._runs, self._arrivals, self._placed, self._delays
        self._runs, self._arrivals, self._placed, self._delays = [], [], [], []
        try:
            await self._tell(event, records=msgpack.packb(taken, default=operator.index))
        except OSError:
            self._runs, self._arrivals, self._placed, self._delays = (
                old + new
                for old, new in zip(
                    taken,
                    (self._runs, self._arrivals, self._placed, self._delays),
                    strict=True,
                )
            )
            raise

    async def _greet(self) -> None:
        worker = self._worker
        self._best: tuple[float, float] | None = None
        self._same_clock = False
        answer = await self._tell(
            "greeting",
            address=worker.address,
            threads=worker.state.nthreads,
            loop_thread=worker.thread_id,
            machine=machine_id(),
        )
        self._same_clock = answer["machine"] == machine_id()
        await self._measure_clock()
        await self._tell("clock")

    async def _say_farewell(self) -> None:
        await self._measure_clock()
        await self._send("farewell")

    async def _measure_clock(self) -> None:
        """Request the scheduler's time; the quickest answer is the most exact. Both in s."""
        for _ in range(0 if self._same_clock else _CLOCK_PROBES):
            asked = time()
            answer = await self._tell("probe")
            came = time()
            probe = (came - asked) / 2, (asked + came) / 2 - answer["time"]
            self._best = probe if self._best is None else min(self._best, probe)

    async def _tell(self, event: str, **facts: Any) -> dict[str, Any]:
        offset = (0.0, 0.0) if self._same_clock else self._best
        answer: dict[str, Any] = await getattr(self._worker.scheduler, HANDLER)(
            event=event, process=self._worker.id, now=time(), offset=offset, **facts
        )
        return answer
