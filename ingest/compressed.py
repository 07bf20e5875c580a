"""Files that may be compressed, or in UTF-16: their names, and their content as it was meant."""

from __future__ import annotations

import codecs
import gzip
import io
import lzma
import math
import os
import re
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

from ingest.ordinary import not_ordinary
from warehouse.errors import InputError

SUFFIXES = {".gz": "gzip", ".zst": "zstd", ".xz": "xz"}
_MAGIC = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"), (b"\xfd7zXZ\x00", "xz"))
# What shells of Windows write, with a mark or without: letters of which every other byte is zero.
_UTF_16 = {
    "UTF-16": re.compile(rb"\xff\xfe[^\0]\0|\xfe\xff\0[^\0]"),
    "UTF-16LE": re.compile(rb"(?:[\t\n\r -~]\0){8}"),
    "UTF-16BE": re.compile(rb"(?:\0[\t\n\r -~]){8}"),
}
_SEEN = 16
_MOST_TIMES = 2
_CHUNK = 1 << 20
_BOM = b"\xef\xbb\xbf"  # Windows' editors and shells begin UTF-8 with it
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ZSTD_BLOCK = 128 << 10


def path_text(path: Path) -> str:
    """Return a path as text of one line.

    Bytes of a name that are no UTF-8 become \\xNN, and so do line breaks and other control
    characters, with which a name could pretend to be a line of output.
    """
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def bare_name(path: Path) -> str:
    """Return the file's name without a compression suffix: `trace.log` for `trace.log.zst`."""
    return path.stem if path.suffix.lower() in SUFFIXES else path.name


def sibling(path: Path, name: str) -> Path | None:
    """Find the file `name`, compressed or not, in the folder of `path`."""
    for suffix in ("", *SUFFIXES):
        candidate = path.with_name(name + suffix)
        if candidate.is_file() and not not_ordinary(candidate.stat()):
            return candidate
    return None


def compression(path: Path) -> str | None:
    """Return a file's compression from its first bytes: gzip, zstd, xz, UTF-16 or None."""
    with path.open("rb") as file:
        return _kind(file.read(_SEEN))


def _kind(start: bytes) -> str | None:
    packed = next((name for magic, name in _MAGIC if start.startswith(magic)), None)
    return packed or next((name for name, text in _UTF_16.items() if text.match(start)), None)


def open_bytes(
    path: Path, count: Callable[[int], None] | None = None, limit: float = math.inf
) -> io.BufferedReader:
    """Open a file for reading, decompressed and without a byte order mark of UTF-8.

    A file that was compressed twice is decompressed twice: pprof's are compressed as such. Text in
    UTF-16, which takes more room than in UTF-8, is seen through as compression is. `count`
    is called with the number of bytes read from the disk. Damage in a compressed file, and more
    than `limit` bytes of decompressed content, raise `InputError` from the read that meets it.
    """
    file: io.BufferedReader = io.BufferedReader(_Counted(path, count), _CHUNK)
    try:
        for _ in range(_MOST_TIMES):
            kind = _kind(file.peek(_SEEN)[:_SEEN])
            if kind is None:
                break
            file = io.BufferedReader(_Decompressed(path, file, kind, limit), _CHUNK)
        if file.peek(len(_BOM)).startswith(_BOM):
            file.read(len(_BOM))
    except BaseException:
        file.close()
        raise
    return file


class _Counted(io.RawIOBase):
    """A file that counts how much of it was read."""

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

    def __init__(self, path: Path, disk: io.BufferedReader, kind: str, limit: float) -> None:
        self._path = path
        self._limit = limit
        self._kind = kind
        self._disk = disk
        self._done = 0
        self._read_some = _decompressor(disk, kind)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        try:
            data = self._read_some(len(buffer))
        except EOFError:
            raise self._cut_off() from None
        except (OSError, zlib.error, lzma.LZMAError, UnicodeDecodeError) as error:
            if "Truncated" in str(error):
                raise self._cut_off() from None
            raise self._damaged(f"the {self._kind} data are damaged ({error})") from None
        buffer[: len(data)] = data
        self._done += len(data)
        if self._done > self._limit:
            raise InputError(
                f"the {self._kind} data decompress to more than {self._limit / 1e6:.0f} MB",
                path=path_text(self._path),
                hint="If it is no mistake, allow more: pwh ingest --max-size 100GB.",
            )
        return len(data)

    def _cut_off(self) -> InputError:
        return self._damaged(f"the {self._kind} data end too early: the file is cut off")

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
    """Return a function that reads at most so many bytes, and first those before any damage."""
    if kind == "gzip":
        return gzip.GzipFile(fileobj=file).read1
    if kind == "xz":
        return lzma.LZMAFile(file).read1
    if kind in _UTF_16:
        return _in_utf_8(file, codecs.getincrementaldecoder(kind)())
    import pyarrow as pa

    stream = pa.CompressedInputStream(pa.PythonFile(file, mode="r"), "zstd")
    # It returns all that is requested or fails, so little is requested at a time.
    return lambda size: cast("bytes", stream.read(min(size, _ZSTD_BLOCK)))


def _in_utf_8(
    file: io.BufferedReader, decoder: codecs.IncrementalDecoder
) -> Callable[[int], bytes]:
    """Return a function that reads at most so many bytes of UTF-8 from text in UTF-16."""

    def read(size: int) -> bytes:
        text = ""
        while not text and (data := file.read(max(size // 2, 2))):
            text = decoder.decode(data)
        if not text and decoder.getstate()[0]:
            raise EOFError
        return text.encode()

    return read
