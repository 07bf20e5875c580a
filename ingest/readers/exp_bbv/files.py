"""Which files of a folder are those of one program: a file per thread, and the list of blocks.

valgrind writes the first thread to the file named by --bb-out-file (bb.out.PID by default) and
thread K to that name with `.K` behind it; the list of blocks has a name of its own (pc.out.PID).
"""

from __future__ import annotations

import re
from pathlib import Path

from ingest.compressed import bare_name, sibling
from ingest.recording import read_head

_DEFAULT = re.compile(r"bb\.out(?:\.(\d+))?")
_MOST_THREADS = 500  # of valgrind: a larger number is a process
_NUMBERED = re.compile(r"(.+)\.(\d{1,9})")


def is_pc_file(path: Path) -> bool:
    """Return whether a file is a list of blocks: by its content, or where that is damaged its name.

    Vectors can be in a file of any name (--bb-out-file), and so can the list.
    """
    head = read_head(path).lstrip()
    if head.startswith((b"F:", b"T:", b"#")):
        return head.startswith(b"F:")
    name = bare_name(path)
    return name.endswith(".pc") or name.startswith("pc.out.")


def thread_number(path: Path) -> int:
    """Return the thread that a file of vectors belongs to; the first one's has no number."""
    name = bare_name(path)
    numbered = _NUMBERED.fullmatch(name)
    return int(numbered[2]) if numbered and _base(path) != name else 1


def program_files(path: Path) -> tuple[Path, ...]:
    """Return all files of the program that `path` belongs to: threads in order, then the blocks."""
    base = _base(path)
    threads: dict[int, Path] = {}
    for other in sorted(path.parent.iterdir()):
        name = bare_name(other)
        numbered = _NUMBERED.fullmatch(name)
        if name == base and other.is_file():
            threads.setdefault(1, other)
        elif numbered and numbered[1] == base == _base(other) and other.is_file():
            threads.setdefault(int(numbered[2]), other)
    blocks = next((found for name in _lists(base) if (found := sibling(path, name))), None)
    files = tuple(threads[number] for number in sorted(threads))
    return (*files, blocks) if blocks else files


def _base(path: Path) -> str:
    """Return the name of the first thread's file."""
    name = bare_name(path)
    if f"{name}.".startswith("pc.out."):
        return f"bb{name.removeprefix('pc')}"
    if name.endswith(".pc"):
        stem = name.removesuffix(".pc")
        return stem if sibling(path, stem) else f"{stem}.bb"
    numbered = _NUMBERED.fullmatch(name)
    if numbered and not _is_process(path, name):
        first = numbered[1]
        if first.endswith(".bb") or _DEFAULT.fullmatch(first) or sibling(path, first):
            return first
    return name


def _is_process(path: Path, name: str) -> bool:
    """Return whether a name ends with the number of a process, not of a thread of bb.out."""
    default = _DEFAULT.fullmatch(name)
    if default is None or default[1] is None:
        return False
    return int(default[1]) > _MOST_THREADS or sibling(path, "bb.out") is None


def _lists(base: str) -> tuple[str, ...]:
    """Return the names that the list of blocks may have."""
    if _DEFAULT.fullmatch(base):
        return (f"pc{base.removeprefix('bb')}",)
    return (f"{base.removesuffix('.bb')}.pc", f"{base}.pc")
