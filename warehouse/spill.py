"""Where DuckDB puts what does not fit into memory: a folder of each process.

By default two processes that read one file use files of the same names (DuckDB 1.5.5), so that one
overwrites and deletes what the other still needs.
"""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
from pathlib import Path

# Process ids repeat on other hosts and in containers.
_OWN = os.urandom(4).hex()
_REST = re.compile(r"\.(?:\d+-[0-9a-f]{8}\.)?tmp")


def spill_folder(file: Path | None = None) -> Path:
    """Return the folder of this process, next to a file, or of what has none; DuckDB makes it."""
    near = Path(tempfile.gettempdir()) / "pwh-spill" if file is None else file.resolve()
    return near.with_name(f"{near.name}.{os.getpid()}-{_OWN}.tmp")


def remove_abandoned(file: Path) -> None:
    """Remove what killed processes put aside next to a file that nobody else has open."""
    own, name = spill_folder(file), file.resolve().name
    for left in own.parent.glob(f"{glob.escape(name)}.*tmp"):
        if left != own and _REST.fullmatch(left.name.removeprefix(name)):
            shutil.rmtree(left, ignore_errors=True)
