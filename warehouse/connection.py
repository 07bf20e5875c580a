"""Open a warehouse: wait for it where it is busy, make it where it is new, check its age."""

from __future__ import annotations

import os
import random
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import udfs
from warehouse import migrations, modules, shipped
from warehouse.errors import NotAWarehouse, WarehouseBusy, WarehouseError, WarehouseMissing

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MEMORY = ":memory:"
DEFAULT_WAIT = 60.0
_CLASS = re.compile(r"^[A-Z]\w+ Error: ")
_LOCKED = "Could not set lock on file"
_HOLDER = re.compile(r"Conflicting lock is held in (.+?) \(PID (\d+)\)")


def connect(
    path: str | os.PathLike[str] = "pwh.duckdb",
    read_only: bool = False,
    *,
    create: bool = True,
    wait: float = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
) -> DuckDBPyConnection:
    """Open a warehouse and give a DuckDB connection with the UDFs registered.

    A file that is not there is made, unless `read_only` or not `create`; ":memory:" makes one in
    memory. While
    another process holds the file, this tries again for `wait` seconds; `on_wait` is told once
    who holds it.

    Raises `WarehouseBusy` after `wait` seconds, `WarehouseMissing`, `NotAWarehouse`,
    `WarehouseOutdated` (run `pwh migrate`) and `WarehouseTooNew` (update pwh).
    """
    import duckdb

    con = open_unchecked(path, read_only, create=create, wait=wait, on_wait=on_wait)
    if str(path) == MEMORY:
        return con
    try:
        migrations.check(con, str(path))
        if read_only:
            modules.check(con, str(path))
            shipped.check(con, str(path))
        else:
            modules.refresh(con)
            shipped.refresh(con)
    except duckdb.Error as error:
        con.close()
        raise _unusable(Path(path), error) from None
    except BaseException:
        con.close()
        raise
    return con


def open_unchecked(
    path: str | os.PathLike[str],
    read_only: bool = False,
    *,
    create: bool = True,
    wait: float = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
) -> DuckDBPyConnection:
    """Open a warehouse of any age, as `pwh migrate` and `pwh doctor` must."""
    if str(path) == MEMORY:
        con = _prepared(MEMORY, read_only=False)
        fill(con)
        return con
    file = Path(path)
    if not file.exists():
        if read_only or not create:
            raise WarehouseMissing(
                f"there is no warehouse at {file}",
                hint="Fill one: pwh ingest FILES, or pwh demo. Another place: --db or PWH_DB.",
            )
        _must_have_no_orphan(file)
        _make(file)
    return _open_waiting(file, read_only, wait, on_wait)


def fill(con: DuckDBPyConnection) -> tuple[str, ...]:
    """Bring a database to this pwh's tables, views and rows; give the migrations applied."""
    done = migrations.migrate(con)
    modules.refresh(con)
    shipped.refresh(con)
    return done


def _must_have_no_orphan(file: Path) -> None:
    """Refuse to make a warehouse beside the write-ahead log of one that has gone."""
    log = file.with_name(f"{file.name}.wal")
    # In this order: a warehouse that another process has just made is there before its log.
    if log.exists() and not file.exists():
        raise WarehouseError(
            f"{log} lies there without {file.name}",
            hint="It holds the last changes of a warehouse that was moved or deleted. "
            "Put that back, or delete the log.",
        )


def _make(file: Path) -> None:
    """Make a new warehouse under another name and link it into place whole.

    A process killed on the way leaves no half-made warehouse, and of two that start at once one
    finds the other's.
    """
    import duckdb

    # The number of a process may come again, in another container or after a crash.
    draft = file.with_name(f".{file.name}.{os.getpid()}-{os.urandom(4).hex()}.new")
    try:
        if not file.parent.is_dir():
            raise WarehouseError(f"the folder {file.parent} for the warehouse does not exist")
        con = _prepared(str(draft), read_only=False)
        try:
            fill(con)
            # Closing would write the tables too, but not say so where it fails.
            con.execute("CHECKPOINT")
        finally:
            con.close()
        _place(draft, file)
    except (OSError, duckdb.Error) as error:
        first = str(error).split("\n", 1)[0]
        reason = getattr(error, "strerror", None) or first.rpartition(": ")[2]
        raise WarehouseError(f"cannot make a warehouse at {file}: {reason}") from None
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}.wal").unlink(missing_ok=True)


def _place(draft: Path, file: Path) -> None:
    """Return the draft its name, unless another process was first."""
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    except OSError:
        # Some file systems have no hard links; there a rename has to do.
        if not file.exists():
            draft.rename(file)


def _open_waiting(
    file: Path, read_only: bool, wait: float, on_wait: Callable[[str], None] | None
) -> DuckDBPyConnection:
    import duckdb

    deadline = time.monotonic() + wait
    told = False
    while True:
        try:
            return _prepared(str(file), read_only=read_only)
        except duckdb.IOException as error:
            if _LOCKED not in str(error):
                raise _unusable(file, error) from None
            holder = _HOLDER.search(str(error))
        except duckdb.Error as error:
            raise _unusable(file, error) from None
        # One that let go between DuckDB's two questions is not named.
        who = f"{Path(holder[1]).name}, process {holder[2]}" if holder else "another process"
        if time.monotonic() >= deadline:
            raise WarehouseBusy(
                f"{file} is in use by {who}; gave up after {wait:g} s",
                hint="Try again when it is done, or wait longer with --wait SECONDS.",
            )
        if on_wait is not None and not told:
            on_wait(f"{file} is in use by {who}; waiting up to {wait:g} s")
            told = True
        # Uneven pauses, so that processes that queue up do not try in step.
        time.sleep(random.uniform(0.01, 0.06))  # noqa: S311


def _prepared(path: str, *, read_only: bool) -> DuckDBPyConnection:
    import duckdb

    # The newest storage format packs the columns that are the same in every row of a file
    # (run_id, source_id) several times faster; pwh pins DuckDB, so no older one has to read it.
    config = {"storage_compatibility_version": "latest"}
    con = duckdb.connect(path, read_only=read_only, config=config)
    _set_session(con)
    udfs.register(con)
    return con


def cursor(con: DuckDBPyConnection) -> DuckDBPyConnection:
    """Return a cursor of a connection, with the settings of a session that `connect` makes.

    A cursor has temporary tables of its own; functions and the file are the connection's.
    """
    own = con.cursor()
    _set_session(own)
    return own


def _set_session(con: DuckDBPyConnection) -> None:
    con.execute("SET TimeZone = 'UTC'")
    # Where DuckDB takes the process for interactive it would draw a bar on stdout, which is data.
    con.execute("SET enable_progress_bar = false")


def _unusable(file: Path, error: Exception) -> WarehouseError:
    message = str(error).split("\n", 1)[0]
    if "not a valid DuckDB database" in message:
        return NotAWarehouse(
            f"{file} is not a DuckDB file", hint="Name another file with --db or PWH_DB."
        )
    return WarehouseError(f"cannot open {file}: {_CLASS.sub('', message)}")
