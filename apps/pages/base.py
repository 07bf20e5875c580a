"""What a page is given: answers of the warehouse, filters kept in the URL, tables, empty states.

A page is a function `page(view: View) -> None`. It asks through the view, so that answers are
kept, the file is let go and the SQL can be shown.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import polars as pl
import streamlit as st

from apps.pages.answers import Answer, Answers
from apps.pages.filters import Filters
from apps.pages.tables import show_rows
from apps.pages.text import plain
from apps.queries.base import Asked, Narrowing, Question, ask_count, ask_page
from warehouse.guarded import Result, ask_guarded

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation
    from streamlit.navigation.page import Page

P = ParamSpec("P")
T = TypeVar("T")

ROWS_OF_A_PAGE = 100


class View(Filters):
    """One run of one page."""

    def __init__(self, path: Path, pages: Mapping[str, Page]) -> None:
        super().__init__()
        self.path = path
        self.pages = pages
        self._answers = Answers(path)
        self._asked: list[Asked] = []

    @property
    def pwh(self) -> str:
        """The beginning of a command over this warehouse, as a shell takes it."""
        return shlex.join(["pwh", "--db", str(self.path)])

    @property
    def con(self) -> DuckDBPyConnection:
        """The warehouse, opened for reading; free again at the end of the run."""
        return self._answers.con

    def close(self) -> None:
        """Let the warehouse's file go."""
        self._answers.close()

    # Asking

    def narrowed(self, narrowing: Narrowing) -> AbstractContextManager[None]:
        """Put the questions inside to a part of the warehouse that they have in common."""
        return self._answers.narrowed(narrowing)

    def rows(
        self, function: Callable[..., DuckDBPyRelation], /, *args: Any, **kwargs: Any
    ) -> pl.DataFrame:
        """Return the rows of a function of apps.queries: `function(con, *args, **kwargs)`."""
        name = f"{function.__module__}.{function.__qualname__}"
        frame: pl.DataFrame = self._get(
            name, (args, kwargs), lambda con: function(con, *args, **kwargs).pl()
        )
        return frame

    def value(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> T:
        """Return what `function(con, *args, **kwargs)` says, where that is no relation."""
        name = f"{function.__module__}.{function.__qualname__}"
        value: T = self._get(name, (args, kwargs), lambda con: function(con, *args, **kwargs))
        return value

    def guarded(self, sql: str) -> Result:
        """Return the rows of SQL that a person wrote; raises `UsageError` with what is wrong."""
        answer = self._answers.keep("guarded", sql, lambda: Answer(ask_guarded(self.path, sql), ()))
        result: Result = answer.value
        return result

    def _get(self, name: str, params: Any, compute: Callable[[DuckDBPyConnection], Any]) -> Any:
        answer = self._answers.get(name, params, compute)
        self._asked += answer.asked
        return answer.value

    def wanted(self, label: str, *, key: str, rows: int, most: int) -> bool:
        """Say whether to go on with what reads so many rows: beyond `most` only if asked to."""
        if rows <= most:
            return True
        asked = st.toggle(
            plain(label),
            key=key,
            bind="query-params",
            help=f"Reads up to {rows:,} rows, which may take long.",
        )
        self._params[key] = "true" if asked else None
        return asked

    # Showing

    def verdicts(self, sentences: Sequence[str]) -> None:
        """Show what the analysis says, a sentence a line, as text."""
        with st.container(border=True, gap=None):
            for sentence in sentences:
                st.markdown(plain(sentence))

    def empty(self, what: str, command: str) -> None:
        """Say that there is nothing to show yet, and the command that brings it."""
        st.info(plain(what), icon=":material/inbox:")
        st.code(command, language="bash")

    def link(self, label: str, page: str, *, icon: str | None = None, **params: Any) -> None:
        """Put a link to another page (its path in PAGES) with filters set."""
        symbol = None if icon is None else f":material/{icon}:"
        given = {key: str(value) for key, value in params.items() if value is not None}
        st.page_link(self.pages[page], label=plain(label), icon=symbol, query_params=given)

    def table(
        self,
        frame: pl.DataFrame,
        *,
        units: Mapping[str, str] | None = None,
        percent: Sequence[str] = (),
        height: int | None = None,
    ) -> None:
        """Show rows; `units` go behind the names of columns, `percent` names shares (0.1: 10 %)."""
        show_rows(frame, units or {}, percent, height)

    def count(self, question: Question) -> int:
        """Return the number of rows that a question has."""
        total: int = self._get(
            f"{question.name} counted", question.params, lambda con: ask_count(con, question)
        )
        return total

    def paged(
        self, question: Question, *, key: str, units: Mapping[str, str] | None = None
    ) -> pl.DataFrame:
        """Show the rows of a question, of which only one page is ever computed."""
        total = self.count(question)
        place, bottom = st.container(), st.container(horizontal=True, vertical_alignment="center")
        page = 1
        with bottom:
            if total > ROWS_OF_A_PAGE:
                pages = ceil(total / ROWS_OF_A_PAGE)
                page = st.pagination(pages, key=key, bind="query-params")
                self._noted(key, page)
            st.caption("1 row" if total == 1 else f"{total:,} rows")
        offset = (page - 1) * ROWS_OF_A_PAGE
        frame: pl.DataFrame = self._get(
            f"{question.name} paged",
            (question.params, offset),
            lambda con: ask_page(con, question, ROWS_OF_A_PAGE, offset).pl(),
        )
        with place:
            self.table(frame, units=units)
        return frame

    def sql_expander(self) -> None:
        """Show, on demand, the link that reproduces the view and the SQL asked for it."""
        asked = list({(one.name, repr(one.params)): one for one in self._asked}.values())
        self._asked = []
        if asked:
            with st.expander("SQL behind this page", icon=":material/code:"):
                for one in asked:
                    st.code(_with_parameters(one), language="sql")


def _with_parameters(one: Asked) -> str:
    said = [f"-- ${name} = {value!r}" for name, value in one.params.items()]
    return "\n".join([one.sql.strip(), *said])
