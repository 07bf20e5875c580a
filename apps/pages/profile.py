"""Profile: flame graph and functions of a run or version, or of two against each other."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st

from apps.output.numbers import counted
from apps.pages.base import View
from apps.pages.components import component
from apps.pages.flame import profile_tree
from apps.queries.profile import Profile
from apps.queries.runs import resolve_runs
from apps.reports.imbalance import run_imbalance_sentences
from warehouse.errors import UsageError

_HEIGHT, _ROWS = 460, 12
_NAME = "a run or APP@VERSION"


def page(view: View) -> None:
    """Show the flame graph, or the treemap of a flat profile, and the table of functions."""
    profiled = view.ask("profile/runs")
    known = profiled["run_id"].to_list()
    if not known:
        view.empty(
            "No run has a profile yet. Profiles come from perf, TAU, Score-P, Caliper, callgrind, "
            "gprof, cProfile, py-spy and others.",
            "perf record -g ./program && perf script > profile.txt\n"
            "pwh ingest profile.txt --app program --version 1.0",
        )
        return
    choices = view.ask("comparison/choices")["choice"].to_list()
    most = known[profiled["paths"].arg_max() or 0]
    named = view.pick("Run", known, key="run", placeholder=_NAME, default=most)
    other = view.pick("Compared with", choices, key="against", placeholder="none")
    if named is None:
        st.caption("Choose a run, or a version of an application (APP@VERSION).")
        return
    runs = view.value(resolve_runs, named)
    against = view.value(resolve_runs, other) if other else []
    if shared := set(runs) & set(against):
        raise UsageError(f"{named} and {other} are both the run {min(shared)}.")
    _profile(view, runs, against, str(named))


def _profile(view: View, runs: list[str], against: list[str], named: str) -> None:
    events = view.ask("profile/events", runs=[*runs, *against])
    if events.is_empty():
        many = " and what it is compared with have no event in common" if against else ""
        st.info(f"{named} has no profile that can be drawn.{many}")
        return
    event = view.select("Cost", events["event"].to_list(), key="event")
    chosen = events.row(events["event"].to_list().index(event), named=True)
    rank, thread = (
        _part(view, label, chosen[key], key[:-1])
        for label, key in (("Rank", "ranks"), ("Thread", "threads"))
    )
    which = Profile(runs, against, str(event), rank, thread)
    is_flat = chosen["depth"] == 1
    tree, left_out = view.value(profile_tree, which)
    functions = view.ask(
        "profile/functions",
        **which.params,
        run=runs[0] if len(runs) == 1 else None,
        is_flat=is_flat,
    )
    if functions.is_empty():
        st.info("Nothing was measured there: no function has a cost above 0.")
        return
    if len(runs) == 1 and not against and event == "time":
        sentences = view.value(run_imbalance_sentences, runs[0])
        if sentences:
            view.verdicts(sentences)
    _graph(view, tree | {"unit": chosen["unit"], "flat": is_flat}, left_out)
    if against:
        gone = "" if is_flat else " Widths of before show what is gone."
        st.caption(f"Orange takes more than before, blue less, grey the same.{gone}")
    _table(view, functions, chosen["unit"], several=bool(against))


def show_flame_graph(view: View, run_id: str, of: Mapping[str, Any]) -> None:
    """Show the flame graph of a run; `of` is a row of profile/events: what it is of."""
    which = Profile([run_id], [], of["event"], None, None)
    tree, left_out = view.value(profile_tree, which)
    _graph(view, tree | {"unit": of["unit"], "flat": False}, left_out)


def _part(view: View, label: str, values: list[int | None], key: str) -> int | None:
    """Return the rank or thread that the user chooses, None for all; nothing of one."""
    known = [str(value) for value in values if value is not None]
    if len(known) < 2:
        return None
    chosen = view.select(label, known, key=key, every="All")
    return None if chosen is None else int(chosen)


# What the browser keeps of a flame graph, in the address: lists of names, text, switches.
_SWITCHES = ("inverted", "alphabetical", "width")


def _graph(view: View, tree: dict[str, Any], left_out: int) -> None:
    """Show a tree of calls, `left_out` of whose paths are not in it."""
    address = view.address
    if address.sets("_flame"):
        # Between two arrivals the browser has the state; it says to which one that belongs.
        st.session_state["_flame"] = {
            "arrival": st.session_state.get("_flame", {}).get("arrival", 0) + 1,
            "zoom": [one for one in address.given.get("zoom", []) if one],
            "search": address.asked("search") or "",
            **{key: address.asked(key) == "true" for key in _SWITCHES},
        }
    given = st.session_state["_flame"]
    result: Any = component("flame")(
        key="flame",
        data={**tree, "cut": left_out > 0, "view": given},
        on_view_change=_nothing,
    )
    now = result.get("view") or given
    if now["arrival"] != given["arrival"]:
        now = given
    address.keep("zoom", now["zoom"] or [""])
    address.keep("search", [now["search"]])
    for key in _SWITCHES:
        address.keep(key, [str(bool(now[key])).lower()])
    if left_out:
        paths = counted(left_out, "call path is", "call paths are")
        st.caption(f"{paths} too small to be drawn, and counted with the callers.")


def _nothing() -> None:
    """Do nothing: the page runs again, and reads what the component has."""


def _table(view: View, functions: pl.DataFrame, unit: str, *, several: bool) -> None:
    st.subheader("Functions", anchor=False)
    columns = ["function", "own", "share", "inclusive"]
    if several:
        columns += ["own_before", "change", "inclusive_before"]
    columns += ["calls", "imbalance", "saved_seconds"]
    shown = functions.select(
        name for name in columns if not functions[name].is_null().all() or name == "inclusive"
    )
    of_unit = ("own", "inclusive", "own_before", "inclusive_before", "change")
    view.table(
        shown,
        units={**dict.fromkeys(of_unit, unit), "saved_seconds": "s"},
        percent=("share", "imbalance"),
        height=_HEIGHT if len(shown) > _ROWS else None,
    )
    notes = ["Own is without callees, inclusive with them."]
    if "calls" in shown.columns:
        notes.append("Calls are means over ranks.")
    if "imbalance" in shown.columns:
        notes.append(
            "Imbalance is max / mean - 1 over ranks; perfect balance would save at most "
            "saved_seconds."
        )
    st.caption(" ".join(notes))
