"""Dates that files state of their runs."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from ingest.base import implausible


def written_date(text: Any) -> datetime | None:
    """Return a date in ISO 8601, or as 2015/04/02-10:11:12; without a zone it is taken as UTC."""
    try:
        date = datetime.fromisoformat(re.sub(r"^(\d{4})/(\d\d)/(\d\d)-", r"\1-\2-\3 ", text))
    except (TypeError, ValueError):
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return None if implausible({"started_at": date}) else date


def ctime_date(text: str) -> datetime | None:
    """Return a date as C's ctime writes it (Sat Nov 21 00:04:58 2026), taken as UTC."""
    try:
        return datetime.strptime(text, "%a %b %d %H:%M:%S %Y").replace(tzinfo=UTC)
    except ValueError:
        return None


def date_of(value: Any) -> datetime | None:
    """Return a date from milliseconds since 1970; None where they are none or implausible."""
    try:
        date = datetime.fromtimestamp(value / 1e3, UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return None
    return None if implausible({"started_at": date}) else date
