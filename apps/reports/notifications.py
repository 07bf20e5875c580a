"""Messages of `pwh notify`: what is new for each recipient, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from apps.output.numbers import counted
from apps.output.tables import Row
from apps.output.text import cell, version_text
from apps.queries.base import ask_dicts
from apps.queries.events import Events
from apps.reports.events import event_sentences

if TYPE_CHECKING:
    from warehouse.session import Connection

_MOST = 10


class Message(NamedTuple):
    """A message to a recipient, and what it is about (notifications.subject)."""

    recipient: str
    title: str
    body: str
    subjects: list[str]


def pending_messages(con: Connection, now: datetime, url: str | None) -> list[Message]:
    """Return one message for each recipient who has not been sent everything yet.

    `url` is the address of the app, for links.
    """
    rows = ask_dicts(con, "notify/pending", now=now)
    return [
        _message(con, recipient, list(unsent), now, url)
        for recipient, unsent in groupby(rows, lambda row: str(row["recipient"]))
    ]


def _message(
    con: Connection, recipient: str, rows: Sequence[Row], now: datetime, url: str | None
) -> Message:
    apps = sorted({cell(row["app"]) for row in rows})
    named = ", ".join(apps[:3]) + (f" and {len(apps) - 3} more" if len(apps) > 3 else "")
    changes = sum(row["what"] == "changes" for row in rows)
    parts = [counted(changes, "change")] if changes else []
    if len(rows) > changes:
        parts.append(f"{len(rows) - changes} missing")
    lines = [_line(con, row, now, url) for row in rows[:_MOST]]
    if len(rows) > _MOST:
        lines.append(f"And {len(rows) - _MOST} more: pwh events")
    title = f"pwh: {' and '.join(parts)} in {named}"
    return Message(recipient, title, "\n\n".join(lines), [row["subject"] for row in rows])


def _line(con: Connection, row: Row, now: datetime, url: str | None) -> str:
    """Return what one row says; of a change with the first sentence of its cause, and links."""
    if row["what"] == "silence":
        days = (now - row["last_at"]).days
        return (
            f"{cell(row['app'])}: nothing has arrived for {counted(days, 'day')}, "
            f"since {row['last_at']:%Y-%m-%d}."
        )
    if row["what"] == "gone":
        return (
            f"{cell(row['app'])}: version {version_text(row['version'])} has no "
            f"{cell(row['metric'])}, which the version before has."
        )
    every = Events(event_id=row["event_id"])
    (event,) = ask_dicts(con, "events/list", **every.params())
    change, known, *why = event_sentences(con, event)
    said = [known] if event["said_at"] is not None else []
    link = [f"{url.rstrip('/')}/inbox?{urlencode({'app': row['app']})}"] if url else []
    return "\n".join([f"{cell(row['app'])}: {change}", *said, *why, *link])
