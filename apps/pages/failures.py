"""Errors on a page, shown as messages."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import streamlit as st

from apps.pages.answers import LIMIT_SECONDS
from apps.pages.base import View
from apps.pages.text import plain
from warehouse.damage import damage
from warehouse.errors import NothingToAnalyse, PwhError, WarehouseBusy, WarehouseMissing

_LOG = logging.getLogger(__name__)


@contextmanager
def show_errors(view: View) -> Iterator[None]:
    """Show errors raised inside as messages in their place on the page."""
    try:
        yield
    except WarehouseMissing:
        view.empty(f"There is no warehouse at {view.path} yet.")
    except WarehouseBusy as error:
        view.is_waiting = True
        st.warning(
            plain(
                f"{error.problem}. Most likely new runs are being ingested; the page comes once "
                "the file is free."
            )
        )
        st.button("Try again", key="_retry")
    except NothingToAnalyse as error:
        st.info(plain(error.problem), icon=":material/inbox:")
        _hint(error)
    except PwhError as error:
        st.error(plain(error.problem))
        _hint(error)
    except duckdb.InterruptException:
        st.error(f"The answer took longer than {LIMIT_SECONDS:.0f} s and was stopped.")
    except Exception as error:
        if (damaged := damage(error)) is not None:
            st.error(plain(damaged.problem))
            _hint(damaged)
            return
        # Streamlit would show its own advice, or the whole stack.
        _LOG.exception("a page over %s failed", view.path)
        st.error(plain(f"This page failed ({type(error).__name__}: {error})."))
        st.caption(
            "This is a bug in pwh. The terminal in which pwh ui was started shows the stack trace."
        )


def _hint(error: PwhError) -> None:
    if error.hint:
        st.caption(plain(error.hint))
