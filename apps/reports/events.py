"""Events as `pwh events` lists them, and what is known of one in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apps.output.numbers import counted, signed_percent
from apps.output.tables import Row, table
from apps.output.text import cell, day
from apps.reports.changes import change_sentence
from apps.reports.explanations import cause_sentence
from apps.reports.trend import measured_order_sentences
from warehouse.session import Connection

_EXPLAINED = 5
_FIXES = {
    "not measured": "three runs from it on will check it",
    "holds": "holds",
    "fails": "is not",
}


def events_text(con: Connection, rows: Sequence[Row]) -> str:
    """Return the events as a table, and the causes of the first that are open; one in words.

    Of none it is the empty text.
    """
    if not rows:
        return ""
    if len(rows) == 1:
        (row,) = rows
        machine = cell(row["machine"] or "an unknown machine")
        title = f"Event {row['event_id']} of {cell(row['app'])} on {machine}"
        return "\n".join([title, *(f"* {sentence}" for sentence in event_sentences(con, row))])
    opened = [row for row in rows if row["acknowledged"] is None and row["state"] != "withdrawn"]
    causes = [(row, cause_sentence(con, row["run_id"])) for row in opened[:_EXPLAINED]]
    lines = [f"* Event {row['event_id']}: {why}" for row, why in causes if why]
    total = f"{counted(len(rows), 'event')}, {len(opened)} open"
    return "\n\n".join(part for part in (total, _EVENTS.text(rows), "\n".join(lines)) if part)


def others_text(row: Mapping[str, Any]) -> str:
    """Return how many more series changed at an event, and which way; the empty text for none."""
    if not row["others"]:
        return ""
    known = [
        f"{row[key]} {word}"
        for key, word in (("others_worse", "worse"), ("others_better", "better"))
        if row[key]
    ]
    rest = row["others"] - (row["others_worse"] or 0) - (row["others_better"] or 0)
    known += [f"{rest} of unknown direction"] if rest and known else []
    which = f" ({', '.join(known)})" if known else ""
    return counted(row["others"], "more change") + which


def event_sentences(con: Connection, row: Mapping[str, Any]) -> list[str]:
    """Return the clearest change of an event, what is known of it, and the cause."""
    measured = measured_order_sentences(con, row["app"])
    stated = {**row, "acknowledged": None, "is_measured_order": bool(measured)}
    change = change_sentence(row["metric"], stated)
    others = f" And {others_text(row)}." if row["others"] else ""
    why = cause_sentence(con, row["run_id"]) if row["state"] != "withdrawn" else None
    return [f"{change}{others}", triage_sentence(row), *([why] if why else [])]


def state_text(row: Mapping[str, Any]) -> str:
    """Return the state of an event; of a fix in which version it is."""
    if row["fixed_in"] is None:
        return str(row["state"])
    if row["state"] == "reopened":
        return f"reopened: not fixed in {cell(row['fixed_in'])}"
    return f"fixed in {cell(row['fixed_in'])}"


_EVENTS = table(
    "event_id state owner app machine started_at run_id metric change direction others moved",
    {"metric": 36, "run_id": 24, "machine": 20, "state": 36},
    state=state_text,
    started_at=day,
    change=lambda row: signed_percent(row["change"]) or "from 0",
)


def triage_sentence(row: Mapping[str, Any]) -> str:
    """Return the state of an event, and what was said of it."""
    checked = f" ({_FIXES[row['fix']]})" if row["state"] == "fixed" else ""
    known = [f"State {state_text(row)}{checked}"]
    known += [
        f"{name} {cell(row[name])}" for name in ("owner", "ticket", "note") if row[name] is not None
    ]
    if row["said_at"] is not None:
        who = f" by {cell(row['said_by'])}" if row["said_by"] else ""
        known.append(f"said{who} on {row['said_at']:%Y-%m-%d}")
    return f"{'; '.join(known)}."
