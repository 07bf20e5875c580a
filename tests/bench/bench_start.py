"""How long the command line takes to start: whole processes, medians.

python -m tests.bench.bench_start [--runs 11]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import warehouse
from tests.bench.common import PWH, timed


def main() -> None:
    """Print a line a command, and Python's own start beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=11)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "pwh.duckdb"
        warehouse.connect(db).close()
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "pwh --help (target 0.3 s)": [*PWH, "--help"],
            'pwh sql "select 1" (target 0.6 s)': [*PWH, "--db", db, "sql", "select 1"],
        }
        for name, command in commands.items():
            print(f"{name:34} {statistics.median(timed(command) for _ in range(runs)):.3f} s")


if __name__ == "__main__":
    main()
