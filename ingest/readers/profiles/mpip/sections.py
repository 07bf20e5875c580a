"""The sections of an mpiP report, and their tables as Arrow columns.

A section begins with its title between two rules: `@--- MPI Time (seconds) ----`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.lines import LineArray, chunks, quoted
from ingest.parsing.numbers import cast
from ingest.recording import Recording
from udfs.arrays import Flags, Floats, Integers
from warehouse.errors import InputError

_TITLE = r"^@--- (?P<title>.*?) -*\s*$"
NUMBER = r"[0-9.]\S*|-?(?:nan|inf)"


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its title and its lines, without the rules around it."""

    title: str
    lines: LineArray

    def counted(self) -> int | None:
        """Return the number at the end of the title: `Callsites: 11`."""
        found = re.search(r": (\d{1,9})$", self.title)
        return int(found[1]) if found else None

    def filled(self, pattern: str, expected: str) -> Table:
        """Take the rows apart, of which there must be some; see `table`."""
        table = self.table(pattern, expected)
        if not len(table.line):
            raise InputError(
                f"{self.title!r} has no rows",
                where=f"line {self.lines.first}",
                expected=expected,
                hint="Is the report damaged? Copy it again.",
            )
        return table

    def table(self, pattern: str, expected: str) -> Table:
        """Take the rows below the column names apart; every row must match the pattern."""
        text = self.lines.text
        numbers = np.arange(len(text)) + self.lines.first
        wanted = np.flatnonzero(
            pc.not_equal(pc.utf8_trim_whitespace(text), "").to_numpy(zero_copy_only=False)
        )[1:]
        rows = text.take(pa.array(wanted))
        found = pc.extract_regex(rows, pattern)
        wrong = np.flatnonzero(~found.is_valid().to_numpy(zero_copy_only=False))
        if len(wrong):
            raise InputError(
                f"{quoted(rows[int(wrong[0])].as_py())} was found in {self.title!r}",
                where=f"line {numbers[wanted[wrong[0]]]}",
                expected=expected,
                hint="Is the report damaged? Copy it again.",
            )
        return Table(found, numbers[wanted], self.lines.first)


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of a section: their fields as text, the line of each, and that of the column names."""

    fields: pa.StructArray
    line: Integers
    first: int

    def text(self, name: str) -> pa.StringArray:
        """Return a field as text."""
        return self.fields.field(name)

    def integers(self, name: str, what: str) -> pa.Int64Array:
        """Return a field as whole numbers; null where it is empty."""
        return cast(self.text(name), pa.int64(), self.line, what)

    def floats(self, name: str, what: str) -> Floats:
        """Return a field of numbers that cannot be negative."""
        values: Floats = cast(self.text(name), pa.float64(), self.line, what).to_numpy()
        wrong = np.flatnonzero(~((values >= 0) & (values < 1e18)))
        if len(wrong):
            raise self.error(f"the {what} {values[wrong[0]]:g}", int(wrong[0]), "a number from 0")
        return values

    def where(self, mask: Flags) -> Table:
        """Return the rows that are flagged."""
        return Table(self.fields.filter(pa.array(mask)), self.line[mask], self.first)

    def error(self, problem: str, row: int, expected: str) -> InputError:
        """Return an error that names the line of a row; of an empty table, that of its head."""
        line = self.line[row] if len(self.line) else self.first
        return InputError(problem, where=f"line {line}", expected=expected)


def sections(recording: Recording) -> list[Section]:
    """Return the header, whose title is empty, and the sections of a report.

    Raises `InputError` where the report has no end.
    """
    text = pa.concat_arrays([chunk.array().text for chunk in chunks(recording)])
    title = pc.extract_regex(text, _TITLE)
    at = np.flatnonzero(title.is_valid().to_numpy(zero_copy_only=False)).tolist()
    titles = title.filter(title.is_valid()).field("title").to_pylist()
    if "End of Report" not in titles:
        raise InputError(
            "the report has no end",
            where=f"line {len(text)}",
            expected="@--- End of Report",
            hint="It is cut off, or the program did not reach MPI_Finalize.",
        )
    found = []
    # A title has a rule above and below.
    begins, ends = [0, *(place + 2 for place in at)], [*(place - 1 for place in at), len(text)]
    for name, begin, end in zip(["", *titles], begins, ends, strict=True):
        found.append(Section(name, LineArray(begin + 1, text.slice(begin, max(end - begin, 0)))))
    return found
