"""How long a page of the app takes to its first answers, over a large warehouse.

python -m tests.bench.bench_ui [--rows 100000000] [--runs 20000] [--db FILE] [PAGE ...]

Fills FILE with traces of every kind, unless it is there. Prints the time of a page's whole script
with nothing kept, and again with answers kept.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from apps import dashboard
from apps.pages import PAGES, answers
from tests.bench.large_warehouse import fill

SCRIPT = Path(dashboard.__file__).parent / "pages" / "__main__.py"


def first_view(page: str) -> tuple[float, float]:
    """Give the seconds of a page's script with nothing kept, and with answers kept."""
    answers.st.cache_data.clear()
    app = AppTest.from_file(str(SCRIPT), default_timeout=600)
    app._page_hash = "" if page == PAGES[0].path else calc_hash(page)
    times = []
    for _ in range(2):
        began = time.perf_counter()
        app.run()
        times.append(time.perf_counter() - began)
        said = [*app.exception, *app.error]
        if said:
            raise RuntimeError(f"{page}: {said[0].value}")
    return times[0], times[1]


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
    os.environ["PWH_DB"] = str(options.db)
    # What Streamlit and the libraries need to start is no part of a view.
    first_view(options.pages[0])
    print(f"{options.rows:,} rows, {options.runs:,} runs: seconds, and again with answers kept")
    for page in options.pages:
        print("{:12} {:.3f}  {:.3f}".format(page, *first_view(page)))


if __name__ == "__main__":
    main()
