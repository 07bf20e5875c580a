"""The header of a callgrind profile."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ingest.parsing.lines import decode
from warehouse.errors import InputError

_FIELD = re.compile(r"([a-z]+): *(.*?)\s*")
_BODY = (b"ob=", b"fl=", b"fn=", b"fi=", b"totals:")
_POSITIONS = ("instr", "bb", "line")


@dataclass(frozen=True, slots=True)
class Header:
    """What was profiled, and what cost lines contain.

    `thread` is None where threads were not kept apart, `pid` where the file does not state it.
    """

    events: tuple[str, ...]
    positions: tuple[str, ...]
    thread: int | None
    pid: int | None
    command: str | None
    creator: str | None

    @property
    def app(self) -> str | None:
        """The program's file name."""
        words = (self.command or "").split()
        return words[0].rpartition("/")[2] or None if words else None


def read_header(text: bytes, part: str) -> tuple[Header, int]:
    """Read the header that a text begins with; return it with its length in bytes.

    Raises `InputError` with the line where it is damaged.
    """
    fields: dict[str, str] = {}
    size, number = 0, 0
    for number, raw in enumerate(text.split(b"\n"), 1):
        where = f"{part}, line {number}"
        if raw.startswith(_BODY) or size >= len(text):
            break
        size += len(raw) + 1
        line = decode(raw, where).rstrip("\r")
        found = _FIELD.fullmatch(line)
        if found and found[1] != "desc":
            if found[1] in fields:
                raise _damaged(f"'{found[1]}:' is a duplicate", where)
            fields[found[1]] = found[2]
        elif not found and line.strip() and not line.startswith("#"):
            raise _damaged("the line belongs to no header", where)
    where = f"{part}, line {number}"
    events = tuple(fields.get("events", "").split())
    positions = tuple(fields.get("positions", "line").split())
    if not events or len(set(events)) != len(events):
        raise _damaged("the header names no events", where)
    if tuple(name for name in _POSITIONS if name in positions) != positions:
        raise _damaged(f"the positions are {' '.join(positions)!r}", where)
    numbers = [_number(fields, name, where) for name in ("thread", "pid")]
    header = Header(
        events, positions, numbers[0], numbers[1], fields.get("cmd"), fields.get("creator")
    )
    return header, min(size, len(text))


def _number(fields: dict[str, str], name: str, where: str) -> int | None:
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
