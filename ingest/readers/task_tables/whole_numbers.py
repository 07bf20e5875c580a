"""Fractions where a CSV file should contain whole numbers: DuckDB would round them in silence."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.parsing.lines import Chunk, chunks
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

    `columns` are names by position, from 0. One pass over the bytes, in chunks; files without
    numbers that look like fractions cost a search for them only. Raises `InputError` with the
    line, also where the last line has no end.
    """
    # DuckDB breaks over bytes that are not UTF-8 in a column that it was not asked to read.
    for chunk in chunks(recording, part, must_end=True, strict=True):
        if b"." in chunk.data or b"e" in chunk.data or b"E" in chunk.data:
            _refuse(chunk, delimiter, columns)


def _refuse(chunk: Chunk, delimiter: str, columns: Mapping[int, str]) -> None:
    data = chunk.data
    for hit in _FIELD.finditer(data):
        start = data.rfind(b"\n", 0, hit.start()) + 1
        end = data.find(b"\n", hit.end())
        text = data[start : end if end >= 0 else len(data)].decode()
        try:
            fields = next(csv.reader([text.rstrip("\r")], delimiter=delimiter), [])
        except csv.Error:
            # DuckDB reports what is wrong with the line.
            continue
        for position, name in columns.items():
            value = fields[position].strip() if position < len(fields) else ""
            if _is_fraction(value):
                raise InputError(
                    f"{value!r} in the column {name}",
                    path=chunk.path,
                    where=f"line {chunk.line_at(start)}",
                    expected="a whole number",
                )


def _is_fraction(value: str) -> bool:
    try:
        return not float(value).is_integer()
    except (ValueError, OverflowError):
        # Not a number at all: DuckDB reports it itself, with the line.
        return False
