"""Choices of the user in the charts of histories: a window of time, and one or two runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import streamlit as st

from apps.pages.address import Address, unknown
from apps.pages.filters import Period, period_of, period_text, utc
from apps.pages.trend_chart import RUNS, WINDOW, Times
from warehouse.errors import UsageError

_STATE = "_trend"
_MOST = 2


@dataclass(frozen=True, slots=True)
class Choice:
    """The window (None: the whole history) and the runs that were chosen in the charts of `app`.

    `seen` are the runs selected in each chart as the browser reported them last. Charts are drawn
    anew, without a selection, where their number `drawn` changes.
    """

    app: str
    window: Period | None = None
    runs: tuple[str, ...] = ()
    seen: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    drawn: int = 0

    def key(self, chart: int) -> str:
        """Return the key of the widget of a chart."""
        return f"_history_{self.drawn}_{chart}"

    def without(self, *, window: bool = False, runs: bool = False) -> Choice:
        """Return the choice without its window, or without its runs."""
        return replace(
            self,
            window=None if window else self.window,
            runs=() if runs else self.runs,
            seen={},
            drawn=self.drawn + 1,
        )

    def after(self, chart: int, selection: Mapping[str, Any], times: Times) -> Choice:
        """Return the choice after what the browser reports as selected in a chart.

        A point that was clicked is added to the runs, of which the last two count; a click on none
        takes them away.
        """
        selected = selection.get(WINDOW, {})
        part = next((ends for ends in selected.values() if ends), None)
        window = times.between(part) if part else None
        if window is not None and window[0] < window[1]:
            return replace(self, window=window, seen={}, drawn=self.drawn + 1)
        runs = tuple(one["run_id"] for one in selection.get(RUNS, []) if "run_id" in one)
        seen = self.seen.get(chart, ())
        if runs == seen:
            return self
        added = [run for run in runs if run not in seen]
        chosen = [run for run in self.runs if run not in added]
        kept = tuple([*chosen, *added][-_MOST:]) if runs else ()
        return replace(self, runs=kept, seen={**self.seen, chart: runs})


def chosen_before(
    address: Address, app: str, known: Sequence[str], starts: Sequence[datetime]
) -> Choice:
    """Return what the address or, since then, the user chose; `known` are the runs there are.

    Where the address has no window it is the period chosen on another page, within their `starts`.

    Raises `UsageError` for a window or run of a link that there is not.
    """
    state: Choice | None = st.session_state.get(_STATE)
    if address.sets(_STATE):
        drawn = 0 if state is None else state.drawn + 1
        runs = tuple(one for one in address.given.get("runs", []) if one)
        for run in runs:
            if run not in known:
                address.keep("runs", runs)
                raise unknown("Run", run, known)
        window = _asked_window(address) or _carried_window(address, starts)
        state = Choice(app, window, runs[-_MOST:], drawn=drawn)
    elif state is None or state.app != app:
        state = Choice(app, drawn=0 if state is None else state.drawn + 1)
    return state


def keep(address: Address, choice: Choice) -> None:
    """Make a choice part of the address, and of the state of the session."""
    ends = ["", ""] if choice.window is None else [end.isoformat() for end in choice.window]
    for key, end in zip(("from", "to"), ends, strict=True):
        address.keep(key, [end])
    address.keep("runs", choice.runs or [""])
    if choice.window is not None:
        address.carry("time", period_text(choice.window))
    st.session_state[_STATE] = choice


def reset(choice: Choice) -> None:
    """Take a choice, made by a button, as the present one; without a window also on other pages."""
    st.session_state[_STATE] = choice
    if choice.window is None:
        Address.carry("time", "")


def _carried_window(address: Address, starts: Sequence[datetime]) -> Period | None:
    carried = address.carried("time")
    if carried is None:
        return None
    first, last = period_of(carried)
    found = [start for start in starts if first <= start <= last]
    return (min(found), max(found)) if len(set(found)) > 1 else None


def _asked_window(address: Address) -> Period | None:
    asked = [address.parameter(key) or "" for key in ("from", "to")]
    if not any(asked):
        return None
    try:
        first, last = (utc(text) for text in asked)
    except ValueError:
        first = last = datetime.max.replace(tzinfo=UTC)
    if first >= last:
        for key, text in zip(("from", "to"), asked, strict=True):
            address.keep(key, [text])
        raise UsageError(
            f"The link has no window of time from {asked[0]!r} to {asked[1]!r}.",
            hint="Open the page without them, and drag over a part of the chart.",
        )
    return first, last
