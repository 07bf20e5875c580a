"""Which files of folders have arrived since the last look, and are complete."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

_SETTLED = 2.0  # seconds without a change after which a file is taken to be complete
_Stamp = tuple[int, int, int]


@dataclass(slots=True)
class Arriving:
    """Files under some folders: their size and times, since when these are so, and what is done."""

    folders: Sequence[Path]
    clock: Callable[[], float] = time.monotonic
    _seen: dict[Path, tuple[_Stamp, float]] = field(default_factory=dict)
    _done: dict[Path, _Stamp] = field(default_factory=dict)

    def look(self) -> set[Path]:
        """Return the files that are complete and not done: new ones, and those that changed."""
        now = self.clock()
        stamps = dict(self._stamps())
        self._seen = {
            path: self._seen[path] if self._seen.get(path, (None,))[0] == stamp else (stamp, now)
            for path, stamp in stamps.items()
        }
        self._done = {path: stamp for path, stamp in self._done.items() if path in stamps}
        return {
            path
            for path, (stamp, since) in self._seen.items()
            if now - since >= _SETTLED and self._done.get(path) != stamp
        }

    def incomplete(self, paths: set[Path]) -> bool:
        """Return whether any of some files changed a moment ago, or is not known."""
        now = self.clock()
        return any(path not in self._seen or now - self._seen[path][1] < _SETTLED for path in paths)

    def done(self, paths: set[Path]) -> None:
        """Take files as landed or rejected, until they change."""
        self._done |= {path: self._seen[path][0] for path in paths if path in self._seen}

    def _stamps(self) -> list[tuple[Path, _Stamp]]:
        found = []
        for folder in self.folders:
            for place, _, names in os.walk(folder):
                for name in names:
                    path = Path(place, name)
                    try:
                        status = path.stat()
                    except OSError:
                        continue
                    found.append((path, (status.st_size, status.st_mtime_ns, status.st_ino)))
        return found
