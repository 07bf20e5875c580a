"""Traces in OTF2 (Score-P, TAU, APEX and others): regions that threads enter and leave.

Format and library: Open Trace Format 2, https://www.vi-hps.org/projects/score-p (package `otf2`).
The anchor file (traces.otf2) names the trace; its definitions (traces.def) and a file of events for
each location, in a folder next to it, belong to it. What lands in fn_timings, of each location:

- A row per call path of nested regions: own time, time with callees, visits as `calls`.
- `rank` is that in the name of the location's process ("MPI Rank 3"), else the process's place,
  where there are several; `thread` numbers the locations of a process, where one has several.
- `kind` is the paradigm of a region that is not the user's: mpi, openmp, cuda ...

All other events (of messages, metrics ...) are counted as left out, as are regions that are never
left: the recording was stopped within them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from ingest.base import Head, Item, LeftOut, Rows, Run
from ingest.parsing.app_names import folder_app
from ingest.parsing.call_paths import CallPaths, frame_name
from ingest.recording import Recording
from warehouse.errors import InputError

_MAGIC, _PART = b"\x03BOTF2", b"\x03B"
_OWN_PARADIGMS = ("unknown", "user", "compiler")
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")
_BOUNDS = ("ProgramBegin", "ProgramEnd", "BufferFlush", "MeasurementOnOff")
_RANK = re.compile(r"\D*(\d{1,9})")
_LAST = 1 << 62


class Otf2:
    """Reads traces in OTF2, all processes and threads of a run."""

    NAME = "otf2"
    DESCRIPTION = "OTF2 trace (Score-P, TAU): times and visits by call path, rank and thread"
    PATTERNS = ("traces.otf2", "*.otf2")
    TABLES = ("fn_timings",)
    WHOLE_FOLDER = False

    def sniff(self, head: Head) -> bool:
        """Recognise the anchor file, and what belongs to one that is next to it."""
        return head.data.startswith(_MAGIC) or (
            head.data.startswith(_PART) and _anchor(head.path).is_file()
        )

    def parts(self, path: Path) -> tuple[Path, ...]:
        """Return the anchor file, the definitions and the events of every location."""
        anchor = _anchor(path)
        folder = anchor.with_suffix("")
        others = sorted(folder.iterdir()) if folder.is_dir() else []
        return (anchor, *(one for one in (anchor.with_suffix(".def"), *others) if one.is_file()))

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield one run and its rows; see `Reader.read`."""
        try:
            import otf2
            from _otf2 import Error
        except ImportError:
            raise InputError(
                "reading OTF2 needs the package otf2, which is not installed",
                hint="pip install 'pwh[otf2]' (which may compile it); or let Score-P write a "
                "profile, too: SCOREP_ENABLE_PROFILING=true",
            ) from None
        try:
            with otf2.reader.open(str(recording.path)) as trace:
                yield from _items(trace, recording.path)
        except (Error, otf2.error.TraceReaderError) as error:
            raise InputError(
                f"the library otf2 cannot read the trace ({error})",
                expected="an anchor file with its .def file and its folder of events",
                hint="Are all of them next to each other, and whole? otf2-print ANCHOR checks.",
            ) from None


def _anchor(path: Path) -> Path:
    """Return the anchor file of a part: traces.otf2 of traces.def and of traces/0.evt."""
    beside = path.with_suffix(".otf2")
    return beside if beside.is_file() else path.parent.with_suffix(".otf2")


def _items(trace: Any, path: Path) -> Iterator[Item]:
    paths = CallPaths()
    threads: Counter[int] = Counter()
    ranks = _ranks(trace.definitions.locations)
    places: dict[Any, _Place] = {}
    for location in trace.definitions.locations:
        rank = ranks[_process(location.group)]
        places[location] = _Place(paths, rank, threads[rank])
        threads[rank] += 1
    program: str | None = None
    for location, event in trace.events:
        places[location].take(event)
        if program is None and type(event).__name__ == "ProgramBegin":
            program = event.program_name
    yield _run(trace.definitions, path, program, len(ranks))
    if not any(place.sums for place in places.values()):
        raise InputError(
            "no location has a region that was entered and left",
            expected="events Enter and Leave; call paths of samples are not read",
        )
    resolution = trace.definitions.clock_properties.timer_resolution
    yield _rows(list(places.values()), paths, resolution, len(ranks), max(threads.values()))
    others: Counter[str] = Counter()
    for place in places.values():
        others.update(place.others)
    for kind, count in sorted(others.items()):
        yield LeftOut(count, f"{kind} event", "only times of regions are read")
    unfinished = sum(len(place.stack) for place in places.values())
    yield LeftOut(unfinished, "region", "entered and never left")


def _run(definitions: Any, path: Path, program: str | None, ranks: int) -> Run:
    clock = definitions.clock_properties
    began = getattr(clock, "realtime_timestamp", None)
    machines = {node.name for node in definitions.system_tree_nodes if node.class_name == "machine"}
    return Run(
        app=PurePosixPath(program).name if program else folder_app(path.parent),
        machine=machines.pop() if len(machines) == 1 else None,
        started_at=datetime.fromtimestamp(began / 1e9, UTC) if began and began < _LAST else None,
        ranks=ranks,
        wall_seconds=clock.trace_length / clock.timer_resolution or None,
    )


def _process(group: Any) -> Any:
    """Return the process that a group of locations is, or that made it, as those of GPUs are."""
    return getattr(group, "creating_location_group", None) or group


def _ranks(locations: Iterable[Any]) -> dict[Any, int]:
    """Return the rank of each process: the number that its name ends with, else its place."""
    processes = list({_process(location.group): None for location in locations})
    numbers = [_RANK.fullmatch(process.name or "") for process in processes]
    named = [int(found[1]) for found in numbers if found is not None]
    if len(set(named)) == len(processes) == len(named):
        return dict(zip(processes, named, strict=True))
    return {process: number for number, process in enumerate(processes)}


class _Place:
    """The regions of one location: what was entered, and the sums of what was left, in ticks.

    `sums` are own time, time with callees, visits and the kind, by the number of the call path.
    """

    def __init__(self, paths: CallPaths, rank: int, thread: int) -> None:
        self.rank, self.thread = rank, thread
        self._paths = paths
        # Number of the path, region, time of entry, time of callees.
        self.stack: list[list[Any]] = []
        self.sums: dict[int, list[Any]] = {}
        self.others: Counter[str] = Counter()

    def take(self, event: Any) -> None:
        """Take an event; raises `InputError` where a region is left that was not entered last."""
        kind = type(event).__name__
        if kind == "Enter":
            above = self.stack[-1][0] if self.stack else -1
            code = self._paths.below(above, frame_name(event.region.name or ""))
            self.stack.append([code, event.region, event.time, 0])
        elif kind == "Leave":
            self._leave(event)
        elif kind not in _BOUNDS:
            self.others[_WORD.split(kind)[0]] += 1

    def _leave(self, event: Any) -> None:
        if not self.stack or self.stack[-1][1] is not event.region:
            raise InputError(
                f"{event.region.name!r} is left at tick {event.time}, but was not entered last",
                expected="regions that are nested",
            )
        code, region, began, callees = self.stack.pop()
        took = event.time - began
        paradigm = str(region.paradigm).rpartition(".")[2].lower()
        sums = self.sums.setdefault(
            code, [0, 0, 0, None if paradigm in _OWN_PARADIGMS else paradigm]
        )
        sums[0] += took - callees
        sums[1] += took
        sums[2] += 1
        if self.stack:
            self.stack[-1][3] += took


def _rows(
    places: Sequence[_Place], paths: CallPaths, resolution: int, ranks: int, threads: int
) -> Rows:
    found = [
        (place.rank, place.thread, code, *place.sums[code])
        for place in places
        for code in sorted(place.sums)
    ]
    rank, thread, code, own, inclusive, calls, kind = zip(*found, strict=True)
    joined = paths.joined()
    return Rows.of_columns(
        "fn_timings",
        function=[paths.names[number] for number in code],
        callpath=[joined[number] for number in code],
        kind=kind,
        parallelism=ranks,
        rank=rank if ranks > 1 else None,
        thread=thread if threads > 1 else None,
        seconds=np.array(own) / resolution,
        inclusive_seconds=np.array(inclusive) / resolution,
        calls=calls,
    )
