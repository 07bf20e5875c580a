"""Transactions: all of what happens in one is committed, or nothing of it.

In a file there is one writer at a time. In a lake there are many, and each sees the state of the
warehouse at the beginning of its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from warehouse.damage import damage, is_out_of_reach
from warehouse.duckdb_texts import NO_SPACE, SERVER_ANSWERED
from warehouse.errors import WarehouseConflict, WarehouseError
from warehouse.lake.attach import is_lake
from warehouse.lake.writers import Touched, alone, is_conflict, is_overtaken, snapshot
from warehouse.messages import UNKNOWN_OUTCOME, without_class
from warehouse.opened import check_in_place
from warehouse.session import Connection

_T = TypeVar("_T")


@contextmanager
def transaction(con: Connection) -> Iterator[None]:
    """Commit what happens inside, or none of it. In a lake, other writers wait meanwhile.

    Raises `WarehouseError` where the commit itself fails, for instance on a full disk, and
    `WarehouseMoved` where the path of the warehouse is no longer the file that was opened.
    """
    try:
        with alone(con), _all_or_nothing(con):
            yield
            _commit(con)
    except _Overtaken:
        raise WarehouseConflict(
            "another program changed the same rows of the warehouse meanwhile", hint="Try again."
        ) from None


@contextmanager
def in_file(con: Connection) -> Iterator[None]:
    """Make what happens inside a transaction, in a file; in a lake it is part of `in_lake`."""
    if is_lake(con):
        yield
        return
    with _all_or_nothing(con):
        yield
        _commit(con)


@contextmanager
def in_lake(con: Connection) -> Iterator[None]:
    """Make what happens inside one transaction, in a lake; in a file it has its own (`in_file`).

    DuckLake keeps a state of the schema for each transaction that changes it, and loads all of the
    one in which a table was made when it first reads rows of that table which are in the catalogue.
    """
    if not is_lake(con):
        yield
        return
    with _all_or_nothing(con):
        yield
        _commit(con)


def land(con: Connection, work: Callable[[], tuple[_T, Touched]]) -> _T:
    """Commit what `work` does, and return its result.

    In a lake others can commit meanwhile. Where they have changed some of the same runs or sources,
    all of it is done again, while they wait.

    Raises `WarehouseError` as `transaction` does.
    """
    import duckdb

    if is_lake(con):
        with suppress(_Overtaken), _all_or_nothing(con):
            since = snapshot(con)
            result, touched = work()
            try:
                with alone(con) as others:
                    if is_overtaken(others, since, touched):
                        raise _Overtaken
                    _commit(con)
            except duckdb.Error as error:
                raise write_error(error) from error
            return result
    with transaction(con):
        return work()[0]


class _Overtaken(Exception):
    """Others have committed changes of the same rows."""


@contextmanager
def _all_or_nothing(con: Connection) -> Iterator[None]:
    """Begin a transaction, and roll it back unless the block commits it."""
    import duckdb

    con.execute("BEGIN")
    try:
        yield
    except BaseException:
        # A failed commit has rolled back already, and a broken database or a server that does not
        # answer cannot.
        with suppress(duckdb.Error, WarehouseError):
            con.execute("ROLLBACK")
        raise


def _commit(con: Connection) -> None:
    import duckdb

    check_in_place(con)
    try:
        con.execute("COMMIT")
    except duckdb.Error as error:
        if is_conflict(error):
            raise _Overtaken from None
        message = write_error(error)
        if is_out_of_reach(error):
            message.hint = UNKNOWN_OUTCOME
        raise message from error


def write_error(error: Exception) -> WarehouseError:
    """Return what DuckDB's error means for a warehouse that cannot be written."""
    message = str(error)
    if NO_SPACE.search(message):
        return disk_full()
    if (damaged := damage(error)) is not None:
        return damaged
    if answer := SERVER_ANSWERED.search(message):
        return WarehouseError(f"the warehouse could not be written: PostgreSQL says {answer[1]}")
    first = without_class(message.split("\n\n", 1)[0])
    return WarehouseError(f"the warehouse could not be written: {' '.join(first.split())[:400]}")


def disk_full() -> WarehouseError:
    """Return the error of a disk without room."""
    return WarehouseError(
        "the disk is full, or a file may not grow so large",
        hint="Nothing of this file landed. Make room and try again.",
    )
