"""The files of one recording: opened, decompressed, counted, with errors in the user's words."""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import os
import shutil
import tempfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

from ingest.base import HEAD_BYTES
from warehouse.errors import InputError

SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".xz": "xz"}
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ\x00", "xz"))
_CHUNK = 1 << 20
_ZSTD_BLOCK = 128 << 10
_CUT_OFF = "the compressed data end too early: the file is cut off"


def bare_name(path: Path) -> str:
    """Give the file's name without a compression suffix: `trace.log` for `trace.log.zst`."""
    return path.stem if path.suffix.lower() in SUFFIXES else path.name


def path_text(path: Path) -> str:
    """Give a path as text; bytes of a name that are no UTF-8 become \\xNN."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def compression(path: Path) -> str | None:
    """Tell a file's compression from its first bytes: gzip, zstd, xz or None."""
    with path.open("rb") as file:
        start = file.read(6)
    return next((name for magic, name in _MAGIC if start.startswith(magic)), None)


def sibling(path: Path, name: str) -> Path | None:
    """Find the file `name`, compressed or not, in the folder of `path`."""
    for suffix in ("", *SUFFIXES):
        candidate = path.with_name(name + suffix)
        if candidate.is_file():
            return candidate
    return None


def read_head(path: Path) -> bytes:
    """Give the first 64 KiB of a file, decompressed; what there is, if its end is missing.

    Raises `InputError` where compressed data are so damaged that nothing can be told of them.
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


def open_bytes(path: Path, count: Callable[[int], None] | None = None) -> io.BufferedReader:
    """Open a file for reading, decompressed.

    `count` is told how many bytes were taken from the disk. Damage in a compressed file raises
    `InputError` from the read that meets it.
    """
    kind = compression(path)
    disk = _Counted(path, count)
    if kind is None:
        return io.BufferedReader(disk, _CHUNK)
    return io.BufferedReader(_Decompressed(path, disk, kind), _CHUNK)


class _Counted(io.RawIOBase):
    """A file that tells how much of it was read."""

    def __init__(self, path: Path, count: Callable[[int], None] | None) -> None:
        self._file = path.open("rb", buffering=0)
        self._count = count

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        size = self._file.readinto(buffer) or 0
        if self._count is not None:
            self._count(size)
        return size

    def close(self) -> None:
        self._file.close()
        super().close()


class _Decompressed(io.RawIOBase):
    """The decompressed content; damage is an InputError that names the file."""

    def __init__(self, path: Path, disk: io.RawIOBase, kind: str) -> None:
        self._path = path
        self._kind = kind
        self._disk = disk
        self._done = 0
        self._read_some = _decompressor(io.BufferedReader(disk, _CHUNK), kind)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._read_some(len(buffer))
        except EOFError:
            raise self._damaged(_CUT_OFF) from None
        except (OSError, zlib.error, lzma.LZMAError) as error:
            if "Truncated" in str(error):
                raise self._damaged(_CUT_OFF) from None
            raise self._damaged(f"the {self._kind} data are damaged ({error})") from None
        buffer[: len(data)] = data
        self._done += len(data)
        return len(data)

    def _damaged(self, problem: str) -> InputError:
        return InputError(
            problem,
            path=path_text(self._path),
            where=f"after {self._done} decompressed bytes",
            expected=f"a whole {self._kind} file",
            hint="Copy or record the file again.",
        )

    def close(self) -> None:
        self._disk.close()
        super().close()


def _decompressor(file: io.BufferedReader, kind: str) -> Callable[[int], bytes]:
    """Give a function that reads at most so many bytes, and first those before any damage."""
    if kind == "gzip":
        return gzip.GzipFile(fileobj=file).read1
    if kind == "xz":
        return lzma.LZMAFile(file).read1
    import pyarrow as pa

    stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    # It gives all that is asked for or fails, so it is asked for little at a time.
    return lambda size: cast(bytes, stream.read(min(size, _ZSTD_BLOCK)))


class Recording:
    """The files that make one recording, the main one first.

    `bytes_read` and `bytes_total` count what was taken from the disk, for a progress bar.
    """

    def __init__(self, parts: tuple[Path, ...]) -> None:
        self.parts = parts
        self.bytes_read = 0
        self.bytes_total = sum(part.stat().st_size for part in parts)
        self._scratch: tempfile.TemporaryDirectory[str] | None = None

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
        """Give the part of that name, with or without compression suffix, or None."""
        return next((part for part in self.parts if bare_name(part) == name), None)

    def fingerprint(self) -> str:
        """Give the SHA-256 of the content as stored; of several parts, of names and hashes."""
        hashes = []
        for part in self.parts:
            with part.open("rb") as file:
                hashes.append(hashlib.file_digest(file, "sha256").hexdigest())
        if len(hashes) == 1:
            return hashes[0]
        listing = "".join(f"{p.name}\0{h}\n" for p, h in zip(self.parts, hashes, strict=True))
        return hashlib.sha256(os.fsencode(listing)).hexdigest()

    def open(self, part: Path | None = None) -> io.BufferedReader:
        """Open a part (the main one by default) for reading, decompressed."""
        return open_bytes(part or self.path, self._count)

    def chunks(self, part: Path | None = None, size: int = 8 << 20) -> Iterator[bytes]:
        """Give the content in pieces of whole lines, each about `size` bytes."""
        rest = b""
        with self.open(part) as file:
            while piece := file.read(size):
                head, newline, tail = piece.rpartition(b"\n")
                if newline:
                    yield rest + head + newline
                    rest = tail
                else:
                    rest += piece
        if rest:
            yield rest

    def lines(self, part: Path | None = None) -> Iterator[tuple[int, str]]:
        """Give (line number from 1, text without line end), decoded as UTF-8.

        For small files; large ones are read by `chunks`. Raises `InputError` at the first line
        that is not text.
        """
        with self.open(part) as file:
            for number, raw in enumerate(file, 1):
                yield number, decode(raw, f"line {number}").rstrip("\r\n")

    def text(self, part: Path | None = None, limit: int = 256 << 20) -> str:
        """Give the whole content as text; refuses more than `limit` bytes."""
        with self.open(part) as file:
            data = file.read(limit + 1)
        if len(data) > limit:
            raise InputError(f"the file is larger than {limit >> 20} MiB, which is not plausible")
        return decode(data, "the file")

    def plain(self, part: Path | None = None) -> str:
        """Give a path to the part's uncompressed content, for DuckDB's own readers.

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
            with self.open(part) as source, target.open("wb") as copy:
                shutil.copyfileobj(source, copy, _CHUNK)
        return str(target)

    def original(self, plain: str) -> Path:
        """Give the part whose content `plain` gave under this path."""
        number = Path(plain).name
        return self.parts[int(number)] if number.isdigit() else self.path

    def scratch(self) -> Path:
        """Give a folder for temporary files, removed by `close`."""
        if self._scratch is None:
            self._scratch = tempfile.TemporaryDirectory(prefix="pwh-")
        return Path(self._scratch.name)

    def close(self) -> None:
        """Remove the temporary files."""
        if self._scratch is not None:
            self._scratch.cleanup()
            self._scratch = None

    def _count(self, size: int) -> None:
        self.bytes_read += size


def decode(raw: bytes, where: str) -> str:
    """Decode UTF-8 (a byte-order mark is dropped); raises `InputError` naming the place."""
    if raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError(
            "the text is UTF-16",
            where=where,
            expected="UTF-8 text",
            hint="Convert it: iconv -f UTF-16 -t UTF-8 FILE > NEW",
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {raw[error.start]:#04x} is not text",
            where=where,
            expected="UTF-8 text",
            hint="Is it the right file? Convert other encodings with iconv.",
        ) from None
