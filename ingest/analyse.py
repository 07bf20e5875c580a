"""Computes analyses (sql/analyses) for the keys whose inputs changed, and stores them.

Each key has a digest of what its rows were computed from. Whatever happened to the warehouse, the
keys to compute are those whose digest is another one now, so that rows and answers agree.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TypeVar

import duckdb

from warehouse import analyses, sqlfiles
from warehouse.analyses import Analysis
from warehouse.catalog import by_run_and_source, counted
from warehouse.session import Connection
from warehouse.transactions import transaction

_T = TypeVar("_T")
# What a run belongs to, by scope, and the runs of the keys in _inputs.
_OF_RUN = {"app": "app", "set_id": "_set_id(app, version, machine)"}
_RUNS = {
    "run_id": "SELECT key AS run_id FROM _inputs",
    "set_id": "SELECT run_id FROM run_groups "
    "WHERE set_id IN (SELECT CAST(key AS BIGINT) FROM _inputs)",
}
# Runs of which a condition names each: DuckDB then finds their rows without reading the others.
_MOST_NAMED = 50


# As JSON: of an empty Python list DuckDB takes the entries to be integers.
_LIST = """from_json($scopes, '["VARCHAR"]')"""


class AnalysisFailed(Exception):
    """An analysis that could not be computed; its transaction is lost."""

    def __init__(self, analysis: str, reason: str) -> None:
        super().__init__(f"{analysis}: {reason}")
        self.analysis = analysis
        self.reason = reason


def until_analysed(work: Callable[[Mapping[str, str]], _T]) -> _T:
    """Return the result of `work`, a transaction, which gets the analyses that failed before.

    What cannot be analysed costs nobody a landing: the transaction is done again without.
    """
    failed: dict[str, str] = {}
    while True:
        try:
            return work(failed)
        except AnalysisFailed as error:
            if error.analysis in failed:
                raise
            failed[error.analysis] = error.reason


def analyse(
    con: Connection,
    run_ids: Collection[str],
    failed: Mapping[str, str] | None = None,
) -> None:
    """Compute what depends on runs of which rows landed, changed or went.

    To be called in that transaction. Of the analyses in `failed` (with the reason) the keys are
    noted as failed. Raises `AnalysisFailed`.
    """
    failed = failed or {}
    scopes = {"run_id": list(run_ids)} | {name: scopes_of(con, name, run_ids) for name in _OF_RUN}
    runs, params = sqlfiles.of_runs(run_ids)
    params["scopes"] = json.dumps([one for values in scopes.values() for one in values])
    names = con.execute(
        f"SELECT unnest(map_keys(rows)) FROM kept_runs WHERE {runs} "
        "UNION SELECT analysis FROM analysis_states "
        f"WHERE scope IN (SELECT unnest({_LIST}))",
        params,
    )
    known = {name for (name,) in names.fetchall()}
    for analysis in analyses.every():
        own = scopes[analysis.scope]
        # Whatever lands in a run is part of the digest of what is found in it.
        if own and _can_have_keys(con, analysis, own, known):
            _renew(con, analysis, own, failed=failed.get(analysis.name))


def change_of_run(
    con: Connection, run_id: str, sql: str, params: Sequence[object] | Mapping[str, object]
) -> int:
    """Change what is stored about a run, and what depends on it; return the number of rows."""

    def change(failed: Mapping[str, str]) -> int:
        with transaction(con):
            done = con.execute(sql, params).fetchone()
            analyse(con, [run_id], failed)
        return int(done[0]) if done else 0

    return until_analysed(change)


def analyse_all(con: Connection) -> dict[str, int]:
    """Compute all that is outdated, or failed; return the number of keys by analysis, if any.

    Each analysis has a transaction of its own.
    """
    stored, own = analyses.stored_revisions(con), analyses.revisions()
    held = [f"SELECT '{table}' WHERE EXISTS (FROM {table})" for table in counted()]
    held.append("SELECT DISTINCT analysis FROM analysis_states")
    known = {name for (name,) in con.execute(" UNION ALL ".join(held)).fetchall()}
    done = {}
    for analysis in analyses.every():
        name = analysis.name
        if stored.get(name) != own[name]:
            with transaction(con):
                fixed = _fixed(analysis)
                con.execute(
                    f"DELETE FROM analysis_states WHERE analysis = $1 AND key NOT IN ({fixed})",
                    [name],
                )
                if not analysis.carries:
                    con.execute(
                        f"DELETE FROM {name} WHERE CAST({analysis.key} AS VARCHAR) NOT IN ({fixed})"
                    )
        scopes = _all_scopes(con, analysis)
        may_have = scopes and _can_have_keys(con, analysis, scopes, known)
        if may_have and (number := _renew_or_note(con, analysis, scopes)):
            done[name] = number
        if stored.get(name) != own[name]:
            with transaction(con):
                con.execute("DELETE FROM analyses WHERE analysis = $1", [name])
                con.execute("INSERT INTO analyses VALUES (?, ?)", [name, own[name]])
    return done


def outdate(con: Connection, run_ids: Collection[str], *, of_apps: bool = False) -> None:
    """Let `analyse_all` compute anew what depends on runs, or only what is of their applications.

    Rows that changed in place, by hand or with what pwh makes of them, leave no other trace.
    """
    scopes = scopes_of(con, "app", run_ids)
    if not of_apps:
        scopes += [*run_ids, *scopes_of(con, "set_id", run_ids)]
    con.execute(
        f"UPDATE analysis_states SET digest = '' WHERE scope IN (SELECT unnest({_LIST}))",
        {"scopes": json.dumps(scopes)},
    )


def analyse_here(con: Connection, app: str) -> None:
    """Compute the series of an application by the settings of this connection, for it alone.

    A temporary table of the name of a setting (series_fields, change_thresholds) is such a setting.
    """
    wanted = [
        one
        for one in analyses.every()
        if one.name in ("run_groups", "_series_parts", "series", "_change_events")
    ]
    kept = {one.name for one in wanted if one.carries}
    for table in ("analysis_states", *(one.name for one in wanted)):
        rows = "" if table in kept else "WITH NO DATA"
        con.execute(f"CREATE TEMP TABLE {table} AS FROM {table} {rows}")
    runs = con.execute("SELECT run_id FROM runs WHERE app = $1", [app]).fetchall()
    scopes = {"run_id": [run_id for (run_id,) in runs], "app": [app]}
    for analysis in wanted:
        _renew(con, analysis, scopes[analysis.scope])


def outdated_keys(con: Connection, *, again: bool = True) -> dict[str, int]:
    """Return by analysis how many keys are outdated; of those without any nothing.

    And, with `again`, how many could not be computed.
    """
    found = {}
    for analysis in analyses.every():
        number = _find(con, analysis, _all_scopes(con, analysis), again=again)
        _drop(con)
        if number:
            found[analysis.name] = number
    return found


def _renew_or_note(con: Connection, analysis: Analysis, scopes: list[str]) -> int:
    """Compute what is outdated of some scopes; note which cannot be. Return the number of keys."""
    try:
        with transaction(con):
            return _renew(con, analysis, scopes, again=True)
    except AnalysisFailed as error:
        if len(scopes) == 1:
            with transaction(con):
                return _renew(con, analysis, scopes, failed=error.reason)
    half = len(scopes) // 2
    parts = (scopes[:half], scopes[half:])
    return sum(_renew_or_note(con, analysis, part) for part in parts)


def _can_have_keys(
    con: Connection, analysis: Analysis, scopes: Collection[str], known: Collection[str]
) -> bool:
    """Return whether scopes can have keys, by the landing tables and analyses with rows of them.

    To find that there are none takes as long as all else of a small file, over all analyses.
    """
    if analysis.name in known:
        return True
    tables = analysis.reads.intersection(counted())
    if analysis.scope in _RUNS and tables and tables.isdisjoint(known):
        return False
    if analysis.needs is None:
        return True
    found = con.execute(
        f"SELECT EXISTS (FROM {analysis.needs} "
        f"WHERE CAST({analysis.scope} AS VARCHAR) IN (SELECT unnest({_LIST})))",
        {"scopes": json.dumps(list(scopes))},
    )
    return bool(found.fetchone() == (True,))


def scopes_of(con: Connection, scope: str, run_ids: Collection[str]) -> list[str]:
    """Return what runs belong to, as they are now and as they were when last analysed."""
    runs, params = sqlfiles.of_runs(run_ids)
    found = con.execute(
        # The expression and the column are pwh's own.
        f"SELECT CAST({_OF_RUN[scope]} AS VARCHAR) AS scope FROM runs "
        f"WHERE {runs} AND scope IS NOT NULL "
        f"UNION SELECT CAST({scope} AS VARCHAR) AS scope FROM run_groups "
        f"WHERE {runs} AND scope IS NOT NULL",
        params,
    ).fetchall()
    return [value for (value,) in found]


def _all_scopes(con: Connection, analysis: Analysis) -> list[str]:
    """Return what there is of an analysis's scope, and what there was."""
    expression = _OF_RUN.get(analysis.scope, analysis.scope)
    found = con.execute(
        f"SELECT CAST({expression} AS VARCHAR) AS scope FROM runs WHERE scope IS NOT NULL "
        "UNION SELECT scope FROM analysis_states WHERE analysis = $analysis ORDER BY 1",
        {"analysis": analysis.name},
    ).fetchall()
    return [scope for (scope,) in found]


def _renew(
    con: Connection,
    analysis: Analysis,
    scopes: Collection[str],
    *,
    again: bool = False,
    failed: str | None = None,
) -> int:
    """Compute the outdated keys of some scopes, and those that failed where `again`.

    Or note that they `failed`. Returns their number, with those that are gone. The caller keeps the
    transaction.
    """
    table, name = analysis.name, {"analysis": analysis.name}
    try:
        outdated = _find(con, analysis, scopes, again=again)
        if outdated:
            if analysis.carries:
                con.execute(f"CREATE TEMP TABLE _before AS FROM {table}")
            con.execute(
                f"DELETE FROM {table} WHERE {analysis.key} IN "
                f"(SELECT CAST(key AS {analysis.key_type}) FROM _outdated)"
            )
            con.execute(
                "DELETE FROM analysis_states "
                "WHERE analysis = $analysis AND key IN (SELECT key FROM _outdated)",
                name,
            )
            con.execute(
                "INSERT INTO analysis_states SELECT $analysis, key, scope, digest, $failed "
                "FROM _inputs",
                name | {"failed": failed},
            )
            for _ in _parts(con, analysis.together) if failed is None else ():
                with _of_keys(con, analysis):
                    con.execute(
                        f"INSERT INTO {table} BY NAME FROM ({analysis.rows}) "
                        f"WHERE {analysis.key} IN "
                        f"(SELECT CAST(key AS {analysis.key_type}) FROM _inputs)"
                    )
            if analysis.carries:
                con.execute("DROP TABLE _before")
        _drop(con)
    except (duckdb.InterruptException, duckdb.IOException, duckdb.OutOfMemoryException):
        raise
    except duckdb.Error as error:
        raise AnalysisFailed(table, str(error).split("\n", 1)[0]) from error
    return outdated


def _parts(con: Connection, together: int | None) -> Iterator[None]:
    """Let _inputs have keys whose runs have about so many scalars, and then others, until all were.

    All at once without a number.
    """
    if together is None:
        yield
        return
    con.execute(sqlfiles.read("derived/analyses/parts"), {"together": together})
    parts = con.execute("SELECT DISTINCT part FROM _every ORDER BY part").fetchall()
    for (part,) in parts:
        one = "SELECT * EXCLUDE (part) FROM _every WHERE part = $1"
        con.execute(f"CREATE OR REPLACE TEMP TABLE _inputs AS {one}", [part])
        yield
    con.execute("DROP TABLE _every")


@contextmanager
def _of_keys(con: Connection, analysis: Analysis) -> Iterator[None]:
    """Let the tables that an analysis of runs reads have the rows of its keys only.

    DuckDB passes a condition on several runs to one side of a join and into no window: next to
    300,000 counters of 3,000 runs a small file takes three times as long to land without.
    """
    keyed = (one.name for one in analyses.every() if one.key == analysis.key)
    tables = sorted(analysis.reads.intersection(["runs", *by_run_and_source(), *keyed]))
    if analysis.scope not in _RUNS or not tables:
        yield
        return
    ((database,),) = con.execute("SELECT current_database()").fetchall()
    runs = con.execute(f"{_RUNS[analysis.scope]} LIMIT {_MOST_NAMED + 1}").fetchall()
    named = ", ".join(sqlfiles.literal(run_id) for (run_id,) in runs)
    which = f"WHERE run_id IN ({named})" if runs else "WHERE false"
    if len(runs) > _MOST_NAMED:
        which = f"SEMI JOIN ({_RUNS[analysis.scope]}) USING (run_id)"
    of_keys = f"WHERE {analysis.key} IN (SELECT CAST(key AS {analysis.key_type}) FROM _inputs)"
    main = f"{sqlfiles.identifier(database)}.main"
    for table in tables:
        is_of_runs = analysis.scope == "run_id" or table in ("runs", *by_run_and_source())
        rows = which if is_of_runs else of_keys
        con.execute(f"CREATE TEMP VIEW {table} AS FROM {main}.{table} {rows}")
    yield
    # A transaction that fails takes them with it.
    for table in tables:
        con.execute(f"DROP VIEW temp.main.{table}")


def _find(con: Connection, analysis: Analysis, scopes: Collection[str], *, again: bool) -> int:
    """Put the inputs of what is to be computed into _inputs; return the number of outdated keys.

    Their keys, and those that are gone, are in _outdated.
    """
    con.execute(
        f"CREATE TEMP TABLE _scope AS SELECT unnest({_LIST}) AS scope",
        {"scopes": json.dumps(list(scopes))},
    )
    needed = f"(SELECT {analysis.scope} FROM {analysis.needs})" if analysis.needs else "_scope"
    con.execute(
        sqlfiles.read("derived/analyses/found").format(
            inputs=analysis.inputs,
            needed=needed,
            reads=_names(analysis.reads),
        )
    )
    con.execute(
        sqlfiles.read("derived/analyses/outdated").format(fixed=_fixed(analysis)),
        {"analysis": analysis.name, "again": again},
    )
    con.execute("CREATE TEMP TABLE _inputs AS FROM _found SEMI JOIN _outdated USING (key)")
    ((number,),) = con.execute("SELECT count(*) FROM _outdated").fetchall()
    return int(number)


def _fixed(analysis: Analysis) -> str:
    """Return the SELECT of the keys whose rows cannot be computed again: retention deleted some.

    Of pairs of versions and of changes, scalars are left, of which they are computed.
    """
    return sqlfiles.read("derived/retention/fixed").format(
        key={"run_id": "run_id", "set_id": "CAST(set_id AS VARCHAR)"}.get(analysis.scope, "NULL"),
        reads=_names(analysis.reads),
    )


def _names(tables: Collection[str]) -> str:
    return ", ".join(map(sqlfiles.literal, sorted(tables)))


def _drop(con: Connection) -> None:
    con.execute("DROP TABLE _inputs; DROP TABLE _outdated; DROP TABLE _found; DROP TABLE _scope")
