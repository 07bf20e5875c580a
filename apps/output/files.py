"""Files that commands write: whole or not at all, and never in place of a warehouse."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from warehouse.errors import UsageError

# Process ids repeat on other hosts and in containers.
_OWN = os.urandom(4).hex()
_LONGEST = 48  # characters of a name in that of its draft; DuckDB compresses by the end of it


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield the file to write to; it becomes the target when the block ends, whole.

    The target keeps its rights, and where it is a link, that is followed. Pipes and devices, such
    as /dev/stdout, are written to directly.

    Raises `UsageError` where the target is a file of a warehouse or cannot be written.
    """
    import duckdb

    from warehouse.damage import damage

    check_output(target)
    draft = place_to_write(target)
    is_new = draft != target
    try:
        yield draft
        if is_new:
            check_output(target)
            _put(draft, Path(os.path.realpath(target)))
    except OSError as error:
        raise not_written(target, error.strerror or str(error)) from None
    except duckdb.IOException as error:
        if damage(error) is not None:
            raise
        raise not_written(target, str(error).split("\n", 1)[0].rpartition(": ")[2]) from None
    finally:
        if is_new:
            # In a folder that is read-only even a file that is not there cannot be deleted.
            with suppress(OSError):
                draft.unlink(missing_ok=True)


def check_output(target: Path) -> None:
    """Raise `UsageError` where a target is a file of a warehouse, or a file that is read-only."""
    from warehouse.own_files import check_not_own

    check_not_own(target)
    try:
        if target.exists() and not os.access(target, os.W_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise not_written(target, error.strerror or str(error)) from None


def is_stdout(target: Path) -> bool:
    """Return whether a target is what stdout leads to; to open that again would truncate it."""
    try:
        return os.path.samestat(target.stat(), os.fstat(1))
    except OSError:
        return False


def place_to_write(target: Path) -> Path:
    """Return the file in which the content of a target is written: one next to it, or itself."""
    is_open = str(target.absolute()).startswith(("/dev/fd/", "/dev/std", "/proc/"))
    if is_open or (target.exists() and not target.is_file()):
        return target
    file = Path(os.path.realpath(target))
    return file.with_name(f".pwh-{os.getpid()}-{_OWN}-{file.name[-_LONGEST:]}")


def not_written(target: Path, problem: str) -> UsageError:
    """Return the error of a file that cannot be written, with what to do."""
    return UsageError(f"cannot write {target}: {problem}", hint="Name another file: -o FILE")


def _put(draft: Path, file: Path) -> None:
    """Put a file in the place of another, whose owner and rights it gets."""
    with draft.open("rb") as written:
        # Some file systems report only now that they are full.
        os.fsync(written.fileno())
    with suppress(FileNotFoundError):
        former = file.stat()
        with suppress(PermissionError):
            os.chown(draft, former.st_uid, former.st_gid)
        draft.chmod(stat.S_IMODE(former.st_mode))
    draft.replace(file)
