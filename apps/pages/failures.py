"""What went wrong on a page, as a person would say it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb
import streamlit as st

from apps.pages.answers import LIMIT_SECONDS
from apps.pages.base import View
from apps.pages.text import plain
from warehouse.errors import NothingToAnalyse, PwhError, WarehouseBusy, WarehouseMissing

_LOG = logging.getLogger(__name__)


@contextmanager
def in_words(view: View) -> Iterator[None]:
    """Show errors of what is inside in words, where they happen."""
    try:
        yield
    except WarehouseMissing:
        view.empty(f"There is no warehouse at {view.path} yet.", f"{view.pwh} ingest FILES")
    except WarehouseBusy as error:
        st.warning(plain(f"{error.problem}. It is most likely taking in new runs."))
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
        # Streamlit would show its own advice, or the whole stack.
        _LOG.exception("a page over %s failed", view.path)
        st.error(plain(f"This page failed ({type(error).__name__}: {error})."))
        st.caption("That is a mistake in pwh. What led to it is where pwh ui was started.")


def _hint(error: PwhError) -> None:
    if error.hint:
        st.caption(plain(error.hint))
