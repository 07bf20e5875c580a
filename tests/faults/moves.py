"""Warehouses that are renamed, deleted or replaced while files land in them."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import warehouse
from warehouse.errors import WarehouseError

_START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from apps.cli import main; main()"
_TREE = str(Path(__file__).parents[2])
_FILES, _ROWS = 6, 80_000  # too large to land together
_MESSAGES = ("is no longer the file", "there is a write-ahead log", "there is no warehouse")


def outcomes(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str]]:
    """Yield of so many moves their kind, and what was wrong with what landed and was reported."""
    chance = random.Random(seed)
    whole, other = folder / "whole.duckdb", folder / "other.duckdb"
    files = [_counters(folder / f"{number}.csv", number) for number in range(_FILES + 1)]
    for db, file in ((whole, files[0]), (other, files.pop())):
        _ingest(db, file).communicate()
    timed = folder / "timed.duckdb"
    shutil.copy(whole, timed)
    began = time.monotonic()
    _ingest(timed, *files).communicate()
    usual = time.monotonic() - began
    for number in range(count):
        kind = ("renamed", "deleted", "replaced")[number % 3]
        place = folder / "place"
        place.mkdir()
        db, moved = Path(shutil.copy(whole, place / "w.duckdb")), place / "moved.duckdb"
        new = Path(shutil.copy(other, place / "new.duckdb"))
        started = _ingest(db, *files)
        time.sleep(chance.uniform(0.2, 1) * usual)
        if kind == "deleted":
            db.unlink()
        else:
            db.rename(moved)
        if kind == "replaced":
            new.rename(db)
        out, err = started.communicate(timeout=600)
        reported = {line.split()[1] for line in out.splitlines() if line.startswith("landed")}
        yield kind, _problem(kind, started.returncode, err, reported, _landed(moved), _landed(db))
        shutil.rmtree(place)


def _problem(
    kind: str, code: int, err: str, reported: set[str], moved: set[str], now: set[str]
) -> str:
    """Return what is wrong with the end of a command and the files in both warehouses."""
    told = code == 4 and any(words in err for words in _MESSAGES)
    # Code 0 is right before anything was opened, and after all was written.
    if not (told or code == 0) or "Traceback" in err:
        return f"ends with {code}: {err}"
    if kind == "replaced" and not any(path.endswith(f"/{_FILES}.csv") for path in now):
        return "the warehouse in its place has lost what it had"
    is_gone = kind == "deleted" and not now
    if not is_gone and not reported <= moved | now:
        return f"reported as landed, but nowhere: {reported - moved - now}"
    is_apart = code == 0 and not is_gone and not (reported <= moved or reported <= now)
    return "it says that all is well, but files are in two warehouses" if is_apart else ""


def _landed(db: Path) -> set[str]:
    try:
        with warehouse.connect(db, read_only=True, wait=0) as con:
            return {path for (path,) in con.execute("SELECT path FROM sources").fetchall()}
    except WarehouseError:
        return set()


def _ingest(db: Path, *files: Path) -> subprocess.Popen[str]:
    words = [sys.executable, "-P", "-c", _START, _TREE, "--db", str(db), "ingest"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([*words, *map(str, files)], text=True, **pipes)


def _counters(path: Path, seed: int) -> Path:
    lines = (f"{i % 64},{i // 64},cycles,{i * 7 + seed}" for i in range(_ROWS))
    path.write_text("\n".join(["rank,sample,event,value", *lines]) + "\n")
    return path
