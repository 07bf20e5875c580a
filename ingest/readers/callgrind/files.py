"""Which files of a folder are those of one program: callgrind writes FILE-01, FILE-02 ... ."""

from __future__ import annotations

import re
from pathlib import Path

from ingest.compressed import bare_name

_THREAD = re.compile(r"(.+)-(\d{2,9})")


def thread_number(path: Path) -> int | None:
    """Return the thread in a file's name."""
    found = _THREAD.fullmatch(bare_name(path))
    return int(found[2]) if found else None


def program_files(path: Path) -> tuple[Path, ...]:
    """Return the files of all threads of the program that `path` belongs to, in order."""
    found = _THREAD.fullmatch(bare_name(path))
    if found is None:
        return (path,)
    threads: dict[int, Path] = {}
    for other in sorted(path.parent.iterdir()):
        match = _THREAD.fullmatch(bare_name(other))
        if match and match[1] == found[1] and other.is_file():
            threads.setdefault(int(match[2]), other)
    return tuple(threads[number] for number in sorted(threads)) or (path,)
