"""Maintenance of a warehouse: what makes it smaller and faster, and changes no answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from warehouse import sqlfiles
from warehouse.catalog import landing
from warehouse.errors import UsageError
from warehouse.lake.attach import NAME, is_lake, stored_bytes
from warehouse.lake.writers import alone
from warehouse.session import Connection
from warehouse.transactions import write_error

_UNREAD_SECONDS = 86400.0


@dataclass(frozen=True, slots=True)
class Maintained:
    """Outcome of maintenance: files merged and written, snapshots expired, files deleted."""

    files_before: int
    files_after: int
    snapshots_expired: int
    files_deleted: int


def maintain_lake(con: Connection, keep_days: float) -> Maintained:
    """Write small inserts of a lake together into few files, and delete what nobody reads.

    Snapshots older than `keep_days` expire, the last one never. Files of expired snapshots, and
    those of killed writers, are deleted once they are a day old: until then somebody may read or
    write them. Other writers wait for each step, and land again what they had begun before it.
    """
    before = _files(con)
    for call in ("flush_inlined_data", "merge_adjacent_files", "rewrite_data_files"):
        _rows(con, f"CALL ducklake_{call}('{NAME}')")
    older = "older_than => now() - to_seconds($seconds)"
    keep = {"seconds": keep_days * 86400}
    expired = _rows(con, f"FROM ducklake_expire_snapshots('{NAME}', {older})", keep)
    deleted = [
        _rows(con, f"FROM ducklake_{kind}('{NAME}', {older})", {"seconds": _UNREAD_SECONDS})
        for kind in ("cleanup_old_files", "delete_orphaned_files")
    ]
    return Maintained(before, _files(con), len(expired), sum(map(len, deleted)))


def _rows(
    con: Connection, sql: str, params: Mapping[str, Any] | None = None
) -> list[tuple[Any, ...]]:
    """Return the rows of a step, during which no other writer commits."""
    with alone(con):
        found: list[tuple[Any, ...]] = con.execute(sql, params).fetchall()
    return found


def _files(con: Connection) -> int:
    row = con.execute(f"SELECT sum(file_count) FROM ducklake_table_info('{NAME}')").fetchone()
    return int(row[0]) if row and row[0] is not None else 0


def check_local(con: Connection) -> None:
    """Raise `UsageError` over a server, whose statements have no checkpoint among them."""
    from warehouse.quack.client import Remote

    if isinstance(con, Remote):
        raise UsageError(
            "a served warehouse is maintained where pwh serve runs",
            hint="Stop the server there, and run pwh maintain.",
        )


def maintain(con: Connection, keep_days: float) -> Maintained | None:
    """Write small files of a lake together and forget its past; write the log of a file into it.

    Of the past of a lake, `keep_days` days remain. Returns what was done in a lake.
    Raises `UsageError` as `check_local` does, and `WarehouseError` where the warehouse cannot be
    written.
    """
    import duckdb

    check_local(con)
    try:
        if is_lake(con):
            return maintain_lake(con, keep_days)
        con.execute("CHECKPOINT")
    except duckdb.Error as error:
        message = write_error(error)
        message.hint = "No rows are lost. Try again: what is done already is not done twice."
        raise message from error
    return None


def size_of(con: Connection) -> float:
    """Return the bytes of a warehouse's file, or of the files of a lake."""
    if is_lake(con):
        return stored_bytes(con)
    ((size,),) = con.execute(
        "SELECT total_blocks * block_size FROM pragma_database_size() "
        "WHERE database_name = current_database()"
    ).fetchall()
    return float(size)


def bytes_of_rows(con: Connection) -> dict[str, float]:
    """Return by landing table about how many bytes a row takes."""
    if is_lake(con):
        sql = sqlfiles.read("queries/maintenance/bytes_of_rows_lake")
        return dict(con.execute(sql.format(lake=sqlfiles.literal(NAME))).fetchall())
    sql = sqlfiles.read("queries/maintenance/bytes_of_rows")
    found = {}
    for table in landing():
        ((size,),) = con.execute(sql.format(table=sqlfiles.literal(table))).fetchall()
        found[table] = float(size or 0)
    return found
