"""Heap profiles of valgrind's DHAT (dhat.out.PID) and of Rust's crate dhat (dhat-heap.json).

Source: the format's description in valgrind's dhat/dh_main.c (version 2), and what valgrind 3.19
writes. What lands in pmu_samples, by the call path of the allocation as region (the allocator's own
functions are left out):

- `allocated bytes` and `allocated blocks`, over the whole run; in other modes what the profile
  names so (copied bytes, events).
- of the heap: `peak bytes` and `peak blocks` when it was largest, `end bytes` and `end blocks` that
  were never freed; where accesses were counted `read bytes` and `written bytes`.

The largest heap is also the metric peak_heap of the run, as massif's. How long blocks lived, and
how often each byte of small ones was accessed, is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.base import Item, LeftOut, Run, SingleFile
from ingest.parsing.app_names import program_name
from ingest.parsing.call_paths import ARROW, frame_name, valgrind_function
from ingest.parsing.counter_table import batches
from ingest.parsing.json_values import checked, field, numbers, read_json, text_of
from ingest.parsing.metric_values import Value, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_ALLOCATOR = re.compile(r".*\(in \S*vgpreload_\S*\)|\[root\]")
_OF_HEAP = {"gb": "peak bytes", "gbk": "peak blocks", "eb": "end bytes", "ebk": "end blocks"}
_ACCESSES = {"rb": "read bytes", "wb": "written bytes"}
_LIMIT = 512 << 20


class Dhat(SingleFile):
    """Reads what each call path allocated."""

    NAME = "dhat"
    DESCRIPTION = "heap by call path: valgrind's DHAT and Rust's crate dhat (JSON)"
    PATTERNS = ("dhat.out.*", "dhat-heap.json")
    TABLES = ("pmu_samples", "metrics")
    START = re.compile(rb'\s*\{\s*"dhatFileVersion"\s*:')

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the run, what its call paths allocated, and its largest heap."""

        document = read_json(recording, limit=_LIMIT)
        version = field(document, "dhatFileVersion", float, "the file")
        if version != 2:
            raise InputError(f"the version of the format is {version:g}", expected="2")
        command = text_of(document.get("cmd"))
        yield Run(
            app=program_name(command) if command else None,
            tags={"recorder": "dhat", "profiler": "dhat"}
            | ({"command": command} if command else {}),
        )
        points = field(document, "pps", list, "the file")
        sums = _sums(document, points)
        yield from batches(
            {"region": path, "event": event, "value": value, "unit": event.rpartition(" ")[2]}
            for path, values in sums.items()
            for event, value in values.items()
        )
        if any("peak bytes" in values for values in sums.values()):
            peak = sum(values.get("peak bytes", 0) for values in sums.values())
            yield rows([Value("peak_heap", peak, "bytes", "lower")])
        lived = sum("tl" in point for point in points)
        yield LeftOut(lived, "lifetime of blocks", "it is no cost", "lifetimes of blocks")


def _sums(document: Mapping[str, Any], points: list[Any]) -> dict[str, dict[str, float]]:
    """Return the values of all program points by call path, from the caller down, and event."""
    frames = [
        checked(frame, str, "a frame", "ftbl") for frame in field(document, "ftbl", list, "ftbl")
    ]
    verb = (text_of(document.get("verb")) or "allocated").lower()
    events = {
        "tb": f"{verb} {text_of(document.get('bsu')) or 'bytes'}",
        "tbk": f"{verb} {text_of(document.get('bksu')) or 'blocks'}",
        **_OF_HEAP,
        **_ACCESSES,
    }
    sums: dict[str, dict[str, float]] = {}
    for number, point in enumerate(points):
        where = f"pps {number}"
        field(point, "tb", float, where)
        stack = numbers(field(point, "fs", list, where), "'fs'", where)
        if not all(of.is_integer() and 0 <= of < len(frames) for of in stack):
            problem = f"'fs' is {stack}"
            raise InputError(problem, where=where, expected=f"frames 0 to {len(frames) - 1}")
        named = [frames[int(of)] for of in reversed(stack)]
        path = ARROW.join(_name(frame) for frame in named if not _ALLOCATOR.fullmatch(frame))
        of_path = sums.setdefault(path or _name(named[-1]), {})
        for key, event in events.items():
            if key in point:
                value = checked(point[key], float, repr(key), where)
                of_path[event] = of_path.get(event, 0.0) + value
    return sums


def _name(frame: str) -> str:
    return valgrind_function(frame) or frame_name(frame)
