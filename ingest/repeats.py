"""Recordings that contain themselves or some of their rows twice.

As when a tool appends to the file of an earlier run, or files are put together by hand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from warehouse import sqlfiles
from warehouse.catalog import landing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from ingest.recording import Recording

# Of fewer rows, two halves can well be equal by chance.
_FEWEST = 6
# Readers number the records of a file themselves.
_NUMBERS = ("sample", "segment")
# Rows of which a file lists each once. Looking for equal ones in more takes too long.
_LISTED_ONCE = ("pmu_samples", "fn_timings")
_MOST = 200_000


def repeats(
    con: DuckDBPyConnection, recording: Recording, source_id: int, tables: Iterable[str]
) -> str | None:
    """Return in words what a recording contains twice; None where nothing is found.

    `tables` are those in which rows of it landed.
    """
    found = ["its second half is its first half again"] if recording.is_doubled() else []
    for table in tables:
        first, rows = con.execute(
            f"SELECT min(rowid), count(*) FROM {table} WHERE source_id = ?", [source_id]
        ).fetchall()[0]
        if _halves_are_equal(con, table, first, rows):
            found.append(f"each row of {table} twice")
        elif table in _LISTED_ONCE and rows <= _MOST and (more := _equal(con, table, source_id)):
            found.append(f"{more} of {rows} rows of {table} equal to another")
    return "; ".join(found) or None


def _halves_are_equal(con: DuckDBPyConnection, table: str, first: int, rows: int) -> bool:
    """Return whether the second half of a source's rows has the rows of the first, in any order.

    Rows of a source are next to each other, so where the first rows of both differ, as nearly
    always, no more are read.
    """
    if rows < _FEWEST or rows % 2:
        return False
    columns = ", ".join(name.name for name in landing()[table] if name.name not in _NUMBERS)
    sql = sqlfiles.read("queries/ingest/halves").format(table=table, columns=columns)
    for half in (1, rows // 2):
        params = {"begin": first, "middle": first + rows // 2, "rows": half}
        ((are_equal,),) = con.execute(sql, params).fetchall()
        if not are_equal:
            return False
    return True


def _equal(con: DuckDBPyConnection, table: str, source_id: int) -> int:
    """Return how many rows of a source are equal to an earlier one in all columns."""
    sql = f"SELECT count(*) - count(DISTINCT hash(t)) FROM {table} AS t WHERE source_id = ?"
    return int(con.execute(sql, [source_id]).fetchall()[0][0])
