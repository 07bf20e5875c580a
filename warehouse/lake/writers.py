"""Many writers of a lake: one commits at a time, and sees what others committed since it began."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from warehouse.duckdb_texts import CONFLICT
from warehouse.lake.attach import METADATA, NAME, is_lake, use
from warehouse.lake.lock import lock
from warehouse.session import Connection

_MORE_THAN_ROWS = f"""
    SELECT 1 FROM {METADATA}.ducklake_snapshot_changes
    WHERE snapshot_id > $since AND NOT regexp_full_match(
      changes_made,
      '((inlined_insert|inlined_delete|inserted_into_table|deleted_from_table):\\d+,?)*'
    )
    LIMIT 1
"""


@contextmanager
def alone(con: Connection) -> Iterator[Connection]:
    """Keep all other writers that do the same from committing inside the block, in a lake.

    Yield a cursor that sees what was committed before. A killed process keeps nobody waiting:
    PostgreSQL unlocks what its connection has locked. Outside of PostgreSQL there is one writer
    anyway.

    Raises `WarehouseBusy` after some minutes.
    """
    import duckdb

    if not is_lake(con):
        yield con
        return
    with con.cursor() as holder, con.cursor() as own:
        holder.execute("BEGIN")
        try:
            if _is_in_postgres(holder):
                lock(holder, METADATA)
            # Of its own: the transaction that waits sees the state of before the wait.
            use(own)
            own.execute("BEGIN")
            yield own
        finally:
            for cursor in (own, holder):
                with suppress(duckdb.Error):
                    cursor.execute("ROLLBACK")


def _is_in_postgres(con: Connection) -> bool:
    sql = "SELECT type FROM duckdb_databases() WHERE database_name = $1"
    row: object = con.execute(sql, [METADATA]).fetchone()
    return row == ("postgres",)


def is_conflict(error: Exception) -> bool:
    """Return whether DuckLake did not commit because of what others have committed meanwhile."""
    return CONFLICT in str(error)


def snapshot(con: Connection) -> int:
    """Return the number of the state of the lake that a transaction sees."""
    row = con.execute(f"SELECT id FROM {NAME}.current_snapshot()").fetchone()
    return int(row[0]) if row else 0


def last_snapshot(con: Connection) -> tuple[int, int]:
    """Return the number of the last state of the lake, and its time (us since 1970)."""
    sql = f"SELECT max(snapshot_id), epoch_us(max(snapshot_time)) FROM {METADATA}.ducklake_snapshot"
    number, then = con.execute(sql).fetchall()[0]
    return int(number), int(then)


@dataclass(frozen=True, slots=True)
class Touched:
    """Additions of a transaction: sources, their content (SHA-256), their paths, and runs.

    `apps` are the applications whose series it computed.
    """

    source_ids: Sequence[int]
    contents: Sequence[str]
    paths: Sequence[str]
    run_ids: Sequence[str]
    apps: Sequence[str]


def is_overtaken(own: Connection, since: int, touched: Touched) -> bool:
    """Return whether others have committed something of the same sources or runs after a snapshot.

    So do those that changed more than rows: DuckLake loses what a transaction deletes of files that
    another merges meanwhile. `own` is a cursor of `alone`.
    """
    import duckdb

    now = snapshot(own)
    if now == since:
        return False
    if own.execute(_MORE_THAN_ROWS, {"since": since}).fetchone() is not None:
        return True
    changes = " UNION ALL ".join(
        f"FROM {NAME}.table_{kind}('{{table}}', {since + 1}, {now})"
        for kind in ("insertions", "deletions")
    )
    try:
        row: object = own.execute(
            "SELECT EXISTS (FROM (" + changes.format(table="run_facts") + ") "
            "WHERE run_id IN (SELECT unnest($runs)) OR source_id IN (SELECT unnest($sources))) "
            "OR EXISTS (FROM (" + changes.format(table="sources") + ") "
            "WHERE path IN (SELECT unnest($paths)) OR sha256 IN (SELECT unnest($contents)) "
            "OR content_sha256 IN (SELECT unnest($contents))) "
            "OR EXISTS (FROM (" + changes.format(table="runs") + ") "
            "WHERE app IN (SELECT unnest($apps)))",
            {
                "runs": list(touched.run_ids),
                "sources": list(touched.source_ids),
                "paths": list(touched.paths),
                "contents": list(touched.contents),
                "apps": list(touched.apps),
            },
        ).fetchone()
    except duckdb.InvalidInputException:
        # Someone expired the snapshots in between.
        return True
    return row != (False,)
