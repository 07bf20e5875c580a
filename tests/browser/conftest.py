"""A real browser over `pwh ui` on the demo's warehouse."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tests.browser.pages import new_tab

PROJECT = Path(__file__).parents[2]
SIZE = {"width": 1280, "height": 900}  # of the page, in px
# The first draws no window, which takes a tenth less processor time than one that nobody sees.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@pytest.fixture(scope="session")
def screenshots():
    """Return the folder for screenshots, PWH_SCREENSHOTS; None where nobody wants to see any."""
    if "PWH_SCREENSHOTS" not in os.environ:
        return None
    folder = Path(os.environ["PWH_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    return folder


# Of the folder, not of the session: an open page asks for news until the browser ends.
@pytest.fixture(scope="package")
def chromium():
    """Start the browser, or skip where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("there is no chromium here (apt-get install chromium-headless-shell)")
    with api.sync_playwright() as playwright:
        # In a container the browser's own sandbox has no rights to start.
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


def pwh(*arguments):
    """Return the command line of pwh and its environment."""
    environment = os.environ | {"PYTHONPATH": str(PROJECT)}
    return {"args": [sys.executable, "-m", "apps.cli", *map(str, arguments)], "env": environment}


@pytest.fixture(scope="package")
def served(tmp_path_factory, chromium, demo_warehouse):
    """Run `pwh ui` over a copy of the demo's warehouse; yield the copy and the address."""
    db = tmp_path_factory.mktemp("served") / "demo.duckdb"
    shutil.copy(demo_warehouse, db)
    # Others may test at the same time: two apps that look for a free port find the same one.
    command = pwh("--db", db, "ui", "--no-browser", "--allow-ingest", "--port", free_port())
    with subprocess.Popen(
        **command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as app:
        try:
            said = next(line for line in app.stderr if "http" in line)
            address = re.search(r"http://\S+", said)[0]
            wait_for(f"{address}/_stcore/health")
            yield db, address
        finally:
            app.terminate()


def free_port():
    """Return a port that nothing listens on."""
    with socket.socket() as some:
        some.bind(("127.0.0.1", 0))
        return some.getsockname()[1]


def wait_for(url):
    """Wait until a server answers."""
    for _ in range(120):
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.25)
    raise TimeoutError(f"{url} does not answer")


@pytest.fixture(scope="package")
def _tab(chromium):
    """Return a tab for all tests: a new one would compile the scripts of the app again."""
    return new_tab(chromium, viewport=SIZE)


@pytest.fixture
def used_tab(_tab):
    """Return the tab as the last test left it; it must not ask any other computer for anything."""
    elsewhere = []

    def note(request):
        if "//127.0.0.1:" not in request.url:
            elsewhere.append(request.url)

    _tab.on("request", note)
    yield _tab
    _tab.remove_listener("request", note)
    assert not [url for url in elsewhere if not url.startswith(("data:", "blob:"))]


@pytest.fixture
def tab(used_tab):
    """Return the tab, light and of the usual size."""
    used_tab.emulate_media(color_scheme="light")
    used_tab.set_viewport_size(SIZE)
    return used_tab


@pytest.fixture(scope="package")
def _second_tab(chromium):
    """Return a tab that shares nothing with the first."""
    return new_tab(chromium, viewport=SIZE)


@pytest.fixture
def colleague(_second_tab):
    """Yield a tab of somebody else, who then leaves the app, which looks for news until then."""
    yield _second_tab
    _second_tab.goto("about:blank")
