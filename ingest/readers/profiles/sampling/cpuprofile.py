"""V8's .cpuprofile, of Node.js (--cpu-prof), Chrome and Deno.

Source: the Chrome DevTools Protocol, Profiler.Profile; files of Node.js 20. A sample lasts until
the next one, the last until the end. What is (idle) is left out: the program waited. (program) is
what runs outside of functions. Functions are named with their file, and anonymous ones with their
line.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from ingest.base import Item, LeftOut, Run, implausible
from ingest.parsing.json_values import checked, field
from ingest.readers.profiles.sampling.stacks import (
    NO_THREAD,
    Measure,
    Stacks,
    check_weight,
    located,
)
from warehouse.errors import InputError

_MICROSECONDS = 1e6
_ROOT, _IDLE = "(root)", "(idle)"


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and its rows; `wall_seconds` is what was recorded."""
    start, end = (field(document, name, float, "the file") for name in ("startTime", "endTime"))
    wall = (end - start) / _MICROSECONDS
    stated = not implausible({"wall_seconds": wall})
    yield Run(wall_seconds=wall if stated else None, tags={"recorder": "V8"})
    tree = _Tree(field(document, "nodes", list, "the file"))
    time, counts = Measure("time", per_second=_MICROSECONDS), Measure("samples", "samples")
    idle = waited = 0.0
    for node, count, lasted in _weights(document, tree, start, end):
        path = tree.path(node)
        if path is None:
            idle, waited = idle + count, waited + lasted
            continue
        counts.sums[NO_THREAD, path] += count
        if lasted:
            time.sums[NO_THREAD, path] += lasted
    yield from tree.stacks.items([time, counts])
    reason = f"{_IDLE}: nothing ran for {waited / _MICROSECONDS:.3g} s of them"
    yield LeftOut(int(idle), "sample", reason)


def _weights(
    document: Mapping[str, Any], tree: _Tree, start: float, end: float
) -> Iterator[tuple[float, float, float]]:
    """Yield nodes with samples and microseconds."""
    samples, deltas = document.get("samples"), document.get("timeDeltas")
    if not samples:
        # Without samples one by one there are their numbers, at an even pace.
        hits = tree.hits()
        total = sum(hits.values())
        for node, count in hits.items():
            yield node, count, count * max(end - start, 0.0) / total
        return
    if not isinstance(samples, list) or not isinstance(deltas, list) or len(samples) != len(deltas):
        raise InputError(
            "samples and timeDeltas do not belong together",
            where="timeDeltas",
            expected="a list with an entry for each sample",
        )
    for number, (node, delta) in enumerate(zip(samples, deltas, strict=True)):
        checked(node, float, "the node", f"sample {number}")
        checked(delta, float, "the time delta", f"sample {number}")
    # The recorder's clock can step back a little.
    at = sorted(zip(accumulate(deltas, initial=start), (None, *samples), strict=True), key=_time)
    at = [one for one in at if one[1] is not None]
    for number, (begin, node) in enumerate(at):
        until = at[number + 1][0] if number + 1 < len(at) else max(end, begin)
        yield node, 1.0, check_weight(until - begin, f"sample {number}")


def _time(sample: tuple[float, Any]) -> float:
    return sample[0]


class _Tree:
    """The nodes of the profile, and the call paths that they stand for."""

    def __init__(self, nodes: list[Any]) -> None:
        self.stacks = Stacks()
        self._names: dict[float, str] = {}
        self._above: dict[float, float] = {}
        self._hits: dict[float, float] = {}
        self._paths: dict[float, int | None] = {}
        for place, node in enumerate(nodes):
            where = f"node {place}"
            number = field(node, "id", float, where)
            if number in self._names:
                raise InputError(f"{number:g} is a duplicate", where=where, expected="a new id")
            self._names[number] = _name(field(node, "callFrame", dict, where), where)
            for child in node.get("children") or ():
                self._above[checked(child, float, "a child", where)] = number
            if isinstance(node.get("parent"), float):
                self._above[number] = node["parent"]
            if isinstance(hits := node.get("hitCount"), float) and hits > 0:
                self._hits[number] = check_weight(hits, where)

    def hits(self) -> Mapping[float, float]:
        """Return how often nodes were sampled."""
        return self._hits

    def path(self, node: float) -> int | None:
        """Return the path of a node, None where nothing ran."""
        if node not in self._paths:
            names: list[str] = []
            at: float | None = node
            while at is not None:
                if at not in self._names or len(names) > len(self._names):
                    raise InputError(
                        f"the node {at:g} is missing, or above itself",
                        where=f"node {node:g}",
                        expected="nodes below the root",
                    )
                names.append(self._names[at])
                at = self._above.get(at)
            shown = [name for name in reversed(names) if name != _ROOT] or [_ROOT]
            self._paths[node] = None if shown == [_IDLE] else self.stacks.path(shown)
        return self._paths[node]


def _name(frame: Mapping[str, Any], where: str) -> str:
    name, url = field(frame, "functionName", str, where), frame.get("url")
    line = frame.get("lineNumber")
    file = url if isinstance(url, str) else None
    if not name and file and isinstance(line, float):
        file = f"{file}:{line + 1:.0f}"
    return located(name, file)
