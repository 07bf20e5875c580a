"""Questions about what workers did when: pieces of time, or bins where there are too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from apps.queries.base import ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

LANES = 40
_MOST_PIECES = 4000
# Pieces are found by scanning the whole run, which takes seconds for large ones.
_MOST_OF_RUN = 100_000
_BINS = 150


@dataclass(frozen=True, slots=True)
class Span:
    """The time span of a run's workers (ns after clock correction), and their number.

    `pieces` counts their tasks and idle intervals.
    """

    t_begin: int
    t_end: int
    workers: int
    pieces: int


def timeline_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the runs that have workers, the latest first."""
    return ask(con, "timeline/runs")


def timeline_span(con: DuckDBPyConnection, run_id: str) -> Span | None:
    """Return the span of a run's workers; None where none has recorded time."""
    row = ask(con, "timeline/span", run_id=run_id, t0=None, t1=None).fetchone()
    if row is None or row[0] is None or row[1] <= row[0]:
        return None
    return Span(row[0], row[1], row[2], row[3])


def timeline(
    con: DuckDBPyConnection,
    run_id: str,
    span: Span,
    window: tuple[int, int],
    first: int = 1,
    mode: str = "direct",
    latency_rule: str = "union",
) -> DuckDBPyRelation:
    """Return what `LANES` workers from the `first` on did in a window (ns), one row per piece.

    Columns: lane (from 1), worker, node, t_start and t_end (s from the start of the span), cause
    (busy, starvation, latency, overhead, after last task), what (a task's type), low and high
    (place within the lane, 0..1), is_binned. More than 4000 pieces, and those of runs of more
    than 100 000, are summed in bins.
    """
    row = ask(con, "timeline/span", run_id=run_id, t0=window[0], t1=window[1]).fetchone()
    shown = min(LANES, span.workers) / max(span.workers, 1)
    params = {
        "run_id": run_id,
        "origin": span.t_begin,
        "t0": window[0],
        "t1": window[1],
        "first": first,
        "last": first + LANES - 1,
        "mode": mode,
        "latency_rule": latency_rule,
    }
    few = row is not None and row[3] * shown <= _MOST_PIECES
    if few and span.pieces <= _MOST_OF_RUN:
        return ask(con, "timeline/pieces", **params)
    return ask(con, "timeline/bins", bins=_BINS, **params)
