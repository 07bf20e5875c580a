"""Changes to a file that damage it: what fuzzing makes of a sample."""

from __future__ import annotations

import re

from hypothesis import strategies as st

_NUMBER = re.compile(rb"\d+(?:\.\d+)?")
_EXTREMES = (
    *(b"-1", b"0", b"-0", b"2147483648", b"-2147483649", b"9223372036854775808"),
    *(b"18446744073709551616", b"9" * 400, b"1e400", b"-1e400", b"1e-400", b"0x10", b"1_0"),
    *(b"nan", b"-nan", b"inf", b"2.5", b"", b" ", b"-", b".", b"e", b"1,2", b"NULL", b"None"),
)
_TOKENS = (
    *(
        b"\0",
        b"\n",
        b"\r",
        b"\r\n",
        b"\n\n",
        b"\t",
        b",",
        b";",
        b":",
        b'"',
        b"'",
        b"\\",
        b"(",
        b")",
    ),
    *(b"{", b"}", b"[", b"]", b"[" * 3000, b'{"a":' * 3000, b"\xff", b"\xff\xfe", b"\xef\xbb\xbf"),
    *(b"\xc3", b"\xe2\x80\xa8", b"\x1f\x8b", b"PAR1", b"<html>", b"A" * 100_000, b"#", b"%", b"-"),
)
_PLACE = st.floats(0, 1, exclude_max=True)


def _at(data: bytes, place: float) -> int:
    return int(len(data) * place)


def _flip(data: bytes, place: float, bit: int) -> bytes:
    at = _at(data, place)
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :] if data else data


def _put(data: bytes, place: float, byte: int) -> bytes:
    at = _at(data, place)
    return data[:at] + bytes([byte]) + data[at + 1 :]


def _delete(data: bytes, place: float, size: int) -> bytes:
    at = _at(data, place)
    return data[:at] + data[at + size :]


def _repeat(data: bytes, place: float, size: int) -> bytes:
    at = _at(data, place)
    return data[: at + size] + data[at : at + size] + data[at + size :]


def _insert(data: bytes, place: float, token: bytes) -> bytes:
    at = _at(data, place)
    return data[:at] + token + data[at:]


def _number(data: bytes, place: float, token: bytes) -> bytes:
    hit = _NUMBER.search(data, _at(data, place))
    return data[: hit.start()] + token + data[hit.end() :] if hit else data


def _drop_line(data: bytes, place: float, count: int) -> bytes:
    lines = data.splitlines(keepends=True)
    at = int(len(lines) * place)
    return b"".join(lines[:at] + lines[at + count :])


def _repeat_line(data: bytes, place: float, count: int) -> bytes:
    lines = data.splitlines(keepends=True)
    at = int(len(lines) * place)
    return b"".join(lines[: at + count] + lines[at:])


def _swap_fields(data: bytes, place: float, count: int) -> bytes:
    """Exchange two neighbouring words somewhere."""
    hit = re.compile(rb"([\w.+-]+)([^\w.+-]+)([\w.+-]+)").search(data, _at(data, place))
    if hit is None:
        return data
    return data[: hit.start()] + hit[3] + hit[2] * count + hit[1] + data[hit.end() :]


_ONE = st.one_of(
    st.tuples(st.just(_flip), _PLACE, st.integers(0, 7)),
    st.tuples(st.just(_put), _PLACE, st.integers(0, 255)),
    st.tuples(st.just(_delete), _PLACE, st.sampled_from([1, 2, 5, 50, 1 << 30])),
    st.tuples(st.just(_repeat), _PLACE, st.sampled_from([1, 7, 200])),
    st.tuples(st.just(_insert), _PLACE, st.sampled_from(_TOKENS + _EXTREMES)),
    st.tuples(st.just(_number), _PLACE, st.sampled_from(_EXTREMES)),
    st.tuples(st.just(_number), _PLACE, st.sampled_from(_EXTREMES)),
    st.tuples(st.just(_drop_line), _PLACE, st.sampled_from([1, 2, 9])),
    st.tuples(st.just(_repeat_line), _PLACE, st.sampled_from([1, 2, 9])),
    st.tuples(st.just(_swap_fields), _PLACE, st.sampled_from([1, 2])),
)
MUTATIONS = st.lists(_ONE, min_size=1, max_size=3)


def mutated(data: bytes, mutations: list[tuple]) -> bytes:
    """Apply the changes one after another."""
    for change, place, detail in mutations:
        data = change(data, place, detail)
    return data
