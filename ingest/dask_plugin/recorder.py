"""The plugin that a Dask user registers: what it does at the scheduler."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from distributed.diagnostics.plugin import SchedulerPlugin
from distributed.metrics import time
from distributed.protocol.pickle import dumps

from ingest.dask_plugin.record import Graphs, Process, Record
from ingest.dask_plugin.tables import FILES, write
from ingest.dask_plugin.worker import HANDLER, NAME, WorkerRecorder, machine_id

_GATHER_SECONDS = 60


class TraceRecorder(SchedulerPlugin):  # type: ignore[misc] # distributed has no types
    """Records every task, transfer and dependency of a cluster until it closes or is saved.

    `folder` is made where the scheduler runs; a relative one counts from where the client is.
    A folder that contains a recording already is rejected unless `overwrite`.
    """

    name = NAME

    def __init__(self, folder: str | Path, *, overwrite: bool = False) -> None:
        self._folder = Path(folder).absolute()
        self._overwrite = overwrite

    @staticmethod
    def save(client: Any) -> Any:
        """End the recording that is made on `client`'s cluster, and write its folder.

        Returns the folder's path (an awaitable of it for an asynchronous client). Raises
        `RuntimeError` where nothing is recorded.
        """
        return client.run_on_scheduler(_save)

    async def start(self, scheduler: Any) -> None:
        """Begin to record, on all workers that there are or will be.

        A recording already under way is ended and saved. Raises `FileExistsError` where the
        folder contains one, `RuntimeError` where a worker cannot record.
        """
        earlier = scheduler.plugins.get(NAME)
        if isinstance(earlier, TraceRecorder):
            await earlier.finish()
        if not self._overwrite and any((self._folder / name).exists() for name in FILES):
            raise FileExistsError(
                f"{self._folder} contains a recording already. "
                "Choose another folder, or TraceRecorder(folder, overwrite=True)."
            )
        self._folder.mkdir(parents=True, exist_ok=True)
        self._scheduler = scheduler
        self._machine = machine_id()
        self._graphs = Graphs(scheduler)
        self._processes: dict[str, Process] = {}
        self._at: dict[str, Process] = {}
        self._seen = set(scheduler.workers)
        self._record: Record | None = None
        self._written = False
        self._lock = asyncio.Lock()
        scheduler.handlers[HANDLER] = self._hear
        try:
            answers = await scheduler.register_worker_plugin(
                None, plugin=dumps(WorkerRecorder()), name=NAME, idempotent=False
            )
            for answer in answers.values():
                if answer["status"] != "OK":
                    raise RuntimeError(answer["exception_text"])
        except Exception as error:
            await self._release_workers()
            raise RuntimeError(
                f"A worker cannot record: {error} Is pwh installed there?"
            ) from error

    def update_graph(
        self,
        scheduler: Any,
        *,
        tasks: list[Any],
        stimulus_id: str = "",
        **kwargs: Any,  # noqa: ARG002
    ) -> None:
        """Record what was submitted, and what it needs, before anything is forgotten."""
        if self._record is None:
            self._graphs.add(scheduler, tasks, stimulus_id)

    def transition(
        self,
        key: Any,
        start: str,
        finish: str,
        stimulus_id: str = "",
        worker: str | None = None,
        startstops: list[Any] | None = None,
        thread: int | None = None,
        nbytes: int | None = None,
        **kwargs: Any,  # noqa: ARG002
    ) -> None:
        """Keep what a worker reported of a run until its own record of it has come."""
        if startstops and start == "processing" and worker in self._at:
            for span in reversed(startstops):
                if span["action"] == "compute":
                    # One flat list: objects that live on would set off the garbage collector.
                    self._at[worker].reported += (
                        key,
                        thread,
                        span["start"],
                        span["stop"],
                        stimulus_id,
                        nbytes,
                        finish == "memory",
                    )
                    break

    def add_worker(self, scheduler: Any, worker: str) -> None:  # noqa: ARG002
        """Record a worker, so that one that never recorded is missed."""
        self._seen.add(worker)

    def remove_worker(self, scheduler: Any, worker: str, **kwargs: Any) -> None:  # noqa: ARG002
        """Record when a worker left."""
        if worker in self._at:
            self._at[worker].removed = time()

    async def before_close(self) -> None:
        """Write the folder when the cluster closes."""
        await self.finish()

    async def finish(self) -> Path:
        """Collect what the workers still have, end the recording, and return the folder written.

        Where writing fails, the recording is kept, and can be saved again.
        """
        async with self._lock:
            if self._record is None:
                self._record = await self._collect()
            if not self._written:
                # Tasks that are not recorded any more go on meanwhile.
                await asyncio.to_thread(write, self._record, self._folder)
                self._written = True
                self._scheduler.plugins.pop(NAME, None)
        return self._folder

    async def _collect(self) -> Record:
        await self._release_workers()
        self._at.clear()
        processes = list(self._processes.values())
        return Record(
            processes=processes,
            graphs=self._graphs,
            silent=sorted(self._seen - {process.address for process in processes}),
            running=sum(len(state.processing) for state in self._scheduler.workers.values()),
        )

    async def _release_workers(self) -> None:
        """Take the plugin from the workers; each sends its rest before it lets go."""
        scheduler = self._scheduler
        scheduler.worker_plugins.pop(NAME, None)
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(
                scheduler.broadcast(msg={"op": "plugin-remove", "name": NAME}, on_error="ignore"),
                _GATHER_SECONDS,
            )
        scheduler.handlers.pop(HANDLER, None)

    def _hear(self, event: str, process: str, now: float, **facts: Any) -> dict[str, Any]:
        """Take what a worker sends; the answer has the scheduler's machine and time."""
        answer = {"machine": self._machine, "time": time()}
        if event == "greeting":
            self._processes[process] = self._at[facts["address"]] = Process(
                address=facts["address"],
                threads=facts["threads"],
                loop_thread=facts["loop_thread"],
                joined=now,
            )
        known = self._processes.get(process)
        if known is None:
            # What is left of an earlier recording that the worker did not end in time.
            return answer
        known.heard, known.offset = now, facts["offset"]
        if "records" in facts:
            known.batches.append(facts["records"])
            # What was reported to the scheduler before the last batch came is in this one.
            known.reported_before, known.reported = known.reported, []
        known.said_farewell |= event == "farewell"
        return answer


async def _save(dask_scheduler: Any) -> str:
    recorder = dask_scheduler.plugins.get(NAME)
    if not isinstance(recorder, TraceRecorder):
        raise RuntimeError(
            "Nothing is recorded on this cluster. "
            'Begin with client.register_plugin(TraceRecorder("trace-folder")).'
        )
    return str(await recorder.finish())
