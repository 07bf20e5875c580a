"""Acknowledgements of changes and of invalid runs, stored with the series that they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.analyse import change_of_run
from warehouse.series import Acknowledgement

if TYPE_CHECKING:
    from warehouse.session import Connection


def acknowledge(con: Connection, run_id: str, known: Acknowledgement) -> bool:
    """Store what is known of the change at a run; return whether the run can be in a series.

    A run without an application or a start is in no series; nothing is stored for it.
    """
    params = [
        *(known.metric, known.reason, known.fixed_in, known.note, known.said_by),
        run_id,
    ]
    return (
        change_of_run(
            con,
            run_id,
            "INSERT INTO acknowledgements "
            "(run_id, app, version, started_at, metric, reason, fixed_in, note, said_by, said_at, "
            "event_id) "
            "SELECT run_id, app, version, counted_at, ?, ?, ?, ?, ?, now(), "
            "(SELECT min(m.event_id) FROM _event_members AS m WHERE m.run_id = runs.run_id) "
            "FROM runs JOIN _run_commits USING (run_id, app) "
            "WHERE run_id = ? AND counted_at IS NOT NULL",
            params,
        )
        > 0
    )


def withdraw(con: Connection, run_id: str) -> int:
    """Remove all that is stored of the change at a run; return the number of rows."""
    return change_of_run(con, run_id, "DELETE FROM acknowledgements WHERE run_id = ?", [run_id])
