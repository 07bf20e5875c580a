"""Tables of events, as databases and CSV files of GPU tracers have them, as one timeline."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ingest.parsing.timelines.gpu_calls import step_numbers
from ingest.parsing.timelines.slices import NONE, Launches, Role, Slices, Timeline, Worker
from udfs.arrays import Integers

UNKNOWN = -(1 << 62)


@dataclass(frozen=True, slots=True)
class Table:
    """Events of one kind: times in ns, UNKNOWN if there is none.

    `name` and `worker` number the lists. `link` is what a call and what it launched have in
    common within their `process`, 0 or UNKNOWN for nothing. `size` is in bytes, if it is known.
    """

    kind: str
    role: Integers
    start: Integers
    end: Integers
    names: Sequence[str]
    name: Integers
    workers: Sequence[Worker]
    worker: Integers
    link: Integers
    process: Integers
    size: Integers | None = None


def combined(tables: Sequence[Table]) -> tuple[Timeline, int]:
    """Return the timeline of all tables, and how many events have no place on it.

    These have no start or end, or end before they start. Workers of one name are one.
    """
    workers: dict[str, Worker] = {}
    for table in tables:
        workers |= {one.name: one for one in table.workers if one.name not in workers}
    numbers = {name: number for number, name in enumerate(workers)}
    names: list[str] = []
    parts = []
    for number, table in enumerate(tables):
        of = np.array([numbers[worker.name] for worker in table.workers], np.int64)
        kind = np.full(len(table.start), number)
        name = table.name + len(names)
        size = np.full(len(kind), NONE) if table.size is None else table.size
        parts.append(
            (of[table.worker], name, kind, table.role, table.start, table.end, size, table.link,
             table.process)
        )  # fmt: skip
        names += table.names
    worker, name, kind, role, start, end, size, link, process = (
        np.concatenate(columns).astype(np.int64) for columns in zip(*parts, strict=True)
    )
    whole = (start != UNKNOWN) & (end != UNKNOWN) & (end >= start)
    step = step_numbers(names, name, worker, start)
    slices = Slices(*(x[whole] for x in (worker, name, kind, role, start, end, size, step)))
    timeline = Timeline(
        workers=list(workers.values()),
        names=names,
        kinds=[table.kind for table in tables],
        slices=slices,
        launches=_launches(slices.role, link[whole], process[whole]),
    )
    return timeline, int(np.count_nonzero(~whole))


def named(numbers: Integers, texts: dict[int, str], unknown: str) -> tuple[list[str], Integers]:
    """Return the names of numbered texts, and which of them each number has."""
    every, name = np.unique(numbers, return_inverse=True)
    return [texts.get(number, unknown) for number in every.tolist()], name


def distinct(*keys: Integers) -> tuple[list[tuple[int, ...]], Integers]:
    """Return the combinations of keys, and which of them each row has."""
    every, place = np.unique(np.stack(keys, axis=1), axis=0, return_inverse=True)
    return [tuple(key) for key in every.tolist()], place.ravel()


def _launches(role: Integers, link: Integers, process: Integers) -> Launches:
    """Return which calls launched what, process by process."""
    every, number = np.unique(process, return_inverse=True)
    # One process is the rule; the numbers of more lie apart.
    key = link + number * (int(link.max(initial=0)) + 1) if len(every) > 1 else link
    callers = np.flatnonzero((link > 0) & (role < Role.DEVICE))
    device = np.flatnonzero((link > 0) & (role == Role.DEVICE))
    known, first = np.unique(key[callers], return_index=True)
    device = device[np.isin(key[device], known)]
    return Launches(callers[first[np.searchsorted(known, key[device])]], device, key[device])
