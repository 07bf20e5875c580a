"""Recordings that contain themselves or some of their rows twice.

As when a tool appends to the file of an earlier run, or files are put together by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

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
    con: DuckDBPyConnection, recordings: Mapping[int, Recording], tables: Iterable[str]
) -> dict[int, str]:
    """Return in words what recordings contain twice, by source; those without are left out.

    `recordings` are by their source, `tables` those in which rows of them landed.
    """
    found: dict[int, list[str]] = {source_id: [] for source_id in recordings}
    for source_id, recording in recordings.items():
        if recording.is_doubled():
            found[source_id].append("its second half is its first half again")
    for table in tables:
        for one in _stretches(con, table, recordings):
            if _halves_are_equal(con, table, one):
                found[one.source_id].append(f"each row of {table} twice")
            elif one.equal and table in _LISTED_ONCE:
                found[one.source_id].append(
                    f"{one.equal} of {one.rows} rows of {table} equal to another"
                )
    return {source_id: "; ".join(texts) for source_id, texts in found.items() if texts}


class _Stretch(NamedTuple):
    """The rows of a source in a table, which are next to each other.

    `equal` are those equal to another in all columns, `numbered` those that differ from an earlier
    one in its number at most; 0 and None where there are too many to look for them.
    """

    source_id: int
    first: int
    rows: int
    equal: int = 0
    numbered: int | None = None


def _stretches(
    con: DuckDBPyConnection, table: str, source_ids: Iterable[int]
) -> Iterator[_Stretch]:
    of_sources = sqlfiles.of_sources(source_ids)
    counted = [
        _Stretch(*row)
        for row in con.execute(
            f"SELECT source_id, min(rowid), count(*) FROM {table} WHERE {of_sources} "
            "GROUP BY source_id"
        ).fetchall()
    ]
    yield from (one for one in counted if one.rows > _MOST)
    if few := {one.source_id: one for one in counted if one.rows <= _MOST}:
        sql = (
            "SELECT source_id, count(*) - count(DISTINCT hash(t)), "
            f"count(*) - count(DISTINCT hash(run_id, {_compared(table)})) FROM {table} AS t "
            f"WHERE {sqlfiles.of_sources(few)} GROUP BY source_id"
        )
        for source_id, equal, numbered in con.execute(sql).fetchall():
            yield few[source_id]._replace(equal=equal, numbered=numbered)


def _compared(table: str) -> str:
    return ", ".join(name.name for name in landing()[table] if name.name not in _NUMBERS)


def _halves_are_equal(con: DuckDBPyConnection, table: str, one: _Stretch) -> bool:
    """Return whether the second half of a source's rows has the rows of the first, in any order.

    Where the first rows of both differ, as nearly always, no more are read.
    """
    too_few = one.numbered is not None and one.numbered < one.rows // 2
    if one.rows < _FEWEST or one.rows % 2 or too_few:
        return False
    sql = sqlfiles.read("queries/ingest/halves").format(table=table, columns=_compared(table))
    for half in (1, one.rows // 2):
        params = {"begin": one.first, "middle": one.first + one.rows // 2, "rows": half}
        ((are_equal,),) = con.execute(sql, params).fetchall()
        if not are_equal:
            return False
    return True
