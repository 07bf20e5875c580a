"""Workers by time as the browser draws them, and the window of time that the user looks at."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import polars as pl
import streamlit as st

from apps.output.colours import WORKER_CAUSES
from apps.pages.base import View
from apps.pages.components import component
from apps.queries.timeline import (
    LANES,
    Span,
    Window,
    tasks_found,
    timeline,
    timeline_lanes,
    timeline_waits,
)
from warehouse.errors import UsageError

# Columns of times, and what the browser calls them.
_TIMES = {"t_start": "p", "t_end": "q"}
# Parts of the critical path that are drawn at most.
_MOST_PARTS = 4000
_HINT = "from and to are places in the run in per cent: open the page without them, and zoom."


@dataclass(frozen=True, slots=True)
class Looked:
    """Visible window: per cent of the span, and the request of the browser for it."""

    begin: float
    end: float
    seq: int
    arrival: int

    def data(self, span: Span) -> dict[str, Any]:
        """Return what the component timeline takes of it, and the length of the span, s."""
        length = (span.t_end - span.t_begin) / 1e9
        own = {"from": self.begin, "to": self.end, "seq": self.seq, "arrival": self.arrival}
        return {"span": length, **own}

    def window(self, span: Span) -> Window | None:
        """Return the window in ns; None where it is the whole span."""
        if self.begin <= 0 and self.end >= 100:
            return None
        length = span.t_end - span.t_begin
        t0, t1 = (span.t_begin + round(length * share / 100) for share in (self.begin, self.end))
        return t0, max(t1, t0 + 1)


def looked_at(view: View) -> Looked:
    """Return the window that the address or, since then, the browser asked for."""
    address = view.address
    state: dict[str, Any] = st.session_state.get("_looked", {"arrival": 0})
    if address.sets("_looked"):
        begin, end = (_percent(view, key, usual) for key, usual in (("from", 0.0), ("to", 100.0)))
        if begin >= end:
            address.keep("from", [address.parameter("from") or "0"])
            address.keep("to", [address.parameter("to") or "100"])
            raise UsageError(
                f"The link has an empty window, from {begin:g} % to {end:g} %.", hint=_HINT
            )
        state = {"arrival": state["arrival"] + 1, "from": begin, "to": end, "seq": 0}
        st.session_state["_looked"] = state
    # The browser's answer is in the state of the component, of this arrival or an earlier one.
    result: Any = st.session_state.get("timeline") or {}
    asked = result.get("window")
    if asked and asked["arrival"] == state["arrival"] and _is_window(asked["from"], asked["to"]):
        state = asked
    looked = Looked(state["from"], state["to"], state["seq"], state["arrival"])
    address.keep("from", [f"{looked.begin:.9g}"])
    address.keep("to", [f"{looked.end:.9g}"])
    return looked


def _percent(view: View, key: str, usual: float) -> float:
    asked = view.address.parameter(key)
    try:
        value = float(asked) if asked else usual
    except ValueError:
        value = -1.0
    if not 0 <= value <= 100:
        view.address.keep(key, [asked or ""])
        raise UsageError(
            f"The link has {asked!r} for {key}, which is not a number from 0 to 100.",
            hint=_HINT,
        )
    return value


def _is_window(begin: Any, end: Any) -> bool:
    numbers = isinstance(begin, int | float) and isinstance(end, int | float)
    return numbers and isfinite(begin) and isfinite(end) and 0 <= begin < end <= 100.000001


@dataclass(frozen=True, slots=True)
class Drawing:
    """Drawn part: `LANES` workers of a run from the `first` on, in the window looked at.

    `reading` is mode and latency rule, `by` what colours are of (cause or type); tasks that have
    `text` in them are marked, and the lane of `worker`. The critical path is drawn `with_path`: of
    a large run it takes long to find.
    """

    run: str
    span: Span
    looked: Looked
    first: int
    reading: tuple[str, str]
    by: str
    text: str
    with_path: bool
    worker: str | None = None

    @property
    def window(self) -> Window:
        """The window in ns."""
        return self.looked.window(self.span) or (self.span.t_begin, self.span.t_end)


def show_timeline(view: View, drawn: Drawing) -> None:
    """Show what each worker did when, in the window that the user looks at."""
    run, span, looked, first = drawn.run, drawn.span, drawn.looked, drawn.first
    window, text = drawn.window, drawn.text
    rows = view.rows(
        timeline, run, span, window, first, *drawn.reading, by_type=drawn.by == "type"
    ).with_columns(lane=pl.col("lane") - first)
    lanes = view.rows(timeline_lanes, run, first)
    binned = bool(rows["is_binned"].any())
    waits = {} if binned else _waits(view.rows(timeline_waits, run, span, window, first), first)
    found = view.rows(tasks_found, run, span, text) if text else None
    drawn_by = ("pieces", "stretches", "type_bins", "bins")
    view.behind("Workers by time", tuple(f"timeline/{one}" for one in drawn_by))
    component("timeline")(
        key="timeline",
        data={
            **looked.data(span),
            "lanes": lanes["worker"].to_list(),
            "pieces": drawn_pieces(rows),
            "binned": binned,
            "waits": waits,
            "path": _path(view, drawn) if drawn.with_path else {},
            "found": None if found is None else _found(found, first, len(lanes)),
            "total": 0 if found is None or found.is_empty() else found["found"][0],
            "query": text,
            "worker": drawn.worker,
            "colours": WORKER_CAUSES,
            "by": drawn.by,
        },
        on_window_change=nothing,
    )
    notes = ["Wheel: zoom. Drag: pan. Over a wait: whom it was for; a click keeps that."]
    if span.workers > LANES:
        last = min(first + LANES - 1, span.workers)
        notes.append(f"Workers {first} to {last} of {span.workers}.")
    if binned:
        notes.append("There are many tasks and waits here, so they are summed in bins of time.")
    st.caption(" ".join(notes))


def nothing() -> None:
    """Do nothing: the page runs again, and reads what the component has."""


def drawn_pieces(rows: pl.DataFrame) -> dict[str, list[Any]]:
    """Return pieces by column as the browser draws them, their causes and types numbered."""
    causes = rows["cause"].unique(maintain_order=True).to_list()
    whats = rows["what"].drop_nulls().unique(maintain_order=True).to_list()
    places = {cause: place for place, cause in enumerate(causes)}
    types = {what: place for place, what in enumerate(whats)}
    return {
        "lane": rows["lane"].to_list(),
        "p": rows["t_start"].to_list(),
        "q": rows["t_end"].to_list(),
        "low": rows["low"].to_list(),
        "high": rows["high"].to_list(),
        "cause": [places[cause] for cause in rows["cause"]],
        "what": [None if what is None else types[what] for what in rows["what"]],
        "task": rows["task"].to_list(),
        "causes": causes,
        "whats": whats,
    }


def _waits(rows: pl.DataFrame, first: int) -> dict[str, list[Any]]:
    blamed = pl.col("blamed_lane") - first
    shown = rows.with_columns(
        pl.col("lane") - first,
        pl.when((blamed >= 0) & (blamed < LANES)).then(blamed).alias("blamed_lane"),
    ).rename({**_TIMES, "blamed_task": "blamed", "blamed_until": "until"})
    return shown.to_dict(as_series=False)


def _path(view: View, drawn: Drawing) -> dict[str, list[Any]]:
    """Return the parts of the critical path on the lanes that are shown, in the window."""
    t0, t1 = drawn.window
    parts = view.ask("timeline/path", run_id=drawn.run).filter(
        pl.col("t_end") > t0,
        pl.col("t_start") < t1,
        pl.col("lane").is_between(drawn.first, drawn.first + LANES - 1),
    )
    # Those that last longest are seen; in time order they are one line.
    if len(parts) > _MOST_PARTS:
        lasts = pl.col("t_end") - pl.col("t_start")
        parts = parts.sort(lasts, descending=True).head(_MOST_PARTS).sort("t_start")
    return parts.select(
        pl.col("lane") - drawn.first,
        p=(pl.col("t_start") - drawn.span.t_begin) / 1e9,
        q=(pl.col("t_end") - drawn.span.t_begin) / 1e9,
    ).to_dict(as_series=False)


def _found(rows: pl.DataFrame, first: int, lanes: int) -> dict[str, list[Any]]:
    shown = rows.with_columns(pl.col("lane") - first).filter(
        pl.col("lane").is_between(0, lanes - 1)
    )
    times = shown.select("lane", "t_start", "t_end", "task", "type").rename(_TIMES)
    return times.to_dict(as_series=False)
