"""The name of a program, from its recordings, or from their folder where they lack it.

The runs of one program at different counts of processes make a scaling set if they share the
app, so every recording has to come by the same name.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

_UNIT = r"(?:np?|p|mpi|(?:n?proc|process|rank|task|node|core|thread|cpu)(?:s|es)?)"
_COUNT = re.compile(rf"(?:{_UNIT}[-_.=]?)?\d+(?:[-_.]?{_UNIT})?", re.IGNORECASE)
_COUNT_IN_NAME = re.compile(r"^(?:(.*?)[._-])?(?:p|np|n)(\d{1,9})(?=[._-]|$)", re.IGNORECASE)


def program_name(command: str) -> str | None:
    """Return the program of a command line: `mdrun` of `/opt/bin/mdrun -s in.tpr`.

    A path with blanks in it cannot be distinguished from a program with arguments.
    """
    words = command.split()
    return (PurePosixPath(words[0]).name or None) if words else None


def folder_app(folder: Path) -> str | None:
    """Name an app after the folder of its recordings.

    A folder that is named by a count (`16`, `p16`, `np_16`, `16ranks`) has one run of a scaling
    set,
    whose name is that of the folder around it.
    """
    folder = folder.resolve()
    return (folder.parent if _COUNT.fullmatch(folder.name) else folder).name or None


def app_and_count(path: Path, name: str) -> tuple[str | None, int | None]:
    """Return app and count of processes from the name of a recording without them.

    `mini_p2.txt`, `heat.p64.r1`, `lu-np8`: the app and, between separators, a letter and a count,
    as in the names of Extra-P's folders. Other files are named after their folder, without count.
    """
    found = _COUNT_IN_NAME.search(name)
    count = int(found[2]) if found else 0
    return (found[1] if found and count else None) or folder_app(path.parent), count or None
