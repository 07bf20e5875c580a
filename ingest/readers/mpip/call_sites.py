"""The call sites of an mpiP report: from which function, file and line MPI was called."""

from __future__ import annotations

import re

from ingest.parsing.call_paths import ARROW, UNKNOWN, frame_name
from ingest.parsing.lines import quoted
from ingest.readers.mpip.sections import Section
from warehouse.errors import InputError

# ID, level, file and line or an address, function, and on level 0 the MPI call.
_FRAME = re.compile(
    r"(?P<site>\d{1,9}) (?P<level>\d{1,9}) "
    r"(?:(?P<address>0x[0-9a-fA-F]+)|(?P<file>\S.*?) (?P<line>\d+)) (?P<rest>\S.*)"
)
_CALL = re.compile(r"(?P<function>\S.*) (?P<call>[A-Z]\w*)")


def call_paths(section: Section) -> dict[int, str]:
    """Return the path of functions, outermost first, that each call site was reached by.

    A function comes with its place, `halo (mini.c:9)`; where mpiP does not know the function,
    its address is its name.
    """
    frames: dict[int, list[str]] = {}
    for at, line in enumerate(section.lines.text.to_pylist()[1:], section.lines.first + 1):
        words = " ".join(line.split())
        if not words:
            continue
        found = _FRAME.fullmatch(words)
        level = int(found["level"]) if found else 0
        called = _CALL.fullmatch(found["rest"]) if found and level == 0 else None
        if found is None or (level == 0) != (called is not None):
            raise _error(line, at, "ID, level, file, line, function and MPI call")
        site = int(found["site"])
        function = called["function"] if called else found["rest"]
        if level != len(frames.setdefault(site, [])):
            raise _error(line, at, f"level {len(frames[site])} of call site {site}")
        frames[site].append(_frame(found, function))
    if section.counted() not in (None, len(frames)):
        raise InputError(
            f"{len(frames)} call sites are listed",
            where=f"line {section.lines.first}",
            expected=f"{section.counted()}, as in the title",
        )
    return {site: ARROW.join(reversed(path)) for site, path in frames.items()}


def _frame(found: re.Match[str], function: str) -> str:
    if found["address"]:
        return found["address"] if function == UNKNOWN else frame_name(function)
    return frame_name(f"{function} ({found['file']}:{found['line']})")


def _error(line: str, at: int, expected: str) -> InputError:
    return InputError(f"{quoted(line)} was found", where=f"line {at}", expected=expected)
