"""Profile: flame graph and functions of a run or version, or of two against each other.

A box of the graph that is clicked is zoomed to: the table then has what is in it, and more is shown
of its function.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import altair as alt
import polars as pl
import streamlit as st

from apps.output.numbers import amount, counted, prefixed, signed_percent
from apps.output.text import short_name
from apps.pages.base import View
from apps.pages.charts import axis
from apps.pages.components import component
from apps.pages.flame import profile_tree
from apps.pages.picked_chart import picked
from apps.pages.scaling import set_label
from apps.pages.text import plain
from apps.queries.profile import Profile
from apps.queries.runs import resolve_runs, run_facts
from apps.queries.scaling import scaling_set_of
from apps.reports.imbalance import run_imbalance_sentences
from warehouse.errors import UsageError

_HEIGHT, _ROWS, _LOW = 460, 12, 220
_LETTERS = 60  # of a title
_NAME = "a run or APP@VERSION"
_CHOICES = 100
_FLAME, _FUNCTION = "_flame", "function"


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
    looked = _looked(view)
    of_run = {"run": runs[0] if len(runs) == 1 else None, "is_flat": is_flat}
    whole = view.ask("profile/functions", **which.params, **of_run, **_within([], looked))
    if whole.is_empty():
        st.info("Nothing was measured there: no function has a cost above 0.")
        return
    functions = view.ask(
        "profile/functions", **which.params, **of_run, **_within(looked["zoom"], looked)
    )
    names = functions["function"].head(_CHOICES).to_list()
    function = view.pick("Function", names, key=_FUNCTION, placeholder="one to see more of")
    if len(runs) == 1 and not against and event == "time":
        sentences = view.value(run_imbalance_sentences, runs[0])
        if sentences:
            view.verdicts(sentences)
    drawn = {"unit": chosen["unit"], "flat": is_flat, "function": function}
    _graph(view, tree | drawn, looked, left_out)
    if against:
        gone = "" if is_flat else " Widths of before show what is gone."
        st.caption(f"Orange takes more than before, blue less, grey the same.{gone}")
    if len(chosen["ranks"]) > 1:
        _ranks(view, which, function, chosen["unit"])
    if function is not None:
        row = next(iter(whole.filter(function=function).to_dicts()), None)
        if row is None:
            st.caption(plain(f"{named} has no function {function}."))
        else:
            _function(view, which, row, chosen["unit"])
    _table(view, functions if len(functions) else whole, chosen["unit"], several=bool(against))


def _ranks(view: View, which: Profile, function: str | None, unit: str) -> None:
    """Show what each rank took, of a function or in all; a click on one narrows the page to it."""
    ranks = view.ask(
        "profile/ranks", runs=which.runs, event=which.event, thread=which.thread, function=function
    )
    size, named = prefixed(ranks["own"].to_list(), unit)
    shown = ranks.select(pl.col("rank").cast(pl.String), pl.col("own") / size)
    title = f"Own cost of {short_name(function, _LETTERS) if function else 'all functions'} by rank"
    drawn = picked(shown, "Bars", "rank", "own", None).properties(height=_LOW)
    drawn = drawn.encode(
        x=alt.X("x:N", sort=None, axis=axis("rank", labelAngle=0, labelOverlap=True)),
        y=alt.Y("y:Q", axis=axis("own", named)),
    )
    view.chart(drawn, title, choose=("x", "rank"))


def _within(zoom: list[str], looked: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a query for what is in a box: the names from the root to it."""
    return {"within": zoom, "is_inverted": looked["inverted"]}


def _function(view: View, which: Profile, row: Mapping[str, Any], unit: str) -> None:
    """Show what a function costs, what was counted in it, and the ways to more of it."""
    name, run = row["function"], which.runs[0]
    st.subheader(plain(name), anchor=False)
    known = [f"Own {amount(row['own'], unit)}"]
    if which.against:
        change = signed_percent(row["change"] / row["own_before"]) if row["own_before"] else "new"
        known.append(f"before {amount(row['own_before'], unit)} ({change})")
    if row["inclusive"] is not None:
        known.append(f"with callees {amount(row['inclusive'], unit)}")
    line = view.ask("profile/line", runs=which.runs, function=name)["line"][0]
    if line is not None:
        known.append(f"line {line} of its source file")
    st.markdown(plain(f"{'; '.join(known)}."))
    counters = view.ask("profile/counters", runs=which.runs, against=which.against, function=name)
    facts = view.value(run_facts, run)
    with st.container(horizontal=True):
        if not counters.is_empty():
            view.link("What limits it", "bottlenecks", run=run, by="region")
        models = view.value(scaling_set_of, [run])
        if models is not None:
            scaled = view.ask("scaling/models", set_id=models.set_id)["function"].to_list()
            if name in scaled:
                view.link(
                    "How it scales", "scaling", app=models.app, set=set_label(models), function=name
                )
        metric = f"{'seconds' if unit == 's' else 'cost'}:{name}"
        if name and metric in view.ask("trend/choices", app=facts.get("app"))["metric"]:
            view.link("Its history", "trends", app=facts["app"], metric=metric)
        if facts.get("url"):
            st.link_button("See the commit", facts["url"], icon=":material/commit:")
    if not counters.is_empty():
        with st.expander("What was counted in it"):
            view.table(counters)


def show_flame_graph(view: View, run_id: str, of: Mapping[str, Any]) -> None:
    """Show the flame graph of a run; `of` is a row of profile/events: what it is of."""
    which = Profile([run_id], [], of["event"], None, None)
    tree, left_out = view.value(profile_tree, which)
    drawn = tree | {"unit": of["unit"], "flat": False, "function": None}
    _graph(view, drawn, _looked(view), left_out)


def _part(view: View, label: str, values: list[int | None], key: str) -> int | None:
    """Return the rank or thread that the user chooses, None for all; nothing of one."""
    known = [str(value) for value in values if value is not None]
    if len(known) < 2:
        return None
    chosen = view.select(label, known, key=key, every="All")
    return None if chosen is None else int(chosen)


# What the browser keeps of a flame graph, in the address: lists of names, text, switches.
_SWITCHES = ("inverted", "alphabetical", "width")


def _looked(view: View) -> dict[str, Any]:
    """Return the zoom, search and switches that the address or, since then, the browser has."""
    address = view.address
    if address.sets(_FLAME):
        # Between two arrivals the browser has the state; it says to which one that belongs.
        st.session_state[_FLAME] = {
            "arrival": st.session_state.get(_FLAME, {}).get("arrival", 0) + 1,
            "zoom": [one for one in address.given.get("zoom", []) if one],
            "search": address.parameter("search") or "",
            **{key: address.parameter(key) == "true" for key in _SWITCHES},
        }
    given: dict[str, Any] = st.session_state[_FLAME]
    now = _of_browser(given)
    address.keep("zoom", now["zoom"] or [""])
    address.keep("search", [now["search"]])
    for key in _SWITCHES:
        address.keep(key, [str(bool(now[key])).lower()])
    return now


def _of_browser(given: dict[str, Any]) -> dict[str, Any]:
    """Return the state that the browser has, `given` where that is of an earlier arrival."""
    result: Any = st.session_state.get("flame") or {}
    now: dict[str, Any] = result.get("view") or given
    return now if now["arrival"] == given["arrival"] else given


def _graph(view: View, tree: dict[str, Any], looked: dict[str, Any], left_out: int) -> None:
    """Show a tree of calls, `left_out` of whose paths are not in it."""
    view.behind("Flame graph", "profile/stacks")
    component("flame")(
        key="flame",
        data={**tree, "cut": left_out > 0, "view": st.session_state[_FLAME]},
        on_view_change=_choose_function,
    )
    st.session_state["_zoom"] = looked["zoom"]
    if left_out:
        paths = counted(left_out, "call path is", "call paths are")
        st.caption(f"{paths} too small to be drawn, and counted with the callers.")


def _choose_function() -> None:
    """Choose the function of the box that the browser zoomed to; the whole graph chooses none."""
    zoom = _of_browser(st.session_state[_FLAME])["zoom"]
    if zoom != st.session_state.get("_zoom"):
        st.session_state[_FUNCTION] = zoom[-1] if zoom else None


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
        units=dict.fromkeys(of_unit, unit),
        height=_HEIGHT if len(shown) > _ROWS else None,
    )
    notes = ["Own is without callees, inclusive with them."]
    if "calls" in shown.columns:
        notes.append("Calls are means over ranks.")
    if "imbalance" in shown.columns:
        notes.append(
            "Imbalance is max / mean - 1 over ranks; what perfect balance would save at most is "
            "saved."
        )
    st.caption(" ".join(notes))
