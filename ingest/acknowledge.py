"""Acknowledgements of changes and of invalid runs, stored with the series that they change."""

from __future__ import annotations

from dataclasses import asdict

from ingest.analyse import change_of_run
from warehouse import sqlfiles
from warehouse.series import Acknowledgement
from warehouse.session import Connection


def acknowledge(
    con: Connection, run_id: str, known: Acknowledgement, event_id: int | None = None
) -> bool:
    """Store what is known of the change at a run; return whether the run can be in a series.

    `event_id` is the event that begins there, where that is known. A run without an application or
    a start is in no series; nothing is stored for it.
    """
    params = {"run_id": run_id, "event_id": event_id, **asdict(known)}
    return change_of_run(con, run_id, sqlfiles.read("derived/acknowledge"), params) > 0


def withdraw(con: Connection, run_id: str, event_id: int | None = None) -> int:
    """Remove all that is stored of the change at a run, or of an event; return the rows removed."""
    named = "SELECT DISTINCT run_id FROM acknowledgements WHERE event_id = $1"
    others = con.execute(named, [event_id]).fetchall()
    delete = (
        "DELETE FROM acknowledgements "
        "WHERE run_id = $run_id AND coalesce(event_id = $event_id, true)"
    )
    return sum(
        change_of_run(con, one, delete, {"run_id": one, "event_id": event_id})
        for one in sorted({run_id, *(other for (other,) in others)})
    )
