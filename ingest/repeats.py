"""Recordings that contain themselves or some of their rows twice.

As when a tool appends to the file of an earlier run, or files are put together by hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ingest.recording import Recording
from warehouse import sqlfiles
from warehouse.catalog import landing
from warehouse.session import Connection

# Of fewer rows, two halves can well be equal by chance.
_FEWEST = 6
# Readers number the records of a file themselves.
_NUMBERS = ("sample", "segment")
# Rows of which a file lists each once. Looking for equal ones in more takes too long.
_LISTED_ONCE = ("pmu_samples", "fn_timings")
_MOST = 200_000
# Where this share of the rows was there before, a row is there four times on average.
_MANY = 0.75


def repeats(
    con: Connection,
    recordings: Mapping[int, Recording],
    rows: Mapping[str, Mapping[int, int]],
) -> dict[int, str]:
    """Return in words what recordings contain twice, by source; those without are left out.

    `recordings` are by their source, `rows` is how many landed, by table and source.
    """
    found: dict[int, list[str]] = {source_id: [] for source_id in recordings}
    for source_id, recording in recordings.items():
        if recording.is_doubled():
            found[source_id].append("its second half is its first half again")
    for table, one in _stretches(con, rows):
        if _halves_are_equal(con, table, one):
            found[one.source_id].append(f"each row of {table} twice")
        elif one.equal:
            found[one.source_id].append(
                f"{one.equal} of {one.rows} rows of {table} equal to another"
            )
    return {source_id: "; ".join(texts) for source_id, texts in found.items() if texts}


class _Stretch(NamedTuple):
    """The rows of a source in a table, which are next to each other.

    `equal` are those equal to another in all columns, where each is to be there once; `numbered`
    those that differ from an earlier one in its number at most. 0 and None where there are too many
    to look for them.
    """

    source_id: int
    first: int
    rows: int
    equal: int = 0
    numbered: int | None = None


def _stretches(
    con: Connection, rows: Mapping[str, Mapping[int, int]]
) -> list[tuple[str, _Stretch]]:
    """Return table and rows of the sources that may have rows twice, in the order of `rows`.

    In one statement: to plan one for each table takes longer than to run it.
    """
    branches = []
    for table, counts in rows.items():
        wanted = {one: count for one, count in counts.items() if _may_repeat(table, count)}
        few = [one for one, count in wanted.items() if count <= _MOST]
        numbered = f"count(*) - count(DISTINCT hash(run_id, {_compared(table)}))"
        equal = "count(*) - count(DISTINCT hash(t))" if table in _LISTED_ONCE else "0"
        branches += [
            f"SELECT '{table}' AS of_table, source_id, min(rowid), count(*), {looked_for} "
            f"FROM {table} AS t WHERE {sqlfiles.of_sources(source_ids)} GROUP BY source_id"
            for source_ids, looked_for in (
                (few, f"{equal}, {numbered}"),
                (wanted.keys() - few, "0, NULL"),
            )
            if source_ids
        ]
    if not branches:
        return []
    found = [
        (table, _Stretch(*row))
        for table, *row in con.execute(" UNION ALL ".join(branches)).fetchall()
    ]
    return sorted(found, key=lambda one: list(rows).index(one[0]))


def _may_repeat(table: str, rows: int) -> bool:
    """Return whether so many rows of a source may be twice as many, or have some twice."""
    return _have_halves(rows) or (table in _LISTED_ONCE and 1 < rows <= _MOST)


def _have_halves(rows: int) -> bool:
    return rows >= _FEWEST and rows % 2 == 0


def _compared(table: str) -> str:
    return ", ".join(name.name for name in landing()[table] if name.name not in _NUMBERS)


def _halves_are_equal(con: Connection, table: str, one: _Stretch) -> bool:
    """Return whether the second half of a source's rows has the rows of the first, in any order.

    Where the first rows of both differ, as nearly always, no more are read. Where rows are there
    many times, as segments of a loop can be, equal halves are chance.
    """
    numbered = one.numbered
    if numbered is not None and not one.rows // 2 <= numbered < _MANY * one.rows:
        return False
    if not _have_halves(one.rows):
        return False
    sql = sqlfiles.read("queries/ingest/halves").format(table=table, columns=_compared(table))
    for half in (1, one.rows // 2):
        params = {"begin": one.first, "middle": one.first + one.rows // 2, "rows": half}
        ((are_equal,),) = con.execute(sql, params).fetchall()
        if not are_equal:
            return False
    return True
