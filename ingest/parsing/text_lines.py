"""Large line-oriented text as Arrow arrays, so that no reader loops over its lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ingest.recording import decode
from warehouse.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from ingest.recording import Recording

    Flags = npt.NDArray[np.bool_]
    Integers = npt.NDArray[np.int64]

_SHOWN = 80


@dataclass(frozen=True, slots=True)
class Lines:
    """A stretch of a file: its lines without their ends.

    `first` is the number of the first line in the file, from 1. `whole` is False where the last
    line has no line end, which happens at the end of a file only.
    """

    first: int
    text: pa.StringArray
    whole: bool = True

    def match(self, pattern: str) -> pa.StructArray:
        """Give the named groups of a pattern (RE2), per line; null where it does not match.

        A group that takes no part in a match is the empty string.
        """
        import pyarrow.compute as pc

        return pc.extract_regex(self.text, pattern)

    def numbers(self, where: Flags) -> Integers:
        """Give the numbers of the lines that are flagged."""
        import numpy as np

        return np.flatnonzero(where) + self.first

    def line(self, number: int) -> str:
        """Give the line of that number."""
        return str(self.text[number - self.first])


def stretches(recording: Recording) -> Iterator[Lines]:
    """Give a text file in stretches of some MiB, in order; a byte-order mark is dropped.

    Raises `InputError` at the first line that is not UTF-8.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    first = 1
    for chunk in recording.chunks():
        text = _decoded(chunk, first)
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        whole = text.endswith("\n")
        lines = pc.split_pattern(pa.array([text[:-1] if whole else text]), "\n").flatten()
        yield Lines(first, lines, whole)
        first += len(lines)


def shown(line: str) -> str:
    """Quote a line for a message, cut to a bearable length."""
    return repr(line if len(line) <= _SHOWN else line[:_SHOWN] + "...")


def cast(values: pa.Array, kind: pa.DataType, lines: Integers, what: str) -> pa.Array:
    """Turn text into numbers of a type; "" and null become null.

    `lines` are the values' line numbers. Raises `InputError` at the first that does not fit.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    values = pc.if_else(pc.equal(values, ""), pa.scalar(None, pa.string()), values)
    try:
        return values.cast(kind)
    except pa.ArrowInvalid:
        for value, line in zip(values, lines.tolist(), strict=True):
            if not _fits(value, kind):
                raise InputError(
                    f"the {what} {value} is no number that can be",
                    where=f"line {line}",
                    expected=f"a number within {kind.bit_width} bits",
                ) from None
        raise


def _fits(value: Any, kind: pa.DataType) -> bool:
    import pyarrow as pa

    try:
        value.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def _decoded(chunk: bytes, first: int) -> str:
    try:
        return chunk.decode("utf-8-sig" if first == 1 else "utf-8")
    except UnicodeDecodeError as error:
        if chunk.startswith((b"\xff\xfe", b"\xfe\xff")):
            return decode(chunk, f"line {first}")
        number = first + chunk.count(b"\n", 0, error.start)
        begin = chunk.rfind(b"\n", 0, error.start) + 1
        return decode(chunk[begin : error.end], f"line {number}")
