"""Names in callgrind profiles, which are written once and then as (number)."""

from __future__ import annotations

import re

from ingest.parsing.lines import decode

OBJECT, FILE, FUNCTION = "object", "file", "function"
UNKNOWN = b"???"
_SHORT = re.compile(rb"\((\d{1,9})\)(?: (.*))?")


class Names:
    """Objects, files and functions by number, over all files of a program."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[bytes, int]] = {OBJECT: {}, FILE: {}, FUNCTION: {}}
        self._short: dict[tuple[str, bytes], int] = {}

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
        if short[2] is None:
            return known
        number = self._add(kind, short[2])
        self._short[kind, short[1]] = number
        return number if known in (None, number) else None

    def _add(self, kind: str, name: bytes) -> int:
        return self._numbers[kind].setdefault(name, len(self._numbers[kind]))

    def all(self, kind: str) -> list[str]:
        """Return the names of a kind by number; raises `InputError` where one is not text."""
        return [decode(name, f"the name of a {kind}") for name in self._numbers[kind]]
