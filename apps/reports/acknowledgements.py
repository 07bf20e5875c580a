"""Which changes an acknowledgement applies to."""

from __future__ import annotations

from apps.output.numbers import counted
from apps.output.tables import Row
from apps.output.text import cell
from apps.queries.trend import Series
from apps.reports.changes import change_sentence, provisional_sentence
from apps.reports.series import series_name
from apps.reports.trend import changes_in, measured_order_sentences
from warehouse.session import Connection

_SENTENCES = 12


def changes_of_run(con: Connection, run_id: str) -> dict[str, Row]:
    """Return all changes of the application of a run, confirmed and provisional, by place."""
    found = con.execute("SELECT app FROM runs WHERE run_id = ?", [run_id]).fetchone()
    if found is None or found[0] is None:
        return {}
    app = str(found[0])
    changes, early = changes_in(con, Series(app), measured_order_sentences(con, app))
    rows = [*changes, *early]
    return {f"{row['metric']} {row['fields']} {row['run_id']}": row for row in rows}


def acknowledgement_text(
    run_id: str, reason: str, before: dict[str, Row], after: dict[str, Row]
) -> str:
    """Return what an acknowledgement of a run applies to, from `changes_of_run` on both sides."""
    if reason == "invalid run":
        return f"{cell(run_id)} is no longer in any series"
    if reason == "investigating":
        return f"{cell(run_id)} is under investigation: its changes stay open (pwh events)"
    moved = [
        row
        for place, row in after.items()
        if row["acknowledged"] is not None
        and (row["acknowledged"], row["note"])
        != tuple(before.get(place, {}).get(key) for key in ("acknowledged", "note"))
    ]
    if not moved and reason == "fixed":
        return (
            f"{cell(run_id)}: stored; no change is found there now, or the runs since show that it "
            "is not fixed and open again (pwh events)"
        )
    if not moved:
        return (
            f"{cell(run_id)} acknowledged as {reason}; no change is found there now, it applies "
            "when one is"
        )
    sentences = [
        (provisional_sentence if "more_runs" in row else change_sentence)(
            series_name(row["metric"], row["fields"]), row
        )
        for row in moved
    ]
    more = len(sentences) - _SENTENCES
    rest = [f"and {more} more"] if more > 0 else []
    heading = f"{cell(run_id)}: {counted(len(moved), 'change')} acknowledged"
    return "\n".join([heading, *(f"* {line}" for line in [*sentences[:_SENTENCES], *rest])])
