"""Questions about what workers did when: pieces of time, or bins where there are too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from apps.queries.base import ask
from warehouse.session import Connection, Relation

LANES = 40
_MOST_PIECES = 4000
# Pieces are found by scanning the whole run, which takes seconds for large ones.
_MOST_OF_RUN = 100_000
_BINS = 200
_TYPES = 8
_MOST_FOUND = 500

Window = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Span:
    """The time span of a run's workers (ns after clock correction), and their number.

    `pieces` counts their tasks and idle intervals; their clocks were ahead by `least_ahead` to
    `most_ahead` (ns).
    """

    t_begin: int
    t_end: int
    workers: int
    pieces: int
    least_ahead: int = 0
    most_ahead: int = 0


def timeline_span(con: Connection, run_id: str) -> Span | None:
    """Return the span of a run's workers; None where none has recorded time."""
    row = ask(con, "timeline/span", run_id=run_id).fetchone()
    if row is None or row[0] is None or row[1] <= row[0]:
        return None
    return Span(*row)


def timeline(
    con: Connection,
    run_id: str,
    span: Span,
    window: Window,
    first: int = 1,
    mode: str = "direct",
    latency_rule: str = "union",
    *,
    by_type: bool = False,
) -> Relation:
    """Return what `LANES` workers from the `first` on did in a window (ns), one row per piece.

    Columns: lane (from 1), worker, node, t_start and t_end (s from the start of the span), cause
    (busy, starvation, latency, overhead, not recorded, after last task), what (a task's type),
    task, low and high
    (place within the lane, 0..1), is_binned. More than 4000 pieces are summed in bins, by type of
    task with `by_type`, else by cause. In runs of more than 100 000 pieces the causes of an idle
    interval are shown by their shares, not by when they were.
    """
    clocks = {"clock0": window[0] + span.least_ahead, "clock1": window[1] + span.most_ahead}
    pieces = span.pieces
    if window[0] > span.t_begin or window[1] < span.t_end:
        within = {"run_id": run_id, "t0": window[0], "t1": window[1]}
        (pieces,) = ask(con, "timeline/pieces_in", **within, **clocks).fetchall()[0]
    shown = min(LANES, span.workers) / max(span.workers, 1)
    where = _where(run_id, span, window, first)
    reading = {"mode": mode, "latency_rule": latency_rule}
    if pieces * shown <= _MOST_PIECES:
        exact = span.pieces <= _MOST_OF_RUN
        return ask(
            con, f"timeline/{'pieces' if exact else 'stretches'}", **where, **clocks, **reading
        )
    if by_type:
        return ask(con, "timeline/type_bins", **where, **clocks, bins=_BINS, most=_TYPES)
    return ask(con, "timeline/bins", **where, **reading, bins=_BINS)


def _where(run_id: str, span: Span, window: Window, first: int) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "origin": span.t_begin,
        "t0": window[0],
        "t1": window[1],
        "first": first,
        "last": first + LANES - 1,
    }


def timeline_lanes(con: Connection, run_id: str, first: int) -> Relation:
    """Return the `LANES` workers from the `first` on: lane, worker, node."""
    return ask(con, "timeline/lanes", run_id=run_id, first=first, last=first + LANES - 1)


def timeline_waits(
    con: Connection, run_id: str, span: Span, window: Window, first: int = 1
) -> Relation:
    """Return the longest idle intervals in a window, with what each waited for."""
    return ask(con, "timeline/waits", **_where(run_id, span, window, first), most=_MOST_PIECES)


def tasks_found(con: Connection, run_id: str, span: Span, text: str) -> Relation:
    """Return the first tasks whose name or type contains a text, and how many there are."""
    return ask(
        con, "timeline/found", run_id=run_id, origin=span.t_begin, text=text, most=_MOST_FOUND
    )
