"""Lines of a .cali stream and their fields: `__rec=ctx,ref=42,attr=1=2,data=11=22`."""

from __future__ import annotations

import re

from ingest.parsing.lines import quoted
from warehouse.errors import InputError

KINDS = ("node", "ctx", "globals")
_NAMES = frozenset(("id", "attr", "data", "parent", "ref"))
_START = "__rec="
# Nearly all lines are like these, which one match takes apart; the others may be as right.
PLAIN_NODE = re.compile(
    r"__rec=node,id=([0-9]{1,19}),attr=([0-9]{1,19}),data=([^,=\\]*)(?:,parent=([0-9]{1,19}))?"
)
PLAIN_RECORD = re.compile(r"__rec=ctx(?:,ref=([0-9=]+))?(?:,attr=([0-9=]+),data=([^,\\]*))?")
_FIELD = re.compile(r",(\w+)=((?:[^,\\]|\\.)*)")
_ESCAPED_LINE = re.compile(r"__rec=\w+((?:,\w+=(?:[^,\\]|\\.)*)*)\Z")
_VALUE = re.compile(r"(?:^|=)((?:[^=\\]|\\.)*)")
_ESCAPE = re.compile(r"\\(.)")
_NUMBER = re.compile(r"[0-9]{1,19}")


def fields_of(line: str) -> tuple[str, dict[str, str]]:
    """Return the kind of a line and its fields as they are written.

    Raises `InputError` where the line is none of a stream, or has a field twice.
    """
    start, *parts = line.split(",") if "\\" not in line else _escaped(line)
    kind = start.removeprefix(_START)
    pairs = [part.partition("=") for part in parts]
    fields = {name: value for name, _, value in pairs}
    if (
        kind == start
        or kind not in KINDS
        or not (_NAMES >= fields.keys())
        or not all(mark for _, mark, _ in pairs)
    ):
        raise InputError(
            f"the line is no record of a Caliper stream: {quoted(line)}",
            expected="__rec=node, __rec=ctx or __rec=globals, and fields name=value after it",
        )
    if len(fields) < len(pairs):
        raise InputError("a field is a duplicate", expected="each field once")
    return kind, fields


def _escaped(line: str) -> list[str]:
    """Return the parts of a line with backslashes, which guard commas; all of it if damaged."""
    found = _ESCAPED_LINE.match(line)
    if found is None:
        return [line]
    return [
        line[: found.start(1)],
        *(f"{name}={value}" for name, value in _FIELD.findall(found[1])),
    ]


def values_of(text: str) -> list[str]:
    """Return the values of a field: those apart by an = without a backslash before it."""
    if "\\" not in text:
        return text.split("=")
    return [_ESCAPE.sub(_unescaped, value) for value in _VALUE.findall(text)]


def _unescaped(found: re.Match[str]) -> str:
    return "\n" if found[1] == "n" else found[1]


def number_of(text: str) -> int:
    """Return the number that refers to a node or attribute; raises `InputError`."""
    if not _NUMBER.fullmatch(text):
        raise InputError(f"{text[:40]!r} is in the place of a number", expected="a number from 0")
    return int(text)
