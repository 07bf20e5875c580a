"""Messages of `pwh notify`: what is new for each recipient, in words."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby
from typing import NamedTuple
from urllib.parse import urlencode

from apps.output.numbers import counted
from apps.output.tables import Row
from apps.output.text import cell, first_names, version_text
from apps.queries.base import ask_dicts
from apps.queries.events import Events
from apps.reports.events import event_sentences
from warehouse.session import Connection

_MOST = 10  # sentences of a message
_NAMES = 3  # of a list in a sentence


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
    named = first_names(sorted({cell(row["app"]) for row in rows}), _NAMES)
    changes = sum(row["what"] == "changes" for row in rows)
    parts = [counted(changes, "change")] if changes else []
    if len(rows) > changes:
        parts.append(f"{len(rows) - changes} missing")
    said = [list(same) for _, same in groupby(rows, _together)]
    lines = [_line(con, same, now, url) for same in said[:_MOST]]
    if len(said) > _MOST:
        lines.append(f"And {len(said) - _MOST} more: pwh events has all changes")
    title = f"pwh: {' and '.join(parts)} in {named}"
    return Message(recipient, title, "\n\n".join(lines), [row["subject"] for row in rows])


def _together(row: Row) -> tuple[str, ...]:
    """Return what rows of one sentence have in common: all metrics that a version lacks."""
    if row["what"] == "gone":
        return row["what"], row["app"], row["run_id"]
    return row["what"], row["subject"]


def _line(con: Connection, rows: Sequence[Row], now: datetime, url: str | None) -> str:
    """Return what rows say; of a change with the first sentence of its cause, and links."""
    row = rows[0]
    if row["what"] == "silence":
        days = (now - row["last_at"]).days
        return (
            f"{cell(row['app'])}: nothing has arrived for {counted(days, 'day')}, "
            f"since {row['last_at']:%Y-%m-%d}."
        )
    if row["what"] == "gone":
        return (
            f"{cell(row['app'])}: version {version_text(row['version'])} has no "
            f"{first_names([cell(one['metric']) for one in rows], _NAMES)}, which the version "
            "before has."
        )
    every = Events(event_id=row["event_id"])
    (event,) = ask_dicts(con, "events/list", **every.params())
    change, known, *why = event_sentences(con, event)
    said = [known] if event["said_at"] is not None else []
    link = [f"{url.rstrip('/')}/inbox?{urlencode({'app': row['app']})}"] if url else []
    return "\n".join([f"{cell(row['app'])}: {change}", *said, *why, *link])
