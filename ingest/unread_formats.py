"""Files that pwh does not read: what they are, and what to do (`unread_formats.csv`).

A file is of a format where its name ends with one of `suffixes`, or where lines near its beginning
match `pattern` (from their start). More particular formats come first: many recordings are zip
archives, ELF files or SQLite databases.
"""

import csv
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ingest.base import Head

_TABLE = Path(__file__).with_suffix(".csv")
_SEARCHED = 8192  # bytes; a program may have printed something before


class UnreadFormat(NamedTuple):
    """A format that pwh does not read: what a file of it is, how it is recognised, what to do."""

    what: str
    suffixes: str
    pattern: str
    advice: str

    def fits(self, head: Head) -> bool:
        """Return whether a file is of this format."""
        if self.suffixes and head.name.lower().endswith(tuple(self.suffixes.split())):
            return True
        return bool(self.pattern) and bool(
            re.search(self.pattern.encode(), head.data[:_SEARCHED], re.MULTILINE)
        )


@cache
def unread_formats() -> dict[str, UnreadFormat]:
    """Return the formats by what a file of each is."""
    with _TABLE.open(encoding="utf-8", newline="") as file:
        return {row[0]: UnreadFormat(*row) for row in [*csv.reader(file)][1:]}


def unread_format_of(head: Head) -> UnreadFormat | None:
    """Return the first format that a file is of; None if it is of none of them."""
    return next((one for one in unread_formats().values() if one.fits(head)), None)
