"""Which files of a folder are those of one program.

callgrind writes FILE; with threads kept apart FILE-01, FILE-02 ...; of a program that dumps more
than once FILE.1, FILE.2 ..., and FILE at its end.
"""

from __future__ import annotations

import re
from pathlib import Path

from ingest.compressed import bare_name
from ingest.recording import read_head
from warehouse.errors import InputError

_THREAD = re.compile(r"(.+)-(\d{2,9})")
_PART = re.compile(r"(.+)\.(\d{1,9})")
_STATED = re.compile(rb"^(pid|part): *(\d+)\s*$", re.MULTILINE)


def thread_number(path: Path) -> int | None:
    """Return the thread in a file's name."""
    found = _THREAD.fullmatch(bare_name(path))
    return int(found[2]) if found else None


def program_files(path: Path) -> tuple[Path, ...]:
    """Return the files of all threads and parts of the program that `path` belongs to, in order."""
    own, own_part, own_thread = _place(path)
    own_pid = _stated(path).get("pid")
    # Another file of the same place is a copy that is compressed otherwise: a recording of its own.
    found: dict[tuple[float, int], Path] = {(own_part, own_thread or 0): path}
    for entry in sorted(other.name for other in path.parent.iterdir()):
        other = path.parent / entry
        if not entry.startswith(own) or not other.is_file():
            continue
        name, part, thread = _place(other)
        if name != own or (thread is None) != (own_thread is None):
            continue
        # Files of other processes are told from parts by what they state.
        if part != own_part and (own_pid is None or _stated(other).get("pid") != own_pid):
            continue
        found.setdefault((part, thread or 0), other)
    return tuple(found[key] for key in sorted(found))


def _place(path: Path) -> tuple[str, float, int | None]:
    """Return the name of the program's files, part (inf: the last one) and thread of a file.

    A number at the end is that of the part only where the file states it: callgrind.out.17 is
    that of process 17.
    """
    name, thread = bare_name(path), thread_number(path)
    if thread is not None:
        name = name[: name.rindex("-")]
    found = _PART.fullmatch(name)
    if found and _stated(path).get("part") == int(found[2]):
        return found[1], int(found[2]), thread
    return name, float("inf"), thread


def _stated(path: Path) -> dict[str, int]:
    """Return pid and part as the first header of a file states them."""
    try:
        head = read_head(path)
    except (InputError, OSError):
        return {}
    return {key.decode(): int(number) for key, number in reversed(_STATED.findall(head[:4096]))}
