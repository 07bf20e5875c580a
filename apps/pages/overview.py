"""Overview: what the warehouse contains, what got worse, and what the latest traces show."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import polars as pl
import streamlit as st

from apps.output.numbers import amount, counted, short_count, signed_percent
from apps.output.text import short_name, short_names, version_text
from apps.pages.base import View
from apps.pages.failures import show_errors
from apps.pages.tables import linked
from apps.pages.text import plain, run_label
from apps.pages.visits import last_seen
from apps.queries.runs import rows_by_run
from apps.reports.changes import commit_range, confirmation, series_state
from apps.reports.events import others_text
from apps.reports.gate import gate_result
from apps.reports.runs import trace_sentences
from apps.reports.sparklines import sparkline

if TYPE_CHECKING:
    from streamlit.delta_generator import DeltaGenerator

_RUNS = 8
_UNITS = {"wall_seconds": "s"}
_REGRESSIONS = 5
_SERIES = 100
_VALUES = 40
_NAME, _CELL = 80, 28
_PICTURE = 140  # px
# What takes about a second; beyond that the page waits for the user to request it.
_ROWS_AT_ONCE = 20_000_000
_SENTENCES = 2
_CARDS_OF_LEFT = 3
_TOPICS = (
    ("pmu_samples", "Counters", "bottlenecks", "speed"),
    ("fn_timings", "Functions", "profile", "local_fire_department"),
    ("tasks", "Idle time", "idle", "hourglass_empty"),
    ("bb_launches", "Threads", "threads", "account_tree"),
    ("segments", "Throughput", "throughput", "memory"),
)


def page(view: View) -> None:
    """Show what to look at first, then what landed, and at the foot how much there is."""
    counts = view.ask("overview/counts").row(0, named=True)
    if not counts["runs"]:
        view.empty(
            "Nothing has landed yet. Name files or folders of counters, profiles or traces; pwh "
            "readers lists the formats. pwh demo fills a warehouse of its own to look around in.",
            f"{view.pwh} ingest FILES",
        )
        _rejected(view, counts)
        return
    _rejected(view, counts)
    watch_list = st.container()
    regressions = st.container()
    left, right = st.columns(2, gap="large")
    with right:
        st.subheader("Latest runs", anchor=False)
        latest = view.ask("overview/latest", number=_RUNS)
        view.table(latest.select("run_id", "app", "started_at", "wall_seconds"), units=_UNITS)
        view.link("All runs", "runs", icon="list_alt")
    with regressions:
        st.subheader("Changes for the worse", anchor=False)
        with watch_list:
            _watch_list(view)
        gates = _regressions(view)
    with left:
        st.subheader("What the latest traces show", anchor=False)
        analysed = view.confirmed(
            "Analyse the latest traces and ask the gates of the changes",
            key="latest",
            rows=counts["rows"],
            most=_ROWS_AT_ONCE,
        )
        if analysed:
            with st.spinner("Analysing the latest traces ..."):
                _verdicts(view, left, right)
    _counts(counts)
    if analysed and gates:
        for place, row in gates:
            place.caption(plain(_gate(view, row)))


def _counts(counts: dict[str, Any]) -> None:
    shown = (
        ("Runs", counts["runs"]),
        ("Applications", counts["apps"]),
        ("Machines", counts["machines"]),
        ("Files", counts["files"]),
        ("Rows", counts["rows"]),
    )
    for place, (label, number) in zip(st.columns(len(shown)), shown, strict=True):
        place.metric(label, short_count(number), help=f"{number:,}", border=True)


def _rejected(view: View, counts: dict[str, Any]) -> None:
    if counts["rejected"]:
        files = counted(counts["rejected"], "file was", "files were")
        view.link(f"{files} rejected: see why", "ingest", icon="error")


def _watch_list(view: View) -> None:
    """Show a line for each setting of an application: last values, last run, state."""
    found = view.ask("overview/watched", number=_SERIES, most=_VALUES, app=None)
    if found.is_empty():
        return
    st.subheader("Applications", anchor=False)
    rows = list(found.iter_rows(named=True))
    links = [
        f"trends?metric={quote(r['metric'], safe='')}&app={quote(r['app'], safe='')}" for r in rows
    ]
    settings = short_names(found["setting"].fill_null("").to_list(), _CELL)
    shown = found.select(
        "machine",
        "last_at",
        "run_id",
    ).with_columns(
        pl.Series("app", links),
        pl.Series(
            "history", [sparkline(row["history"], row["change_at"]) for row in rows], pl.String
        ),
        pl.Series("setting", [one or None for one in settings], pl.String),
        pl.Series("metric", short_names(found["metric"].to_list(), _CELL)),
        pl.Series("last", [amount(row["last"], row["unit"]) for row in rows]),
        pl.Series("state", [series_state(row) for row in rows]),
    )
    columns = shown.select(
        *("app", "machine", "setting", "metric", "history", "last", "state", "last_at", "run_id")
    )
    st.dataframe(
        linked(columns.select(one for one in columns if one.null_count() < len(one))),
        hide_index=True,
        placeholder="",
        column_config={
            "app": st.column_config.LinkColumn("app", display_text=r"&app=(.*)$"),
            "history": st.column_config.ImageColumn("history", width=_PICTURE),
            "state": st.column_config.TextColumn("state", width="medium"),
            "last_at": st.column_config.DatetimeColumn("last run", format="distance"),
            "run_id": st.column_config.LinkColumn("run", display_text=r"\?run=(.*)$"),
        },
    )
    few = f"The first {_SERIES} series. " if len(rows) == _SERIES else ""
    st.caption(
        f"{few}Wall time of the last runs, else the time or cost of their functions, or cycles, "
        "else the result of a benchmark or the counter that changed last. State: the latest change."
    )


def _regressions(view: View) -> list[tuple[DeltaGenerator, dict[str, Any]]]:
    """Show the latest changes for the worse; return each certain one, and where its gate goes."""
    found = view.ask("overview/regressions", number=_REGRESSIONS)
    early = view.ask("overview/provisional", number=_REGRESSIONS)
    if found.is_empty():
        st.caption("None is certain and open. Changes are detected in series of 10 runs or more.")
    gates = [
        (_change(view, row, ":red[:material/trending_up:]", ""), row)
        for row in found.iter_rows(named=True)
    ]
    for row in early.iter_rows(named=True):
        _change(view, row, ":gray[:material/pending:]", f"; provisional, {confirmation(row)}")
    view.link("All events", "events", icon="inbox")
    return gates


def _change(view: View, row: dict[str, Any], icon: str, certainty: str) -> DeltaGenerator:
    """Show a change and the way to its trend; return where more on it goes."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        others = f" and {others_text(row)}" if row.get("others") else ""
        between = commit_range(row)
        since = run_label(row["version"], row["run_id"], row["started_at"])
        size = signed_percent(row["change"]) or "from 0"
        metric = short_name(row["metric"], _NAME)
        said = (
            f"on {row['machine'] or 'an unknown machine'}: {metric} {size}{others} since "
            f"{since}{f' ({between})' if between else ''}{_moved(row)}{certainty}"
        )
        new = ":blue-badge[new] " if row.get("event_id", 0) > last_seen(view.path) else ""
        st.markdown(f"{icon} {new}**{plain(row['app'])}** {plain(said)}")
        place: DeltaGenerator = st.empty()
        if row.get("url"):
            st.link_button("See the commit", row["url"], icon=":material/commit:")
        view.link_to_cause("Why?", row)
    return place


def _moved(row: dict[str, Any]) -> str:
    """Return what moved at an event, where that is known."""
    return f", the {row['moved']} moved" if row.get("moved", "unknown") != "unknown" else ""


def _gate(view: View, row: dict[str, Any]) -> str:
    """Return the verdict of pwh gate on the latest runs."""
    result = view.value(gate_result, row["app"], row["metric"], row["run_id"])
    return f"gate {result or 'cannot judge'}"


def _verdicts(view: View, left: DeltaGenerator, right: DeltaGenerator) -> None:
    """Show the verdicts on the newest trace of each kind, in the shorter of two columns."""
    last = view.ask("overview/last_runs").to_dicts()
    tables = view.value(rows_by_run, [run["run_id"] for run in last])
    latest = {table: run for run in reversed(last) for table in tables[run["run_id"]]}
    known = [topic for topic in _TOPICS if topic[0] in latest]
    if not known:
        with left:
            st.caption(
                "The latest runs have no counters, profiles or traces, only metrics: their "
                "histories are on the page Trends."
            )
    for place, (kind, title, page_path, icon) in enumerate(known):
        row = latest[kind]
        column = left if place < _CARDS_OF_LEFT else right
        sentences: list[str] | None = None
        card = column.empty()
        with card.container(border=True, gap="small"):
            version = row["version"] and version_text(row["version"])
            name = " ".join(part for part in (row["app"], version) if part)
            st.markdown(f"**{title}** of {plain(name or row['run_id'])}")
            # One analysis that fails must not stop the others.
            with show_errors(view):
                sentences = view.value(trace_sentences, row["run_id"], kind)[:_SENTENCES]
                for sentence in sentences:
                    st.markdown(plain(sentence))
            view.link(f"{title} of {row['run_id']}", page_path, icon=icon, run=row["run_id"])
        # as of the samples of a profile, which its functions tell
        if sentences == []:
            card.empty()
