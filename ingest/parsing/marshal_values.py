"""A strict reader of the part of Python's marshal format that profiles use.

`marshal.load` trusts its input: damaged bytes can crash the interpreter. This decoder knows
dicts, tuples, lists, numbers, texts, None and references, as Python 2 and 3 write them
(Python/marshal.c), and nothing that could be executed.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator
from typing import Any

from warehouse.errors import InputError

_KEEP = 0x80  # the value is referred to later
_MAX_DEPTH = 8
_LONG_DIGIT_BITS = 15
_MAX_LONG_DIGITS = 5  # more than 64 bits are not plausible
_FLOAT = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)
_UNFINISHED = object()
_END = object()


class MarshalReader:
    """Decodes values one after the other from bytes.

    Raises `InputError` naming the byte where the data end too early or contain something else.
    """

    def __init__(self, data: bytes) -> None:
        self.position = 0
        self._data = data
        self._depth = 0
        # Python 3 numbers all kept values together, Python 2 its interned strings.
        self._kept: list[Any] = []
        self._interned: list[str] = []
        self._decoders: dict[int, Callable[[], Any]] = {
            ord("N"): lambda: None,
            ord("i"): lambda: self._unpack("<i"),
            ord("I"): lambda: self._unpack("<q"),
            ord("l"): self._long,
            ord("g"): lambda: self._unpack("<d"),
            ord("f"): self._text_float,
            ord("s"): lambda: self._text("<i"),
            ord("u"): lambda: self._text("<i"),
            ord("a"): lambda: self._text("<i"),
            ord("A"): lambda: self._text("<i"),
            ord("z"): lambda: self._text("<B"),
            ord("Z"): lambda: self._text("<B"),
            ord("t"): self._interned_text,
            ord("R"): lambda: self._known(self._interned),
            ord("r"): lambda: self._known(self._kept),
            ord("("): lambda: tuple(self._items("<i")),
            ord(")"): lambda: tuple(self._items("<B")),
            ord("["): lambda: list(self._items("<i")),
            ord("{"): self._dict,
            ord("0"): lambda: _END,
        }

    def value(self) -> Any:
        """Decode the next value."""
        found = self._next()
        if found is _END:
            raise self.error("an end of a dict was found", "a value", self.position - 1)
        return found

    def pairs(self) -> Iterator[tuple[Any, Any]]:
        """Decode a dict pair by pair, without keeping it."""
        code = self._unpack("<B")
        if code & ~_KEEP != ord("{"):
            raise self.error(f"byte {code:#04x} was found", "a dict", self.position - 1)
        if code & _KEEP:
            self._kept.append(_UNFINISHED)
        return self._pairs()

    def at_end(self) -> bool:
        """Return whether all bytes have been read."""
        return self.position == len(self._data)

    def error(self, problem: str, expected: str, position: int | None = None) -> InputError:
        """Return the error for a place, by default the current one."""
        place = self.position if position is None else position
        return InputError(problem, where=f"byte {place}", expected=expected)

    def _next(self) -> Any:
        start = self.position
        code = self._unpack("<B")
        decode = self._decoders.get(code & ~_KEEP)
        if code & ~_KEEP == ord("c"):
            raise InputError(
                "the profile contains code, as those of Python's module profile do",
                where=f"byte {start}",
                expected="a dump of cProfile",
                hint="Record it with python -m cProfile -o FILE.pstats SCRIPT",
            )
        if decode is None:
            raise self.error(
                f"byte {code:#04x} is no part of a profile",
                "a number, a text, a tuple or a dict in Python's marshal format",
                start,
            )
        if self._depth == _MAX_DEPTH:
            raise self.error("the values are nested too deeply", "a profile", start)
        self._depth += 1
        keep = code & _KEEP
        if keep:
            slot = len(self._kept)
            self._kept.append(_UNFINISHED)
        found = decode()
        if keep:
            self._kept[slot] = found
        self._depth -= 1
        return found

    def _unpack(self, layout: str) -> Any:
        (found,) = struct.unpack(layout, self._take(struct.calcsize(layout)))
        return found

    def _take(self, size: int) -> bytes:
        end = self.position + size
        if end > len(self._data):
            raise InputError(
                "the data end too early",
                where=f"byte {len(self._data)}",
                expected="a whole profile",
                hint="The file seems cut off. Copy it again or record it again.",
            )
        found = self._data[self.position : end]
        self.position = end
        return found

    def _size(self, layout: str) -> int:
        size: int = self._unpack(layout)
        if size < 0:
            raise self.error(f"a length is {size}", "0 or more")
        return size

    def _long(self) -> int:
        digits = self._unpack("<i")
        if abs(digits) > _MAX_LONG_DIGITS:
            raise self.error(f"a number has {abs(digits) * _LONG_DIGIT_BITS} bits", "64 at most")
        found = 0
        for index in range(abs(digits)):
            digit = self._unpack("<H")
            if digit >> _LONG_DIGIT_BITS:
                raise self.error("a long number is damaged", "digits of 15 bits")
            found |= digit << (_LONG_DIGIT_BITS * index)
        return -found if digits < 0 else found

    def _text_float(self) -> float:
        text = self._text("<B")
        if _FLOAT.fullmatch(text) is None:
            raise self.error(f"{text!a} is in the place of a number", "a number such as 0.5")
        return float(text)

    def _text(self, layout: str) -> str:
        start = self.position
        raw = self._take(self._size(layout))
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            place = self.position - len(raw) + error.start
            raise self.error(
                f"byte {raw[error.start]:#04x} of the text from byte {start} is not text",
                "UTF-8 text",
                place,
            ) from None

    def _interned_text(self) -> str:
        found = self._text("<i")
        self._interned.append(found)
        return found

    def _known(self, known: list[Any]) -> Any:
        number = self._unpack("<i")
        if not 0 <= number < len(known) or known[number] is _UNFINISHED:
            raise self.error(
                f"there is no earlier value {number}", "the number of an earlier value"
            )
        return known[number]

    def _items(self, layout: str) -> Iterator[Any]:
        for _ in range(self._size(layout)):
            yield self.value()

    def _pairs(self) -> Iterator[tuple[Any, Any]]:
        while (key := self._next()) is not _END:
            yield key, self.value()

    def _dict(self) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        for key, value in self._pairs():
            # Hashing tuples of tuples of references to tuples could take for ever.
            parts = key if isinstance(key, tuple) else (key,)
            if any(isinstance(part, tuple | list | dict) for part in parts):
                raise self.error("a key of a dict is not plain", "a number, a text or a few")
            if key in found:
                raise self.error(f"{key!a} is a duplicate", "each key once")
            found[key] = value
        return found
