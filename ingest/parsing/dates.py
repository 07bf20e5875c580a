"""Dates that files state of their runs, and the zone of those that state none."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any

from ingest.base import implausible


@dataclass(slots=True)
class Zone:
    """The zone of times that have none, and whether there was such a time."""

    info: tzinfo = UTC
    is_used: bool = False


_ZONE: ContextVar[Zone | None] = ContextVar("_ZONE", default=None)


@contextmanager
def local_zone(zone: Zone) -> Iterator[None]:
    """Let times that have no zone be of this one."""
    token = _ZONE.set(zone)
    try:
        yield
    finally:
        _ZONE.reset(token)


def used_zone() -> tzinfo:
    """Return the zone of a time that has none, and note that there is such a time."""
    zone = _ZONE.get() or Zone()
    zone.is_used = True
    return zone.info


def in_zone(date: datetime) -> datetime:
    """Return a date with its zone, else that of `local_zone`, else UTC."""
    if date.tzinfo is not None:
        return date
    return date.replace(tzinfo=used_zone()).astimezone(UTC)


def written_date(text: Any) -> datetime | None:
    """Return a date in ISO 8601, or as 2015/04/02-10:11:12, by `in_zone`."""
    try:
        date = datetime.fromisoformat(re.sub(r"^(\d{4})/(\d\d)/(\d\d)-", r"\1-\2-\3 ", text))
        date = in_zone(date)
    except (TypeError, ValueError, OverflowError):
        return None
    return None if implausible({"started_at": date}) else date


def ctime_date(text: str) -> datetime | None:
    """Return a date as C's ctime writes it (Sat Nov 21 00:04:58 2026), by `in_zone`."""
    try:
        return in_zone(datetime.strptime(text, "%a %b %d %H:%M:%S %Y"))
    except ValueError:
        return None


def date_of(value: Any) -> datetime | None:
    """Return a date from milliseconds since 1970; None where they are none or implausible."""
    try:
        date = datetime.fromtimestamp(value / 1e3, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
    return None if implausible({"started_at": date}) else date
