"""Open a warehouse: wait while it is busy, create it where missing, check its version."""

from __future__ import annotations

import glob
import os
import random
import shlex
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from weakref import WeakKeyDictionary, WeakSet

import duckdb
from duckdb import DuckDBPyRelation

import udfs
from warehouse import analyses, migrations, modules, ready, revision, shipped
from warehouse import duckdb_texts as texts
from warehouse.address import Address, Lake, Served, parse_address
from warehouse.damage import RESTORE, damage
from warehouse.errors import (
    NotAWarehouse,
    UsageError,
    WarehouseBusy,
    WarehouseDamaged,
    WarehouseError,
    WarehouseMissing,
    WarehouseOutdated,
)
from warehouse.lake import stamp
from warehouse.lake.attach import (
    attach,
    engine,
    is_lake,
    store_nested_in_files,
    use,
    use_all_threads,
)
from warehouse.lake.writers import alone
from warehouse.memory import out_of_memory
from warehouse.messages import without_class
from warehouse.opened import Identity, identity, remember, remember_cursor
from warehouse.processes import process_text
from warehouse.queue import Place, Waiting, place, waiting_writers
from warehouse.session import Connection
from warehouse.spill import remove_abandoned, spill_folder
from warehouse.sqlfiles import literal
from warehouse.transactions import in_lake

MEMORY = ":memory:"
DEFAULT_WAIT = 60.0
_BUFFER = "4GB"
# Of the sizes that DuckDB has, the smallest whose compression is not worse than of its own 256 KiB
# (16 and 32 KiB take twice as much for a million rows). A table of few rows takes a block for each
# of its columns or so: an empty warehouse is 5.9 instead of 13.6 MB (bench_many_runs).
_BLOCK_BYTES = 65536
_ROWS_TO_FIND = 1000
_ABANDONED_SECONDS = 600  # making a new warehouse takes less than one
_NO_MIGRATION = (
    "What was then cannot be migrated: choose a time after the last pwh migrate, or read it with "
    "the pwh of that time."
)
_CURSORS: WeakKeyDictionary[Connection, WeakSet[Connection]] = WeakKeyDictionary()
_ITS_PATH = "FROM duckdb_databases() SELECT path WHERE NOT internal"
_FIRST_REMINDER = 10.0  # s of waiting


def connect(
    address: str | os.PathLike[str] | Address = "pwh.duckdb",
    read_only: bool = False,
    *,
    create: bool = True,
    wait: float | None = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
    with_threads: bool = False,
) -> Connection:
    """Open a warehouse and return a DuckDB connection with the UDFs registered.

    `address` is the path of a file, or another one of `warehouse.address`. A missing file is
    created, unless `read_only` or not `create`; ":memory:" creates one in memory.
    While another process has the file open, this waits for `wait` seconds (None: without limit)
    in a queue; `on_wait` is called with a message that names that process, again after 10 s, 20 s,
    40 s ... It waits for this process, too, `with_threads`, where other threads have the file open
    in the other way.

    Raises `WarehouseBusy` after `wait` seconds, `WarehouseMissing`, `NotAWarehouse`,
    `WarehouseOutdated` (run `pwh migrate`) and `WarehouseTooNew` (update pwh).
    """
    where = parse_address(address)
    con = open_unchecked(
        where, read_only, create=create, wait=wait, on_wait=on_wait, with_threads=with_threads
    )
    if str(where) == MEMORY:
        return con
    try:
        _check(con, str(where))
    except duckdb.Error as error:
        con.close()
        raise _unusable(where, error) from None
    except WarehouseOutdated as error:
        con.close()
        if isinstance(where, Lake) and where.as_of is not None:
            error.hint = _NO_MIGRATION
        raise
    except BaseException:
        con.close()
        raise
    return con


def _check(con: Connection, path: str) -> None:
    """Raise unless everything in a warehouse was made by this pwh."""
    if not stamp.is_current(con):
        migrations.check(con, path)
        modules.check(con, path)
        shipped.check(con, path)
        revision.check(con, path)
        analyses.check(con, path)


def open_unchecked(
    address: str | os.PathLike[str] | Address,
    read_only: bool = False,
    *,
    create: bool = True,
    wait: float | None = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
    with_threads: bool = False,
) -> Connection:
    """Open a warehouse of any version, as `pwh migrate` and `pwh doctor` must."""
    where = parse_address(address)
    if str(where) == MEMORY:
        con = _prepared(MEMORY, read_only=False)
        fill(con)
        return con
    if not read_only:
        _check_path(where)
    match where:
        case Served():
            return _open_served(where, read_only, wait=wait, on_wait=on_wait)
        case Lake():
            return _open_lake(where, read_only, create=create)
        case Path():
            patience = _WaitPolicy(where, wait, on_wait, with_threads=with_threads)
            return _open_file(where, read_only, patience, create=create)


def _check_path(address: Address) -> None:
    """Raise where a path contains a question mark, which DuckDB takes for the query of a URL.

    Its write-ahead log is named after what is before that, in a folder that need not be there.
    """
    match address:
        case Path():
            file = address
        case Lake() if not address.in_postgres:
            file = Path(address.catalogue)
        case _:
            return
    if "?" in str(file.absolute()):
        raise UsageError(
            f"DuckDB cannot write to {file.absolute()}: there is a ? in its path",
            hint="Rename that folder or file, or name another warehouse with --db or PWH_DB.",
        )


def _open_served(
    where: Served, read_only: bool, *, wait: float | None, on_wait: Callable[[str], None] | None
) -> Connection:
    """Open a session of a warehouse that pwh serves; its server made and migrated it."""
    from warehouse.quack.client import open_served

    con = open_served(where, read_only=read_only, wait=wait, on_wait=on_wait)
    try:
        _check(con, str(where))
    except WarehouseOutdated as error:
        con.close()
        # Functions come from the server's pwh, so that only there both can be renewed.
        raise WarehouseOutdated(
            error.problem,
            hint="Where pwh serve runs: stop it, update pwh, run pwh migrate, start it again.",
        ) from None
    except BaseException:
        con.close()
        raise
    return con


def _open_lake(where: Lake, read_only: bool, *, create: bool) -> Connection:
    con = engine(where)
    try:
        # In this order: each function that is registered would ask the catalogue.
        udfs.register(con)
        _set_database(con)
        _set_session(con)
        attach(con, where, read_only=read_only, create=create)
        if create and not read_only and not shipped.are_there(con):
            # Of two that create it at once, one finds what the other made, or a killed one began.
            with alone(con):
                is_own = not shipped.are_there(con)
                if is_own:
                    fill(con)
            if not is_own:
                # DuckLake crashes where another has made a table since it was attached.
                con.close()
                return _open_lake(where, read_only, create=False)
        use_all_threads(con)
    except BaseException:
        con.close()
        raise
    return con


def _open_file(file: Path, read_only: bool, patience: _WaitPolicy, *, create: bool) -> Connection:
    try:
        is_there = file.exists()
        # To open one waits for a process that writes to it.
        is_pipe = file.is_fifo()
    except OSError as error:
        raise WarehouseError(f"cannot open {file}: {error.strerror}") from None
    if is_pipe:
        raise NotAWarehouse(
            f"{file} is not a DuckDB file", hint="Name another file with --db or PWH_DB."
        )
    may_create = create and not read_only
    if not is_there and may_create:
        check_orphaned_wal(file)
    if read_only and not waiting_writers(file):
        # The usual case, which needs no place in the queue.
        with suppress(_InUse):
            return _open_once(file, patience, read_only=True, create=False)
    with place(file, writes=not read_only) as own:
        for others in _before(file, own, read_only=read_only):
            patience.wait(_queue_text(others))
        con = _open_waiting(file, patience, read_only=read_only, create=may_create)
    if not read_only:
        remove_abandoned(file)
    return con


class _InUse(Exception):
    """Others have the file open; the message says who."""


def _before(file: Path, own: Place | None, *, read_only: bool) -> Iterator[list[Waiting]]:
    """Yield those before this one while there are any.

    Who cannot take a place lets those pass that wait when it comes, if it only reads: no others, or
    it might wait for ever.
    """
    if own is not None:
        while others := own.before():
            yield others
    elif read_only:
        first = waiting_writers(file)
        while others := [one for one in first if one in waiting_writers(file)]:
            yield others


def fill(con: Connection) -> tuple[str, ...]:
    """Bring a database to this pwh's tables, views and rows; return the migrations applied."""
    with in_lake(con):
        done = migrations.migrate(con)
        modules.refresh(con)
        shipped.refresh(con)
        analyses.begin(con)
        stamp.write(con, is_whole=True)
    if is_lake(con):
        store_nested_in_files(con)
    return done


def in_memory_with(*wanted: str) -> Connection:
    """Return a warehouse in memory with all tables, but of the views those of some modules only.

    And of the modules that these require: to make all of them takes a second.
    """
    con = _prepared(MEMORY, read_only=False)
    migrations.migrate(con)
    modules.create(con, modules.with_required(*wanted))
    return con


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

    A killed process leaves no incomplete warehouse. Where there is no queue (`place`), of two that
    start at once one uses the other's.
    """
    for left in file.parent.glob(f".{glob.escape(file.name)}.*.new*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                left.unlink()
    # Process ids repeat, in another container or after a crash.
    draft = file.with_name(f".{file.name}.{os.getpid()}-{os.urandom(4).hex()}.new")
    try:
        if not file.parent.is_dir():
            raise WarehouseError(f"the folder {file.parent} for the warehouse does not exist")
        if not ready.copy_to(draft):
            con = _prepared(str(draft), read_only=False)
            try:
                fill(con)
                # Closing would write the tables too, but without an error where that fails.
                con.execute("CHECKPOINT")
            finally:
                con.close()
            ready.keep(draft)
        _place(draft, file)
    except (OSError, duckdb.Error) as error:
        first = str(error).split("\n", 1)[0]
        reason = getattr(error, "strerror", None) or first.rpartition(": ")[2]
        problem = WarehouseError(f"cannot create a warehouse at {file}: {reason}")
        raise out_of_memory(error) or problem from None
    finally:
        # In a folder that is read-only even a file that is not there cannot be deleted.
        with suppress(OSError):
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


class _WaitPolicy:
    """How long to wait for a busy warehouse, and what the user is told meanwhile."""

    def __init__(
        self,
        file: Path,
        seconds: float | None,
        on_wait: Callable[[str], None] | None,
        *,
        with_threads: bool,
    ) -> None:
        self.with_threads = with_threads
        self._file = file
        self._seconds = seconds
        self._began = time.monotonic()
        self._on_wait = on_wait
        self._next_message = 0.0  # s since the beginning

    def wait(self, why: str) -> None:
        """Wait a little; raise `WarehouseBusy` where that was long enough."""
        passed = time.monotonic() - self._began
        if self._on_wait is not None and passed >= self._next_message:
            if self._next_message == 0:
                until = "" if self._seconds is None else f" up to {self._seconds:g} s"
                self._next_message = _FIRST_REMINDER
            else:
                until = f" for {passed:.0f} s so far"
                self._next_message *= 2
            self._on_wait(f"{self._file} {why}; waiting{until}")
        if self._seconds is not None and passed >= self._seconds:
            raise WarehouseBusy(
                f"{self._file} {why}; gave up after {self._seconds:g} s",
                hint="Try again when it is done, or wait longer with --wait SECONDS.",
            )
        # Random pauses, so that waiting processes do not retry in step.
        time.sleep(random.uniform(0.03, 0.12))  # noqa: S311


def _open_waiting(
    file: Path, patience: _WaitPolicy, *, read_only: bool, create: bool
) -> Connection:
    while True:
        try:
            return _open_once(file, patience, read_only=read_only, create=create)
        except _InUse as busy:
            patience.wait(str(busy))


def _open_once(file: Path, patience: _WaitPolicy, *, read_only: bool, create: bool) -> Connection:
    """Open a warehouse, or raise `_InUse`."""
    while True:
        which = _which(file, create=create)
        try:
            con = _opened(file, read_only=read_only)
            # Of CSV, JSON and Parquet DuckDB makes a database in memory, with a view of the file.
            if not con.execute(_ITS_PATH).fetchone()[0]:
                con.close()
                raise duckdb.IOException(texts.DATA_FILE)
        except duckdb.Error as error:
            if texts.LOCKED in str(error):
                raise _InUse(_holder_text(error)) from None
            if texts.OTHER_MODE in str(error) and patience.with_threads:
                raise _InUse("is in use by this process") from None
            raise _unusable(file, error) from None
        # Another file may be there since, as pwh migrate replaces it.
        if identity(file) == which:
            if not read_only:
                remember(con, file, which)
            return con
        con.close()


def _which(file: Path, *, create: bool) -> Identity:
    """Return which file is at a path, a new warehouse if there is none and it may be made."""
    if create and not file.exists():
        _create(file)
    which = identity(file)
    if which is None:
        raise WarehouseMissing(
            f"there is no warehouse at {file}",
            hint="Create one: pwh ingest FILES, pwh record -- COMMAND, or pwh demo. Name another: "
            "--db or PWH_DB.",
        )
    return which


def _holder_text(error: Exception) -> str:
    holder = texts.HOLDER.search(str(error))
    # A process that closes the file between two checks of DuckDB is not named.
    who = process_text(int(holder[2]), Path(holder[1]).name) if holder else "another process"
    return f"is in use by {who}"


def _queue_text(others: list[Waiting]) -> str:
    count = "1 process" if len(others) == 1 else f"{len(others)} processes"
    return f"has {count} waiting before this one, the first {process_text(others[0].pid, 'pwh')}"


def open_copy(copy: Path, original: Path) -> Connection:
    """Open a copy of a warehouse for reading; what memory cannot take goes next to the original."""
    return _prepared(str(copy), read_only=True, near=original)


def _opened(file: Path, *, read_only: bool) -> Connection:
    """Open a file, with what is in its log.

    DuckDB (1.5.5) cannot replay a comment on, or a change of, a table whose defaults or checks call
    functions while it opens its first database, but can in one that is attached later. That writes
    the log into the file, so it is done for writing only.
    """
    try:
        return _prepared(str(file), read_only=read_only)
    except duckdb.InternalException as error:
        if read_only or texts.NOT_REPLAYED not in str(error):
            raise
    with duckdb.connect(config={"temp_directory": str(spill_folder(file))}) as con:
        con.execute(f"ATTACH {literal(str(file))} AS replayed")
        con.execute("CHECKPOINT replayed")
    return _prepared(str(file), read_only=read_only)


def _prepared(path: str, *, read_only: bool, near: Path | None = None) -> Connection:
    # The newest storage format compresses columns that are equal in every row of a file (run_id,
    # source_id) several times faster; pwh pins DuckDB, so no older version has to read it.
    config = {
        "storage_compatibility_version": "latest",
        "default_block_size": str(_BLOCK_BYTES),  # of new files
        "temp_directory": str(spill_folder(None if path == MEMORY else near or Path(path))),
    }
    con: Connection = duckdb.connect(path, read_only=read_only, config=config)
    _set_database(con)
    _set_session(con)
    udfs.register(con)
    return con


def _set_database(con: Connection) -> None:
    # DuckDB 1.5.5 answers QUALIFY row_number() with wrong rows otherwise: duplicates of joined rows
    # and rows whose order is NULL are lost, no rows become one (its issues 23588, 24363, 23675).
    # And for ORDER BY ... LIMIT it counts rows that were deleted, and finds none or too few.
    con.execute("SET disabled_optimizers = 'top_n_window_elimination,row_group_pruner'")


def cursor(con: Connection) -> Connection:
    """Return a cursor of a connection, with the settings of a session that `connect` makes.

    A cursor has temporary tables of its own; functions and the file are the connection's.
    """
    own = con.cursor()
    _CURSORS.setdefault(con, WeakSet()).add(own)
    remember_cursor(own, con)
    if is_lake(con):
        use(own)
    _set_session(own)
    return own


def interrupt(con: Connection) -> None:
    """Interrupt the queries of a connection and of all its cursors."""
    with suppress(duckdb.ConnectionException):
        con.interrupt()
    for own in list(_CURSORS.get(con, ())):
        interrupt(own)


def first_rows(con: Connection, sql: str, most: int) -> DuckDBPyRelation | None:
    """Return a query, of which only the first `most` rows are wanted; None for no rows.

    A relation of DuckDB computes what is taken of it. What a server returns is copied, so there
    the query itself has to end.
    """
    from warehouse.quack.client import Remote

    return con.sql(sql, most=most) if isinstance(con, Remote) else con.sql(sql)


def _set_session(con: Connection) -> None:
    con.execute("SET TimeZone = 'UTC'")
    # In an interactive process DuckDB would draw a bar on stdout, which is for data.
    con.execute("SET enable_progress_bar = false")
    # `con.sql` with parameters holds Python's lock while it waits for a result that does not fit
    # into this buffer, and functions in other threads wait for the lock: for ever.
    con.execute(f"SET streaming_buffer_size = '{_BUFFER}'")
    # By the few rows on one side of a join, as the events of some runs, DuckDB finds the row groups
    # of the other side that it has to read; without this of 50 rows at most.
    con.execute(f"SET dynamic_or_filter_threshold = {_ROWS_TO_FIND}")


def _unusable(file: Address, error: Exception) -> WarehouseError:
    message = str(error).split("\n", 1)[0]
    if texts.NO_DATABASE in message or texts.DATA_FILE in message:
        return NotAWarehouse(
            f"{file} is not a DuckDB file", hint="Name another file with --db or PWH_DB."
        )
    if texts.OTHER_MODE in message:
        return WarehouseBusy(
            f"this process has {file} open in another way, for reading or for writing",
            hint="Close that connection first, or open this one with the same read_only.",
        )
    if texts.NOT_REPLAYED in message:
        return WarehouseError(
            f"the log of {file} contains changes of tables that are not yet in the file",
            hint=f"Run: {shlex.join(['pwh', '--db', str(file), 'maintain'])}",
        )
    problem = f"cannot open {file}: {without_class(message)}"
    damaged = damage(error)
    return WarehouseError(problem) if damaged is None else WarehouseDamaged(problem, hint=RESTORE)
