"""Timeline of a run's workers: tracks of slices that nest nowhere, and arrows between them.

A worker that ran several tasks at once, such as a process with threads of its own, has as many
lanes as it needs. Times are ns after clock correction, from the first moment on. The landing tables
are carried along, from which pwh reads a trace back: what it shows does not have everything.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass, field
from itertools import groupby

from apps.output.text import printable
from apps.queries.base import ask
from apps.queries.runs import row_counts, run_facts
from ingest.base import Run
from ingest.parsing.carried_tables import written
from warehouse.catalog import landing
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection

TASK, RUNTIME, IDLE = "task", "runtime", "idle"


@dataclass(slots=True)
class Slice:
    """One stretch of a track: its name, ns, and the attribution of an idle interval, ns.

    `sends` and `receives` are the numbers of the arrows that begin and end at it.
    """

    name: str
    start: int
    end: int
    causes: dict[str, int] = field(default_factory=dict)
    sends: list[int] = field(default_factory=list)
    receives: list[int] = field(default_factory=list)


@dataclass(slots=True)
class Track:
    """Slices one after the other: of a worker's tasks, runtime work or idle time (`kind`)."""

    node: str
    worker: str
    kind: str
    lane: int
    slices: list[Slice] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The name as it is shown: the worker, and what tells its tracks apart."""
        what = self.worker if self.kind == TASK else f"{self.worker} {self.kind}"
        return f"{what} ({self.lane + 1})" if self.lane else what


@dataclass(slots=True)
class Counter:
    """A counter: its points, ns and value; the value counts until the next point."""

    name: str
    unit: str | None
    points: list[tuple[int, float]] = field(default_factory=list)


@dataclass(slots=True)
class Timeline:
    """All of a run: tracks by node, worker and kind; `arrows` are slices that depend."""

    tracks: list[Track]
    counters: list[Counter]
    arrows: list[tuple[Slice, Slice]]
    carried: list[bytes]


def timeline(con: Connection, run_id: str) -> Timeline:
    """Return the timeline of a run; raises `NothingToAnalyse` where nothing has a time."""
    tracks: list[Track] = []
    tasks: dict[str, Slice] = {}
    rows = ask(con, "export/slices", run_id=run_id).fetchall()
    for (node, worker, kind), found in groupby(rows, key=lambda row: (row[0], row[2], row[1])):
        lanes = _Lanes(_node(node), _shown(worker), kind)
        for _, _, _, name, task, start, end, *causes in found:
            named = zip(("starvation", "latency", "overhead"), causes, strict=True)
            one = Slice(_shown(name), start, end, {k: v for k, v in named if v is not None})
            lanes.add(one)
            if task is not None:
                tasks[task] = one
        tracks += lanes.tracks
    counters = _counters(con, run_id)
    if not tracks and not counters:
        counts = row_counts(con, run_id)
        profiled = "fn_timings" in counts or "pmu_samples" in counts
        raise NothingToAnalyse(
            f"the run {run_id} has no timeline: no tasks, and no counters that were read over time",
            hint=f"It has {', '.join(counts) or 'no rows'}."
            + (" Its functions open as a profile: --to speedscope." if profiled else ""),
        )
    whole = Timeline(tracks, counters, _arrows(con, run_id, tasks), _carried(con, run_id))
    _shift(whole)
    return whole


class _Lanes:
    """The tracks of one kind of a worker, slices in the order of their starts."""

    def __init__(self, node: str, worker: str, kind: str) -> None:
        self.tracks: list[Track] = []
        self._of = node, worker, kind
        self._free: list[tuple[int, int]] = []

    def add(self, one: Slice) -> None:
        """Put a slice on the lane that has been free for longest, else on a new one."""
        if self._free and self._free[0][0] <= one.start:
            _, lane = heapq.heappop(self._free)
        else:
            lane = len(self.tracks)
            self.tracks.append(Track(*self._of, lane))
        self.tracks[lane].slices.append(one)
        heapq.heappush(self._free, (one.end, lane))


def _counters(con: Connection, run_id: str) -> list[Counter]:
    counters = []
    rows = ask(con, "export/counters", run_id=run_id).fetchall()
    for (series, unit), found in groupby(rows, key=lambda row: (row[0], row[1])):
        points = [(start, end, value) for _, _, start, end, value in found]
        counter = Counter(_shown(series), unit, [(start, value) for start, _, value in points])
        last, until, _ = points[-1]
        if until is not None and until > last:
            counter.points.append((until, 0.0))
        counters.append(counter)
    return counters


def _arrows(con: Connection, run_id: str, tasks: dict[str, Slice]) -> list[tuple[Slice, Slice]]:
    """Return the dependences between tasks, without those that the clocks put backwards."""
    arrows: list[tuple[Slice, Slice]] = []
    for producer, reader in ask(con, "export/dependences", run_id=run_id).fetchall():
        source, target = tasks.get(producer), tasks.get(reader)
        if source is None or target is None or target.start < source.start:
            continue
        source.sends.append(len(arrows))
        target.receives.append(len(arrows))
        arrows.append((source, target))
    return arrows


def _carried(con: Connection, run_id: str) -> list[bytes]:
    """Return the landing tables of a run, each as it is carried along."""
    facts = run_facts(con, run_id)
    facts.pop("url", None)
    run, columns = Run(**facts), landing()
    found = []
    for table in row_counts(con, run_id):
        # Names of tables and columns are those of the migrations.
        names = ", ".join(f'"{column.name}"' for column in columns[table])
        sql = f"SELECT {names} FROM {table} WHERE run_id = $run_id"
        found.append(written(table, con.execute(sql, {"run_id": run_id}).to_arrow_table(), run))
    return found


def _shift(whole: Timeline) -> None:
    """Move all times so that the first is 0."""
    first = min(
        [track.slices[0].start for track in whole.tracks]
        + [counter.points[0][0] for counter in whole.counters]
    )
    for track in whole.tracks:
        for one in track.slices:
            one.start -= first
            one.end -= first
    for counter in whole.counters:
        counter.points = [(time - first, value) for time, value in counter.points]


def _node(name: str | None) -> str:
    if name is None:
        return "workers"
    return f"node {name}" if name.isdigit() else _shown(name)


def _shown(name: str) -> str:
    return printable(name).replace("\n", " ").strip() or "(no name)"
