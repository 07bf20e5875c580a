"""Memory over time of valgrind's massif (massif.out.PID).

Source: the valgrind manual, "Massif: a heap profiler", and ms_print. What lands in pmu_samples:

- per snapshot (`sample`), in bytes: mem_heap (what the program asked for), mem_heap_extra (what the
  allocator adds) and mem_stacks (with --stacks=yes). Where massif counted milliseconds, `t_end` is
  the snapshot's time; else the event `instructions` (the default), or `allocated_and_freed` in
  bytes, counts what passed since the snapshot before.
- of the peak: the bytes that each call path had allocated, as event `peak bytes` (as DHAT's), with
  the path of functions down to the allocation as region. Where massif cut a path short, as its
  parts were below its threshold, the bytes are those of the shorter path; where nothing is left of
  it, they are those of `(below threshold)`.

The peak of heap and extra together is the metric peak_heap of the run. Trees of other snapshots are
left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ingest.base import Item, LeftOut, Run, SingleFile
from ingest.parsing.app_names import program_name
from ingest.parsing.call_paths import valgrind_function
from ingest.parsing.counter_table import Sample, batches
from ingest.parsing.lines import numbered_lines, unexpected
from ingest.parsing.metric_values import Value, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_SNAPSHOT = re.compile(r"snapshot=(\d{1,9})")
_VALUE = re.compile(r"(time|mem_heap_B|mem_heap_extra_B|mem_stacks_B)=(\d{1,12})")
_TREE = re.compile(r"heap_tree=(empty|detailed|peak)")
_NODE = re.compile(r"( *)n(\d{1,6}): (\d{1,18}) (.+)")
_EVENTS = {
    "mem_heap_B": "mem_heap",
    "mem_heap_extra_B": "mem_heap_extra",
    "mem_stacks_B": "mem_stacks",
}
_ELSEWHERE = ("(below threshold)",)
_TIMES = {"i": ("instructions", "instructions"), "B": ("allocated_and_freed", "bytes")}


@dataclass(slots=True)
class _Node:
    """An allocation of a tree: how many callers follow, and the bytes that are not theirs yet."""

    callers: int
    rest: int
    path: tuple[str, ...]


@dataclass(slots=True)
class _Tree:
    """The tree of a snapshot: bytes by call path, callers first."""

    bytes_of: dict[tuple[str, ...], int] = field(default_factory=dict)
    open: list[_Node] = field(default_factory=list)

    def add(self, depth: int, callers: int, size: int, where: str, line: int) -> None:
        """Take a node; raises `InputError` where it is not below the ones before it."""
        while len(self.open) > depth:
            self._close()
        below = self.open[-1] if self.open else None
        if len(self.open) < depth or (below and (size > below.rest or not below.callers)):
            raise _unexpected(where, line, "a node below its caller, of no more bytes")
        function = valgrind_function(where)
        path = below.path if below else ()
        # The root, and callers below the threshold, are no functions.
        if function is not None:
            path = (function, *path)
        if below:
            below.rest -= size
            below.callers -= 1
        self.open.append(_Node(callers, size, path))

    def finish(self, line: int) -> None:
        """Take the last nodes; raises `InputError` where some are missing."""
        while self.open:
            if self.open[-1].callers:
                raise _unexpected("the end of the tree", line, "all callers of a node")
            self._close()

    def _close(self) -> None:
        node = self.open.pop()
        if node.rest:
            path = node.path or _ELSEWHERE
            self.bytes_of[path] = self.bytes_of.get(path, 0) + node.rest


class Massif(SingleFile):
    """Reads massif's snapshots."""

    NAME = "massif"
    DESCRIPTION = "valgrind massif: heap and stacks over time, call paths of the peak"
    PATTERNS = ("massif.out.*",)
    TABLES = ("metrics", "pmu_samples")
    START = re.compile(rb"(?:desc: [^\n]*\n)?cmd: [^\n]*\ntime_unit: ")

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, its snapshots, and the call paths of the peak; see `Reader.read`."""

        lines = numbered_lines(recording, must_end=True)
        facts = {}
        number, line = next(lines, (1, "the end of the file"))
        while ": " in line:
            name, _, text = line.partition(": ")
            facts[name] = text
            number, line = next(lines, (number, "the end of the file"))
        if facts.get("time_unit") not in ("ms", *_TIMES) or not line.startswith("#-"):
            raise _unexpected(line, number, "desc, cmd and time_unit i, ms or B, then snapshots")
        command = facts.get("cmd", "")
        # What functions cost in bytes is no history of what they cost in instructions.
        tags = {"profiler": self.NAME, **({"command": command} if command else {})}
        yield Run(app=program_name(command), tags=tags)
        snapshots = _Snapshots(facts["time_unit"])
        yield from batches(snapshots.samples(lines))
        yield rows([Value("peak_heap", float(snapshots.peak), "bytes", "lower")])
        yield LeftOut(snapshots.other_trees, "tree", "call paths are those of the peak")


class _Snapshots:
    """Reads snapshot after snapshot; `peak` is the most of heap and extra in one, bytes."""

    def __init__(self, time_unit: str) -> None:
        self.peak = 0
        self.other_trees = 0
        self._time_unit = time_unit
        self._time = 0

    def samples(self, lines: Iterator[tuple[int, str]]) -> Iterator[Sample]:
        """Yield the rows of all snapshots; raises `InputError` where one is not whole."""
        snapshot: int | None = None
        values: dict[str, int] = {}
        tree: _Tree | None = None
        kind = "empty"
        number = 0
        for number, line in lines:
            if node := _NODE.fullmatch(line):
                if tree is None:
                    raise _unexpected(line, number, "heap_tree= before a tree")
                indent, callers, size, where = node.groups()
                tree.add(len(indent), int(callers), int(size), where, number)
            elif found := _VALUE.fullmatch(line):
                values[found[1]] = int(found[2])
            elif found := _TREE.fullmatch(line):
                kind, tree = found[1], _Tree()
            elif found := _SNAPSHOT.fullmatch(line):
                if snapshot is not None:
                    yield from self._rows(snapshot, values, kind, tree, number)
                snapshot, values, tree = int(found[1]), {}, None
            elif not line.startswith("#-"):
                raise _unexpected(line, number, "snapshot=, time=, mem_..., heap_tree= or a node")
        if snapshot is None:
            raise _unexpected("the end of the file", number, "snapshot=0")
        yield from self._rows(snapshot, values, kind, tree, number)

    def _rows(
        self, snapshot: int, values: dict[str, int], kind: str, tree: _Tree | None, number: int
    ) -> Iterator[Sample]:
        if tree is None or values.keys() != {"time", *_EVENTS}:
            raise _unexpected("the end of a snapshot", number, "time, memory and heap_tree of it")
        tree.finish(number)
        self.peak = max(self.peak, values["mem_heap_B"] + values["mem_heap_extra_B"])
        at: Sample = {"sample": snapshot}
        time = values["time"]
        if time < self._time:
            raise _unexpected(f"time={time}", number, f"a time from {self._time} on")
        if self._time_unit == "ms":
            at["t_end"] = time * 1_000_000
        else:
            event, unit = _TIMES[self._time_unit]
            yield {**at, "event": event, "value": float(time - self._time), "unit": unit}
        self._time = time
        for name, event in _EVENTS.items():
            yield {**at, "event": event, "value": float(values[name]), "unit": "bytes"}
        if kind == "detailed":
            self.other_trees += 1
        if kind == "peak":
            for path, size in tree.bytes_of.items():
                region = "->".join(path)
                yield {
                    **at,
                    "region": region,
                    "event": "peak bytes",
                    "value": float(size),
                    "unit": "bytes",
                }


def _unexpected(line: str, number: int, expected: str) -> InputError:
    return unexpected(
        line, number, expected, "Is the file cut off or damaged? Let the program end under massif."
    )
