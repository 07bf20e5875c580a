"""Files without a line break at their end: whole lines land with a note, parts of lines do not.

Of a line that is cut within its last field nobody can tell that: it may land, with the note.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import warehouse
from ingest.base import Reader
from ingest.contract import contents, land_file, parts_of, written
from ingest.forget import forget_source
from tests.ingest.case import Case
from tests.ingest.cases import CASES
from tests.ingest.copies import reader_of
from warehouse.errors import InputError
from warehouse.session import Connection

_NO_LINES = (b"{", b"[", b"<", b"window.")  # what closes such a document is no line


def outcomes() -> Iterator[tuple[str, str]]:
    """Yield of each sample what was cut off its end, and what was wrong with what landed."""
    con = warehouse.connect(":memory:")
    for case in CASES:
        for sample in (case.sample, *case.others):
            yield from of_sample(con, case, sample, cuts=40)
    con.close()


def of_sample(con: Connection, case: Case, sample: Path, cuts: int) -> Iterator[tuple[str, str]]:
    """Yield the outcomes of a sample without its last line break, and cut within its last line."""
    reader = reader_of(case)
    parts = parts_of(reader, sample)
    name, data = next(iter(parts.items()))
    if not data.endswith(b"\n") or b"\0" in data or data.lstrip().startswith(_NO_LINES):
        return
    whole, _ = _landed(con, reader, parts)
    body = data.rstrip(b"\r\n")
    found, is_noted = _landed(con, reader, parts | {name: body})
    problem = "" if found == whole else "refused" if found is None else "lands other rows"
    yield "no line break at the end", problem and f"{sample.name} is {problem}"
    begin = body.rfind(b"\n") + 1
    for size in range(begin + 1, len(body), max(1, (len(body) - begin) // cuts)):
        found, is_noted = _landed(con, reader, parts | {name: body[:size]})
        is_silent = found is not None and found != whole and not is_noted
        yield "cut in the last line", f"{sample.name} lands {size} bytes silently" * is_silent


def _landed(
    con: Connection, reader: Reader, parts: dict[str, bytes]
) -> tuple[dict[str, Any] | None, bool]:
    """Return the rows of a recording, None where it is refused, and whether its end is noted."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            landed = land_file(con, reader, written(Path(folder), parts))
        except InputError:
            return None, False
    # Times of files differ.
    rows = {table: found for table, found in contents(con).items() if table != "runs"}
    forget_source(con, landed.source_id)
    return rows, landed.unended
