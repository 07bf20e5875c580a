"""pyinstrument's JSON (pyinstrument -r json): a tree of functions with elapsed time.

Source: pyinstrument's renderers/jsonrenderer.py and frame.py; files of pyinstrument 5. Its times
are with callees; what remains of a function without them is its own. [self] is the function itself.
Functions are named with their class, where the file has it, and file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from ingest.base import Item, Run, implausible
from ingest.parsing.json_values import checked, field
from ingest.readers.sampling.stacks import NO_THREAD, Measure, Stacks, check_weight, located
from warehouse.errors import InputError

_PRINTED = 1e-6  # six digits after the point
_SELF = "[self]"


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and its rows; `wall_seconds` is what was recorded."""
    yield _run(document)
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
