"""The files of one recording: named, read, counted, with errors in the user's words."""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ingest.base import HEAD_BYTES
from ingest.compressed import SUFFIXES, compression, open_bytes, path_text
from warehouse.errors import InputError

_CHUNK = 1 << 20


def bare_name(path: Path) -> str:
    """Give the file's name without a compression suffix: `trace.log` for `trace.log.zst`."""
    return path.stem if path.suffix.lower() in SUFFIXES else path.name


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
