"""Widgets that choose what a page shows; each is kept in the URL under its key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar
from urllib.parse import urlencode

import streamlit as st

T = TypeVar("T")


class Filters:
    """The row of filters at the top of a page, and the link that sets them again."""

    def __init__(self) -> None:
        self._params: dict[str, Any] = {}
        self._filters = st.container(horizontal=True, vertical_alignment="bottom")

    def select(
        self,
        label: str,
        options: Sequence[str],
        *,
        key: str,
        every: str | None = None,
        index: int = 0,
        help: str | None = None,  # noqa: A002
    ) -> str | None:
        """Return the choice among `options`; `every` is the text for no choice.

        Returns None where there is nothing to choose or `every` was chosen.
        """
        shown = [*([] if every is None else [every]), *options]
        chosen = self._filters.selectbox(
            label,
            shown,
            index=index if shown else None,
            key=key,
            help=help,
            disabled=not shown,
            bind="query-params",
        )
        return self._remember(key, None if chosen == every else chosen)

    def pick(self, label: str, options: Sequence[str], *, key: str, placeholder: str) -> str | None:
        """Return the choice among `options` or a typed one; shown where it is called."""
        given = st.session_state.get(key) or st.query_params.get(key)
        chosen = st.selectbox(
            label,
            options if given is None or given in options else [given, *options],
            index=None,
            key=key,
            placeholder=placeholder,
            accept_new_options=True,
            bind="query-params",
        )
        return self._remember(key, chosen)

    def multi(
        self,
        label: str,
        options: Sequence[str],
        *,
        key: str,
        placeholder: str = "All",
    ) -> list[str]:
        """Return the choices among `options`; the empty list is no choice."""
        chosen = self._filters.multiselect(
            label, options, key=key, placeholder=placeholder, bind="query-params"
        )
        return self._remember(key, chosen)

    def number(
        self,
        label: str,
        *,
        key: str,
        value: T,
        low: T | None = None,
        high: T | None = None,
        step: T | None = None,
        help: str | None = None,  # noqa: A002
    ) -> T:
        """Return the number that the user sets; int or float as `value` is."""
        given: T = self._filters.number_input(  # type: ignore[call-overload]
            label,
            min_value=low,
            max_value=high,
            value=value,
            step=step,
            key=key,
            help=help,
            bind="query-params",
        )
        return self._remember(key, given)

    def text(self, label: str, *, key: str, placeholder: str = "") -> str:
        """Return the text that the user types; the empty one is no choice."""
        given = self._filters.text_input(
            label, key=key, placeholder=placeholder, bind="query-params"
        )
        return self._remember(key, given or "")

    def toggle(self, label: str, *, key: str, value: bool = False) -> bool:
        """Return whether the user switched something on."""
        return self._remember(
            key, self._filters.toggle(label, value=value, key=key, bind="query-params")
        )

    def _remember(self, key: str, value: T) -> T:
        self._params[key] = value
        return value

    def share_also(self, key: str, value: str | None) -> None:
        """Add a widget of the page itself, bound to the URL, to the link."""
        self._params[key] = value

    def share(self) -> None:
        """Show, on demand, the link to this view; the browser's address leaves out defaults."""
        given = [
            (key, part)
            for key, value in self._params.items()
            for part in (value if isinstance(value, list) else [value])
            if part not in (None, "")
        ]
        if given:
            with st.popover("Link to this view", icon=":material/link:", type="tertiary"):
                address = (st.context.url or "").split("?", 1)[0]
                st.code(f"{address}?{urlencode(given)}", language=None, wrap_lines=True)
