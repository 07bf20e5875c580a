"""HPCToolkit databases of version 4 (from 2022 on): values of threads by context.

Source: doc/FORMATS.md of HPCToolkit: "profile.db version 4.0". Values with callees are in the file
for each context; what a function has itself is the part of it that the functions below it do not
have. Summaries over threads are left alone. `rank` and `thread` are the thread's RANK and THREAD;
what was measured on GPUs has no thread, and is added up for each rank.
"""

from __future__ import annotations

import mmap
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ingest.base import Item, Run
from ingest.compressed import path_text
from ingest.parsing.arrays import Floats, Integers
from ingest.parsing.call_paths import BELOW_ZERO, below_zero, own_part
from ingest.readers.profiles.hpctoolkit.meta import Meta, Structures, read
from ingest.readers.profiles.hpctoolkit.rows import PathRows, Place
from ingest.recording import Recording
from warehouse.errors import InputError

_PROFILES = 0x10
_SUMMARY = 1
_ROUNDING = 1e-9  # of values that were added up, relative to the largest
_LIMIT = 4 << 30


def items(recording: Recording) -> Iterator[Item]:
    """Yield one run and its rows; see `Reader.read`."""
    profile = recording.part("profile.db")
    if profile is None:
        raise InputError(
            "there is no profile.db next to it",
            expected="meta.db and profile.db in one folder",
            hint="Copy the whole folder.",
        )
    with recording.open() as file:
        meta = read(file.read(_LIMIT))
    with Path(recording.plain(profile)).open("rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if _size(file) else b""
        try:
            yield from _items(meta, Structures(data, b"prof"))
        except InputError as error:
            error.path = error.path or path_text(profile)
            raise
        finally:
            if isinstance(data, mmap.mmap):
                data.close()


def _size(file: Any) -> int:
    return int(file.seek(0, 2))


def _items(meta: Meta, file: Structures) -> Iterator[Item]:
    places, nodes = _places(meta, file)
    ranks = {rank for rank, _ in places if rank is not None}
    threads = {thread for _, thread in places if thread is not None}
    facts = Run(
        app=meta.title or None,
        nodes=len(nodes) or None,
        ranks=len(ranks) or None,
        threads=max(threads) + 1 if threads else None,
        tags={"recorder": "HPCToolkit"},
    )
    yield facts
    rows = PathRows(meta.paths, meta.metrics.values(), len(ranks) or None)
    above = np.array(meta.paths.above, np.int64)
    functions = np.array(sorted(meta.contexts.items()), np.int64).reshape(-1, 2)
    notes: dict[str, None] = {}
    for place, profiles in places.items():
        sums: defaultdict[int, Floats] = defaultdict(lambda: np.zeros(rows.size))
        for profile in profiles:
            path, number, value = _values(file, profile, functions)
            for metric in np.unique(number).tolist():
                at = (number == metric) & (path >= 0)
                sums[metric] += np.bincount(path[at], value[at], rows.size)
        for metric, name in meta.metrics.items():
            if metric in sums:
                whole = sums[metric]
                own = own_part(whole, above, _ROUNDING * float(whole.max(initial=0)))
                if note := below_zero(name.name, own):
                    notes[note] = None
                yield from rows.of(name, own, whole, place)
    rows.check()
    if notes:
        yield Run(tags={BELOW_ZERO: "; ".join(notes)})


def _places(meta: Meta, file: Structures) -> tuple[dict[Place, list[int]], set[int]]:
    """Return the profiles of threads by rank and thread, and the nodes that they ran on."""
    first, count, size = file.at(file.at(_PROFILES + 8, "Q")[0], "QIB")
    places: dict[Place, list[int]] = {}
    nodes: set[int] = set()
    for profile in range(first, first + count * size, size or 1):
        identity, flags = file.at(profile + 0x20, "QI")
        if flags & _SUMMARY:
            continue
        numbers: dict[str, int] = {}
        for number in range(file.at(identity, "H")[0] if identity else 0):
            kind, logical, physical = file.at(identity + 8 + 16 * number, "B3xIQ")
            if kind < len(meta.kinds):
                numbers[meta.kinds[kind]] = physical if meta.kinds[kind] == "NODE" else logical
        if "NODE" in numbers:
            nodes.add(numbers["NODE"])
        places.setdefault((numbers.get("RANK"), numbers.get("THREAD")), []).append(profile)
    return places, nodes


def _values(
    file: Structures, profile: int, functions: Integers
) -> tuple[Integers, Integers, Floats]:
    """Return the path, the metric and the number of each value of a profile.

    `functions` are the contexts that have a call path, and its number; -1 is that of others.
    """
    count, at_values, contexts, at_contexts = file.at(profile, "QQI4xQ")
    values = _array(file, at_values, count, [("metric", "<u2"), ("value", "<f8")])
    indices = _array(file, at_contexts, contexts, [("context", "<u4"), ("start", "<u8")])
    start = np.append(indices["start"], np.uint64(count)).astype(np.int64)
    lengths = np.diff(start)
    wrong = len(lengths) and (start[0] != 0 or lengths.min() < 0)
    value = values["value"].astype(np.float64)
    if wrong or not (np.isfinite(value).all() and (value >= 0).all()):
        raise InputError(
            "the values of a thread are damaged",
            where=f"byte {profile}",
            expected="numbers of 0 or more, in the order of their contexts",
            hint="Are meta.db and profile.db of one database, and whole?",
        )
    context = indices["context"].astype(np.int64)
    at = np.minimum(np.searchsorted(functions[:, 0], context), len(functions) - 1)
    path = np.where(functions[at, 0] == context, functions[at, 1], -1)
    path = np.repeat(path, lengths)
    return path, values["metric"].astype(np.int64), value


def _array(file: Structures, place: int, count: int, form: list[tuple[str, str]]) -> Any:
    kind = np.dtype(form)
    if place < 0 or place + count * kind.itemsize > len(file.data):
        raise file.outside(place)
    # A copy: the file is closed before the last array is forgotten.
    return np.frombuffer(file.data, kind, count, place).copy()
