"""Places where files cannot be read or written: each is told in words, and nothing is lost.

Full disks and read-only ones are file systems in memory, which only root can mount. Permissions
are tried as a root that has given up its right to pass over them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

START = "import sys; sys.path.insert(0, sys.argv.pop(1)); from apps.cli import main; main()"
TREE = str(Path(__file__).parents[2])
_NO_RIGHTS = (
    *("setpriv", "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search,-fowner"),
    *("env", "-u", "HOME", "-u", "USER", "-u", "LOGNAME", "TMPDIR=/nonexistent"),
)


def outcomes(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield of each case its name, and what was wrong with the answer; nothing unless root."""
    if os.getuid() == 0:
        yield from _full_disk(folder)
        yield from _full_disk_outputs(folder)
        yield from _read_only(folder)
        yield from _permissions(folder)


def _full_disk(folder: Path) -> Iterator[tuple[str, str]]:
    small, large = _counters(folder, 1), _counters(folder, 600_000)
    for mib in (2, 6, 9, 12):
        with _mounted(folder / "full", f"size={mib}m") as full:
            db = full / "w.duckdb"
            made = _pwh(db, "ingest", small)[0] == 0
            yield "full disk", _problem(db, {0, 4}, "ingest", large)
            yield "full disk", _problem(db, {0} if made else {4}, "runs")
            yield "full disk", _problem(db, {0, 4}, "ingest", small, "--replace")
            yield "full disk", _problem(db, {0}, "doctor")
            left = {path.name for path in full.iterdir()} - {"w.duckdb", "w.duckdb.wal"}
            yield "full disk", f"{left} is left" if left else ""


def _full_disk_outputs(folder: Path) -> Iterator[tuple[str, str]]:
    db = folder / "outputs.duckdb"
    _pwh(db, "ingest", _counters(folder, 200_000))
    with _mounted(folder / "full", "size=300k") as full:
        for words in (
            ("sql", "FROM pmu_samples", "-f", "csv"),
            ("sql", "FROM pmu_samples", "-f", "parquet"),
            ("sql", "FROM pmu_samples", "-f", "json"),
            ("sql", "SELECT repeat('x', 1_000_000)", "-f", "table"),
            ("export", "--to", "csv"),
            ("export", "--to", "parquet"),
        ):
            out = full / "out.csv.x"
            out.write_text("former")
            yield "full disk, outputs", _problem(db, {2}, *words, "-o", out)
            left = {path.name: path.read_bytes() for path in full.iterdir()}
            yield "full disk, outputs", f"{set(left)}" if left != {out.name: b"former"} else ""


def _read_only(folder: Path) -> Iterator[tuple[str, str]]:
    small = _counters(folder, 1)
    with _mounted(folder / "read-only", "size=40m") as place:
        db = place / "w.duckdb"
        _pwh(db, "ingest", small)
        subprocess.run(["mount", "-o", "remount,ro", str(place)], check=True)
        for codes, words in (
            ({0}, ("runs",)),
            ({0}, ("report", "latest")),
            ({0}, ("doctor",)),
            ({4}, ("ingest", small, "--replace")),
            ({4}, ("migrate",)),
            ({4}, ("forget", "latest")),
        ):
            yield "read-only", _problem(db, codes, *words)
        yield "read-only", _problem(place / "new.duckdb", {4}, "ingest", small)


def _permissions(folder: Path) -> Iterator[tuple[str, str]]:
    small, secret = _counters(folder, 1), _counters(folder, 2)
    db, closed_db, closed = folder / "w.duckdb", folder / "closed.duckdb", folder / "closed"
    for path in (db, closed_db):
        _pwh(path, "ingest", small)
    closed.mkdir()
    _counters(closed, 3)
    for path in (secret, closed_db, closed):
        path.chmod(0)
    for place, codes, words in (
        (db, {0}, ("ingest", small, "--replace")),
        (db, {0}, ("report", "latest")),
        (db, {3}, ("ingest", secret)),
        (db, {3}, ("ingest", closed)),
        (db, {3}, ("ingest", closed / "3.csv")),
        (closed_db, {4}, ("runs",)),
        (closed_db, {4}, ("ingest", small)),
        (closed / "w.duckdb", {4}, ("runs",)),
        (closed / "w.duckdb", {4}, ("ingest", small)),
    ):
        yield "permissions, no home", _problem(place, codes, *words, before=_NO_RIGHTS)


def _problem(db: Path, codes: set[int], *words: str | Path, before: tuple[str, ...] = ()) -> str:
    """Return what is wrong with the answer of a command, which should end with one of the codes."""
    code, err = _pwh(db, *words, before=before)
    if code in codes and "Traceback" not in err and (code == 0 or err.startswith("pwh: ")):
        return ""
    last = (err.splitlines() or [""])[-1]
    return f"pwh {' '.join(map(str, words))} ends with {code}: {last}"


def _pwh(db: Path, *words: str | Path, before: tuple[str, ...] = ()) -> tuple[int, str]:
    """Run a command in a process of its own; return its exit code and stderr."""
    pwh = [sys.executable, "-P", "-c", START, TREE, "--db", str(db), *map(str, words)]
    done = subprocess.run([*before, *pwh], capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


def _counters(folder: Path, count: int) -> Path:
    path = folder / f"{count}.csv"
    lines = (f"{i % 64},{i // 64},cycles,{i * 7919 % 1_000_003}" for i in range(count))
    path.write_text("\n".join(["rank,sample,event,value", *lines]) + "\n")
    return path


@contextmanager
def _mounted(place: Path, options: str) -> Iterator[Path]:
    place.mkdir(exist_ok=True)
    subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)
