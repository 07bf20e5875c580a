"""Inbox: changes as they are worked on, the open ones first; j, k, Enter and e go through them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import streamlit as st

from apps.output.numbers import counted, signed_percent
from apps.output.text import short_name
from apps.pages.base import View
from apps.pages.components import component
from apps.pages.failures import show_errors
from apps.pages.text import plain, run_label
from apps.pages.triage import triaging
from apps.queries.events import OPEN, SETTLED, WITHDRAWN, Events
from apps.reports.changes import commit_range, confirmation
from apps.reports.events import event_sentences, state_text, triage_sentence
from apps.reports.gate import gate_result
from apps.reports.sparklines import sparkline
from warehouse.address import Address

_CARDS, _VALUES, _NAME = 8, 40, 80
_VISIT = 1800.0  # s without a look at the page, after which the next one is another visit
_EARLY = 5  # changes that are not certain yet
_EVERY = "Open and settled"
_STATES = {"Open": OPEN, **{one.capitalize(): (one,) for one in (*OPEN, *SETTLED, WITHDRAWN)}}


def page(view: View) -> None:
    """Show the events as `pwh events` lists them: what changed, its state, owner and cause."""
    counts = view.ask("overview/counts").row(0, named=True)
    if counts["rejected"]:
        files = counted(counts["rejected"], "file was", "files were")
        view.link(f"{files} rejected: see why", "ingest", icon="error")
    if not counts["runs"]:
        view.empty(
            "Nothing has landed yet. Name files or folders of counters, profiles or traces; pwh "
            "readers lists the formats. pwh demo fills a warehouse of its own to look around in."
        )
        return
    choices = view.ask("events/choices")
    if choices.is_empty():
        st.info(
            "No change is certain yet: changes are detected in series of 10 runs or more.",
            icon=":material/inbox:",
        )
        view.link("What has landed", "overview")
        _early(view, None)
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
    new = "new since your last visit" if seen else "new to you"
    st.subheader(f"{counted(len(rows), 'event')}, {opened} open, {unseen} {new}", anchor=False)
    if not rows:
        st.caption("None is of these choices.")
        _early(view, app)
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
        badge = new if is_unseen(row, seen) else None
        _card(view, row, histories.get(row["event_id"]), badge)
    few = f"The first {_CARDS} of {len(rows)}; the table below has all. " if rows[_CARDS:] else ""
    st.caption(f"{few}Keys: j and k go through the events, Enter explains one, e acknowledges it.")
    _early(view, app)
    # The browser keeps the number of the newest event, and goes through events by keys.
    newest = view.ask("events/newest")["event_id"][0]
    component("inbox")(key="inbox", data={"cookie": _cookie(view.path), "newest": newest})
    view.table(
        found.select(
            *("event_id", "state", "owner", "app", "machine", "started_at", "run_id", "version"),
            *("metric", "change", "direction", "others", "others_worse", "others_better"),
            *("moved", "ticket", "note", "said_by"),
        ),
        percent=("change",),
    )


def _card(
    view: View, row: dict[str, Any], history: dict[str, Any] | None, badge: str | None
) -> None:
    """Show an event in words, with the ways to its cause and its trend, and the form for it."""
    with st.container(border=True, gap="small", key=f"event_{row['event_id']}"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f"**Event {row['event_id']}: {plain(row['app'])}**", width="content")
            if badge:
                st.badge(badge)
            picture = history and sparkline(history["history"], history["change_at"])
            if picture:
                st.image(picture)
            st.caption(plain(triage_sentence(row)), width="content")
        # One explanation that fails must not stop the others.
        with show_errors(view), st.container(gap=None):
            change, _, *why = view.value(event_sentences, row)
            for sentence in (change, *why):
                st.markdown(plain(sentence))
        with st.container(horizontal=True, vertical_alignment="center"):
            if row["state"] != WITHDRAWN:
                view.link_to_cause("Why did it change?", row)
                view.link("Compare", "compare", before=row["previous_run_id"], after=row["run_id"])
            if row["url"]:
                st.link_button("See the commit", row["url"], icon=":material/commit:")
            named = run_label(row["version"], row["run_id"], row["started_at"])
            known = None if row["said_at"] is None else state_text(row)
            triaging(view, row["run_id"], named, known=known, event=row)
        if row["state"] in OPEN and row["direction"] == "worse":
            _gate(view, row)


def _gate(view: View, row: dict[str, Any]) -> None:
    """Offer the verdict of `pwh gate` on the latest runs, which takes a while."""
    place = st.expander("What the gate says now", key=f"_gate_{row['event_id']}", on_change="rerun")
    if place.open:
        result = view.value(gate_result, row["app"], row["metric"], row["run_id"])
        with place:
            st.markdown(
                f"The gate {result or 'cannot judge'}: the latest runs, as pwh gate has them."
            )


def _early(view: View, app: str | None) -> None:
    """Show the latest changes for the worse that may not last."""
    found = view.ask("overview/provisional", number=_EARLY, app=app)
    if found.is_empty():
        return
    st.subheader("Provisional", anchor=False)
    for row in found.iter_rows(named=True):
        between = commit_range(row)
        since = run_label(row["version"], row["run_id"], row["started_at"])
        said = (
            f"on {row['machine'] or 'an unknown machine'}: {short_name(row['metric'], _NAME)} "
            f"{signed_percent(row['change']) or 'from 0'} since {since}"
            f"{f' ({between})' if between else ''}; {confirmation(row)}"
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(f":gray[:material/pending:] **{plain(row['app'])}** {plain(said)}")
            view.link_to_cause("Why?", row)


def last_seen(path: Address) -> int:
    """Return the number of the newest event of the last visit; 0 for a first visitor.

    The browser keeps it in a cookie, written by components/inbox.js.
    """
    parts = st.context.cookies.get(_cookie(path), "").split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return 0
    before, seen, at = map(int, parts)
    return seen if time.time() - at / 1000 > _VISIT else before


def is_unseen(event: Mapping[str, Any], seen: int) -> bool:
    """Return whether an event is open and was not there at the last visit."""
    return event["state"] in OPEN and event["event_id"] > seen


def _cookie(path: Address) -> str:
    """Return the name of the cookie of a warehouse: browsers have one set for all ports."""
    return f"pwh_seen_{sha256(str(path).encode()).hexdigest()[:12]}"
