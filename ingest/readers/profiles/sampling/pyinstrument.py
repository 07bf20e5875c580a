"""pyinstrument's JSON (-r json), a tree of functions with elapsed time, and its sessions.

Source: pyinstrument's renderers/jsonrenderer.py, session.py and frame.py; files of pyinstrument 5.
Times of the tree are with callees; what remains of a function without them is its own, and [self]
is the function itself. A session (-r pyisession) has stacks with times; functions of pyinstrument
at their root are left out, as it does. Functions are named with their class, where the file has it,
and file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import dropwhile
from typing import Any

from ingest.base import Item, Run, implausible
from ingest.parsing.json_values import checked, field
from ingest.readers.profiles.sampling.stacks import (
    NO_THREAD,
    Measure,
    Stacks,
    check_weight,
    located,
)
from warehouse.errors import InputError

_PRINTED = 1e-6  # six digits after the point
_SELF = "[self]"
# The thread, pyinstrument's own main program, and what it runs a program by.
_OWN = re.compile(
    r"\0(?:<thread>|[^\0]*/pyinstrument(?:/__main__\.py)?|<string>|[^\0]*\brunpy\b[^\0]*)\0"
)


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and its rows; `wall_seconds` is what was recorded."""
    yield _run(document)
    if "frame_records" in document:
        yield from _session(document)
        return
    root = field(document, "root_frame", dict, "the file")
    stacks, time = Stacks(), Measure("time", per_second=1.0)
    pending: list[tuple[Any, tuple[str, ...]]] = [(root, ())]
    while pending:
        frame, above = pending.pop()
        where = "->".join(above) or "root_frame"
        name = field(frame, "function", str, where)
        path = above if name == _SELF else (*above, _name(frame, name))
        children = frame.get("children") or []
        took = check_weight(field(frame, "time", float, where), where)
        inner = [
            field(child, "time", float, where)
            for child in (checked(children, list, "children", where) if children else ())
        ]
        own = took - sum(inner)
        if own < -_PRINTED * (len(inner) + 1):
            raise InputError(
                f"the functions called take {sum(inner):g} s, of {took:g} s",
                where="->".join(path),
                expected="no more than the function with its callees",
            )
        if own > 0 and path:
            time.sums[NO_THREAD, stacks.path(path)] += own
        pending += [(child, path) for child in children]
    yield from stacks.items([time])


def _session(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the rows of a session: [[function, ...], seconds] for each sample."""
    stacks, time = Stacks(), Measure("time", per_second=1.0)
    counts = Measure("samples", "samples")
    prefixes = [one for one in document.get("sys_path") or () if isinstance(one, str) and one]
    known: dict[str, str] = {}
    for number, record in enumerate(field(document, "frame_records", list, "the file")):
        where = f"sample {number}"
        match record:
            case [list() as stack, float() as seconds] if all(isinstance(f, str) for f in stack):
                pass
            case _:
                raise InputError("this is no sample", where=where, expected="[[function], seconds]")
        program = list(dropwhile(_OWN.search, stack)) or stack
        for function in program:
            if function not in known:
                known[function] = _identified(function, prefixes)
        path = stacks.path([known[function] for function in program])
        time.sums[NO_THREAD, path] += check_weight(seconds, where)
        counts.sums[NO_THREAD, path] += 1
    yield from stacks.items([time, counts])


def _identified(identifier: str, prefixes: Sequence[str]) -> str:
    """Return the name of a function: name, file and line between NULs, then attributes."""
    name, file, rest = ([*identifier.split("\0", 2), "", ""])[:3]
    owner = next((one[1:] for one in rest.split("\x01")[1:] if one[:1] == "c"), "")
    shorter = [file.removeprefix(prefix).lstrip("/") for prefix in prefixes if file != prefix]
    return located(f"{owner}.{name}" if owner else name, min([file, *shorter], key=len))


def _run(document: Mapping[str, Any]) -> Run:
    described = document.get("target_description") or document.get("program")
    kind, _, program = described.partition(": ") if isinstance(described, str) else ("", "", "")
    words = (program if kind == "Program" else "").split()
    duration, started = document.get("duration"), document.get("start_time")
    facts: dict[str, Any] = {}
    if isinstance(duration, float):
        facts["wall_seconds"] = duration
    if isinstance(started, float) and 0 < started < 1e10:
        facts["started_at"] = datetime.fromtimestamp(started, UTC)
    kept = {name: value for name, value in facts.items() if not implausible({name: value})}
    return Run(
        app=words[0].rsplit("/", 1)[-1] if words else None,
        tags={"recorder": "pyinstrument"} | ({"command": program} if words else {}),
        **kept,
    )


def _name(frame: Mapping[str, Any], name: str) -> str:
    owner = frame.get("class_name")
    file = frame.get("file_path_short") or frame.get("file_path")
    full = f"{owner}.{name}" if isinstance(owner, str) and owner else name
    return located(full, file if isinstance(file, str) else None)
