"""Change or compact a copy of a warehouse file, which takes its place once it is whole.

Whoever kills that leaves the file as it was, and a copy that the next one removes. DuckDB cannot
replay every log of changes to tables and views (1.5.5), so that to migrate the file itself would
leave one that nobody can open.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import BinaryIO

import duckdb

from warehouse import sqlfiles
from warehouse.connection import DEFAULT_WAIT, connect, open_unchecked
from warehouse.damage import damage
from warehouse.duckdb_texts import NO_SPACE
from warehouse.errors import PwhError, UsageError, WarehouseDamaged, WarehouseError
from warehouse.messages import LAND_AGAIN, without_class
from warehouse.session import Connection

_WORTHWHILE = 0.25
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacement(
    file: Path,
    *,
    wait: float | None = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
) -> Iterator[Connection]:
    """Yield a connection to a copy of a warehouse, which replaces the file after the block.

    Other processes cannot open the file meanwhile, and find the new one afterwards.

    Raises `WarehouseError` where any of it fails; the file is then as it was.
    """
    named, file = file, file.resolve()  # where its path is a link
    draft = file.with_name(f".{file.name}.migrating")
    with _locked(file, wait, on_wait) as original, _failures_named(named):
        try:
            _remove(draft)
            _copy(original, draft)
            with closing(open_unchecked(draft, create=False)) as con:
                yield con
                # Closing would write the log too, but without an error where that fails.
                con.execute("CHECKPOINT")
            connect(draft, read_only=True).close()
            _put_in_place(draft, file, original)
        finally:
            with suppress(OSError):
                _remove(draft)


def compact(
    file: Path,
    *,
    wait: float | None = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
) -> tuple[int, int]:
    """Write a warehouse file anew where that saves a quarter of it; return both sizes, in bytes.

    Of its log nothing is left in any case. Raises as `replacement` does.
    """
    named, file = file, file.resolve()
    draft = file.with_name(f".{file.name}.compacting")
    copied = partial(_copy_compactly, draft=draft)
    with _locked(file, wait, on_wait, copied) as original, _failures_named(named):
        before = after = os.fstat(original.fileno()).st_size
        try:
            if draft.exists() and draft.stat().st_size <= before * (1 - _WORTHWHILE):
                connect(draft, read_only=True).close()
                after = draft.stat().st_size
                _put_in_place(draft, file, original)
        finally:
            with suppress(OSError):
                _remove(draft)
    return before, after


def _copy_compactly(con: Connection, draft: Path) -> None:
    """Copy an open warehouse into a new file, where that seems worthwhile."""
    _remove(draft)
    ((name,),) = con.execute("SELECT current_database()").fetchall()
    if _spare(con) < _WORTHWHILE:
        return
    # Readable for its owner only, until it has the permissions of the file.
    mask = os.umask(0o077)
    try:
        con.execute(f"ATTACH {sqlfiles.literal(str(draft))} AS _new (STORAGE_VERSION 'latest')")
    finally:
        os.umask(mask)
    try:
        con.execute(f"COPY FROM DATABASE {sqlfiles.identifier(name)} TO _new")
        con.execute("CHECKPOINT _new")
        con.execute("DETACH _new")
    except BaseException:
        _remove(draft)
        raise


def _spare(con: Connection) -> float:
    """Return about what share of a file is free, or of row groups that could be one."""
    ((total, spare),) = con.execute(
        "SELECT total_blocks, free_blocks FROM pragma_database_size() "
        "WHERE database_name = current_database()"
    ).fetchall()
    text = sqlfiles.read("queries/maintenance/spare_blocks")
    for (table,) in con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
    ).fetchall():
        ((_, _, blocks),) = con.execute(text.format(table=sqlfiles.literal(table))).fetchall()
        spare += blocks
    return float(spare / max(total, 1))


@contextmanager
def _failures_named(file: Path) -> Iterator[None]:
    """Turn whatever fails into the error that states that nothing has changed, and why."""
    try:
        yield
    except (UsageError, duckdb.InterruptException):
        raise
    except Exception as error:
        raise _failure(file, error) from error


@contextmanager
def _locked(
    file: Path,
    wait: float | None,
    on_wait: Callable[[str], None] | None,
    first: Callable[[Connection], None] | None = None,
) -> Iterator[BinaryIO]:
    """Yield a warehouse file whose log is empty, locked as DuckDB does, after `first` read it.

    DuckDB does not have it open: closing a file unlocks it for all of a process, and closing a
    database deletes the log next to its path, which may be another's by then.
    """
    while True:
        opened = open_unchecked(file, create=False, wait=wait, on_wait=on_wait)
        with closing(opened) as con, _failures_named(file):
            con.execute("CHECKPOINT")
            before = file.stat()
            if first is not None:
                first(con)
        with file.open("rb+") as original:
            if _is_alone(file, original, before.st_mtime_ns):
                yield original
                return


def _is_alone(file: Path, original: BinaryIO, changed: int) -> bool:
    """Lock a file; return whether no other process opened, changed or replaced it before."""
    try:
        fcntl.lockf(original, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    is_unchanged = os.fstat(original.fileno()).st_mtime_ns == changed
    has_log = file.with_name(f"{file.name}.wal").exists()
    return is_unchanged and not has_log and _is_same(file, original)


def _is_same(file: Path, original: BinaryIO) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(original.fileno()))
    except FileNotFoundError:
        return False


def _copy(original: BinaryIO, draft: Path) -> None:
    size = os.fstat(original.fileno()).st_size
    # Programs that write to the same disk should not find it full for a copy that does not fit.
    if shutil.disk_usage(draft.parent).free < size:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    # Readable for its owner only, until it has the permissions of the file.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(draft, flags, 0o600), "wb") as copy:
        shutil.copyfileobj(original, copy, 1 << 20)


def _put_in_place(draft: Path, file: Path, original: BinaryIO) -> None:
    """Replace the file by the copy, with the same owner and permissions."""
    if not _is_same(file, original):
        raise WarehouseError(
            "another program has moved, deleted or replaced the file meanwhile",
            hint="See what is at its path now, and run it again.",
        )
    found = os.fstat(original.fileno())
    with draft.open("rb+") as copy:
        shutil.copystat(file, draft)
        os.utime(draft)
        for owner, group in ((-1, found.st_gid), (found.st_uid, -1)):
            # Only root can make files of others.
            with suppress(PermissionError):
                os.chown(draft, owner, group)
        os.fsync(copy.fileno())
    draft.replace(file)
    folder = os.open(file.parent, os.O_RDONLY)
    # Some file systems cannot, and the file is in its place.
    with suppress(OSError):
        os.fsync(folder)
    os.close(folder)


def _remove(draft: Path) -> None:
    for suffix in ("", ".wal", ".wal.checkpoint", ".wal.recovery"):
        draft.with_name(f"{draft.name}{suffix}").unlink(missing_ok=True)


def _failure(file: Path, error: Exception) -> WarehouseError:
    """Return the error that states why a file could not be replaced, and what to do."""
    before, folder = f"nothing has changed in {file}", file.resolve().parent
    if getattr(error, "errno", None) in _NO_ROOM or NO_SPACE.search(str(error)):
        return WarehouseError(
            f"{before}: there is no room for a new one next to it",
            hint=f"A new file, perhaps larger than this one, has to fit into {folder} with it. "
            "Make room and run it again.",
        )
    if (found := damage(error)) is not None:
        return WarehouseDamaged(f"{before}: {found.problem}", hint=found.hint)
    if isinstance(error, PwhError):
        return WarehouseError(f"{before}: {error.problem}", hint=error.hint or LAND_AGAIN)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        hint = f"A new file is written in {folder}, and renamed."
        return WarehouseError(f"{before}: {reason}", hint=hint)
    reason = without_class(str(error).split("\n", 1)[0]).strip()[:300] or type(error).__name__
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException)):
        reason = (
            "a development version of pwh wrote it, and its tables are others than its list of "
            f"migrations states ({reason})"
        )
    return WarehouseError(f"{before}: {reason}", hint=LAND_AGAIN)
