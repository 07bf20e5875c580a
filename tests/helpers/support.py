"""Helpers that let a test show input, query and expected rows on one screen."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pytest

import warehouse as pwh
from apps.queries import base
from ingest.analyse import analyse, analyse_all, outdate
from ingest.load import land_together as load_together
from ingest.load import load
from ingest.parsed import Options, Parsed
from ingest.scalars import files_of_runs, keep_all_scalars
from ingest.walk import find, reader_named
from ingest.writer import Landed
from warehouse import analyses, sqlfiles
from warehouse.catalog import by_run_and_source
from warehouse.errors import WarehouseOutdated

if TYPE_CHECKING:
    from duckdb import DuckDBPyRelation

    from warehouse.session import Connection

SHARED = Path(__file__).parents[3] / "shared" / "data"


def shared(name: str) -> Path:
    """Return a real recording, or skip the test where the recordings are not at hand."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"the real recording {name} is missing; it is kept next to the project")
    return path


@dataclass(slots=True)
class _Written:
    """What is known of a warehouse that a test writes rows into by hand.

    Its file, how that was when rows were last looked at, a digest of the rows of which scalars are
    stored, and the analyses not computed of them yet.
    """

    path: str | None
    state: tuple[int, ...] | None = None
    digest: tuple[int, ...] = ()
    left: set[str] = field(default_factory=lambda: set(analyses.ORDER))

    def note_state(self) -> bool:
        """Note how the file is; return whether it may have been written to since it was noted."""
        before, self.state = self.state, None if self.path is None else _state(self.path)
        return before is None or self.state != before


_BY_HAND: WeakKeyDictionary[Connection, _Written] = WeakKeyDictionary()
_FILES: dict[str, _Written] = {}
# Whether answers are computed before tests read them: not where it is tested what is outdated.
SETTLES = False
_WRITABLE = (
    *("runs", "run_facts", "run_scalars", *by_run_and_source(), "change_thresholds"),
    *("series_fields", "acknowledgements", "function_kinds", "bottleneck_labels", "models"),
    *("bottleneck_rules", "machine_settings", "behaviour_references", "model_choice"),
)
_DIGEST = "SELECT " + ", ".join(f"(SELECT sum(hash(t)) FROM {name} AS t)" for name in _WRITABLE)


def rows(con: Connection, sql: str, *params: Any) -> list[tuple[Any, ...]]:
    """Return the rows of a query, with answers that are up to date with rows written by hand."""
    settle(con, sql)
    return con.execute(sql, list(params)).fetchall()


def by_hand(con: Connection, digest: tuple[int, ...] | None = None) -> tuple[int, ...]:
    """Note that a test writes rows of this warehouse, of which all is computed, by hand.

    Returns the digest of its rows, which an empty one has again when it is emptied.
    """
    if digest is None:
        digest = _digest(con)
    written = _BY_HAND[con] = _Written(_path(con), digest=digest, left=set())
    written.note_state()
    return digest


def _path(con: Connection) -> str | None:
    """Return the path of a warehouse; None for one in memory or with several files."""
    paths = con.execute("SELECT path FROM duckdb_databases() WHERE NOT internal").fetchall()
    ((path,),) = paths if len(paths) == 1 else [(None,)]
    return path if path is not None and Path(path).is_file() else None


def _digest(con: Connection) -> tuple[int, ...]:
    return con.execute(_DIGEST).fetchone() or ()


def _computed_when_settled(con: Connection, name: str, query: str, params: Any) -> DuckDBPyRelation:
    """Return the rows of a question of apps.queries, as `rows` does."""
    settle(con, query)
    return _COMPUTED(con, name, query, params)


_COMPUTED = base._computed
base._computed = _computed_when_settled


def settle_files() -> None:
    """Do what `settle` does for all files of which `given` wrote rows."""
    for path, written in list(_FILES.items()) if SETTLES else ():
        if not Path(path).is_file():
            del _FILES[path]
            continue
        if _state(path) == written.state:
            continue
        # A file of an earlier test may be one that this one takes for another version's.
        with suppress(WarehouseOutdated):
            with pwh.connect(path) as con:
                _BY_HAND[con] = written
                settle(con)
                del _BY_HAND[con]
            written.note_state()


def _state(path: str) -> tuple[int, ...]:
    """Return what changes where a warehouse or its log is written to: times (ns) and sizes."""
    found = [file.stat() for file in (Path(path), Path(f"{path}.wal")) if file.exists()]
    return tuple(value for one in found for value in (one.st_mtime_ns, one.st_size))


def leave_files() -> None:
    """Note that the tests of a module, and the warehouses that they share, are done."""
    _FILES.clear()


def no_longer_by_hand(con: Connection) -> None:
    """Note that a test is done with a warehouse."""
    _BY_HAND.pop(con, None)


def settle(con: Connection, sql: str | None = None) -> None:
    """Compute what is stored of runs whose rows were written by hand, as pwh refresh does.

    Of the analyses those that a query reads. Rows of runs that are not in `runs` are of runs of
    which nothing else is known.
    """
    if not SETTLES or con not in _BY_HAND:
        return
    written = _BY_HAND[con]
    if written.note_state() and _digest(con) != written.digest:
        named = " UNION ".join(f"SELECT run_id FROM {table}" for table in by_run_and_source())
        con.execute(
            f"INSERT INTO runs (run_id) SELECT run_id FROM ({named}) "
            "WHERE run_id NOT IN (SELECT run_id FROM runs) ORDER BY run_id"
        )
        keep_scalars(con)
        written.digest, written.left = _digest(con), set(analyses.ORDER)
    wanted = written.left & (set(analyses.ORDER) if sql is None else analyses_read(sql))
    if wanted:
        with pytest.MonkeyPatch.context() as patch:
            compute_only(patch, wanted)
            analyse_all(con)
        written.left -= wanted
    written.note_state()


def compute_only(patch: pytest.MonkeyPatch, names: Collection[str]) -> None:
    """Let pwh have these analyses only, which take as long as all other that small files need."""
    every = analyses.every()
    patch.setattr(analyses, "every", lambda: [one for one in every if one.name in names])


@cache
def analyses_read(sql: str) -> set[str]:
    """Return the analyses that a query reads, also through views, and those that these are of."""
    found = _read(sql)
    if "analysis_states" in found:
        return set(analyses.ORDER)
    for analysis in reversed(analyses.every()):
        if analysis.name in found:
            # Groups are what sets of runs are found by.
            groups = {"run_groups"} if analysis.scope == "set_id" else set()
            found |= analysis.reads | {analysis.needs} | groups | _read(analysis.inputs)
    return found & set(analyses.ORDER)


def _read(sql: str) -> set[str]:
    """Return the words of a query and of the views and macros in it."""
    found, left = set(), _words(sql)
    while left:
        found |= left
        left = {word for name in left for word in _views().get(name, ())} - found
    return found


@cache
def _views() -> dict[str, set[str]]:
    """Return the words in the definition of each view and macro."""
    found = {}
    for file in sqlfiles.files("views"):
        for text in file.read_text(encoding="utf-8").split("CREATE OR REPLACE ")[1:]:
            _, name, *_ = re.findall(r"\w+", text)
            found.setdefault(name, set()).update(_words(text) - {name})
    return found


def _words(sql: str) -> set[str]:
    return set(re.findall(r"\w+", re.sub(r"--.*|'[^']*'", "", sql)))


def given(con: Connection, table: str, text: str, **constants: Any) -> None:
    """Insert rows into a table: a header line, then one line per row, columns separated by blanks.

    `NULL` is NULL; run_id and source_id are r1 and 1 where the header leaves them out.
    """
    header, *lines = [line.split() for line in text.strip().splitlines() if line.strip()]
    described = con.execute(f"SELECT column_name FROM (DESCRIBE {table})").fetchall()
    columns = {name for (name,) in described}
    defaults = {"run_id": "r1", "source_id": 1, **constants}
    extra = {k: v for k, v in defaults.items() if k in columns and k not in header}
    names = ", ".join(f'"{name}"' for name in [*header, *extra])
    marks = ", ".join("?" for _ in [*header, *extra])
    values = [
        value
        for line in lines
        for value in (*(None if word == "NULL" else word for word in line), *extra.values())
    ]
    if lines:
        every = ", ".join(f"({marks})" for _ in lines)
        con.execute(f"INSERT INTO {table} ({names}) VALUES {every}", values)
    rows_were_written(con)


def rows_were_written(con: Connection) -> None:
    """Note that what is stored of rows written by hand is to be computed before it is read."""
    if con not in _BY_HAND:
        _BY_HAND[con] = _Written(_path(con))
    path = _BY_HAND[con].path
    if path is not None:
        _FILES.setdefault(path, _Written(path))


def keep(con: Connection) -> None:
    """Store the scalars and analyses of all runs, also of those whose rows `given` wrote.

    When they are read, where `settle` computes them.
    """
    if SETTLES and con in _BY_HAND:
        _BY_HAND[con] = _Written(_BY_HAND[con].path)
    else:
        keep_scalars(con)
        analyse_all(con)


def keep_scalars(con: Connection) -> None:
    """Store the scalars of all runs, and let their analyses be outdated."""
    con.execute("DELETE FROM kept_runs")
    runs = [run for (run,) in con.execute("SELECT run_id FROM runs").fetchall()]
    keep_all_scalars(con, files_of_runs(con, runs))
    outdate(con, runs)


def analyse_when_read(con: Connection, *landed: Any) -> None:
    """Leave the answers about what lands to `settle`, where it computes what is read."""
    if con in _BY_HAND:
        _BY_HAND[con].left = set(analyses.ORDER)
    else:
        analyse(con, *landed)


def land(con: Connection, path: Path, *, reader: str | None = None, **options: Any) -> list[Landed]:
    """Land what `path` holds; raises the error of the first recording that cannot be read."""
    written = _BY_HAND.get(con) if SETTLES else None
    is_kept = written is not None and (not written.note_state() or written.digest == _digest(con))
    done = []
    for found in find([path], reader_named(reader) if reader else None):
        if found.error is not None and not found.skipped:
            raise found.error
        if found.reader is not None:
            recording = found.recording()
            try:
                done.append(load(con, recording, found.reader, Options(**options)))
            finally:
                recording.close()
    if written is not None and is_kept:
        written.digest = _digest(con)
        written.note_state()
    return done


def land_together(con: Connection, files: Mapping[Path, Options]) -> None:
    """Land files in one transaction, as pwh ingest does with small ones."""
    with ExitStack() as opened:
        group = []
        for path, options in files.items():
            for found in find([path]):
                recording = found.recording()
                opened.callback(recording.close)
                group.append(Parsed(recording, found.reader, options))
        load_together(con, group)
