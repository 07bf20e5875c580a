"""How long a person waits for the app in a real browser, and the memory that its server takes.

python -m tests.bench.bench_browser [--runs 3] [--db FILE | --large FILE]

Prints the time from the start of `pwh ui` to the first page drawn, in a browser that has nothing
cached; that of a page of Streamlit with a title alone, which is the limit; that from the click on
another page until it is drawn whole, first and again (Run: from opening its address); and the most
memory of the server by then. Over the demo's warehouse, FILE, or with --large one of 3,000 runs of
five applications and a trace of 10^6 tasks, made as FILE unless it is there.
"""

from __future__ import annotations

import argparse
import csv
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import sync_playwright

import warehouse
from apps.pages import PAGES
from tests.bench.schedule import generate
from tests.browser.conftest import NAMES, free_port, pwh, wait_for
from tests.browser.pages import settle
from tests.helpers.support import land

# Drawn: the title of the page, its script at the end, nothing that waits for data.
DRAWN = """title => document.querySelector('h1')?.innerText === title
  && document.querySelector('[data-test-script-state=notRunning]')
  && !document.querySelector('[data-testid=stSkeleton], [data-stale=true]')"""
_LIMIT = 60_000  # ms
_APPS, _RUNS, _TASKS, _WORKERS = 5, 600, 1_000_000, 64
_SECONDS = {"solve": 5.0, "exchange": 1.5, "assemble": 0.8, "output": 0.3}
_EMPTY = "import streamlit as st\nst.title('Empty')\n"


def fill(db: Path) -> None:
    """Make a warehouse of five applications, each slower once in 600 runs, and a large trace."""
    rng = np.random.default_rng(1)
    con = warehouse.connect(db)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "runs.csv"
        with path.open("w", newline="") as file:
            out = csv.writer(file)
            out.writerow(["run_id", "app", "version", "started_at", "function", "seconds"])
            for run in range(_APPS * _RUNS):
                app, place = divmod(run, _RUNS)
                at = datetime(2025, 3, 1, app, tzinfo=UTC) + timedelta(days=place)
                slower = 1.12 if place > 420 + 10 * app else 1.0
                known = [f"run-{run}", f"app{app}", f"{1 + place // 100}.{place % 100}", at]
                for function, seconds in _SECONDS.items():
                    factor = slower if function == "solve" else 1.0
                    out.writerow([*known, function, seconds * factor * rng.normal(1, 0.02)])
        land(con, path)
        generate(Path(folder) / "tasks", _TASKS, _WORKERS)
        land(con, Path(folder) / "tasks", run_id="large-trace", facts={"app": "tasks"})
    con.close()


@contextmanager
def app(db: Path) -> Iterator[tuple[str, int]]:
    """Run the app; yield its address and the id of its process."""
    command = pwh("--db", db, "ui", "--no-browser", "--port", free_port())
    with subprocess.Popen(
        **command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    ) as running:
        try:
            assert running.stderr is not None
            address = re.search(r"http://\S+", next(iter(running.stderr)))
            assert address is not None
            wait_for(f"{address[0]}/_stcore/health")
            yield address[0], running.pid
        finally:
            running.terminate()


def empty(browser: Any, folder: Path, runs: int) -> list[float]:
    """Return the seconds of drawing a page with a title alone, in a browser with nothing cached."""
    script, port, times = folder / "empty.py", free_port(), []
    script.write_text(_EMPTY)
    options = ["--server.headless=true", f"--server.port={port}", "--server.address=127.0.0.1"]
    command = [sys.executable, "-m", "streamlit", "run", str(script), *options]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, **quiet) as running:
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health")
            for _ in range(runs):
                with browser.new_context() as fresh:
                    tab = fresh.new_page()
                    began = time.perf_counter()
                    tab.goto(f"http://127.0.0.1:{port}")
                    drawn(tab, "Empty")
                    times.append(time.perf_counter() - began)
        finally:
            running.terminate()
    return times


def peak_memory(process: int) -> int:
    """Return the most memory that a process had so far, MB."""
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(found[1]) // 1024 if found else 0


def drawn(tab: Any, title: str) -> None:
    """Wait until a page is drawn, looking at every frame."""
    tab.wait_for_function(DRAWN, arg=title, polling="raf", timeout=_LIMIT)


def cold(browser: Any, db: Path) -> float:
    """Return the seconds from starting the app to its first page, nothing of it cached."""
    began = time.perf_counter()
    with app(db) as (address, _), browser.new_context() as fresh:
        tab = fresh.new_page()
        tab.goto(address)
        drawn(tab, PAGES[0].title)
        return time.perf_counter() - began


def warm(browser: Any, db: Path, runs: int) -> tuple[dict[str, list[float]], int]:
    """Return the seconds of opening each page, first and again, and the server's memory, MB."""
    times: dict[str, list[float]] = {}
    with app(db) as (address, process):
        tab = browser.new_page(viewport={"width": 1280, "height": 900})
        tab.goto(address)
        settle(tab)
        for _ in range(1 + runs):
            for entry in PAGES:
                began = time.perf_counter()
                if entry.icon:
                    tab.get_by_test_id("stSidebarNav").get_by_text(entry.title, exact=True).click()
                else:
                    tab.goto(f"{address}/{entry.path}")
                drawn(tab, entry.title)
                times.setdefault(entry.title, []).append(time.perf_counter() - began)
                settle(tab)
        tab.close()
        return times, peak_memory(process)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--db", type=Path)
    parser.add_argument("--large", type=Path)
    options = parser.parse_args()
    program = next(filter(None, map(shutil.which, NAMES)))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        db = options.db or options.large or Path(folder) / "demo.duckdb"
        if options.large and not db.exists():
            fill(db)
        if not db.exists():
            subprocess.run(**pwh("--db", db, "demo"), check=True, capture_output=True)
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        starts = [cold(browser, db) for _ in range(options.runs)]
        print(f"cold start to the first page: {statistics.median(starts):.2f} s")
        limit = statistics.median(empty(browser, Path(folder), options.runs))
        print(f"a page of Streamlit with a title alone: {limit:.2f} s")
        times, memory = warm(browser, db, options.runs)
        for title, (first, *again) in times.items():
            print(f"{title:12} {first:.2f} s, again {statistics.median(again):.2f} s")
        print(f"the server took {memory} MB at most")
        browser.close()


if __name__ == "__main__":
    main()
