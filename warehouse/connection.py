"""Open a warehouse: wait while it is busy, create it where missing, check its version."""

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
from warehouse.damage import damage
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
    """Open a warehouse and return a DuckDB connection with the UDFs registered.

    A missing file is created, unless `read_only` or not `create`; ":memory:" creates one in memory.
    While another process has the file open, this tries again for `wait` seconds; `on_wait` is
    called once with a message that names that process.

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
    """Open a warehouse of any version, as `pwh migrate` and `pwh doctor` must."""
    if str(path) == MEMORY:
        con = _prepared(MEMORY, read_only=False)
        fill(con)
        return con
    file = Path(path)
    if not file.exists():
        if read_only or not create:
            raise WarehouseMissing(
                f"there is no warehouse at {file}",
                hint="Create one: pwh ingest FILES, or pwh demo. Name another: --db or PWH_DB.",
            )
        check_orphaned_wal(file)
        _create(file)
    return _open_waiting(file, read_only, wait, on_wait)


def fill(con: DuckDBPyConnection) -> tuple[str, ...]:
    """Bring a database to this pwh's tables, views and rows; return the migrations applied."""
    done = migrations.migrate(con)
    modules.refresh(con)
    shipped.refresh(con)
    return done


def check_orphaned_wal(file: Path) -> None:
    """Raise where the write-ahead log of a missing warehouse is next to its path."""
    log = file.with_name(f"{file.name}.wal")
    # In this order: a warehouse that another process is creating exists before its log.
    if log.exists() and not file.exists():
        raise WarehouseError(
            f"there is a write-ahead log {log} without {file.name}",
            hint="It contains the last changes of a warehouse that was moved or deleted. "
            "Restore that file, or delete the log.",
        )


def _create(file: Path) -> None:
    """Create a new warehouse under another name and link it into place when complete.

    A killed process leaves no incomplete warehouse, and of two that start at once one uses the
    other's.
    """
    import duckdb

    # Process ids repeat, in another container or after a crash.
    draft = file.with_name(f".{file.name}.{os.getpid()}-{os.urandom(4).hex()}.new")
    try:
        if not file.parent.is_dir():
            raise WarehouseError(f"the folder {file.parent} for the warehouse does not exist")
        con = _prepared(str(draft), read_only=False)
        try:
            fill(con)
            # Closing would write the tables too, but without an error where that fails.
            con.execute("CHECKPOINT")
        finally:
            con.close()
        _place(draft, file)
    except (OSError, duckdb.Error) as error:
        first = str(error).split("\n", 1)[0]
        reason = getattr(error, "strerror", None) or first.rpartition(": ")[2]
        raise WarehouseError(f"cannot create a warehouse at {file}: {reason}") from None
    finally:
        draft.unlink(missing_ok=True)
        draft.with_name(f"{draft.name}.wal").unlink(missing_ok=True)


def _place(draft: Path, file: Path) -> None:
    """Link the draft to its final name, unless another process was first."""
    try:
        os.link(draft, file)
    except FileExistsError:
        pass
    except OSError:
        # Some file systems have no hard links.
        if not file.exists():
            draft.rename(file)


def _open_waiting(
    file: Path, read_only: bool, wait: float, on_wait: Callable[[str], None] | None
) -> DuckDBPyConnection:
    import duckdb

    deadline = time.monotonic() + wait
    notified = False
    while True:
        try:
            return _prepared(str(file), read_only=read_only)
        except duckdb.IOException as error:
            if _LOCKED not in str(error):
                raise _unusable(file, error) from None
            holder = _HOLDER.search(str(error))
        except duckdb.Error as error:
            raise _unusable(file, error) from None
        # A process that closes the file between two checks of DuckDB is not named.
        who = f"{Path(holder[1]).name}, process {holder[2]}" if holder else "another process"
        if time.monotonic() >= deadline:
            raise WarehouseBusy(
                f"{file} is in use by {who}; gave up after {wait:g} s",
                hint="Try again when it is done, or wait longer with --wait SECONDS.",
            )
        if on_wait is not None and not notified:
            on_wait(f"{file} is in use by {who}; waiting up to {wait:g} s")
            notified = True
        # Random pauses, so that waiting processes do not retry in step.
        time.sleep(random.uniform(0.03, 0.12))  # noqa: S311


def _prepared(path: str, *, read_only: bool) -> DuckDBPyConnection:
    import duckdb

    # The newest storage format compresses columns that are equal in every row of a file (run_id,
    # source_id) several times faster; pwh pins DuckDB, so no older version has to read it.
    config = {"storage_compatibility_version": "latest"}
    con = duckdb.connect(path, read_only=read_only, config=config)
    # DuckDB 1.5.5 answers QUALIFY row_number() with wrong rows otherwise: duplicates of joined rows
    # and rows whose order is NULL are lost, no rows become one (its issues 23588, 24363, 23675).
    con.execute("SET disabled_optimizers = 'top_n_window_elimination'")
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
    # In an interactive process DuckDB would draw a bar on stdout, which is for data.
    con.execute("SET enable_progress_bar = false")


def _unusable(file: Path, error: Exception) -> WarehouseError:
    message = str(error).split("\n", 1)[0]
    if "not a valid DuckDB database" in message:
        return NotAWarehouse(
            f"{file} is not a DuckDB file", hint="Name another file with --db or PWH_DB."
        )
    return damage(error) or WarehouseError(f"cannot open {file}: {_CLASS.sub('', message)}")
