"""Events: changes as they are worked on, the open ones first."""

from __future__ import annotations

from typing import Any

import streamlit as st

from apps.output.numbers import counted
from apps.pages.base import View
from apps.pages.failures import show_errors
from apps.pages.text import plain, run_label
from apps.pages.triage import triaging
from apps.queries.events import OPEN, SETTLED, WITHDRAWN, Events
from apps.reports.events import event_sentences, state_text

_CARDS = 8
_EVERY = "Open and settled"
_STATES = {"Open": OPEN, **{one.capitalize(): (one,) for one in (*OPEN, *SETTLED, WITHDRAWN)}}


def page(view: View) -> None:
    """Show the events as `pwh events` lists them: what changed, its state, owner and cause."""
    choices = view.ask("events/choices")
    if choices.is_empty():
        view.empty(
            "There are no events yet. Changes are detected in series of 10 runs or more.",
            f"{view.pwh} ingest FILES --app NAME",
        )
        return
    apps, machines, owners = (
        choices.filter(kind=kind)["choice"].to_list() for kind in ("app", "machine", "owner")
    )
    app = view.select("Application", apps, key="app", every="All")
    machine = view.select("Machine", machines, key="machine", every="All")
    state = view.select("State", list(_STATES), key="state", every=_EVERY)
    owner = view.select("Owner", owners, key="owner", every="All")
    states = Events().states if state is None else _STATES[state]
    wanted = Events(states, None, app, None, machine, owner)
    found = view.ask("events/list", **wanted.params())
    rows = found.to_dicts()
    opened = sum(row["state"] in OPEN for row in rows)
    st.subheader(f"{counted(len(rows), 'event')}, {opened} open", anchor=False)
    if not rows:
        st.caption("None is of these choices.")
        return
    for row in rows[:_CARDS]:
        _card(view, row)
    view.table(
        found.select(
            *("event_id", "state", "owner", "app", "machine", "started_at", "run_id", "version"),
            *("metric", "change", "direction", "others", "moved", "ticket", "note", "said_by"),
        ),
        percent=("change",),
    )


def _card(view: View, row: dict[str, Any]) -> None:
    """Show an event in words, with the ways to its cause and its trend, and the form for it."""
    with st.container(border=True, gap="small"):
        st.markdown(f"**Event {row['event_id']}: {plain(row['app'])}**")
        # One explanation that fails must not stop the others.
        with show_errors(view):
            for sentence in view.value(event_sentences, row):
                st.markdown(plain(sentence))
        with st.container(horizontal=True, vertical_alignment="center"):
            if row["state"] != WITHDRAWN:
                view.link(
                    "Why did it change?",
                    "trends",
                    icon="help",
                    app=row["app"],
                    metric=row["metric"],
                    machine=row["machine"],
                    why=row["run_id"],
                )
            named = run_label(row["version"], row["run_id"], row["started_at"])
            known = None if row["said_at"] is None else state_text(row)
            triaging(view, row["run_id"], named, known=known, event=row)
