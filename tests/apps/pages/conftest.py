"""Pages of the app, run without a browser over the demo's warehouse and over an empty one."""

from __future__ import annotations

import json
import shutil
import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import pytest
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from apps import demo
from apps.pages import PAGES
from tests.helpers.support import settle_files

SCRIPT = Path(demo.__file__).parents[1] / "pages" / "__main__.py"
# AppTest looks through all installed packages for components, which takes longer than a page.
_COMPONENTS = cache(manifest_scanner.scan_component_manifests)


@pytest.fixture
def empty_warehouse(template):
    """Return a warehouse in which nothing has landed, to be opened read-only."""
    return template


@pytest.fixture
def new_warehouse(template, tmp_path):
    """Return a warehouse in which nothing has landed yet."""
    return shutil.copy(template, tmp_path / "empty.duckdb")


@pytest.fixture
def open_page(monkeypatch):
    """Open a page of the app by its path in URLs: open_page("runs", warehouse, app="heat")."""
    # Streamlit leaves its script there, and processes that are started would run it.
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])

    def open_page(page, path, /, **params):
        settle_files()
        monkeypatch.setenv("PWH_DB", str(path))
        monkeypatch.setattr(manifest_scanner, "scan_component_manifests", _COMPONENTS)
        app = AppTest.from_file(str(SCRIPT), default_timeout=600)
        # AppTest.switch_page knows pages that are files only.
        app._page_hash = "" if page == PAGES[0].path else calc_hash(page)
        for name, value in params.items():
            app.query_params[name] = value
        app.run()
        assert not app.exception, app.exception[0].stack_trace
        return app

    return open_page


def texts(app):
    """Return all that a page says in words, one string."""
    kinds = (app.markdown, app.caption, app.info, app.warning, app.error, app.code, app.subheader)
    links = [link.proto.label for link in app.get("page_link")]
    said = [*(str(element.value) for kind in kinds for element in kind), *links]
    # Escaped for Markdown, and with joiners against emoji and links.
    return "\n".join(said).replace("\\", "").replace("\u2060", "")


def links(app):
    """Return the links of a page: label, page and parameters."""
    return {
        link.proto.label.replace("\\", ""): (link.proto.page, link.proto.query_string)
        for link in app.get("page_link")
    }


def sql_behind(app):
    """Open the SQL behind a page, and return it."""
    app.session_state["_behind"] = True
    app.run()
    return "\n".join(code.value for code in app.code)


def run_ids(frame):
    """Return the ids of the runs in a table of a page, where they are links."""
    return [unquote(link.removeprefix("run?run=")) for link in frame["run_id"]]


def address(app, key):
    """Return what the address has for a key after a run of the page; None without it."""
    value = app.query_params.get(key)
    return value[-1] if isinstance(value, list) else value


def sent(app, component):
    """Return the data that a page gave to one of its components in JavaScript."""
    found = [one.proto for one in app.get("bidi_component")]
    (one,) = [proto for proto in found if proto.component_name == f"pwh_{component}"]
    return json.loads(one.json)
