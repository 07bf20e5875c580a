"""Little memory, large files: what ran out is told in words, and nothing is half landed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import warehouse
from tests.bench.bench_growth import growth, memory, runs_of
from warehouse.errors import OutOfMemory

_TREE = str(Path(__file__).parents[2])
_START = (
    "import resource, sys; sys.path.insert(0, sys.argv.pop(1)); most = int(sys.argv.pop(1)) << 20; "
    "resource.setrlimit(resource.RLIMIT_AS, (most, most)); from apps.cli import main; main()"
)
_LIMITS_MIB = (400, 450, 500, 550, 600, 700, 800, 1000, 1400)
_RUNS = 100_000
_SAMPLES = 700_000
_MOST_RATIO = 15.0
_MOST_MIB = 300.0


def outcomes(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield of each case its name, and what was wrong with the answer."""
    large = runs_of(folder / "large.csv", _RUNS, "counters")
    for mib in _LIMITS_MIB:
        db = folder / "w.duckdb"
        db.unlink(missing_ok=True)
        warehouse.connect(db).close()
        yield "little memory", _problem(mib, db, "ingest", large)
        with warehouse.connect(db, read_only=True) as con:
            counts = con.execute(
                "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM pmu_samples), "
                "(SELECT count(*) FROM sources)"
            ).fetchall()
        whole = [(0, 0, 0)], [(_RUNS, 2 * _RUNS, 1)]
        yield "little memory", "" if counts in whole else f"{mib} MiB: {counts} landed"
        pairs = "SELECT count(DISTINCT (a.range, b.range)) FROM range(6000) a, range(6000) b"
        yield "little memory", _problem(mib, db, "sql", pairs)
        yield "little memory", _problem(mib, db, "runs")
    for kind, many, few in growth(folder, _RUNS):
        ratio = many / few
        print(f"  {_RUNS} runs, {kind}: {ratio:.1f} times the time of a tenth")
        yield "ten times the runs", "" if ratio < _MOST_RATIO else f"{kind}: {ratio:.1f} times"
    beside = memory(folder, _SAMPLES, 5000)
    print(f"  1 GB of perf script: {beside:.0f} MiB beside a tiny file")
    yield "a large profile", "" if beside < _MOST_MIB else f"{beside:.0f} MiB"


def _problem(mib: int, db: Path, *words: object) -> str:
    command = [sys.executable, "-P", "-c", _START, _TREE, str(mib), "--db", str(db)]
    done = subprocess.run(
        [*command, *map(str, words)], capture_output=True, text=True, check=False, timeout=600
    )
    if done.returncode == 0 or (
        done.returncode == OutOfMemory.exit_code and "memory ran out: the " in done.stderr
    ):
        return ""
    return f"{mib} MiB, {words[0]}: exit {done.returncode}, {done.stderr[-300:]}"
