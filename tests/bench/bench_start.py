"""Processor time (user and system) of short commands: whole processes, medians.

And how many times that of `pwh sql "select 1"` they are; below a command, that and what DuckDB
alone takes to plan and answer its questions. With compiled modules, as installed programs have
them, whatever the environment forbids Python.

python -m tests.bench.bench_start [--runs 7]
"""

from __future__ import annotations

import argparse
import io
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path

import warehouse
from apps import cli
from apps.queries.base import remembering
from tests.bench.common import PWH, fresh

LEAST = 'pwh sql "select 1" (target 0.4 s)'
_LAST_TWO = ("stencil@1.29", "stencil@1.30")
FUNCTIONS, COUNTS = 1000, (1, 2, 4, 8, 16, 32)
SAMPLE = Path(__file__).parents[1] / "samples" / "cprofile"


def processor_seconds(command: Sequence[object]) -> float:
    """Run a command and return its processor time, s."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, env=kept)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Print a line a command, and Python's own start beside them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        demo, db = folder / "demo.duckdb", folder / "pwh.duckdb"
        shown("pwh demo (target 10 s)", [processor_seconds([*PWH, "--db", demo, "demo"])])
        least = 0.0
        on_demo = [*PWH, "--db", demo]
        commands = {
            "python -c pass": [sys.executable, "-c", "pass"],
            "pwh --help (target 0.15 s)": [*PWH, "--help"],
            LEAST: [*on_demo, "sql", "select 1"],
            "pwh report latest (target 0.8 s)": [*on_demo, "report", "latest"],
            "pwh report stencil-1.23 (target 0.8 s)": [*on_demo, "report", "stencil-1.23"],
            "pwh idle stencil-1.23": [*on_demo, "idle", "stencil-1.23"],
            "pwh scale (1.5 times)": [*on_demo, "scale", "stencil"],
            "pwh trend (1.5 times)": [*on_demo, "trend", "stencil"],
            "pwh compare, the last two (1.5 times)": [*on_demo, "compare", *_LAST_TWO],
            "pwh compare, two others": [*on_demo, "compare", "stencil@1.22", "stencil@1.23"],
            "pwh gate, the version before": [*on_demo, "gate", "stencil", "--baseline", "1.29"],
        }
        for text, command in commands.items():
            median = shown(text, [processor_seconds(command) for _ in range(runs)], least)
            least = median if text == LEAST else least
            words = [str(word) for word in command[len(on_demo) :]]
            # a gate's questions read each other's rows
            if least and words[0] not in ("sql", "gate"):
                asked = questions(demo, words)
                limit = least + answered(demo, asked)
                shown(f"  limit: its {len(asked)} questions", [limit], least)
        shown("pwh ingest FILE (2 times)", [landed(demo, db) for _ in range(runs)], least)
        first = [landed(None, db) for _ in range(runs)]
        shown("pwh ingest FILE, new warehouse (2.6 times)", first, least)
        table = functions(folder / "functions.csv")
        shown("pwh ingest, 1000 functions", [landed(demo, db, table) for _ in range(runs)], least)
        scale = [*PWH, "--db", db, "scale", "many"]
        shown("pwh scale, 1000 functions", [processor_seconds(scale) for _ in range(runs)], least)


def functions(path: Path) -> Path:
    """Write the times of many functions at a few counts."""
    noise = random.Random(1)
    with path.open("w") as file:
        print("run_id,app,version,machine,ranks,function,seconds", file=file)
        for count in COUNTS:
            for number in range(FUNCTIONS):
                seconds = (0.1 + noise.random()) * count**-0.9 + 0.01 * (number % 7 == 0) * count
                seconds *= 1 + noise.gauss(0, 0.01)
                print(f"p{count},many,1,m,{count},f{number},{seconds:.6g}", file=file)
    return path


def questions(db: Path, words: Sequence[str]) -> list[str]:
    """Return the SQL that a command asks, with its parameters in it."""
    sys.argv = ["pwh", "--db", str(db), *words]
    with remembering() as asked, redirect_stdout(io.StringIO()), suppress(SystemExit):
        cli.main()
    return [one.text() for one in asked]


def answered(db: Path, asked: Sequence[str]) -> float:
    """Return the processor time of questions on one connection, s, after a first round."""
    with warehouse.connect(db, read_only=True) as con:
        for _ in range(2):
            before = time.process_time()
            for sql in asked:
                con.execute(f"CREATE OR REPLACE TEMP TABLE answer AS {sql}")
    return time.process_time() - before


def landed(before: Path | None, db: Path, file: Path = SAMPLE) -> float:
    """Return the processor time of landing a file beside others, or in a new warehouse."""
    fresh(db)
    if before is not None:
        shutil.copy(before, db)
    return processor_seconds([*PWH, "--db", db, "ingest", file])


def shown(text: str, seconds: Sequence[float], least: float = 0) -> float:
    """Print the median of the times of a command, and how many times the least; return it."""
    median = statistics.median(seconds)
    times = f"  {median / least:.2f} times" if least else ""
    print(f"{text:45} {median:.3f} s{times}", flush=True)
    return median


if __name__ == "__main__":
    main()
