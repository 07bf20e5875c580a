"""SQL: query the warehouse; the answer as a table, a chart and a download."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

import polars as pl
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from apps.output.numbers import counted
from apps.pages.base import View
from apps.pages.components import component
from apps.pages.login import may
from apps.pages.picked_chart import KINDS, picked
from apps.pages.tables import as_shown, show_answer
from apps.pages.text import plain
from apps.queries.schema import completions, schema_objects, schema_of
from warehouse import sqlfiles
from warehouse.errors import UsageError
from warehouse.guarded import Limits, Result
from warehouse.saved_queries import Shown, save_query
from warehouse.sharing import writing

_STOPPED = "stopped_sql"
"""Where a session keeps the query that its user stopped."""
_HISTORY = "queries"
"""And those that it ran, the last one at the end."""
_TEXT = "_sql"
"""And what the page put into the editor."""
_KEPT, _SHOWN = 30, 80
# Where the page, and its address, keep what columns of saved_queries have.
_CHART = {"chart": "chart", "x": "across", "y": "up", "colour": "colour"}
_NO_CHART = "None"
_WAIT = 10.0


def page(view: View) -> None:
    """Show the schema next to the editor, and the answer below it."""
    limits = Limits()
    left, right = st.columns([1, 1.9], gap="large")
    with left:
        _schema(view)
    with right:
        sql = _editor(view, limits)
        if not sql.strip():
            st.caption("Write a query and run it.")
            return
        if st.session_state.get(_STOPPED) == sql:
            st.info("The query was stopped. Run starts it again.", icon=":material/stop_circle:")
            return
        try:
            result = _run(view, sql)
        except UsageError as error:
            _wrong(error)
            return
        _answer(view, sql, result, limits)


def _run(view: View, sql: str) -> Result:
    """Return the answer; while the query runs, show how long it has and a button that stops it."""
    place = st.empty()

    def on_wait(seconds: float) -> None:
        if not shown:
            with place.container(horizontal=True, vertical_alignment="center"):
                shown.append(st.empty())
                st.button(
                    "Stop",
                    icon=":material/stop_circle:",
                    on_click=lambda: st.session_state.update({_STOPPED: sql}),
                )
        # Streamlit ends this run of the script here where the user has pressed a button meanwhile.
        shown[0].caption(f"Running the query, {seconds:.0f} s ...")

    shown: list[DeltaGenerator] = []
    result = view.guarded(sql, on_wait)
    place.empty()
    earlier = [one for one in st.session_state.get(_HISTORY, []) if one != sql]
    st.session_state[_HISTORY] = [*earlier, sql][-_KEPT:]
    return result


def _editor(view: View, limits: Limits) -> str:
    """Show the editor; return the query that the address has or the user last ran."""
    _earlier(view)
    address = view.address
    if address.sets(_TEXT):
        linked = address.parameter("sql")
        _edit(sqlfiles.read("queries/schema/example").strip() if linked is None else linked)
    given = st.session_state[_TEXT]
    words = view.value(completions)
    result: Any = component("editor")(
        key="editor",
        data={
            **given,
            "tables": words.tables,
            "functions": words.functions,
            "note": f"Reads only; up to {limits.seconds:.0f} s and {limits.memory_mib // 1024} GiB "
            "of memory. Ctrl+Enter runs it.",
        },
        on_query_change=lambda: st.session_state.pop(_STOPPED, None),
    )
    now = result.get("query") or given
    # The browser's answer may be of an earlier arrival.
    sql = str((now if now["arrival"] == given["arrival"] else given)["sql"])
    address.keep("sql", [sql])
    return sql


def _edit(sql: str, chart: Mapping[str, str | None] | None = None) -> None:
    """Put a text into the editor, in place of what the user typed, and set its chart."""
    arrival = st.session_state.get(_TEXT, {}).get("arrival", 0) + 1
    st.session_state[_TEXT] = {"arrival": arrival, "sql": sql}
    if chart is not None:
        for key, column in _CHART.items():
            st.session_state[key] = chart[column] or _NO_CHART


def _earlier(view: View) -> None:
    """Show the queries of this session and those saved in the warehouse; one chosen is edited."""
    saved = {row["name"]: row for row in view.ask("schema/saved").to_dicts()}
    earlier: list[str] = st.session_state.get(_HISTORY, [])
    recent = {_first_line(sql): {"query": sql} for sql in reversed(earlier)}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        for label, texts, symbol in (
            ("Saved queries", saved, "bookmark"),
            ("History", recent, "history"),
        ):
            with st.popover(label, icon=f":material/{symbol}:", disabled=not texts):
                for name, row in texts.items():
                    st.button(
                        plain(name),
                        key=f"{label} {name}",
                        type="tertiary",
                        on_click=_edit,
                        args=(row["query"], row if "chart" in row else None),
                    )
        may_save = may("acknowledge")
        with st.popover("Save", icon=":material/bookmark_add:", disabled=not may_save):
            name = st.text_input("Name", key="saved_name", max_chars=100)
            board = st.text_input("Board", key="saved_board", max_chars=100, placeholder="none")
            st.caption(
                "The query that ran last, with its chart. Everyone who uses this warehouse finds "
                "it, here, on the page Boards and with pwh sql --saved."
            )
            if st.button("Save the query", disabled=not name):
                _save(view, name, board)


def _save(view: View, name: str, board: str) -> None:
    linked = view.address.parameter
    chart = {column: linked(key) or None for key, column in _CHART.items()}
    if chart["chart"] is None:
        chart = {}
    with writing(view.path, wait=_WAIT) as con:
        save_query(con, name, linked("sql") or "", Shown(board=board.strip() or None, **chart))
    st.toast(f"Saved as {plain(name)}.", icon=":material/bookmark_added:")
    st.rerun()


def _first_line(sql: str) -> str:
    words = " ".join(sql.split())
    return words if len(words) <= _SHOWN else f"{words[: _SHOWN - 3]}..."


def _wrong(error: UsageError) -> None:
    first, _, rest = error.problem.partition("\n")
    st.error(plain(first))
    if rest.strip():
        st.code(rest.strip("\n"), language=None)
    if error.hint:
        st.caption(plain(error.hint))


def _schema(view: View) -> None:
    """Show tables, views, macros and functions, with the comments of the catalogue."""
    objects = view.rows(schema_objects)
    names = objects["name"].to_list()
    name = view.select(
        "Tables, views, macros and functions",
        names,
        key="object",
        default="runs",
        help="Type to search.",
        inline=True,
    )
    if name is None:
        return
    found = objects.filter(name=name)
    if found.is_empty():
        return
    kind, _, parameters, description = found.row(0)
    st.caption(plain(f"{kind}. {description or ''}"))
    if parameters is not None:
        st.code(f"{name}({parameters})", language="sql")
    else:
        columns = view.rows(schema_of, name)
        view.table(columns.select("column", "type", "description"), height=430)


def _answer(view: View, sql: str, result: Result, limits: Limits) -> None:
    frame = pl.DataFrame(pl.from_arrow(result.table))
    rows = counted(len(frame), "row")
    if result.more:
        rows = f"The first {limits.rows:,} rows; pwh sql --format csv returns all"
    show_answer(frame)
    with st.container(horizontal=True, vertical_alignment="center"):
        st.caption(f"{rows}. {result.seconds:.2f} s.")
        view.download("CSV", lambda: as_shown(frame).write_csv(), "answer.csv", "text/csv")
        view.download(
            "Parquet", lambda: _parquet(result), "answer.parquet", "application/vnd.apache.parquet"
        )
    if not frame.is_empty():
        _chart(view, sql, frame)


def _parquet(result: Result) -> bytes:
    import pyarrow.parquet as pq

    target = io.BytesIO()
    pq.write_table(result.table, target)
    return target.getvalue()


def _chart(view: View, sql: str, frame: pl.DataFrame) -> None:
    """Show a chart of the columns that the user chooses."""
    with st.container(horizontal=True):
        kind = view.select("Chart", KINDS, key="chart", every=_NO_CHART, inline=True)
        if kind is None:
            return
        columns = frame.columns
        across = view.select("Across", columns, key="x", inline=True)
        up = view.select("Up", columns, key="y", default=columns[len(columns) > 1], inline=True)
        by = view.select("Colour", columns, key="colour", every=_NO_CHART, inline=True)
    view.chart(picked(frame, kind, str(across), str(up), by), f"{up} by {across}", sql)
