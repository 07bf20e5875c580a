"""Lines of text files: the one way in which readers split, number and decode them.

A file is read in chunks of whole lines, so that memory stays bounded. A chunk can be taken as
bytes (for parsers on arrays), as numbered lines of text, or as an Arrow array.

Names of functions and files have bytes of any encoding. Those that are not UTF-8 become \\xNN, as
in names of files (`ingest.compressed.path_text`), and `Recording.escaped` counts them. Only formats
that are UTF-8 by definition, and what other libraries read from the same file, are taken `strict`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Literal

from ingest.compressed import path_text
from ingest.recording import Recording
from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from udfs.arrays import Flags, Integers

# Whether a last line without line break is whole. True: the reader refuses one that lacks fields.
Whole = Callable[[str], object] | Literal[True]

CHUNK_BYTES = 8 << 20
LONGEST_LINE = 256 << 20
_QUOTED = 80
_POINT = re.compile(r"\d\.$")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Whole lines of a file; only the last chunk of a file can end without a line break.

    `first` is the number of the first line in the file, from 1. `path` is the file's, for errors,
    where a recording has several.
    """

    data: bytes
    first: int = 1
    path: str | None = None

    @property
    def whole(self) -> bool:
        """Whether the last line has its line break."""
        return self.data.endswith(b"\n")

    def line_at(self, position: int) -> int:
        """Return the number of the line that contains the byte at a position in `data`."""
        return self.first + self.data.count(b"\n", 0, position)

    def check_text(self) -> None:
        """Raise `InputError` at the first line that is not UTF-8."""
        # ASCII is recognised ten times faster than it is decoded.
        _ = self.data.isascii() or self._decoded()

    def text(self) -> str:
        """Return the lines as text with ends of \\n.

        Raises `InputError` at the first line that is not UTF-8.
        """
        text = self._decoded()
        return text.replace("\r\n", "\n") if "\r" in text else text

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield (line number, text without line end); raise `InputError` as `text` does."""
        if self.data:
            yield from enumerate(self.text().removesuffix("\n").split("\n"), self.first)

    def array(self) -> LineArray:
        """Return the lines as an Arrow array; raise `InputError` as `text` does."""
        import pyarrow as pa
        import pyarrow.compute as pc

        text = self.text().removesuffix("\n")
        return LineArray(self.first, pc.split_pattern(pa.array([text]), "\n").flatten(), self.whole)

    def _decoded(self) -> str:
        try:
            return self.data.decode()
        except UnicodeDecodeError as error:
            begin = self.data.rfind(b"\n", 0, error.start) + 1
            try:
                return decode(self.data[begin : error.end], f"line {self.line_at(error.start)}")
            except InputError as wrong:
                wrong.path = self.path
                raise


@dataclass(frozen=True, slots=True)
class LineArray:
    """Lines without their ends, as an Arrow array.

    `first` is the number of the first line in the file, from 1. `whole` is False where the last
    line has no line break, which happens at the end of a file only.
    """

    first: int
    text: pa.StringArray
    whole: bool = True

    def match(self, pattern: str) -> pa.StructArray:
        """Return the named groups of a pattern (RE2), per line; null where it does not match.

        A group that takes no part in a match is the empty string.
        """
        import pyarrow.compute as pc

        return pc.extract_regex(self.text, pattern)

    def numbers(self, where: Flags) -> Integers:
        """Return the numbers of the lines that are flagged."""
        import numpy as np

        return np.flatnonzero(where) + self.first

    def line(self, number: int) -> str:
        """Return the line of that number."""
        return str(self.text[number - self.first])


def chunks(
    recording: Recording,
    part: Path | None = None,
    size: int | None = None,
    *,
    must_end: Whole | Literal[False] = False,
    strict: bool = False,
) -> Iterator[Chunk]:
    """Yield a part of a recording (the main one by default) in chunks of about `size` bytes
    (CHUNK_BYTES by default).

    With `must_end`, check the last line after the last chunk (`check_line_end`). If `strict` raise
    `InputError` at the first line that is not UTF-8.
    """
    path = None if part is None else path_text(part)
    chunk = Chunk(b"")
    with recording.open(part) as file:
        for chunk in split(file, size, path):
            if strict:
                chunk.check_text()
                yield chunk
            else:
                text = _escaped(recording, chunk.data, (part, chunk.first))
                yield Chunk(text, chunk.first, path)
    if must_end:
        last = chunk.data[chunk.data.rfind(b"\n") + 1 :].decode("utf-8", "replace")
        where = f"line {chunk.line_at(len(chunk.data) - 1)}"
        check_line_end(recording, last, must_end, part=part, where=where)


def split(file: BinaryIO, size: int | None = None, path: str | None = None) -> Iterator[Chunk]:
    """Yield what is left of a file in chunks; the first line is number 1.

    Raise `InputError` at a line that no tool writes: one of over 256 MiB.
    """
    rest, first = b"", 1
    while piece := file.read(size or CHUNK_BYTES):
        end = piece.rfind(b"\n") + 1
        if end:
            chunk = Chunk(b"".join((rest, memoryview(piece)[:end])), first, path)
            yield chunk
            first = chunk.line_at(len(chunk.data))
            rest = piece[end:]
        elif len(rest) > LONGEST_LINE:
            raise InputError(
                f"a line is longer than {LONGEST_LINE >> 20} MiB, which is not plausible",
                path=path,
                where=f"line {first}",
            )
        else:
            rest += piece
    if rest:
        yield Chunk(rest, first, path)


def numbered_lines(
    recording: Recording, part: Path | None = None, *, must_end: Whole | Literal[False] = False
) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without line end) of every line.

    Raise `InputError` as `chunks` does with `must_end`.
    """
    for chunk in chunks(recording, part, must_end=must_end):
        yield from chunk.lines()


def whole_text(
    recording: Recording,
    part: Path | None = None,
    limit: int = LONGEST_LINE,
    *,
    strict: bool = False,
) -> str:
    """Return the whole content as text.

    Raise `InputError` where it exceeds `limit` bytes, if `strict` where it is not UTF-8.
    """
    with recording.open(part) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InputError(f"the file is larger than {limit >> 20} MiB, which is not plausible")
    return decode(data if strict else _escaped(recording, data, (part, 1)), "the file")


def _escaped(recording: Recording, data: bytes, place: tuple[Path | None, int]) -> bytes:
    """Return a piece of text in which bytes that are not UTF-8 are \\xNN, and count them."""
    # ASCII is recognised ten times faster than it is decoded.
    if data.isascii():
        return data
    text = data.decode("utf-8", "backslashreplace").encode()
    if len(text) > len(data):
        # By place: some readers look through a file twice.
        recording.escaped[place] = (len(text) - len(data)) // 3
    return text


def check_line_end(
    recording: Recording,
    text: str,
    whole: Whole = True,
    *,
    part: Path | None = None,
    where: str | None = None,
) -> None:
    """Note in the recording that a text lacks its last line break, as editors and `tail` leave it.

    Raise `InputError` where its last line is not `whole`, or ends within quotes: the file was cut
    off. Of a line that has all its fields nobody can tell whether the last one has lost digits.
    """
    if not text or text.endswith(("\n", "\r")):
        return
    last = text[max(text.rfind("\n"), text.rfind("\r")) + 1 :]
    if last.count('"') % 2 or not (_has_data(last) if whole is True else whole(last)):
        raise InputError(
            "the last line has no end, so the file may have been cut off",
            path=None if part is None else path_text(part),
            where=where,
            expected="a whole last line, or a line break behind it",
            hint="Copy it again; if it is whole, add the line break.",
        )
    recording.unended.add(part or recording.path)


def _has_data(line: str) -> bool:
    """Return whether a line has more than blanks, and does not end at the point of a number."""
    return bool(line.strip()) and _POINT.search(line) is None


def decode(raw: bytes, where: str) -> str:
    """Return UTF-8 as text; raise `InputError` with the place."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {raw[error.start]:#04x} is not text",
            where=where,
            expected="UTF-8 text",
            hint="Is it the right file? Convert other encodings with iconv.",
        ) from None


def first_line(head: bytes) -> str:
    """Return the first line of a file; raise `InputError` where it is not UTF-8.

    Old spreadsheets end lines with a carriage return alone, which DuckDB reads, too.
    """
    return decode(head.replace(b"\r", b"\n").split(b"\n", 1)[0], "line 1")


def named_cells(names: Sequence[str], cells: Sequence[str], where: str) -> dict[str, str]:
    """Return the cells of a row by the names of their columns.

    Raise `InputError` where there are more or fewer cells than columns. Where two columns have one
    name, the last one counts.
    """
    if len(cells) != len(names):
        found = "is 1 value" if len(cells) == 1 else f"are {len(cells)} values"
        raise InputError(f"there {found}", where=where, expected=f"{len(names)}, as columns")
    return dict(zip(names, cells, strict=True))


def unexpected(text: str, where: int | str, expected: str, hint: str | None = None) -> InputError:
    """Return the error for a text in a line of this number, or at another place."""
    place = f"line {where}" if isinstance(where, int) else where
    return InputError(f"{quoted(text)} was found", where=place, expected=expected, hint=hint)


def quoted(line: str) -> str:
    """Quote a line for a message, shortened."""
    return repr(line if len(line) <= _QUOTED else line[:_QUOTED] + "...")
