"""Scalars of runs: kept with the rows that they are added up from, so that history is read fast."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

import duckdb

from ingest.memory import registered
from warehouse import revision, sqlfiles
from warehouse.catalog import counted
from warehouse.connection import cursor
from warehouse.errors import InputError
from warehouse.lake.stamp import check_unchanged

if TYPE_CHECKING:
    import pyarrow as pa

    from warehouse.session import Connection

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
# Rows of a table that one thread adds up in less time than it takes to find their bounds.
_MANY = 1 << 20
# Runs whose scalars are added up again by one statement.
_RUNS_AT_ONCE = 10_000
# The statements that write names of functions anew, by landing table, with the columns that the
# lines in them are found by.
_NAMES = {
    "fn_timings": ("functions", {"path": "coalesce(callpath, function)", "calls": "calls"}),
    "pmu_samples": ("regions", {"path": "region", "calls": "NULL"}),
}


def keep_scalars(con: Connection, run_ids: Collection[str], rows: Mapping[str, int]) -> None:
    """Add up the scalars of runs anew that stand on those landing tables of which rows changed.

    `rows` are their numbers by table. To be called in the transaction that changed the rows, so
    that rows and scalars always agree.
    """
    runs, params = sqlfiles.of_runs(run_ids)
    con.execute(sqlfiles.read("derived/scalars/of_landed_runs").format(runs=runs), params)
    found = con.execute(sqlfiles.read("derived/scalars/landed_files")).fetchall()
    ((source_ids, of_other_runs),) = found
    many = [table for table, count in rows.items() if count > _MANY]
    kept = _kept_rows(con, source_ids or (), of_other_runs=of_other_runs, many=many)
    for kind, read in _TABLES.items():
        if not read.isdisjoint(rows):
            _add_up(con, kind, kept)
    _note_kept(con, {table: select for table, select in kept.items() if table in rows})


def keep_all_scalars(
    con: Connection,
    files: Mapping[str, Collection[int]],
    of_workers: pa.Table | None = None,
) -> None:
    """Add up all scalars of runs anew, from the rows of these files (source_id) of each.

    `of_workers` are those that `add_up_workers` returned elsewhere. The caller keeps the
    transaction. Raises `InputError` where a sum leaves 64 bits.
    """
    kept = _choose(con, files)
    with _sums():
        for kind in _TABLES:
            if kind != "workers" or of_workers is None:
                _add_up(con, kind, kept)
    if of_workers is not None:
        with registered(con, _given=of_workers):
            con.execute(sqlfiles.read("derived/scalars/given_workers"))
    _note_kept(con, kept)


def add_up_workers(con: Connection, files: Mapping[str, Collection[int]]) -> None:
    """Add up only those scalars of runs that stand on rows of task traces.

    Raises `InputError` where a sum leaves 64 bits.
    """
    kept = _choose(con, files)
    with _sums():
        _add_up(con, "workers", kept)
    con.execute("DROP TABLE _keep")


def files_of_runs(con: Connection, run_ids: Collection[str]) -> dict[str, dict[int, int]]:
    """Return by run its files (source_id), each with the rows that attribution of idle time reads.

    Also those of rows written by hand; {0: 0} for a run without rows.
    """
    found: dict[str, dict[int, int]] = {run_id: {} for run_id in run_ids}
    params = {"run_ids": json.dumps(list(run_ids))}
    for run_id, source_id, traced in con.execute(sqlfiles.read("derived/files"), params).fetchall():
        found[run_id][source_id] = traced
    return found


def outdated_scalars(con: Connection) -> list[tuple[str, bool]]:
    """Return the runs whose scalars another pwh kept, or which were written or changed by hand.

    Each with whether only the other pwh is the reason.
    """
    params = {"revision": revision.current()}
    found: list[tuple[str, bool]] = con.execute(
        sqlfiles.read("derived/scalars/outdated"), params
    ).fetchall()
    return found


def stabilise_names(
    con: Connection,
    source_ids: Collection[int],
    tables: Collection[str] = tuple(_NAMES),
) -> None:
    """Take out of the names of functions what differs from process to process, and their lines.

    In these of the landing tables, in the rows of these sources.
    """
    rows = sqlfiles.of_sources(source_ids)
    for table, (names, columns) in _NAMES.items():
        if table in tables:
            con.execute(sqlfiles.read(f"derived/names/{names}").format(rows=rows))
            lines = sqlfiles.read("derived/names/lines")
            con.execute(lines.format(table=table, rows=rows, **columns))
            if con.execute("SELECT 1 FROM _kept_lines LIMIT 1").fetchone():
                con.execute(sqlfiles.read(f"derived/names/{names}_lines"))


def differing_scalars(
    con: Connection,
) -> Iterator[tuple[float, list[tuple[str, str]]]]:
    """Yield the share of runs that are done, and run and metric of differing stored scalars.

    They differ from what the rows add up to. Of the runs in the table kept_runs whose rows are all
    there.
    """
    kept = con.execute(
        "SELECT run_id FROM kept_runs "
        "WHERE run_id NOT IN (SELECT run_id FROM forgotten_rows) ORDER BY ALL"
    ).fetchall()
    for begin in range(0, len(kept), _RUNS_AT_ONCE):
        batch = [run_id for (run_id,) in kept[begin : begin + _RUNS_AT_ONCE]]
        yield (begin + len(batch)) / len(kept), _differing(con, batch)


def _differing(con: Connection, run_ids: Collection[str]) -> list[tuple[str, str]]:
    """Add up scalars again in temporary tables in place of those in the file.

    This neither locks nor changes it.
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


def _kept_rows(
    con: Connection,
    source_ids: Collection[int],
    *,
    of_other_runs: bool,
    many: Collection[str] = (),
) -> dict[str, str]:
    """Return by landing table the SELECT of its rows that are of the files and runs in _keep.

    The files are `source_ids`; some can have other runs, too. A join costs a tenth of a second for
    10^7 rows: where there is one file, or the files have no other runs, it is left out. By a number
    in the text DuckDB reads only the part of a table that has it. `many` are tables with many rows
    of this transaction.
    """
    ((database,),) = con.execute("SELECT current_database()").fetchall()
    files = "source_id IN (SELECT source_id FROM _keep)"
    if len(source_ids) == 1:
        files = sqlfiles.of_sources(source_ids)
    runs = " AND run_id IN (SELECT run_id FROM _keep)" if of_other_runs else ""
    main = f"{sqlfiles.identifier(database)}.main"
    rows = {table: f"FROM {main}.{table} WHERE {files}{runs}" for table in counted()}
    return rows | {table: _in_parts(con, rows[table]) for table in rows.keys() & set(many)}


def _in_parts(con: Connection, rows: str) -> str:
    """Return the SELECT of many rows so that as many threads read them as there are.

    DuckDB reads rows that have just been inserted, in the same transaction, with one thread.
    """
    ((first, last, threads),) = con.execute(
        f"SELECT min(rowid), max(rowid), current_setting('threads') {rows}"
    ).fetchall()
    if first is None:
        return rows
    step = -(-(last - first + 1) // threads)
    return " UNION ALL ".join(
        f"{rows} AND rowid BETWEEN {begin} AND {begin + step - 1}"
        for begin in range(first, last + 1, step)
    )


def _choose(con: Connection, files: Mapping[str, Collection[int]]) -> dict[str, str]:
    """Put runs and their files in _keep, and return which rows are theirs (`_kept_rows`)."""
    listed = [
        {"run_id": run_id, "source_id": source_id}
        for run_id, source_ids in files.items()
        for source_id in source_ids
    ]
    con.execute(sqlfiles.read("derived/scalars/of_files"), {"files": json.dumps(listed)})
    # Files of rows written by hand can be of other runs, too.
    source_ids = {source_id for of_run in files.values() for source_id in of_run}
    return _kept_rows(con, source_ids, of_other_runs=True)


def _add_up(con: Connection, kind: str, kept: Mapping[str, str]) -> None:
    """Store the scalars of a kind of the runs in _keep, in place of earlier ones.

    `kept` are the rows of landing tables that count. Of costs only where there are some: few files
    are profiles of events, and to plan the statement that adds them up takes a tenth of landing a
    small one.
    """
    rows = {table: kept[table] for table in _TABLES[kind]}
    if kind != "costs":
        _run_on(con, rows, f"derived/scalars/{kind}")
        return
    counted = rows["pmu_samples"]
    _run_on(con, {"pmu_samples": counted}, "derived/scalars/cost_events")
    if con.execute("SELECT EXISTS (FROM _cost_candidate)").fetchone() == (True,):
        # By function already: to add up by call path first takes ten times the memory of these.
        rows["pmu_samples"] = (
            f"SELECT * REPLACE (_path_parts(region)[-1] AS region) FROM ({counted}) "
            "WHERE event IN (SELECT event FROM _cost_candidate)"
        )
        _run_on(con, rows, "derived/scalars/costs")
    con.execute("DROP TABLE _cost_candidate")


def _run_on(con: Connection, rows: Mapping[str, str], name: str) -> None:
    """Run statements on landing tables that for this session have only these rows."""
    for table, select in rows.items():
        con.execute(f"CREATE TEMP VIEW {table} AS {select}")
    con.execute(sqlfiles.read(name))
    for table in rows:
        con.execute(f"DROP VIEW temp.main.{table}")


@contextmanager
def _sums() -> Iterator[None]:
    """Turn an overflow into an error of the rows."""
    try:
        yield
    except duckdb.OutOfRangeException as error:
        raise InputError(
            "its rows add up to more than 64 bits can hold",
            expected="times within 292 years of each other, and sums of them, in nanoseconds",
        ) from error


def _note_kept(con: Connection, changed: Mapping[str, str]) -> None:
    """Write down that the scalars of the runs in _keep are stored, and drop it.

    `changed` are the rows of those landing tables of which they can have other numbers than before.
    """
    numbers = [
        f'SELECT run_id, {sqlfiles.literal(table)} AS "table", count(*) AS rows '
        f"FROM ({rows}) GROUP BY run_id"
        for table, rows in changed.items()
    ] or ['SELECT NULL AS run_id, NULL AS "table", 0 AS rows WHERE false']
    note = sqlfiles.read("derived/scalars/kept").format(
        counted=" UNION ALL ".join(numbers),
        tables=", ".join(map(sqlfiles.literal, changed)),
    )
    check_unchanged(con)
    con.execute(note, {"revision": revision.current()})
    con.execute("DROP TABLE _keep; DROP TABLE _kept_rows")
