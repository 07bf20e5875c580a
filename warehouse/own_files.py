"""Files that a warehouse consists of, which no output may replace."""

from __future__ import annotations

import os
import re
from pathlib import Path

from warehouse.damage import FILE_OF_LAKE

_MARK, _MARK_AT = b"DUCK", 8
_LOG_MARK = b"d\0be\0"  # the version of the log, as DuckDB serialises it first
# Beside the log DuckDB writes others: .wal.checkpoint, .wal.recovery.
_LOG_NAME = re.compile(r"(?P<file>.+)\.wal(\.\w+)?", re.IGNORECASE | re.DOTALL)


def own_file(path: Path) -> str | None:
    """Return what a file is to a warehouse, whether or not it is open; None for any other file.

    By its content, so links are followed; and by its name, where it would become the log of a
    warehouse next to it.
    """
    file = Path(os.path.realpath(path))
    begin = _begin(file)
    if begin[_MARK_AT:] == _MARK:
        return "a DuckDB file"
    if begin.startswith(_LOG_MARK):
        return "the write-ahead log of a DuckDB file"
    for name in (path, file):
        log = _LOG_NAME.fullmatch(name.name)
        if log is not None and _begin(name.with_name(log["file"]))[_MARK_AT:] == _MARK:
            return f"in the place of the write-ahead log of {log['file']}"
    if FILE_OF_LAKE.search(file.name):
        return "a file of a warehouse in DuckLake"
    return None


def _begin(file: Path) -> bytes:
    try:
        if not file.is_file():  # to open a pipe would wait for its other end
            return b""
        with file.open("rb") as data:
            return data.read(_MARK_AT + len(_MARK))
    except OSError:
        return b""
