"""The headers of a callgrind profile: a file has one for each of its parts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from warehouse.errors import InputError

_FIELD = re.compile(r"([a-z]+): *(.*?)\s*")
_BODY = re.compile(rb"[a-z]+=|[-+*\d]|totals:")
_CACHES = b"desc: I1 cache:"  # cachegrind's first line
_COMPARED = "desc: Files compared:"  # cg_diff's
_REPEATED = ("desc", "event")
_MEAN = re.compile(r"(\S+)\s*(?:=[^:]*)?:\s*\w+/\w+")  # usphit :microseconds/hit, of pprofile
_POSITIONS = ("instr", "bb", "line")


@dataclass(frozen=True, slots=True)
class Header:
    """Profiled program, and the columns of cost lines.

    `thread` is None where threads were not kept apart, `pid`, `part` and `summary` (the costs of
    the whole part) where the file does not state them. `means` are events that the file defines as
    averages, whose costs do not add up. `by_valgrind` is whether callgrind or
    cachegrind wrote the file, which then ends with a line of sums.
    """

    events: tuple[str, ...]
    positions: tuple[str, ...]
    thread: int | None = None
    pid: int | None = None
    part: int | None = None
    command: str | None = None
    creator: str | None = None
    summary: str | None = None
    means: tuple[str, ...] = ()
    by_valgrind: bool = False

    @property
    def by_yappi(self) -> bool:
        """Whether the profiler yappi wrote the file."""
        return self.creator == "yappi"

    @property
    def app(self) -> str | None:
        """The program's file name."""
        words = (self.command or "").split()
        return words[0].rpartition("/")[2] or None if words else None


def read_header(
    text: bytes, part: str, lines: int = 0, before: Header | None = None
) -> tuple[Header, int]:
    """Read the header that a text begins with; return it with its length in bytes.

    `lines` is the number of lines above it, `before` the header of the file's part before: what
    is stated there of program and process holds for all parts.

    Raises `InputError` with the line where it is damaged.
    """
    fields: dict[str, str] = {}
    means: list[str] = []
    size, number = 0, lines
    for number, raw in enumerate(text.split(b"\n"), lines + 1):
        where = f"{part}, line {number}"
        if _BODY.match(raw) or size >= len(text):
            break
        size += len(raw) + 1
        line = raw.decode().rstrip("\r")
        if line.startswith(_COMPARED):
            raise InputError(
                "these are the differences of two profiles",
                where=where,
                expected="the costs of one program",
                hint="Ingest both profiles, and compare them: pwh compare A B",
            )
        found = _FIELD.fullmatch(line)
        if found and found[1] not in _REPEATED:
            if found[1] in fields:
                raise _damaged(f"'{found[1]}:' is a duplicate", where)
            fields[found[1]] = found[2]
        elif found and (mean := _MEAN.fullmatch(found[2])):
            means.append(mean[1])
        elif not found and line.strip() and not line.startswith("#"):
            raise _damaged("the line belongs to no header", where)
    header = _header(
        fields, tuple(means), text.startswith(_CACHES), before, f"{part}, line {number}"
    )
    return header, min(size, len(text))


def _header(
    fields: Mapping[str, str],
    means: tuple[str, ...],
    has_caches: bool,
    before: Header | None,
    where: str,
) -> Header:
    """Return what fields state; raises `InputError` where that is not possible."""
    events = tuple(fields.get("events", "").split())
    positions = tuple(fields.get("positions", "line").split())
    if not events or len(set(events)) != len(events):
        raise _damaged("the header names no events", where)
    if tuple(name for name in _POSITIONS if name in positions) != positions:
        raise _damaged(f"the positions are {' '.join(positions)!r}", where)
    pid = _number(fields, "pid", where)
    creator = fields.get("creator", before.creator if before else None)
    return Header(
        events,
        positions,
        thread=_number(fields, "thread", where),
        pid=before.pid if pid is None and before else pid,
        part=_number(fields, "part", where),
        command=fields.get("cmd", before.command if before else None),
        creator=creator,
        summary=fields.get("summary"),
        means=means,
        by_valgrind=creator.startswith("callgrind-") if creator else has_caches,
    )


def _number(fields: Mapping[str, str], name: str, where: str) -> int | None:
    if name not in fields:
        return None
    if not re.fullmatch(r"\d{1,9}", fields[name]):
        raise _damaged(f"the {name} is {fields[name]!r}", where)
    return int(fields[name])


def _damaged(problem: str, where: str) -> InputError:
    return InputError(
        problem,
        where=where,
        expected="version: 1, cmd: ./program, positions: instr line, events: Ir",
        hint="Is the file cut off or damaged here? Copy or record it again.",
    )
