"""An empty warehouse that is kept ready, of which new ones are copies: to make one takes seconds.

In the user's cache, for each version of what pwh makes in a warehouse. Where it cannot be kept, or
might be another user's, there is none, and each new warehouse is made from nothing.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import time
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import BinaryIO

import duckdb

from udfs import UDFS
from warehouse import analyses, modules, revision, shipped, sqlfiles
from warehouse.version import __version__

_MODE = 0o400  # nobody writes to it by mistake
_OLD_SECONDS = 86400


def copy_to(new: Path) -> bool:
    """Write a copy to a new file; return whether there was an empty warehouse to copy.

    Raises `OSError` where the new file cannot be written.
    """
    source = None
    with suppress(OSError, RuntimeError):
        source = _opened(_kept())
    if source is None:
        return False
    with source:
        _write(source, new, 0o666)
    return True


def keep(empty: Path) -> None:
    """Keep a copy of an empty warehouse that has just been made, in place of those of others."""
    with suppress(OSError, RuntimeError):
        kept = _kept()
        nearest = next(path for path in kept.parents if path.exists())
        # Who works as root in the home of another user leaves nothing there.
        if not _is_own(nearest.stat()):
            return
        kept.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = kept.with_name(f"{kept.name}.{os.getpid()}-{os.urandom(4).hex()}.new")
        try:
            with empty.open("rb") as source:
                _write(source, draft, _MODE)
            draft.replace(kept)
        finally:
            draft.unlink(missing_ok=True)
        for other in kept.parent.glob("empty-*"):
            if other != kept and time.time() - other.stat().st_mtime > _OLD_SECONDS:
                other.unlink()


def _kept() -> Path:
    """Return where the empty warehouse of this version is, if there is one."""
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not base.is_absolute():
        base = Path.home() / ".cache"
    return base / "pwh" / f"empty-{_version()}.duckdb"


@cache
def _version() -> str:
    """Return a digest of all that is in an empty warehouse, and of what makes it."""
    code = Path(__file__).parent.rglob("*.py")
    statements = (sqlfiles.SQL / "bookkeeping.sql", *sqlfiles.files("migrations"))
    files = sorted((*code, *statements, analyses.LISTING))
    texts = [__version__, duckdb.__version__, revision.current(), *(udf.name for udf in UDFS)]
    texts += modules.digests().values()
    texts += (digest for _, digest in shipped.digests().values())
    texts += (file.read_text(encoding="utf-8") for file in files)
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:32]


def _opened(kept: Path) -> BinaryIO | None:
    """Open the empty warehouse; return None where another user could have written it."""
    if not _is_own(kept.parent.lstat()):
        return None
    source = os.fdopen(os.open(kept, os.O_RDONLY | os.O_NOFOLLOW), "rb")
    found = os.fstat(source.fileno())
    if _is_own(found) and stat.S_ISREG(found.st_mode) and stat.S_IMODE(found.st_mode) == _MODE:
        return source
    source.close()
    return None


def _is_own(found: os.stat_result) -> bool:
    """Return whether a file or a folder is the user's, and nobody else can write to it."""
    return found.st_uid == os.geteuid() and not found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _write(source: BinaryIO, new: Path, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    with os.fdopen(os.open(new, flags, mode), "wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
        copy.flush()
        os.fsync(copy.fileno())
