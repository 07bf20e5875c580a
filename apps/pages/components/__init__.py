"""Parts of pages in JavaScript, each a file here: nothing is fetched from elsewhere."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer


@cache
def component(name: str) -> ComponentRenderer:
    """Return what mounts the component of the file `name`.js on a page."""
    folder = Path(__file__).parent
    script = "".join((folder / f"{part}.js").read_text("utf-8") for part in ("elements", name))
    return st.components.v2.component(f"pwh_{name}", js=script)
