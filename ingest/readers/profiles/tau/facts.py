"""Facts of a run in a TAU profile: where it was measured, and the metadata TAU wrote."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from ingest.base import Run
from ingest.parsing.app_names import folder_app, program_name

Location = tuple[int, int, int]
Metadata = Mapping[str, str]

_TAGS = {"Command Line": "command", "CPU Type": "cpu", "TAU Version": "tau_version"}
_SHOWN = 20
_LATEST = 7258118400  # 2200-01-01


@dataclass(frozen=True, slots=True)
class Layout:
    """The processes and threads of a run, from TAU's node, context and thread numbers.

    A process is a node; where a node has several contexts, each of them, numbered in order.
    """

    rank_of: Mapping[tuple[int, int], int]
    ranks: int
    threads: int

    @property
    def missing(self) -> list[int]:
        """The ranks below the highest that were not measured."""
        there = set(self.rank_of.values())
        # Not a range: numbers in a file name can be anything.
        return [rank for rank in range(min(self.ranks, len(there) + _SHOWN)) if rank not in there]

    def parallelism(self, metadata: Metadata) -> int:
        """Return what the program is scaled by: processes, or the threads of a lone one.

        A program that uses MPI is scaled by its processes, even where it had one.
        """
        alone = self.ranks == 1 and "MPI Processor Name" not in metadata
        return self.threads if alone else self.ranks


def layout(locations: Iterable[Location]) -> Layout:
    """Number the processes of the locations (node, context, thread)."""
    threads: dict[tuple[int, int], int] = {}
    for node, context, _ in locations:
        threads[node, context] = threads.get((node, context), 0) + 1
    ordered = sorted(threads)
    if any(context for _, context in ordered):
        rank_of = {process: rank for rank, process in enumerate(ordered)}
    else:
        rank_of = {(node, 0): node for node, _ in ordered}
    return Layout(rank_of, max(rank_of.values()) + 1, max(threads.values()))


def run_of(found: Layout, metadata: Metadata, folder: Path) -> Run:
    """Return what is known of the run before its rows: the app, and how it was run."""
    app = PurePosixPath(metadata.get("Executable", "")).name or program_name(
        metadata.get("Command Line", "")
    )
    tags = {tag: metadata[name] for name, tag in _TAGS.items() if metadata.get(name)}
    if found.missing:
        tags["ranks_missing"] = ", ".join(map(str, found.missing[:_SHOWN]))
    return Run(app=app or folder_app(folder), ranks=found.ranks, threads=found.threads, tags=tags)


class Collected:
    """Facts from all locations together: hosts, the first start, the longest time."""

    def __init__(self) -> None:
        self._hosts: set[str] = set()
        self._hostless = False
        self._starts: list[datetime] = []
        self._longest: float | None = None

    def add(self, metadata: Metadata) -> None:
        """Take the metadata of one location."""
        host = metadata.get("Hostname") or metadata.get("Node Name")
        if host:
            self._hosts.add(host)
        self._hostless |= not host
        if start := _start(metadata):
            self._starts.append(start)

    def took(self, seconds: float) -> None:
        """Take the time of one location: its longest inclusive time."""
        self._longest = max(seconds, self._longest or 0.0)

    def run(self) -> Run:
        """Return what was collected, for the same run."""
        return Run(
            nodes=len(self._hosts) if self._hosts and not self._hostless else None,
            started_at=min(self._starts, default=None),
            wall_seconds=self._longest,
        )


def _start(metadata: Metadata) -> datetime | None:
    """Read the time at which TAU started, in microseconds of the epoch, or the date next to it."""
    stamp = metadata.get("Starting Timestamp", "")
    if re.fullmatch(r"\d{1,18}", stamp) and 0 < int(stamp) < _LATEST * 10**6:
        return datetime.fromtimestamp(int(stamp) / 1e6, UTC)
    try:
        date = datetime.fromisoformat(metadata.get("UTC Time") or metadata.get("Local Time", ""))
    except ValueError:
        return None
    # Without its zone a date is of no use; before 1970 it is the clock that was wrong.
    return date if date.tzinfo is not None and 1970 < date.year < 2200 else None
