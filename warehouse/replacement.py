"""Change a copy of a warehouse file, which takes the file's place once it is whole.

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
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from warehouse.connection import DEFAULT_WAIT, connect, open_unchecked
from warehouse.damage import damage
from warehouse.errors import PwhError, UsageError, WarehouseDamaged, WarehouseError
from warehouse.messages import LAND_AGAIN, without_class
from warehouse.transactions import NO_SPACE

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


@contextmanager
def replacement(
    file: Path,
    *,
    wait: float | None = DEFAULT_WAIT,
    on_wait: Callable[[str], None] | None = None,
) -> Iterator[DuckDBPyConnection]:
    """Yield a connection to a copy of a warehouse, which replaces the file after the block.

    Other processes cannot open the file meanwhile, and find the new one afterwards.

    Raises `WarehouseError` where any of it fails; the file is then as it was.
    """
    import duckdb

    named, file = file, file.resolve()  # where its path is a link
    draft = file.with_name(f".{file.name}.migrating")
    with _locked(file, wait, on_wait) as original:
        try:
            _remove(draft)
            _copy(original, draft)
            with closing(open_unchecked(draft, create=False)) as con:
                yield con
                # Closing would write the log too, but without an error where that fails.
                con.execute("CHECKPOINT")
            connect(draft, read_only=True).close()
            _put_in_place(draft, file, original)
        except (UsageError, duckdb.InterruptException):
            raise
        except Exception as error:
            raise _failure(named, error) from error
        finally:
            with suppress(OSError):
                _remove(draft)


@contextmanager
def _locked(
    file: Path, wait: float | None, on_wait: Callable[[str], None] | None
) -> Iterator[BinaryIO]:
    """Yield a warehouse file whose log is empty, locked as DuckDB does.

    DuckDB does not have it open: closing a file unlocks it for all of a process, and closing a
    database deletes the log next to its path, which may be another's by then.
    """
    import duckdb

    while True:
        with closing(open_unchecked(file, create=False, wait=wait, on_wait=on_wait)) as con:
            try:
                con.execute("CHECKPOINT")
            except duckdb.Error as error:
                raise _failure(file, error) from error
        with file.open("rb+") as original:
            if _is_alone(file, original):
                yield original
                return


def _is_alone(file: Path, original: BinaryIO) -> bool:
    """Lock a file; return whether no other process opened it, or replaced it, before."""
    try:
        fcntl.lockf(original, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return _is_same(file, original) and not file.with_name(f"{file.name}.wal").exists()


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
            hint="See what is at its path now, and run pwh migrate again.",
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
    """Return the error that states why a file could not be migrated, and what to do."""
    import duckdb

    before, folder = f"nothing has changed in {file}", file.resolve().parent
    if getattr(error, "errno", None) in _NO_ROOM or NO_SPACE.search(str(error)):
        return WarehouseError(
            f"{before}: there is no room for a new one next to it",
            hint=f"A migrated file, larger than this one, has to fit into {folder} with it. "
            "Make room and run it again.",
        )
    if (found := damage(error)) is not None:
        return WarehouseDamaged(f"{before}: {found.problem}", hint=found.hint)
    if isinstance(error, PwhError):
        return WarehouseError(f"{before}: {error.problem}", hint=error.hint or LAND_AGAIN)
    if isinstance(error, OSError):
        reason = error.strerror or str(error)
        hint = f"pwh migrate writes a new file in {folder}, and renames it."
        return WarehouseError(f"{before}: {reason}", hint=hint)
    reason = without_class(str(error).split("\n", 1)[0]).strip()[:300] or type(error).__name__
    if isinstance(error, (duckdb.BinderException, duckdb.CatalogException)):
        reason = (
            "a development version of pwh wrote it, and its tables are others than its list of "
            f"migrations states ({reason})"
        )
    return WarehouseError(f"{before}: {reason}", hint=LAND_AGAIN)
