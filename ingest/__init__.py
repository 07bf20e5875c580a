"""Files in, rows out: the readers, in the order in which they are asked."""

from __future__ import annotations

from ingest.base import Reader
from ingest.plain import PlainTable

READERS: tuple[Reader, ...] = (PlainTable(),)

__all__ = ["READERS", "Reader"]
