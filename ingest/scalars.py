"""Scalars of runs: kept with the rows that they are added up from, so that history is read fast."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from warehouse import revision, sqlfiles
from warehouse.connection import cursor
from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa
    from duckdb import DuckDBPyConnection

# Kinds of scalars (sql/derived/scalars) by the landing tables that they are added up from.
_TABLES = {
    "counters": {"pmu_samples"},
    "functions": {"fn_timings"},
    "costs": {"pmu_samples", "fn_timings"},
    "workers": {"nodes", "workers", "tasks", "transfers"},
    "launches": {"bb_launches", "bb_visits", "bb_blocks"},
    "segments": {"segments"},
    "metrics": {"metrics"},
}
_NAMES = {"fn_timings": "derived/names/functions", "pmu_samples": "derived/names/regions"}


def keep_scalars(
    con: DuckDBPyConnection, run_ids: Collection[str], tables: Collection[str]
) -> None:
    """Add up the scalars of runs anew that stand on rows of these landing tables.

    To be called in the transaction that changed the rows, so that rows and scalars always agree.
    """
    runs, params = sqlfiles.of_runs(run_ids)
    con.execute(sqlfiles.read("derived/scalars/of_landed_runs").format(runs=runs), params)
    found = con.execute(sqlfiles.read("derived/scalars/landed_files")).fetchall()
    ((source_ids, of_other_runs),) = found
    _narrow(con, source_ids or [], of_other_runs=of_other_runs)
    for kind, read in _TABLES.items():
        if source_ids and not read.isdisjoint(tables):
            _add_up(con, kind)
    _note_kept(con)


def keep_all_scalars(
    con: DuckDBPyConnection,
    files: Mapping[str, Collection[int]],
    of_workers: pa.Table | None = None,
) -> None:
    """Add up all scalars of runs anew, from the rows of these files (source_id) of each.

    `of_workers` are those that `add_up_workers` returned elsewhere. The caller keeps the
    transaction. Raises `InputError` where a sum leaves 64 bits.
    """
    _choose(con, files)
    with _sums():
        for kind in _TABLES:
            if kind != "workers" or of_workers is None:
                _add_up(con, kind)
    if of_workers is not None:
        con.register("_given", of_workers)
        con.execute(sqlfiles.read("derived/scalars/given_workers"))
        con.unregister("_given")
    _note_kept(con)


def add_up_workers(con: DuckDBPyConnection, files: Mapping[str, Collection[int]]) -> None:
    """Add up only those scalars of runs that stand on rows of task traces.

    Raises `InputError` where a sum leaves 64 bits.
    """
    _choose(con, files)
    with _sums():
        _add_up(con, "workers")
    _widen(con)


def files_of_runs(con: DuckDBPyConnection, run_ids: Collection[str]) -> dict[str, dict[int, int]]:
    """Return by run its files (source_id), each with the rows that attribution of idle time reads.

    Also those of rows written by hand; {0: 0} for a run without rows.
    """
    found: dict[str, dict[int, int]] = {run_id: {} for run_id in run_ids}
    params = {"run_ids": json.dumps(list(run_ids))}
    for run_id, source_id, traced in con.execute(sqlfiles.read("derived/files"), params).fetchall():
        found[run_id][source_id] = traced
    return found


def runs_without_scalars(con: DuckDBPyConnection) -> list[tuple[str, bool]]:
    """Return the runs of which this pwh kept no scalars, each with whether another pwh kept some.

    Those of which none did were written by hand.
    """
    params = {"revision": revision.current()}
    found: list[tuple[str, bool]] = con.execute(
        sqlfiles.read("derived/scalars/outdated"), params
    ).fetchall()
    return found


def stabilise_names(
    con: DuckDBPyConnection,
    source_ids: Collection[int],
    tables: Collection[str] = tuple(_NAMES),
) -> None:
    """Take out of the names of functions what differs from process to process.

    In these of the landing tables, in the rows of these sources.
    """
    rows = sqlfiles.of_sources(source_ids)
    for table, statement in _NAMES.items():
        if table in tables:
            con.execute(sqlfiles.read(statement).format(rows=rows))


def differing_scalars(con: DuckDBPyConnection, run_ids: Collection[str]) -> list[tuple[str, str]]:
    """Return run and metric of stored scalars that differ from what the rows add up to.

    The scalars are added up again in temporary tables in place of those in the file, which this
    neither locks nor changes.
    """
    own = cursor(con)
    try:
        params = {"run_ids": json.dumps(list(run_ids))}
        own.execute(sqlfiles.read("derived/scalars/again"), params)
        keep_all_scalars(own, files_of_runs(own, run_ids))
        sql = sqlfiles.read("derived/scalars/differing")
        found: list[tuple[str, str]] = own.execute(sql, params).fetchall()
        return found
    finally:
        own.close()


def _choose(con: DuckDBPyConnection, files: Mapping[str, Collection[int]]) -> None:
    """Put runs and their files in _keep, and narrow statements to them."""
    listed = [
        {"run_id": run_id, "source_id": source_id}
        for run_id, source_ids in files.items()
        for source_id in source_ids
    ]
    con.execute(sqlfiles.read("derived/scalars/of_files"), {"files": json.dumps(listed)})
    # Files of rows written by hand can be of other runs, too.
    source_ids = {source_id for of_run in files.values() for source_id in of_run}
    _narrow(con, source_ids, of_other_runs=True)


def _narrow(con: DuckDBPyConnection, source_ids: Collection[int], *, of_other_runs: bool) -> None:
    """Define _is_kept, whether a row is of a file and a run in _keep, as what costs least.

    A join costs a tenth of a second for 10^7 rows: where there is one file, or the files have no
    other runs, it is left out.
    """
    files = "of_source IN (SELECT source_id FROM _keep)"
    if len(source_ids) == 1:
        # As a number in the text, so that DuckDB reads only the part of a table that has it.
        files = f"of_source = {int(next(iter(source_ids)))}"
    runs = " AND of_run IN (SELECT run_id FROM _keep)" if of_other_runs else ""
    con.execute(f"CREATE TEMP MACRO _is_kept(of_run, of_source) AS {files}{runs}")


def _add_up(con: DuckDBPyConnection, kind: str) -> None:
    """Store the scalars of a kind of the runs in _keep, in place of earlier ones.

    Of costs only where there are some: few files are profiles of events, and to plan the statement
    that adds them up takes a tenth of landing a small one.
    """
    if kind == "costs":
        con.execute(sqlfiles.read("derived/scalars/cost_events"))
        if con.execute("SELECT EXISTS (FROM _cost_candidate)").fetchone() == (True,):
            con.execute(sqlfiles.read("derived/scalars/costs"))
        con.execute("DROP TABLE _cost_candidate")
    else:
        con.execute(sqlfiles.read(f"derived/scalars/{kind}"))


def _widen(con: DuckDBPyConnection) -> None:
    """Drop what `_narrow` and those who call it have made."""
    con.execute("DROP MACRO temp.main._is_kept")
    con.execute("DROP TABLE _keep")


@contextmanager
def _sums() -> Iterator[None]:
    """Turn an overflow into an error of the rows."""
    import duckdb

    try:
        yield
    except duckdb.OutOfRangeException as error:
        raise InputError(
            "its rows add up to more than 64 bits can hold",
            expected="times within 292 years of each other, and sums of them, in nanoseconds",
        ) from error


def _note_kept(con: DuckDBPyConnection) -> None:
    """Write down that the scalars of the runs in _keep are stored, and drop it."""
    con.execute(sqlfiles.read("derived/scalars/kept"), {"revision": revision.current()})
    _widen(con)
