"""Means of a page: cached answers, filters kept in the URL, tables, empty states.

A page is a function `page(view: View) -> None`. It queries through the view, so that answers are
cached, the file is closed and the SQL can be shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from math import ceil
from typing import Any, ParamSpec, TypeVar

import polars as pl
import streamlit as st
from altair.typing import ChartType
from streamlit.navigation.page import Page

from apps.output.numbers import counted
from apps.pages.answers import Answer, Answers
from apps.pages.charts import show
from apps.pages.filters import Filters
from apps.pages.tables import show_rows
from apps.pages.text import plain
from apps.queries.base import Query, ask, ask_count, ask_page
from warehouse.address import Address
from warehouse.errors import UsageError
from warehouse.guarded import Result
from warehouse.query_process import ask_guarded
from warehouse.session import Connection, Relation

P = ParamSpec("P")
T = TypeVar("T")

ROWS_OF_A_PAGE = 100
_SENTENCES = 7  # of an analysis that are read at a glance


class View(Filters):
    """One run of one page."""

    def __init__(self, path: Address, pages: Mapping[str, Page], page: str) -> None:
        super().__init__(page)
        self.path = path
        self.pages = pages
        self.is_waiting = False  # whether the file was in use for so long that the page gave up
        self._answers = Answers(path)
        self._queries: list[Query] = []
        self._tables = 0

    @property
    def pwh(self) -> str:
        """The beginning of a command over this warehouse, as a shell takes it."""
        return shlex.join(["pwh", "--db", str(self.path)])

    @property
    def con(self) -> Connection:
        """The warehouse, opened for reading, and closed at the end of the run."""
        return self._answers.con

    def close(self) -> None:
        """Close the warehouse's file."""
        self._answers.close()

    # Querying

    def ask(self, name: str, /, **params: Any) -> pl.DataFrame:
        """Return the rows of the question `sql/queries/<name>.sql`."""
        frame: pl.DataFrame = self._get(name, params, lambda con: ask(con, name, **params).pl())
        return frame

    def rows(self, function: Callable[..., Relation], /, *args: Any, **kwargs: Any) -> pl.DataFrame:
        """Return the rows of a function of apps.queries: `function(con, *args, **kwargs)`."""
        name = f"{function.__module__}.{function.__qualname__}"
        frame: pl.DataFrame = self._get(
            name, (args, kwargs), lambda con: function(con, *args, **kwargs).pl()
        )
        return frame

    def value(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Return `function(con, *args, **kwargs)`, where that is not a relation."""
        name = f"{function.__module__}.{function.__qualname__}"
        value: T = self._get(name, (args, kwargs), lambda con: function(con, *args, **kwargs))
        return value

    def guarded(self, sql: str, on_wait: Callable[[float], None] | None = None) -> Result:
        """Return the rows of a user's SQL; raises `UsageError` with what is wrong.

        `on_wait` is called with the seconds that have passed while the query runs.
        """
        answer = self._answers.cached_after(
            "guarded", sql, lambda: Answer(ask_guarded(self.path, sql, on_wait=on_wait), ())
        )
        result: Result = answer.value
        return result

    def _get(self, name: str, params: Any, compute: Callable[[Connection], Any]) -> Any:
        answer = self._answers.get(name, params, compute)
        self._queries += answer.queries
        return answer.value

    def confirmed(self, label: str, *, key: str, rows: int, most: int) -> bool:
        """Return whether to read so many rows: beyond `most` only if the user switches it on."""
        if rows <= most:
            return True
        return self.toggle(
            plain(label),
            key=key,
            help=f"Reads up to {rows:,} rows, which may take long.",
            inline=True,
        )

    # Showing

    def verdicts(self, sentences: Sequence[str], most: int = _SENTENCES) -> None:
        """Show the sentences of an analysis, one per line; those after `most` are folded away."""
        with st.container(border=True, gap=None):
            for sentence in sentences[:most]:
                st.markdown(plain(sentence))
            if rest := sentences[most:]:
                with st.expander(f"{len(rest)} more", type="compact"):
                    for sentence in rest:
                        st.markdown(plain(sentence))

    def chart(
        self,
        chart: ChartType,
        title: str,
        of: str | tuple[str, ...] = "",
        *,
        choose: tuple[str, str] | None = None,
    ) -> None:
        """Show a chart (`show`), whose SQL goes along with its picture (`behind`).

        That is the last question unless `of` names another.
        """
        self.behind(title, of)
        show(chart, title, choose=choose)

    def behind(self, title: str, of: str | tuple[str, ...]) -> None:
        """Let the picture whose title begins with `title` have the SQL of what it draws.

        That is the last question whose name begins with `of`, or `of` itself, which then is SQL.
        """
        found = (one.text() for one in reversed(self._queries) if one.name.startswith(of))
        self.queries[title] = next(found, str(of))

    def empty(self, what: str = "No run has landed yet.", command: str | None = None) -> None:
        """Show that there is no data yet, and the command that ingests it."""
        st.info(plain(what), icon=":material/inbox:")
        st.code(command or f"{self.pwh} ingest FILES", language="bash")

    def link(self, label: str, page: str, *, icon: str | None = None, **params: Any) -> None:
        """Show a link to a page (its path in PAGES) with filters set, and its icon or another."""
        symbol = self.pages[page].icon if icon is None else f":material/{icon}:"
        given = {
            key: value if isinstance(value, list) else str(value)
            for key, value in params.items()
            if value is not None
        }
        st.page_link(self.pages[page], label=plain(label), icon=symbol or None, query_params=given)

    def link_to_cause(self, label: str, change: Mapping[str, Any]) -> None:
        """Show a link to what explains a change of a metric at a run."""
        where = {key: change[key] for key in ("app", "metric", "machine")}
        self.link(label, "trends", icon="help", **where, why=change["run_id"])

    def table(
        self,
        frame: pl.DataFrame,
        *,
        units: Mapping[str, str] | None = None,
        percent: Sequence[str] = (),
        height: int | None = None,
    ) -> None:
        """Show rows; `units` follow the names of columns, `percent` names changes and shares
        (0.1: 10 %) that their names do not tell to be such.

        A click on a row of a run leads to it.
        """
        self._tables += 1
        key = f"_table {self.address.page} {self._tables}" if "run_id" in frame.columns else None
        self._see_run(show_rows(frame, units or {}, percent, height, key)[1])

    def _see_run(self, run: str | None) -> None:
        """Go to the page of the run whose row was clicked."""
        if run is not None:
            st.switch_page(self.pages["run"], query_params={"run": run})

    def download(
        self, label: str, content: Callable[[], str | bytes], name: str, kind: str
    ) -> None:
        """Show a button that downloads a file, made on the click; `kind` is its MIME type."""
        st.download_button(
            label, content, name, kind, icon=":material/download:", on_click="ignore"
        )

    def count(self, name: str, params: Mapping[str, Any]) -> int:
        """Return the number of rows that a question has."""
        total: int = self._get(f"{name} counted", params, lambda con: ask_count(con, name, params))
        return total

    def paged(
        self,
        name: str,
        params: Mapping[str, Any],
        *,
        key: str,
        choose: bool = False,
    ) -> pl.DataFrame:
        """Show the rows of a question; only the visible page is computed.

        Returns these rows, with `choose` those that the user marked.
        """
        total = self.count(name, params)
        place, bottom = st.container(), st.container(horizontal=True, vertical_alignment="center")
        page = 1
        with bottom:
            if total > ROWS_OF_A_PAGE:
                pages = ceil(total / ROWS_OF_A_PAGE)
                page = self._page(key, pages)
            st.caption(counted(total, "row"))
        offset = (page - 1) * ROWS_OF_A_PAGE
        frame: pl.DataFrame = self._get(
            f"{name} paged",
            (params, offset),
            lambda con: ask_page(con, name, params, ROWS_OF_A_PAGE, offset).pl(),
        )
        with place:
            if choose:
                marked, clicked = show_rows(frame, {}, key=f"_{key}_rows", marks=True)
                self._see_run(clicked)
                return frame[marked]
            self.table(frame)
        return frame

    def _page(self, key: str, pages: int) -> int:
        """Return the page of a list that the address or the user chose."""
        if self.address.sets(key):
            linked = self.address.parameter(key) or "1"
            if not linked.isdecimal() or not 1 <= int(linked) <= pages:
                self.address.keep(key, [linked])
                raise UsageError(f"There is no page {linked!r} of this list: it has {pages}.")
            # Streamlit complains of a state for a widget with a default, which is the first page.
            if int(linked) != st.session_state.get(key, 1):
                st.session_state[key] = int(linked)
        page = st.pagination(pages, key=key)
        self.address.keep(key, [str(page)])
        return page

    def sql_expander(self) -> None:
        """Show, on demand, the SQL behind the view."""
        queries = list({(one.name, repr(one.params)): one for one in self._queries}.values())
        self._queries = []
        if queries:
            # Sent once it is open: the browser highlights also what is folded away, which takes it
            # as long as all else on a page.
            behind = st.expander(
                "SQL behind this page", icon=":material/code:", key="_behind", on_change="rerun"
            )
            if behind.open:
                with behind:
                    for one in queries:
                        st.code(one.text(), language="sql")
