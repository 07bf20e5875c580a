"""Which reader a file is for, by how it begins."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from ingest.base import Head, Reader
from ingest.compressed import path_text
from ingest.deferred import Deferred
from ingest.ordinary import not_ordinary
from ingest.recording import read_head
from ingest.unread_formats import UnreadFormat, unread_format_of, unread_formats
from warehouse.errors import InputError, UsageError

_NUMBER = re.compile(rb'\s*"?[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?"?\s*')
# Formats of `unread_formats.csv` that a file is of before any reader is tried.
_TAR = "a tar archive"
_DOCUMENTS = ("an HTML page, perhaps an error page saved under this name", "a manual page")
_MARKDOWN = "a document that quotes text (Markdown)"
# Readers of what tools print: the log of a job can have the output of several.
_PRINTED = frozenset(
    {
        *("benchmarks", "function-tables", "gprof", "likwid", "load-tests", "perf-stat"),
        *("strace", "sysstat", "time"),
    }
)
_READS_ARCHIVES = "scorep-cube"
_FEW_QUOTES = 4  # lines, of two quotations
_TABLE = (
    "Is each row a run? Name the column of its count threads, ranks or nodes, and that of its time "
    "with the unit: time_s, time_ms ... What else is counted, state: --reader timing-tables "
    "--parameter NAME=KIND\n"
    "  Is each row the time of a function? Name the columns function, ranks (or threads) and "
    "seconds.\n"
    "  Is each column a metric? pwh reads a value a row, in the columns region, event and value. "
    "DuckDB's UNPIVOT makes these: UNPIVOT 'FILE' ON COLUMNS(* EXCLUDE (...)) INTO NAME event "
    "VALUE value"
)


class EmptyFile(InputError):
    """A file has no content: there is nothing of it that could be lost."""


def recognise(path: Path, readers: Iterable[Reader]) -> tuple[Reader, str | bool]:
    """Return the first reader that recognises a file, and what its `sniff` returned.

    Raises `InputError` where none does, and as `head_of` does.
    """
    head = head_of(path)
    broken = []
    document = _document(head)
    is_archive = unread_formats()[_TAR].fits(head)
    for reader in () if document else readers:
        try:
            if not (is_archive and _reads_text(reader)) and (form := reader.sniff(head)):
                return reader, form
        except UsageError as error:  # a reader of another package
            broken.append(error.problem)
    known = document or unread_format_of(head)
    if known is not None:
        advice = known.advice
    elif _is_table(head):
        advice = _TABLE
    else:
        advice = "If it is one of them, name it: --reader NAME."
    raise InputError(
        f"no reader recognises this file; {_looks_like(head, known)}",
        path=path_text(path),
        expected="one of the formats that `pwh readers` lists",
        hint="\n  ".join((advice, *broken)),
    )


def _reads_text(reader: Reader) -> bool:
    """Return whether a reader is pwh's own and of no archive: the texts in one are several."""
    return isinstance(reader, Deferred) and not reader.package and reader.NAME != _READS_ARCHIVES


def also_printed(path: Path, reader: Reader, readers: Iterable[Reader]) -> tuple[str, ...]:
    """Return the names of other readers for which a text has something, too: printed by tools."""
    if reader.NAME not in _PRINTED:
        return ()
    head = head_of(path)
    if head.data.lstrip()[:1] in (b"{", b"["):
        return ()
    others = (one for one in readers if one.NAME in _PRINTED and one.NAME != reader.NAME)
    return tuple(other.NAME for other in others if other.sniff(head))


def _document(head: Head) -> UnreadFormat | None:
    """Return what document a file is, None for others: a manual's examples are no recording.

    Text in Markdown that quotes once or twice can be what a tool printed, with a heading.
    """
    found = [one for what in _DOCUMENTS if (one := unread_formats()[what]).fits(head)]
    if head.data.count(b"\n```") > _FEW_QUOTES:
        found.append(unread_formats()[_MARKDOWN])
    return next(iter(found), None)


def _is_table(head: Head) -> bool:
    """Return whether a file is a table with headings and, below, several columns with a number."""
    first, second = (*head.data.split(b"\n", 2), b"", b"")[:2]
    separator = max((b",", b";", b"\t"), key=first.count)
    columns = second.split(separator)
    has_number = any(_NUMBER.fullmatch(field) for field in columns)
    return len(columns) > 1 and first.count(separator) == second.count(separator) and has_number


def head_of(path: Path) -> Head:
    """Return the beginning of a file.

    Raises `EmptyFile` where it is empty, another `InputError` where it cannot be read.
    """
    try:
        # Unlike is_file, stat raises where a folder above is not accessible.
        if problem := not_ordinary(path.stat()):
            raise InputError(problem, path=path_text(path), expected="a file with data")
        data = read_head(path)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise InputError(problem, path=path_text(path)) from None
    if not data:
        raise EmptyFile("the file is empty", path=path_text(path), expected="a recording")
    return Head(data, path)


def _looks_like(head: Head, known: UnreadFormat | None) -> str:
    """Describe a file that no reader recognises."""
    if known is not None:
        return f"it is {known.what}"
    data = head.data
    if b"\0" in data[:4096]:
        return "it is binary data"
    first = data.lstrip().split(b"\n", 1)[0].decode("utf-8", "replace").strip()
    # Control characters would move the cursor.
    first = "".join(c if c.isprintable() else " " for c in first)
    if head.name.lower().endswith((".csv", ".tsv")):
        return f"its columns ({first[:120]}) are those of no landing table"
    return f"it begins with {first[:60]!r}"
