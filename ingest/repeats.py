"""Recordings that contain themselves twice, as when a tool appends to a file of an earlier run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from warehouse import sqlfiles
from warehouse.catalog import landing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Of fewer rows, two halves can well be equal by chance.
_FEWEST = 6
# Readers number the records of a file themselves.
_NUMBERS = ("sample", "segment")


def repeats_itself(con: DuckDBPyConnection, table: str, source_id: int) -> bool:
    """Return whether the second half of a source's rows has the rows of the first, in any order.

    Rows of a source are next to each other, so where the first rows of both differ, as nearly
    always, no more are read.
    """
    columns = ", ".join(name.name for name in landing()[table] if name.name not in _NUMBERS)
    count, begin = con.execute(
        f"SELECT count(*), min(rowid) FROM {table} WHERE source_id = ?", [source_id]
    ).fetchall()[0]
    if count < _FEWEST or count % 2:
        return False
    sql = sqlfiles.read("queries/ingest/halves").format(table=table, columns=columns)
    for half in (1, count // 2):
        params = {"begin": begin, "middle": begin + count // 2, "rows": half}
        ((are_equal,),) = con.execute(sql, params).fetchall()
        if not are_equal:
            return False
    return True
