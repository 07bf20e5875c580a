"""The files of one recording: named, read, counted, with errors in the user's words."""

from __future__ import annotations

import fcntl
import hashlib
import io
import mmap
import os
import shutil
import tempfile
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ingest.compressed import bare_name, compression, open_bytes, path_text
from ingest.ordinary import not_ordinary
from warehouse.errors import InputError

HEAD_BYTES = 1 << 16
MAX_BYTES = 20 * 10**9

_CHUNK = 1 << 20
_SHORTEST_BEGINNING, _LONGEST_BEGINNING = 64, 4096
_TICK_NS = 2_000_000_000  # of the coarsest file systems
_PREFIX = "pwh-recording-"
# A process locks its folder right after making it; another pwh must not come between.
_ABANDONED_SECONDS = 600


def read_head(path: Path) -> bytes:
    """Return the first 64 KiB of a file, decompressed; what there is, if its end is missing.

    Raises `InputError` where compressed data are so damaged that nothing can be read of them.
    """
    head = b""
    with open_bytes(path) as file:
        try:
            # read1: what comes before the damage must not be lost with it.
            while len(head) < HEAD_BYTES and (more := file.read1(HEAD_BYTES - len(head))):
                head += more
        except InputError:
            # A file cut short still shows its format; the damage is reported when it is read.
            if not head:
                raise
    return head


@dataclass(frozen=True, slots=True)
class _State:
    """Size and time, one of which changes when a file does."""

    inode: int
    size: int
    modified_ns: int


def _state(path: Path) -> _State:
    try:
        found = path.stat()
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise InputError(problem, path=path_text(path)) from None
    if special := not_ordinary(found):
        raise InputError(special, path=path_text(path), expected="a file with data")
    return _State(found.st_ino, found.st_size, found.st_mtime_ns)


def _is_doubled(path: Path, size: int) -> bool:
    half = size // 2
    if size % 2 or not half:
        return False
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        # Its first lines. Where they come again soon, equal halves can be chance.
        line_end = data.find(b"\n", _SHORTEST_BEGINNING, half)
        beginning = data[: min(line_end + 1 or half, _LONGEST_BEGINNING)]
        return (
            len(data) == size
            and data[half : half + len(beginning)] == beginning
            and all(
                data[at : min(at + _CHUNK, half)] == data[half + at : half + min(at + _CHUNK, half)]
                for at in range(0, half, _CHUNK)
            )
            and data.find(beginning, 1) == half
        )


def _sha256(file: io.BufferedReader) -> str:
    with file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _of_all(parts: list[tuple[str, str]]) -> str:
    """Return the hash of a recording by the names and hashes of its parts."""
    if len(parts) == 1:
        return parts[0][1]
    listing = "".join(f"{name}\0{sha256}\n" for name, sha256 in parts)
    return hashlib.sha256(os.fsencode(listing)).hexdigest()


def _changed(path: Path) -> InputError:
    return InputError(
        "the file changed while it was read",
        path=path_text(path),
        expected="a file that its tool has finished",
        hint="Nothing of it landed. Ingest it again when it is complete.",
    )


class Recording:
    """The files that make one recording, the main one first.

    `bytes_read` and `bytes_total` count what was taken from the disk, for a progress bar.
    `lenient`: references to what the recording does not list are accepted. `parameters`:
    kinds of those of an experiment, by name, as the user states. `max_bytes` are what a
    compressed file may contain; on disk it may also take no more than half of the free space.
    `escaped` counts the bytes that were not UTF-8, by part and place; `unended` are parts without
    a line break at their end; `others` are readers that recognise it besides its own. `form` is
    what its reader's `sniff` returned (`base.form_of`).
    Raises `InputError` where a file is not there, or no longer.
    """

    def __init__(self, parts: tuple[Path, ...], form: str | bool | None = None) -> None:
        self.parts = parts
        self.form = form
        self.lenient = False
        self.parameters: Mapping[str, str] = {}
        self.max_bytes = MAX_BYTES
        self.others: tuple[str, ...] = ()
        self.bytes_read = 0
        self.escaped: dict[tuple[Path | None, int], int] = {}
        self.unended: set[Path] = set()
        self._states = [_state(part) for part in parts]
        self._opened_ns = time.time_ns()
        self.bytes_total = sum(state.size for state in self._states)
        self._scratch: TemporaryFolder | None = None

    @property
    def path(self) -> Path:
        """The main file."""
        return self.parts[0]

    @property
    def stem(self) -> str:
        """The main file's name without suffixes, for naming a run."""
        name = path_text(Path(bare_name(self.path)))
        return name.split(".")[0] or name

    def part(self, name: str) -> Path | None:
        """Return the part of that name, with or without compression suffix, or None."""
        return next((part for part in self.parts if bare_name(part) == name), None)

    def fingerprint(self) -> str:
        """Return the SHA-256 of the files as stored; of several parts, of names and hashes."""
        return _of_all([(part.name, _sha256(part.open("rb"))) for part in self.parts])

    def hashes(self) -> tuple[str, ...]:
        """Return the fingerprint, and what it would be if no part were compressed, where one is."""
        stored = self.fingerprint()
        if all(compression(part) is None for part in self.parts):
            return (stored,)
        files = ((part, open_bytes(part, limit=self.max_bytes)) for part in self.parts)
        return stored, _of_all([(bare_name(part), _sha256(file)) for part, file in files])

    def begins_with(self, size: int, sha256: str) -> bool:
        """Return whether the first bytes of the only file have this SHA-256."""
        if len(self.parts) > 1 or size >= self.bytes_total:
            return False
        digest = hashlib.sha256()
        with self.path.open("rb") as file:
            while size > 0 and (data := file.read(min(size, _CHUNK))):
                digest.update(data)
                size -= len(data)
        return digest.hexdigest() == sha256

    def is_doubled(self) -> bool:
        """Return whether a part is twice the same bytes, and these begin as nothing in them does.

        As stored: a compressed file that was appended to itself is doubled, too.
        """
        return any(
            _is_doubled(part, state.size)
            for part, state in zip(self.parts, self._states, strict=True)
        )

    def check_unchanged(self, sha256: str | None = None) -> None:
        """Raise `InputError` where a file has changed since its fingerprint was taken.

        Without that, only its size and times are compared.
        """
        for part, before in zip(self.parts, self._states, strict=True):
            if _state(part) != before:
                raise _changed(part)
        # Two changes within a tick of the file system's clock leave the same time.
        is_fresh = any(self._opened_ns - state.modified_ns < _TICK_NS for state in self._states)
        if is_fresh and sha256 is not None and self.fingerprint() != sha256:
            raise _changed(self.path)

    def open(self, part: Path | None = None) -> io.BufferedReader:
        """Open a part (the main one by default) for reading, decompressed."""
        return open_bytes(part or self.path, self._count, self.max_bytes)

    def plain(self, part: Path | None = None) -> str:
        """Return a path to the part's uncompressed content, for DuckDB's own readers.

        The path is in a temporary folder and bare of suffixes: DuckDB takes [1] in a name for a
        pattern, event=x for a column, and .gz for compression. A compressed part is unpacked
        there first: only a full pass over it finds out that its end is missing.
        """
        part = part or self.path
        target = self.scratch() / str(self.parts.index(part))
        if target.exists():
            return str(target)
        if compression(part) is None:
            target.symlink_to(part.resolve())
        else:
            room = shutil.disk_usage(target.parent).free / 2
            limit = min(self.max_bytes, room)
            with open_bytes(part, self._count, limit) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy, _CHUNK)
        return str(target)

    def original(self, plain: str) -> Path:
        """Return the part whose content `plain` gave under this path."""
        number = Path(plain).name
        return self.parts[int(number)] if number.isdigit() else self.path

    def scratch(self) -> Path:
        """Return a folder for temporary files, removed by `close`."""
        if self._scratch is None:
            self._scratch = TemporaryFolder()
        return self._scratch.path

    def close(self) -> None:
        """Remove the temporary files."""
        if self._scratch is not None:
            self._scratch.close()
            self._scratch = None

    def _count(self, size: int) -> None:
        self.bytes_read += size


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
