"""How long a page of the app takes to its first answers, over a large warehouse.

python -m tests.bench.bench_ui [--rows 100000000] [--runs 20000] [--db FILE] [PAGE ...]

Fills FILE with traces of every kind, unless it is there. Prints the time of a page's whole script
with nothing kept, and again with answers kept; beside each the processor time, which says what it
would take on an idle machine.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from apps.pages import PAGES, answers, dashboard
from tests.bench.large_warehouse import fill

SCRIPT = Path(dashboard.__file__).with_name("__main__.py")


class Took(NamedTuple):
    """Wall and processor time, s."""

    wall: float
    processor: float


def times_of(db: Path, pages: Sequence[str]) -> dict[str, tuple[Took, Took]]:
    """Return the times of the first views of pages over a warehouse."""
    os.environ["PWH_DB"] = str(db)
    return {page: first_view(page) for page in pages}


def first_view(page: str) -> tuple[Took, Took]:
    """Return the time of a page's script with nothing kept, and with answers kept."""
    answers.st.cache_data.clear()
    app = AppTest.from_file(str(SCRIPT), default_timeout=600)
    app._page_hash = "" if page == PAGES[0].path else calc_hash(page)
    times: list[Took] = []
    # Streamlit's test harness waits a while around each run of the script.
    with mock.patch.object(dashboard, "main", partial(_timed, dashboard.main, times)):
        for _ in range(2):
            app.run()
            said = [*app.exception, *app.error]
            if said:
                raise RuntimeError(f"{page}: {said[0].value}")
    return times[0], times[1]


def _timed(script: Callable[[], None], times: list[Took]) -> None:
    wall, processor = time.perf_counter(), time.process_time()
    try:
        script()
    finally:
        times.append(Took(time.perf_counter() - wall, time.process_time() - processor))


def main() -> None:
    """Print a line a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--runs", type=int, default=20_000)
    parser.add_argument("--db", type=Path, default=Path("bench_ui.duckdb"))
    parser.add_argument("pages", nargs="*", default=[page.path for page in PAGES])
    options = parser.parse_args()
    if not options.db.exists():
        fill(options.db, options.rows, options.runs)
    with tempfile.TemporaryDirectory() as folder:
        # What Streamlit and the libraries need to start is no part of a view.
        small = Path(folder) / "small.duckdb"
        fill(small, 100_000, 50)
        times_of(small, options.pages)
    print(
        f"{options.rows:,} rows, {options.runs:,} runs: seconds (processor time), and again with "
        "answers kept"
    )
    for page, (first, again) in times_of(options.db, options.pages).items():
        print(
            f"{page:12} {first.wall:.3f} ({first.processor:.3f})  "
            f"{again.wall:.3f} ({again.processor:.3f})"
        )


if __name__ == "__main__":
    main()
