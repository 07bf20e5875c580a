"""The state of a page in the browser's address: read on arrival, written whole at the end.

A page is reached by a link, Back, or the menu: then the address sets the widgets. Otherwise the
user has changed a widget, and the address follows.
"""

from __future__ import annotations

from collections.abc import Mapping, MutableMapping, Sequence
from typing import Any

import streamlit as st

from warehouse.errors import UsageError

# In Streamlit's state of the session: the page and query that were shown last, and the choices
# that go along from page to page.
_SHOWN = "_shown"
_CARRIED = "_carried"
_QUERY = "_query"  # of the page that is being drawn
CARRIED = ("app", "run", "time")


class Address:
    """The query of the address of one page."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.given = {key: st.query_params.get_all(key) for key in st.query_params}
        self.arrived = st.session_state.get(_SHOWN) != (page, self.given)
        self.query: dict[str, list[str]] = {}
        # Widgets of other pages have a state, too: what this page is of is in its own query.
        st.session_state[_QUERY] = self.query

    def parameter(self, key: str) -> str | None:
        """Return what the address has for a key, of several the last; None without it."""
        values = self.given.get(key)
        return values[-1] if values else None

    def imply(self, key: str, value: str) -> None:
        """Take a value as that of a key that the address does not have."""
        if self.arrived:
            self.given.setdefault(key, [value])

    def sets(self, key: str) -> bool:
        """Return whether the widget of a key is set by the address, and not by the user."""
        return self.arrived or key not in st.session_state

    def keep(self, key: str, values: Sequence[str]) -> None:
        """Make values of a key part of the address; those chosen go along to other pages."""
        self.query[key] = list(values)
        is_chosen = key in self.given and (self.arrived or self.given[key] != self.query[key])
        if key in CARRIED and is_chosen:
            self.carry(key, values[0] if values else "")

    @staticmethod
    def carry(key: str, value: str) -> None:
        """Take a choice along to other pages; the empty one ends that."""
        carried: MutableMapping[str, str] = st.session_state.setdefault(_CARRIED, {})
        if key == "app" and carried.get(key) != value:
            carried.pop("change", None)
        carried[key] = value

    @staticmethod
    def carried(key: str) -> str | None:
        """Return the choice that was made on another page; None where there is none."""
        found: str | None = st.session_state.get(_CARRIED, {}).get(key)
        return found or None

    def unused(self) -> list[str]:
        """Return the keys of the address on arrival that no widget of the page has."""
        return [key for key in self.given if key not in self.query] if self.arrived else []

    def keep_unused(self) -> None:
        """Keep what the address has for widgets that were not reached."""
        self.query = {**self.given, **self.query}

    def write(self) -> None:
        """Write the state of the page to the browser's address."""
        if self.query != self.given:
            st.query_params.from_dict(self.query)
        st.session_state[_SHOWN] = (self.page, self.query)


def drawn_query() -> Mapping[str, list[str]]:
    """Return the query of the page that is being drawn, as far as its widgets have been drawn."""
    query: dict[str, list[str]] = st.session_state.get(_QUERY, {})
    return query


def unknown(label: str, value: str, known: Sequence[Any]) -> UsageError:
    """Return the error for a value of a link that is not among the known ones."""
    shown = ", ".join(str(one) for one in known[:5]) + (" ..." if len(known) > 5 else "")
    hint = f"Choose another above; there are {shown}." if known else "There are none on this page."
    return UsageError(f"{label}: there is no {value!r} here.", hint=hint)
