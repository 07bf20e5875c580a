"""Big-endian values as Java's DataOutputStream writes them, with errors that name the byte."""

from __future__ import annotations

import io

from warehouse.errors import InputError

_INT_LIMIT = 1 << 31


class BigEndian:
    """Reads values one after another; `position` is that of the next byte, from 0."""

    def __init__(self, file: io.BufferedReader) -> None:
        self._file = file
        self.position = 0

    def take(self, size: int, what: str) -> bytes:
        """Return so many bytes; raises `InputError` where the file ends before."""
        data = self._file.read(size)
        if len(data) < size:
            raise self.error(f"the file ends within {what}", f"{size} bytes")
        self.position += size
        return data

    def count(self, what: str, most: int = _INT_LIMIT - 1) -> int:
        """Return a whole number of 32 bits, which must be from 0 to `most`."""
        value = int.from_bytes(self.take(4, what), "big", signed=True)
        if not 0 <= value <= most:
            self.position -= 4
            raise self.error(f"{what} is {value}", f"a whole number from 0 to {most}")
        return value

    def text(self, what: str) -> str:
        """Return a text of at most 65535 bytes, in Java's modified UTF-8."""
        start = self.position
        raw = self.take(int.from_bytes(self.take(2, what), "big"), what)
        try:
            # Java writes characters beyond 16 bits as two halves.
            halves = raw.replace(b"\xc0\x80", b"\0").decode("utf-8", "surrogatepass")
            text = halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le")
        except UnicodeDecodeError:
            self.position = start
            raise self.error(f"{what} is not text", "modified UTF-8") from None
        return text.replace("\0", "\N{REPLACEMENT CHARACTER}")

    def texts(self, what: str) -> list[str]:
        """Return a counted list of texts."""
        return [self.text(what) for _ in range(self.count(f"the number of {what}s"))]

    def at_end(self) -> bool:
        """Return whether nothing follows."""
        return not self._file.read(1)

    def error(self, problem: str, expected: str) -> InputError:
        """Return an error that names the byte."""
        return InputError(
            problem,
            where=f"byte {self.position}",
            expected=expected,
            hint="The file is cut off or damaged: copy it again.",
        )
