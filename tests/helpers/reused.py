"""Empty warehouses that tests use one after another: opening one takes longer than emptying it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.helpers.support import by_hand, no_longer_by_hand, rows

if TYPE_CHECKING:
    from warehouse.session import Connection


@dataclass(frozen=True, slots=True)
class _Idle:
    """A warehouse, a digest of its rows, its empty tables, and what a query returns of the rest."""

    con: Connection
    digest: tuple[int, ...]
    tables: tuple[str, ...]
    query: str
    rest: list[tuple[Any, ...]]


_IDLE: dict[bool, list[_Idle]] = {True: [], False: []}


def reused_warehouse(
    new: Callable[[], Connection], *, only_lands: bool = False
) -> Iterator[Connection]:
    """Yield an empty warehouse, a new one or one that another test of this process has used.

    One that cannot be emptied is not used again. Unless no test changes rows of pwh's own, or what
    tables and views there are (`only_lands`), neither is one in which these differ from the first.
    """
    idle = _IDLE[only_lands].pop() if _IDLE[only_lands] else _looked_at(new())
    by_hand(idle.con, idle.digest)
    yield idle.con
    no_longer_by_hand(idle.con)
    counts = (f"SELECT '{table}' WHERE EXISTS (FROM {table})" for table in idle.tables)
    for (table,) in rows(idle.con, " UNION ALL ".join(counts)):
        idle.con.execute(f"DELETE FROM {table}")
    if only_lands or rows(idle.con, idle.query) == idle.rest:
        _IDLE[only_lands].append(idle)
    else:
        idle.con.close()


def _looked_at(con: Connection) -> _Idle:
    found = rows(con, "SELECT table_name, estimated_size FROM duckdb_tables() WHERE NOT internal")
    parts = [f"SELECT '{name}', bit_xor(hash(t)) FROM {name} AS t" for name, size in found if size]
    parts += [f"SELECT '{kind}', count(*) FROM duckdb_{kind}()" for kind in ("tables", "views")]
    query = " UNION ALL ".join(parts)
    digest = by_hand(con)
    return _Idle(
        con, digest, tuple(name for name, size in found if not size), query, rows(con, query)
    )
