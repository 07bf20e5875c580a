"""Walking through a large msgpack file without loading it: maps and lists item by item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, TypeVar

import msgpack

from warehouse.errors import InputError

T = TypeVar("T")
# No single value of a dump comes near these; a damaged length does.
_MOST_BYTES = 64 << 20
_MOST_ITEMS = 1 << 20


class Walker:
    """Reads one msgpack value from a file, piece by piece.

    `keys` and `items` step into a map or list: the caller takes or passes over each value before
    the next. Damage raises `InputError` with the byte where it was met.
    """

    def __init__(self, file: BinaryIO) -> None:
        self._unpacker = msgpack.Unpacker(
            file,
            strict_map_key=False,
            max_buffer_size=_MOST_BYTES,
            max_array_len=_MOST_ITEMS,
            max_map_len=_MOST_ITEMS,
        )

    def take(self) -> Any:
        """Return the next value whole."""
        return self._guarded(self._unpacker.unpack)

    def skip(self) -> None:
        """Skip the next value, of any size."""
        self._guarded(self._unpacker.skip)

    def keys(self, what: str) -> Iterator[Any]:
        """Step into a map: yield each key."""
        for _ in range(self._header(self._unpacker.read_map_header, what, "a map")):
            yield self._key()

    def items(self, what: str) -> Iterator[Any]:
        """Step into a list: yield each item."""
        for _ in range(self._header(self._unpacker.read_array_header, what, "a list")):
            yield self.take()

    def keys_if_map(self) -> Iterator[Any] | None:
        """Step into a map; where the next value is something else, skip it and return None."""
        try:
            count = self._unpacker.read_map_header()
        except msgpack.OutOfData:
            raise self._cut() from None
        except (ValueError, msgpack.UnpackException):
            self.skip()
            return None
        return (self._key() for _ in range(count))

    def finish(self) -> None:
        """Make sure that nothing follows."""
        try:
            more = self._unpacker.read_bytes(1)
        except msgpack.OutOfData:
            return
        if more:
            raise self.damaged("there are data after its end")

    def damaged(self, problem: str) -> InputError:
        """Return the error for what was met at the present place."""
        return InputError(
            f"this is no well-formed dump: {problem}",
            where=f"byte {self._unpacker.tell()}",
            expected="msgpack as client.dump_cluster_state writes it",
            hint="Copy the file again, or dump again.",
        )

    def _key(self) -> Any:
        key = self.take()
        if isinstance(key, (list, dict)):
            raise self.damaged(f"{str(key)[:60]!r} is the key of a map")
        return key

    def _header(self, read: Callable[[], int], what: str, expected: str) -> int:
        try:
            return read()
        except msgpack.OutOfData:
            raise self._cut() from None
        except (ValueError, msgpack.UnpackException):
            raise self.damaged(f"{what} is not {expected}") from None

    def _guarded(self, read: Callable[[], T]) -> T:
        try:
            return read()
        except msgpack.OutOfData:
            raise self._cut() from None
        except InputError:
            raise
        except (ValueError, TypeError, OverflowError, msgpack.UnpackException) as error:
            raise self.damaged(str(error) or type(error).__name__) from None

    def _cut(self) -> InputError:
        return InputError(
            "the dump ends too early: the file is cut off",
            where=f"byte {self._unpacker.tell()}",
            expected="a whole dump",
            hint="Copy the file again, or dump again.",
        )
