"""Temporary folders, of which those of killed processes are removed by the next one."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

_PREFIX = "pwh-recording-"
# A process locks its folder right after making it; another pwh must not come between.
_ABANDONED_SECONDS = 600


class TemporaryFolder:
    """A folder that a process has locked while it lives; `close` removes it."""

    def __init__(self) -> None:
        remove_abandoned_folders()
        self._folder = tempfile.TemporaryDirectory(prefix=_PREFIX)
        self.path = Path(self._folder.name)
        self._lock = os.open(self.path, os.O_RDONLY)
        # Where a file system has no locks the folder is only not told from an abandoned one.
        with suppress(OSError):
            fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        """Remove the folder and what it contains."""
        os.close(self._lock)
        self._folder.cleanup()


@cache
def remove_abandoned_folders() -> None:
    """Remove this user's folders that no process has locked, once in a process."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            is_old = time.time() - found.st_mtime > _ABANDONED_SECONDS
            if is_old and found.st_uid == os.getuid() and _is_unlocked(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_unlocked(folder: Path) -> bool:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True
