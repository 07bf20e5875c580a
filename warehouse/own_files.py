"""Files that a warehouse consists of, which no output may replace."""

from __future__ import annotations

import os
import re
from pathlib import Path

from warehouse.duckdb_texts import FILE_OF_LAKE
from warehouse.errors import UsageError

_MARK, _MARK_AT = b"DUCK", 8
_LOG_MARK = b"d\0be\0"  # the version of the log, as DuckDB serialises it first
# Beside the log DuckDB writes others: .wal.checkpoint, .wal.recovery.
_LOG_NAME = re.compile(r"(?P<file>.+)\.wal(\.\w+)?", re.IGNORECASE | re.DOTALL)


def check_not_own(path: Path) -> None:
    """Raise `UsageError` where a file that is to be written is one of a warehouse.

    Whether or not it is open: by its content, so links are followed.
    """
    file = Path(os.path.realpath(path))
    begin = _begin(file)
    if begin[_MARK_AT:] == _MARK:
        raise _refused(path, "a DuckDB file")
    if begin.startswith(_LOG_MARK):
        raise _refused(path, "the write-ahead log of a DuckDB file")
    if FILE_OF_LAKE.search(file.name):
        raise _refused(path, "a file of a warehouse in DuckLake")
    check_not_log(path)


def check_not_log(path: Path) -> None:
    """Raise `UsageError` where a new file would become the log of a warehouse next to it."""
    for name in (path, Path(os.path.realpath(path))):
        log = _LOG_NAME.fullmatch(name.name)
        if log is not None and _begin(name.with_name(log["file"]))[_MARK_AT:] == _MARK:
            raise _refused(path, f"in the place of the write-ahead log of {log['file']}")


def _begin(file: Path) -> bytes:
    try:
        if not file.is_file():  # to open a pipe would wait for its other end
            return b""
        with file.open("rb") as data:
            return data.read(_MARK_AT + len(_MARK))
    except OSError:
        return b""


def _refused(path: Path, what: str) -> UsageError:
    return UsageError(
        f"cannot write {path}: it is {what}",
        hint="No output replaces a warehouse or a part of one. Name another file.",
    )
