"""How long a person waits for the app over the demo's warehouse, in a real browser.

python -m tests.bench.bench_browser [--runs 3]

Prints the time from the start of `pwh ui` to the first page drawn, and that from the click on
another page until it is drawn whole: when it is opened for the first time, and again.
"""

from __future__ import annotations

import argparse
import re
import shutil
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright

from apps.pages import PAGES
from tests.browser.conftest import NAMES, free_port, pwh, wait_for
from tests.browser.pages import settle

# Drawn: the title of the page, its script at the end, nothing that waits for data.
DRAWN = """title => document.querySelector('h1')?.innerText === title
  && document.querySelector('[data-test-script-state=notRunning]')
  && !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')"""
_LIMIT = 60_000  # ms


@contextmanager
def app(db: Path) -> Iterator[str]:
    """Run the app; yield its address."""
    command = pwh("--db", db, "ui", "--no-browser", "--port", free_port())
    with subprocess.Popen(
        **command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stderr is not None
            address = re.search(r"http://\S+", next(iter(running.stderr)))
            assert address is not None
            wait_for(f"{address[0]}/_stcore/health")
            yield address[0]
        finally:
            running.terminate()


def drawn(tab: Any, title: str) -> None:
    """Wait until a page is drawn, looking at every frame."""
    tab.wait_for_function(DRAWN, arg=title, polling="raf", timeout=_LIMIT)


def cold(browser: Any, db: Path) -> float:
    """Return the seconds from starting the app to its first page, nothing of it cached."""
    began = time.perf_counter()
    with app(db) as address:
        tab = browser.new_page()
        tab.goto(address)
        tab.wait_for_function("document.querySelector('h1')", polling="raf", timeout=_LIMIT)
        seconds = time.perf_counter() - began
        tab.close()
    return seconds


def warm(browser: Any, db: Path, runs: int) -> dict[str, list[float]]:
    """Return the seconds of opening each page from another, the first time and then again."""
    times: dict[str, list[float]] = {}
    with app(db) as address:
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(address)
        settle(tab)
        for _ in range(1 + runs):
            for entry in (page for page in PAGES if page.icon and page is not PAGES[0]):
                began = time.perf_counter()
                tab.get_by_test_id("stSidebarNav").get_by_text(entry.title, exact=True).click()
                drawn(tab, entry.title)
                times.setdefault(entry.title, []).append(time.perf_counter() - began)
                settle(tab)
        tab.close()
    return times


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, NAMES)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        db = Path(folder) / "demo.duckdb"
        subprocess.run(**pwh("--db", db, "demo"), check=True, capture_output=True)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        starts = [cold(browser, db) for _ in range(options.runs)]
        print(f"cold start to the first page: {statistics.median(starts):.2f} s")
        for title, (first, *again) in warm(browser, db, options.runs).items():
            print(f"{title:12} {first:.2f} s, again {statistics.median(again):.2f} s")
        browser.close()


if __name__ == "__main__":
    main()
