"""What a browser saw at its last visit: it keeps the number of the newest event.

The cookie is written by components/inbox.js, and read where a visit begins.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import streamlit as st

from apps.pages.components import component
from apps.queries.events import OPEN
from warehouse.address import Address

_VISIT = 1800.0  # s without a look at the page, after which the next one is another visit


def last_seen(path: Address) -> int:
    """Return the number of the newest event of the last visit; 0 for a first visitor."""
    parts = st.context.cookies.get(_cookie(path), "").split(".")
    if len(parts) != 3 or not all(part.isdecimal() for part in parts):
        return 0
    before, seen, at = map(int, parts)
    return seen if time.time() - at / 1000 > _VISIT else before


def is_unseen(event: Mapping[str, Any], seen: int) -> bool:
    """Return whether an event is open and was not there at the last visit."""
    return event["state"] in OPEN and event["event_id"] > seen


def remember_seen(path: Address, newest: int) -> None:
    """Let the browser keep the number of the newest event, and go through events by keys."""
    component("inbox")(key="inbox", data={"cookie": _cookie(path), "newest": newest})


def _cookie(path: Address) -> str:
    """Return the name of the cookie of a warehouse: browsers have one set for all ports."""
    return f"pwh_seen_{sha256(str(path).encode()).hexdigest()[:12]}"
