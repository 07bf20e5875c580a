"""Names in callgrind profiles, which are written once and then as (number)."""

from __future__ import annotations

import re

from ingest.parsing.call_paths import ARROW, frame_name

OBJECT, FILE, NAME = "object", "file", "function"
UNKNOWN = b"???"
_SHORT = re.compile(rb"\((\d{1,9})\)(?: *(.*))?")
_OPERATOR = re.compile(r"operator(?:<=>|<<=|>>=|->\*|<<|>>|->|<=|>=|<|>|\(\))")
_BRACKETS = {")": "(", "]": "[", "}": "{", ">": "<"}
_ADDRESS = re.compile(r"0x[0-9a-f]+")


class Names:
    """Objects, files and functions by number, over all files of a program.

    A function is its object, its file and its name: several can have one name.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, dict[bytes, int]] = {OBJECT: {}, FILE: {}, NAME: {}}
        self._short: dict[tuple[str, bytes], int] = {}
        self._functions: dict[tuple[int, int, int], int] = {}

    def begin_file(self) -> None:
        """Forget the short forms, which are those of one file."""
        self._short.clear()

    def number(self, kind: str, text: bytes) -> int | None:
        """Return the number of a name, in either form; None where the short one is not known.

        A short form that is given another name than before is not known either.
        """
        short = _SHORT.fullmatch(text)
        if short is None:
            return self._add(kind, text)
        known = self._short.get((kind, short[1]))
        if not short[2]:
            return known
        number = self._add(kind, short[2])
        self._short[kind, short[1]] = number
        return number if known in (None, number) else None

    def function(self, in_object: int, file: int, name: int) -> int:
        """Return the number of a function by the numbers of its object, file and name."""
        return self._functions.setdefault((in_object, file, name), len(self._functions))

    def _add(self, kind: str, name: bytes) -> int:
        return self._numbers[kind].setdefault(name, len(self._numbers[kind]))

    def all(self, kind: str) -> list[str]:
        """Return the names of a kind by number."""
        return [name.decode() for name in self._numbers[kind]]

    def functions(self, *, contexts: bool = False) -> list[Function]:
        """Return all functions by number; `contexts` is whether a ' in a name may begin one.

        Only callgrind itself writes these: in names of others a ' is that of a folder.
        """
        objects, names = self.all(OBJECT), self.all(NAME)
        return [
            Function(*_region(names[name], objects[in_object], contexts=contexts), name)
            for in_object, _, name in self._functions
        ]


class Function:
    """One function as callgrind counts it.

    `region` is its name, or its call path as far as callgrind kept that (--separate-callers),
    without `level`: 1, or from which depth of recursion on it is counted (--separate-recs).
    `name` is the number of the name that the file has.
    """

    __slots__ = ("level", "name", "region")

    def __init__(self, region: str, level: int, name: int) -> None:
        self.region, self.level, self.name = region, level, name


def _region(name: str, in_object: str, *, contexts: bool) -> tuple[str, int]:
    """Return region and level of a function.

    Contexts follow the name, each after a ': fib'2'main is the second level of fib, called from
    main. Names without symbols are addresses within their object.
    """
    first, *above = name.split("'") if contexts else [name]
    library = in_object.rpartition("/")[2]
    if above and not all(part and _balanced(part) for part in (first, *above)):
        outermost, _, depth = name.rpartition("'")
        is_level = bool(outermost) and _is_level(depth)
        return (frame_name(outermost), int(depth)) if is_level else (frame_name(name), 1)
    level = int(above[0]) if above and _is_level(above[0]) else 1
    callers = [part for part in above if not _is_level(part)]
    if not callers and _ADDRESS.fullmatch(first) and library not in ("", "???"):
        first = f"{first} ({library})"
    return ARROW.join(map(frame_name, (*reversed(callers), first))), level


def _is_level(text: str) -> bool:
    return text.isdecimal() and len(text) < 7


def _balanced(name: str) -> bool:
    """Return whether every bracket of a name is closed: a ' between two is part of the name."""
    opened: list[str] = []
    for sign in _OPERATOR.sub("operator", name).replace("->", ""):
        if sign in "([{<":
            opened.append(sign)
        elif sign in _BRACKETS and (not opened or opened.pop() != _BRACKETS[sign]):
            return False
    return not opened
