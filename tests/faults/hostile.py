"""Recordings that never end, and Ctrl-C: nobody is kept waiting, and a file lands whole or not."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import duckdb

from tests.faults.places import START, TREE
from tests.ingest.cases import nsys, rocprof
from tests.ingest.parsing.test_sqlite_file import ENDLESS

_ROWS = 2_000_000
_SECONDS = 1.0
_STARTED = 60.0


def outcomes(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield of each case its kind, and what was wrong."""
    for sample, label in ((nsys.SAMPLE, "nsys"), (rocprof.SAMPLE, "rocpd")):
        for name, kind in _objects(sample):
            path = folder / f"{label}-{name}.sqlite"
            _with_view(sample, path, name, kind)
            yield f"endless view, {label}", _ends(folder / "w.duckdb", path)
    chance = random.Random(seed)
    large = _counters(folder)
    for number in range(count):
        yield "Ctrl-C", _interrupted(folder / f"{number}.duckdb", large, chance)


def _objects(sample: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(sample)) as con:
        found = con.execute("SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view')")
        return found.fetchall()


def _with_view(sample: Path, path: Path, name: str, kind: str) -> None:
    """Copy a database with a view that never ends in place of one of its tables or views."""
    path.write_bytes(sample.read_bytes())
    with closing(sqlite3.connect(path)) as con:
        columns = [
            column for (column,) in con.execute("SELECT name FROM pragma_table_info(?)", [name])
        ]
        con.execute(f'DROP {kind} "{name}"')
        values = ", ".join(f'n AS "{column}"' for column in columns)
        con.execute(f'CREATE VIEW "{name}" AS {ENDLESS.format(values)}')
        con.commit()


def _ends(db: Path, path: Path) -> str:
    done = subprocess.run(_command(db, path), capture_output=True, text=True, check=False)
    is_told = done.returncode == 0 or done.stderr.startswith("pwh: ")
    if done.returncode in (0, 3) and is_told and "Traceback" not in done.stderr:
        return ""
    return f"{path.name}: {done.returncode} {done.stderr[-200:]}"


def _interrupted(db: Path, large: Path, chance: random.Random) -> str:
    """Interrupt an ingest at any moment; return what was wrong with its end or the warehouse."""
    process = subprocess.Popen(_command(db, large), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    until = time.monotonic() + _STARTED
    # Before that Python, not pwh, decides what Ctrl-C does.
    while not any(path.name == large.name for path in _open_files(process.pid)):
        if process.poll() is not None or time.monotonic() > until:
            break
        time.sleep(0.01)
    time.sleep(chance.uniform(0, 6))
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate()
    seconds = time.monotonic() - began
    problems = []
    if seconds > _SECONDS and process.returncode:
        problems.append(f"ends after {seconds:.2f} s")
    is_reported = b"landed " in out
    if process.returncode not in (130, -signal.SIGINT) and not is_reported:
        problems.append(f"ends with {process.returncode}: {err[-200:]!r}")
    rows = _rows(db)
    if rows not in ((_ROWS,) if is_reported else (0, _ROWS)):
        problems.append(f"{rows} rows landed")
    for left in db.parent.glob(f"*{db.name}*"):
        left.unlink(missing_ok=True)
    return "; ".join(problems)


def _rows(db: Path) -> int:
    if not db.exists():
        return 0
    with duckdb.connect(db) as con:
        found = con.execute("SELECT count(*) FROM pmu_samples").fetchone()
    return int(found[0]) if found else 0


def _open_files(pid: int) -> list[Path]:
    try:
        return [Path(os.readlink(entry)) for entry in os.scandir(f"/proc/{pid}/fd")]  # noqa: PTH115
    except OSError:
        return []


def _command(db: Path, path: Path) -> list[str]:
    return [sys.executable, "-P", "-c", START, TREE, "--db", str(db), "ingest", str(path)]


def _counters(folder: Path) -> Path:
    path = folder / "large.csv"
    with path.open("w") as file:
        file.write("rank,sample,event,value\n")
        file.writelines(f"{i % 64},{i // 64},cycles,{i * 7919 % 1_000_003}\n" for i in range(_ROWS))
    return path
