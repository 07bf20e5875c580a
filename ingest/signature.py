"""A kind of file that pwh does not read: what it is, and what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.base import Head

# What to do with what only people read, by what it holds.
AS_SAMPLES = "Write CSV with the columns event, t_start and value: a landing table is pmu_samples."
AS_FUNCTIONS = "Write CSV with the columns function and seconds: a landing table is fn_timings."
AS_SPANS = (
    "Write its spans as Chrome trace events, which pwh reads: name, ph X, ts and dur in "
    "microseconds, pid, tid."
)
AS_METRICS = (
    "Write CSV with the columns metric, value, unit and better: a landing table is metrics."
)
_SEARCHED = 8192  # bytes; a program may have printed something before


@dataclass(frozen=True, slots=True)
class Signature:
    """A kind of file: what it is, how to convert it, and how it is recognised.

    A file is of the kind where its name ends with one of `suffixes`, has one of `marks` at the byte
    `offset`, or has lines near its beginning that the pattern `text` matches (from their start).
    """

    what: str
    convert: str
    marks: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()
    offset: int = 0
    text: str = ""

    def fits(self, head: Head) -> bool:
        """Return whether a file is of this kind."""
        if self.text and re.search(self.text.encode(), head.data[:_SEARCHED], re.MULTILINE):
            return True
        return head.data[self.offset :].startswith(self.marks) or head.name.lower().endswith(
            self.suffixes
        )
