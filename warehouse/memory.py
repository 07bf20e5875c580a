"""Errors that show that memory ran out, and of how much."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from warehouse.duckdb_texts import MEMORY_LIMIT, OUT_OF_MEMORY
from warehouse.errors import OutOfMemory

_OF_CONTAINER = Path("/sys/fs/cgroup/memory.max")
_WHAT_TO_DO = (
    "What was not reported as landed has not landed. Select or ingest less at once, end other "
    "programs, or allow more: ulimit -v, or the memory of the container or job."
)


def out_of_memory(error: BaseException) -> OutOfMemory | None:
    """Return the error that reports it, where one of DuckDB or Python shows that memory ran out."""
    import duckdb

    match error:
        case MemoryError() | duckdb.OutOfMemoryException():
            pass
        case OSError() if error.errno == errno.ENOMEM:
            pass
        # What users wrote is in the messages of others.
        case duckdb.DataError() | duckdb.ProgrammingError():
            return None
        case duckdb.Error() if OUT_OF_MEMORY.search(str(error)):
            pass
        case _:
            return None
    limit = MEMORY_LIMIT.search(str(error))
    available = f"the {limit[2]} that DuckDB may use" if limit else _available()
    return OutOfMemory(f"memory ran out: {available} did not suffice", hint=_WHAT_TO_DO)


def _available() -> str:
    """Return in words what this process may use: the least of what limits it."""
    known = [
        (size, whose)
        for size, whose in (
            (_of_process(), "this process may have (ulimit -v)"),
            (_of_container(), "the container or job may have"),
            (_of_computer(), "this computer has"),
        )
        if size is not None
    ]
    if not known:
        return "what this computer has"
    size, whose = min(known)
    return f"the {size / 2**20:,.0f} MiB that {whose}"


def _of_process() -> int | None:
    try:
        import resource
    except ImportError:  # Windows has no limits of processes.
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft


def _of_container() -> int | None:
    try:
        return int(_OF_CONTAINER.read_text())
    except (OSError, ValueError):
        return None


def _of_computer() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
