"""gmon.out, the raw profile of programs built with -pg: gprof makes text of it with its program.

Source: gmon_out.h and gmon.c of the GNU C library (x86-64 and others of 64 bits, little-endian).
The program is the one next to the profile whose code ends where the profile's histogram does.
"""

from __future__ import annotations

import os
import shutil
import struct
import subprocess
from pathlib import Path

from warehouse.errors import InputError

_MAGIC = b"gmon\x01\0\0\0" + bytes(12)
_HISTOGRAM = struct.Struct("<BQQ")  # tag 0, lowest and highest address
_ELF = b"\x7fELF\x02\x01"  # of 64 bits, little-endian
_HEADER = struct.Struct("<32xQ14xHH")  # where the segments are, the size of one, how many
_SEGMENT = struct.Struct("<IIQQQQQQ")  # type, flags, offset, address, -, -, size in memory, -
_LOADED, _EXECUTABLE = 1, 1
_ROUNDING = 8  # bytes: the histogram ends at a whole one of its counters
_SECONDS = 600


def program_of(path: Path, head: bytes) -> Path | None:
    """Return the program next to a gmon.out that begins with `head`, where gprof is installed.

    None where it is no such file, no program fits, or several do.
    """
    if not head.startswith(_MAGIC) or len(head) < len(_MAGIC) + _HISTOGRAM.size:
        return None
    tag, _, highest = _HISTOGRAM.unpack_from(head, len(_MAGIC))
    if tag != 0 or shutil.which("gprof") is None:
        return None
    try:
        found = [file for file in path.parent.iterdir() if _ends_at(file, highest)]
    except OSError:
        return None
    return found[0] if len(found) == 1 else None


def printed(profile: str, program: Path) -> bytes:
    """Return the text that gprof makes of a gmon.out; raises `InputError` where it makes none."""
    command = ["gprof", "-b", str(program.resolve()), profile]
    try:
        done = subprocess.run(  # noqa: S603
            command,
            capture_output=True,
            check=False,
            timeout=_SECONDS,
            env=os.environ | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InputError(f"gprof failed: {error}") from None
    if done.returncode or not done.stdout.strip():
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise InputError(
            f"gprof makes nothing of it: {said[-1] if said else 'no output'}",
            expected=f"the whole profile that {program.name} wrote",
        )
    return done.stdout


def _ends_at(file: Path, address: int) -> bool:
    """Return whether a file is a program whose code ends at an address."""
    if not file.is_file():
        return False
    try:
        with file.open("rb") as data:
            head = data.read(_HEADER.size)
            if not head.startswith(_ELF) or len(head) < _HEADER.size:
                return False
            offset, size, count = _HEADER.unpack(head)
            data.seek(offset)
            segments = data.read(size * count)
    except (OSError, OverflowError):
        return False
    if size != _SEGMENT.size or len(segments) < size * count:
        return False
    return any(
        kind == _LOADED and flags & _EXECUTABLE and 0 <= address - (begin + length) < _ROUNDING
        for kind, flags, _, begin, _, _, length, _ in _SEGMENT.iter_unpack(segments)
    )
