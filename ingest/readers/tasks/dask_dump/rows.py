"""From the runs of tasks of a Dask dump to rows of landing tables."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from ingest.readers.tasks.dask_dump.runs import Arrival, TaskRun
from ingest.readers.tasks.dask_dump.state import State, prefix_of
from warehouse.errors import InputError

Row = dict[str, Any]
_YEAR = 366 * 86400.0
_HOST = re.compile(r"\w+://(\[[^\]]*\]|[^/:]*)")


def host_of(address: str) -> str:
    """Return the host in an address such as `tcp://10.0.0.1:8786`, else the address."""
    match = _HOST.match(address)
    return match[1] if match else address


class Trace:
    """The rows of one dump. Times are BIGINT ns from `base` (s of the epoch) on."""

    def __init__(
        self, state: State, runs: Sequence[TaskRun], arrivals: Sequence[Arrival], base: float
    ) -> None:
        self._state = state
        self._runs = runs
        self._arrivals = [arrival for arrival in arrivals if arrival.key in state.tasks]
        self._base = base
        self._sent_from: dict[str, str] = {}
        for arrival in self._arrivals:
            self._sent_from.setdefault(arrival.key, arrival.source)
        names = [state.names.get(address, address) for address in state.workers]
        self._names = state.names if len(set(names)) == len(names) else {}
        self._made: dict[str, list[TaskRun]] = defaultdict(list)
        for run in sorted(runs, key=lambda run: run.stop):
            if not run.failed:
                self._made[run.key].append(run)

    def nodes(self) -> list[Row]:
        """Return the worker processes; those on the scheduler's host surely share its clock."""
        here = host_of(self._state.scheduler)
        sources = [arrival.source for arrival in self._arrivals]
        return [
            {
                "node": self._node(address),
                "clock_offset_ns": 0 if host_of(address) == here else None,
            }
            for address in dict.fromkeys([*self._state.workers, *sources])
        ]

    def workers(self, last: float) -> list[Row]:
        """Return the threads of the processes that answered, over the window up to `last`."""
        return [
            {
                "worker": self._worker(process.address, slot),
                "node": self._node(process.address),
                "t_begin": 0,
                "t_end": self._ns(last),
            }
            for process in self._state.workers.values()
            for slot in range(process.threads)
        ]

    def tasks(self) -> list[Row]:
        """Return the runs of tasks."""
        return [
            {
                "task": run.task,
                "worker": self._worker(run.process, run.slot),
                "name": self._name(run.key),
                "t_submit": self._ns(self._state.submitted.get(run.key)),
                "t_start": self._ns(run.start),
                "t_end": self._ns(run.stop),
            }
            for run in self._runs
        ]

    def inputs(self) -> list[Row]:
        """Return what the runs read: of each key the version made last before."""
        return [
            {"task": run.task, "data": self._version(need, run.start)}
            for run in self._runs
            if run.key in self._state.tasks
            for need in dict.fromkeys(self._state.tasks[run.key].needs)
        ]

    def transfers(self) -> list[Row]:
        """Return the arrivals, one row for each key."""
        return [
            {
                "data": self._version(arrival.key, arrival.stop),
                "from_node": self._node(arrival.source),
                "to_node": self._node(arrival.target),
                "t_send": self._ns(arrival.start),
                "t_recv": self._ns(arrival.stop),
                "bytes": arrival.bytes,
            }
            for arrival in self._arrivals
        ]

    def data(self) -> list[Row]:
        """Return what the runs made, then what was read or sent but whose making is not known."""
        made = [
            {"data": run.task, "producer": run.task, "node": None, "bytes": self._bytes(run)}
            for run in self._runs
            if not run.failed
        ]
        needed = [
            need
            for run in self._runs
            if run.key in self._state.tasks
            for need in self._state.tasks[run.key].needs
        ]
        keys = dict.fromkeys([*needed, *(arrival.key for arrival in self._arrivals)])
        return made + [self._found(key) for key in keys if self._is_unmade(key)]

    def runtime(self) -> list[Row]:
        """Return what the worker did around a task: `pre` up to its start, `post` after its end."""
        rows = []
        for run in self._runs:
            for state, begin, end in (("pre", run.pre, run.start), ("post", run.stop, run.post)):
                if begin is not None and end is not None and begin < end:
                    rows.append(
                        {
                            "worker": self._worker(run.process, run.slot),
                            "t_start": self._ns(begin),
                            "t_end": self._ns(end),
                            "state": state,
                        }
                    )
        return rows

    def _is_unmade(self, key: str) -> bool:
        return key not in self._made and key in self._state.tasks

    def _found(self, key: str) -> Row:
        """Return a datum of unknown making: home is where it was first sent from, or is alone."""
        task = self._state.tasks[key]
        home = self._sent_from.get(key)
        if home is None and len(task.holders) == 1:
            home = task.holders[0]
        node = self._node(home) if home else None
        return {"data": key, "producer": None, "node": node, "bytes": task.bytes}

    def _version(self, key: str, t: float) -> str:
        made = self._made.get(key)
        if not made:
            return key
        return next((run.task for run in reversed(made) if run.stop <= t), made[0].task)

    def _bytes(self, run: TaskRun) -> int | None:
        known = self._state.tasks.get(run.key)
        return run.bytes if run.bytes is not None or known is None else known.bytes

    def _name(self, key: str) -> str:
        known = self._state.tasks.get(key)
        return known.prefix if known else prefix_of(key)

    def _node(self, address: str) -> str:
        return self._names.get(address, address)

    def _worker(self, address: str, slot: int) -> str:
        return f"{self._node(address)}/t{slot}"

    def _ns(self, t: float | None) -> int | None:
        if t is None:
            return None
        if abs(t - self._base) > _YEAR:
            raise InputError(
                f"the times {self._base} and {t} are in one dump",
                expected="times less than a year apart",
            )
        return round((t - self._base) * 1e9)
