"""Fractions where a CSV file should hold whole numbers: DuckDB would round them in silence."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.parsing.line_end import refuse_cut
from warehouse.errors import InputError

if TYPE_CHECKING:
    from ingest.recording import Recording

_FIELD = re.compile(
    rb"""
    (?: ^ | (?<=[,;\t|"]) ) \ *
    [-+]? (?: \d+\.\d* | \.\d+ | \d+(?=[eE]) ) (?: [eE][-+]?\d+ )?
    \ * (?=[,;\t|"\r\n])
    """,
    re.MULTILINE | re.VERBOSE,
)


def refuse_fractions(
    recording: Recording, part: Path, delimiter: str, columns: Mapping[int, str]
) -> None:
    """Look through a CSV file for values such as 2.5 in whole-number columns.

    `columns` gives name by position, from 0. One pass over the bytes, in chunks; files without
    numbers that look like fractions cost a search for them only. Raises `InputError` with the
    line, also where the last line has no end.
    """
    line, last = 1, b"\n"
    for chunk in recording.chunks(part):
        _must_be_text(chunk, line, part)
        if b"." in chunk or b"e" in chunk or b"E" in chunk:
            _refuse(chunk, line, part, delimiter, columns)
        line += chunk.count(b"\n")
        last = chunk[-1:]
    refuse_cut(last, path=str(part), where=f"line {line}")


def _must_be_text(chunk: bytes, line: int, part: Path) -> None:
    """Refuse other bytes: DuckDB breaks over them in a column that it was not asked for."""
    try:
        _ = chunk.isascii() or chunk.decode()
    except UnicodeDecodeError as error:
        number = line + chunk.count(b"\n", 0, error.start)
        raise InputError(
            f"byte {chunk[error.start]:#04x} is not text",
            path=str(part),
            where=f"line {number}",
            expected="UTF-8 text",
            hint="Convert it with iconv.",
        ) from None


def _refuse(
    chunk: bytes, line: int, part: Path, delimiter: str, columns: Mapping[int, str]
) -> None:
    for hit in _FIELD.finditer(chunk):
        start = chunk.rfind(b"\n", 0, hit.start()) + 1
        end = chunk.find(b"\n", hit.end())
        text = chunk[start : end if end >= 0 else len(chunk)].decode("utf-8", "replace")
        try:
            fields = next(csv.reader([text.rstrip("\r")], delimiter=delimiter), [])
        except csv.Error:
            # DuckDB says what is wrong with the line.
            continue
        for position, name in columns.items():
            value = fields[position].strip() if position < len(fields) else ""
            if _is_fraction(value):
                number = line + chunk.count(b"\n", 0, start)
                raise InputError(
                    f"{value!r} in the column {name}",
                    path=str(part),
                    where=f"line {number}",
                    expected="a whole number",
                )


def _is_fraction(value: str) -> bool:
    try:
        return not float(value).is_integer()
    except (ValueError, OverflowError):
        # Not a number at all: DuckDB says so itself, with the line.
        return False
