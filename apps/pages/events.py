"""Events: changes as they are worked on, the open ones first: j, k, Enter and e go through them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from apps.output.numbers import counted
from apps.pages.base import View
from apps.pages.failures import show_errors
from apps.pages.text import plain, run_label
from apps.pages.triage import triaging
from apps.pages.visits import is_unseen, last_seen, remember_seen
from apps.queries.events import OPEN, SETTLED, WITHDRAWN, Events
from apps.reports.events import event_sentences, state_text
from apps.reports.sparklines import sparkline

_CARDS, _VALUES = 8, 40
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
    apps, branches, machines, owners = (
        choices.filter(kind=kind)["choice"].to_list()
        for kind in ("app", "branch", "machine", "owner")
    )
    app = view.select("Application", apps, key="app", every="All")
    branch = view.select("Branch", branches, key="branch", every="All") if branches else None
    machine = view.select("Machine", machines, key="machine", every="All")
    state = view.select("State", list(_STATES), key="state", every=_EVERY)
    owner = view.select("Owner", owners, key="owner", every="All")
    states = Events().states if state is None else _STATES[state]
    since, until = view.period() or (None, None)
    commit = view.text("Commit", key="commit", placeholder="or its beginning").strip() or None
    wanted = Events(states, None, app, branch, machine, owner, since, until, commit)
    found = view.ask("events/list", **wanted.params())
    rows = found.to_dicts()
    opened = sum(row["state"] in OPEN for row in rows)
    seen = last_seen(view.path)
    unseen = sum(is_unseen(row, seen) for row in rows)
    st.subheader(
        f"{counted(len(rows), 'event')}, {opened} open, {unseen} new since your last visit",
        anchor=False,
    )
    if not rows:
        st.caption("None is of these choices.")
        return
    shown = rows[:_CARDS]
    of_events = {
        name: [row[column] for row in shown]
        for name, column in (
            ("events", "event_id"),
            ("apps", "app"),
            ("metrics", "metric"),
            ("runs", "run_id"),
        )
    }
    known = view.ask("events/histories", **of_events, most=_VALUES)
    histories = {row["event_id"]: row for row in known.to_dicts()}
    for row in shown:
        _card(view, row, histories.get(row["event_id"]), is_new=is_unseen(row, seen))
    st.caption("Keys: j and k go through the events, Enter explains one, e acknowledges it.")
    remember_seen(view.path, view.ask("events/newest")["event_id"][0])
    view.table(
        found.select(
            *("event_id", "state", "owner", "app", "machine", "started_at", "run_id", "version"),
            *("metric", "change", "direction", "others", "others_worse", "others_better"),
            *("moved", "ticket", "note", "said_by"),
        ),
        percent=("change",),
    )


def _card(view: View, row: dict[str, Any], history: dict[str, Any] | None, *, is_new: bool) -> None:
    """Show an event in words, with the ways to its cause and its trend, and the form for it."""
    with st.container(border=True, gap="small", key=f"event_{row['event_id']}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Event {row['event_id']}: {plain(row['app'])}**", width="content")
            if is_new:
                st.badge("new since your last visit")
            picture = history and sparkline(history["history"], history["change_at"])
            if picture:
                st.image(picture)
        # One explanation that fails must not stop the others.
        with show_errors(view):
            for sentence in view.value(event_sentences, row):
                st.markdown(plain(sentence))
        with st.container(horizontal=True, vertical_alignment="center"):
            if row["state"] != WITHDRAWN:
                view.link_to_cause("Why did it change?", row)
                view.link(
                    "Compare",
                    "compare",
                    icon="compare_arrows",
                    before=row["previous_run_id"],
                    after=row["run_id"],
                )
            if row["url"]:
                st.link_button("See the commit", row["url"], icon=":material/commit:")
            named = run_label(row["version"], row["run_id"], row["started_at"])
            known = None if row["said_at"] is None else state_text(row)
            triaging(view, row["run_id"], named, known=known, event=row)
