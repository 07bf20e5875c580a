"""Helpers that let a test show input, query and expected rows on one screen."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import pytest

import warehouse as pwh
from apps.queries import base
from ingest.analyse import analyse_all, outdate
from ingest.load import load
from ingest.parsed import Options
from ingest.scalars import files_of_runs, keep_all_scalars
from ingest.walk import find, reader_named
from ingest.writer import Landed
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


# Warehouses of tests that write rows by hand, with a digest of those of which answers are computed.
_BY_HAND: WeakKeyDictionary[Connection, tuple[int, ...]] = WeakKeyDictionary()
_FILES: dict[str, tuple[int, ...]] = {}
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
    settle(con)
    return con.execute(sql, list(params)).fetchall()


def by_hand(con: Connection) -> None:
    """Note that a test writes rows of this empty warehouse by hand."""
    _BY_HAND[con] = con.execute(_DIGEST).fetchone() or ()


def _computed_when_settled(con: Connection, *args: Any) -> DuckDBPyRelation:
    """Return the rows of a question of apps.queries, as `rows` does."""
    settle(con)
    return _COMPUTED(con, *args)


_COMPUTED = base._computed
base._computed = _computed_when_settled


def settle_files() -> None:
    """Do what `settle` does for all files of which `given` wrote rows."""
    for path in list(_FILES) if SETTLES else ():
        if not Path(path).is_file():
            del _FILES[path]
            continue
        # A file of an earlier test may be one that this one takes for another version's.
        with suppress(WarehouseOutdated), pwh.connect(path) as con:
            _BY_HAND[con] = _FILES[path]
            settle(con)
            _FILES[path] = _BY_HAND.pop(con)


def leave_files() -> None:
    """Note that the tests of a module, and the warehouses that they share, are done."""
    _FILES.clear()


def no_longer_by_hand(con: Connection) -> None:
    """Note that a test is done with a warehouse."""
    _BY_HAND.pop(con, None)


def settle(con: Connection) -> None:
    """Compute what is stored of runs whose rows were written by hand, as pwh refresh does.

    Rows of runs that are not in `runs` are of runs of which nothing else is known.
    """
    if not SETTLES or con not in _BY_HAND or con.execute(_DIGEST).fetchone() == _BY_HAND[con]:
        return
    for table in by_run_and_source():
        con.execute(
            f"INSERT INTO runs (run_id) SELECT DISTINCT run_id FROM {table} "
            "WHERE run_id NOT IN (SELECT run_id FROM runs) ORDER BY run_id"
        )
    keep(con)


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
    _BY_HAND.setdefault(con, ())
    paths = con.execute("SELECT path FROM duckdb_databases() WHERE NOT internal").fetchall()
    for (path,) in paths:
        if path is not None and Path(path).is_file():
            _FILES.setdefault(path, ())


def keep(con: Connection) -> None:
    """Store the scalars and analyses of all runs, also of those whose rows `given` wrote."""
    con.execute("DELETE FROM kept_runs")
    runs = [run for (run,) in con.execute("SELECT run_id FROM runs").fetchall()]
    keep_all_scalars(con, files_of_runs(con, runs))
    outdate(con, runs)
    analyse_all(con)
    if con in _BY_HAND:
        by_hand(con)


def land(con: Connection, path: Path, *, reader: str | None = None, **options: Any) -> list[Landed]:
    """Land what `path` holds; raises the error of the first recording that cannot be read."""
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
    return done
