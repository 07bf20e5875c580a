"""From what goes wrong inside a reader or DuckDB to a message in the user's words."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager

import duckdb

from ingest.base import Reader
from ingest.compressed import path_text
from ingest.recording import Recording
from warehouse import duckdb_texts as texts
from warehouse.damage import damage
from warehouse.errors import InputError, PwhError
from warehouse.memory import out_of_memory
from warehouse.messages import without_class
from warehouse.transactions import disk_full

_SUM = re.compile(r"sum\((.+)\)")
# What DuckDB's message contains; the problem, what was expected, and what to do.
_DAMAGED_TEXT = (
    (
        texts.MIXED_LINE_ENDS,
        "its lines end in several ways",
        "the same characters at the end of every line",
        "Rows that were added on another system have other ends: dos2unix FILE.",
    ),
    (texts.OPEN_QUOTE, "a quote is never closed", 'a closing "', None),
    (texts.NOT_UTF8, "the text is not UTF-8", "UTF-8 text", "Convert it with iconv."),
)
_SCRATCH = re.compile(r"(?:file )?['\"][^'\"]*/pwh-[^'\"]*['\"]")
_TYPES = {
    "DOUBLE": "a number",
    "INTEGER": "a whole number within 32 bits",
    "BIGINT": "a whole number within 64 bits",
    "TIMESTAMP WITH TIME ZONE": "a date and time such as 2026-01-31T12:00:00Z",
}


@contextmanager
def input_errors(recording: Recording, reader: Reader) -> Iterator[None]:
    """Name the file in errors, and turn a reader's surprise at damaged data into one."""
    path = path_text(recording.path)
    try:
        yield
    except InputError as error:
        error.path = error.path or path
        raise
    except PwhError:
        raise
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise disk_full() from error
        unreadable = InputError(f"cannot be read: {error.strerror or error}", path=path)
        raise out_of_memory(error) or unreadable from error
    except duckdb.Error as error:
        translated = _from_duckdb(error, None)
        if isinstance(translated, InputError):
            translated.path = path
        raise translated from error
    except Exception as error:
        raise out_of_memory(error) or InputError(
            f"the file is not a well-formed {reader.NAME} recording "
            f"({type(error).__name__}: {_first_line(error)})",
            path=path,
            expected=reader.DESCRIPTION,
            hint="Is it whole? If it is what its tool writes, this is a gap in the reader.",
        ) from error


@contextmanager
def interruptions() -> Iterator[None]:
    """Raise `KeyboardInterrupt` where the user interrupted a query: DuckDB has its own error."""
    try:
        yield
    except RuntimeError as error:
        if texts.INTERRUPTED in str(error):
            raise KeyboardInterrupt from None
        raise


@contextmanager
def select_errors(table: str, path: str) -> Iterator[None]:
    """Turn DuckDB's errors while it reads a file or lands its rows into `InputError`."""
    try:
        yield
    except duckdb.Error as error:
        translated = _from_duckdb(error, table)
        if isinstance(translated, InputError):
            translated.path = path
        raise translated from None


def _from_duckdb(error: Exception, table: str | None) -> PwhError:
    message = str(error)
    if texts.NO_SPACE.search(message):
        return disk_full()
    # Files of recordings are read from a scratch folder, which errors in values do not name.
    of_file = _SCRATCH.search(message) or texts.IN_PARQUET.search(message)
    if (ran_out := out_of_memory(error)) is not None:
        return ran_out
    if not of_file and (damaged := damage(error)) is not None:
        return damaged
    translated: PwhError
    match error:
        case duckdb.InternalException():
            translated = InputError(
                f"DuckDB failed over it ({_first_line(error)})",
                expected="a whole file",
                hint="Is it damaged? Nothing of it landed.",
            )
        case duckdb.ConstraintException():
            translated = _empty_value(error, table)
        case duckdb.Error() if texts.LONG_LINE in message:
            translated = InputError(
                "a line is too long", where=_line(message, table), expected="lines of at most 2 MB"
            )
        case duckdb.Error() if texts.SPLIT_LINE in message:
            translated = InputError(
                "a line is too long, or a value in quotes has line breaks",
                where=table,
                expected="lines of at most 2 MB, each a row",
            )
        case duckdb.DataError() | duckdb.InvalidInputException():
            translated = _bad_value(message, table)
        case duckdb.IOException():
            translated = InputError(_plain_message(message))
        case _:
            translated = InputError(
                f"cannot be landed in {table or 'runs'}: {_plain_message(message)}"
            )
    return translated


def _empty_value(error: Exception, table: str | None) -> InputError:
    column = texts.NOT_NULL.search(str(error))
    if column is None:
        return InputError(_plain_message(str(error)))
    return InputError(
        f"the column {column.group(1)} is empty in some row",
        where=table,
        expected=f"a value of {column.group(1)} in every row",
    )


def _bad_value(message: str, table: str | None) -> InputError:
    where = _line(message, table)
    if value := texts.CSV_VALUE.search(message):
        column, found, kind = value.groups()
        return InputError(
            f"{found!r} in the column {column}", where=where, expected=_TYPES.get(kind, kind)
        )
    if beyond := _out_of_range(message, where):
        return beyond
    if columns := texts.CSV_COLUMNS.search(message):
        expected, got = columns.groups()
        return InputError(
            f"{got} columns", where=where, expected=f"{expected}, as in the first line"
        )
    for mark, problem, expected, hint in _DAMAGED_TEXT:
        if mark in message.lower():
            return InputError(problem, where=where, expected=expected, hint=hint)
    return InputError(_plain_message(message), where=where)


def _line(message: str, table: str | None) -> str | None:
    """Return the line of a CSV file that a message names, else the table."""
    line = texts.CSV_LINE.search(message)
    return f"line {line.group(1)}" if line else table


def _out_of_range(message: str, where: str | None) -> InputError | None:
    """Return the error for a number or a sum too large for its column; None for other messages."""
    if found := texts.RANGE.search(message):
        value, kind, column = found.groups()
        summed = _SUM.fullmatch(column or "")
        what = f"the sum of {summed[1]}" if summed else column or "a number"
        problem, bits = f"{what} is out of range: {value}", re.sub(r"\D", "", kind) or "64"
    elif found := texts.OVERFLOW.search(message):
        bits, operation = found.groups()
        problem = f"numbers are out of range: {operation} is beyond {bits} bits"
    else:
        return None
    return InputError(problem, where=where, expected=f"a whole number within {bits} bits")


def _plain_message(message: str) -> str:
    """Return DuckDB's message without its class and advice on its own options."""
    text = message.split("\n\n", 1)[0]
    text = _SCRATCH.sub("the file", without_class(text))
    return " ".join(text.split("Possible", 1)[0].split())[:400]


def _first_line(error: Exception) -> str:
    return (str(error) or "no detail").splitlines()[0][:200]
