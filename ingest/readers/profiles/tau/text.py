"""One text file of a TAU profile: what one thread spent, by one metric.

Source: TAU's tools/src/perfdmf, TauDataSource.java reads it and DataSourceExport.java writes it.
A first line counts the functions and names the metric, a second names the columns (and has
metadata as XML), then a line each:

    "solve(double*)  " calls subroutines exclusive inclusive profile_calls GROUP="TAU_USER"

then aggregates and user events, each behind its count. The user events are not landed.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.arrays import Floats
from ingest.parsing.lines import LineArray, quoted
from ingest.parsing.numbers import cast
from ingest.readers.profiles.tau.facts import Metadata
from ingest.readers.profiles.tau.names import Names, names_of
from ingest.readers.profiles.tau.rows import Values
from warehouse.errors import InputError

START = re.compile(r"(\d{1,9}) templated_functions(?:_MULTI_(\S.*)|_hw_counters|_\w+)?\s*")
_COLUMNS = re.compile(r"# Name Calls Subrs Excl Incl (SumExclSqr )?ProfileCalls\b")
_ATTRIBUTE = re.compile(r"<attribute><name>(.*?)</name><value>(.*?)</value></attribute>")
_NUMBER = r"[-+]?[0-9.]\S*|[-+]?(?:nan|inf)"
_GROUP = r"(?: GROUP=\"(?P<group>.*)\")?\s*$"
_FIELDS = " ".join(f"(?P<{name}>{_NUMBER})" for name in ("calls", "subrs", "excl", "incl"))
_AGGREGATE = r'^".*"'
_EVENT = r'^".*" \S+ \S+ \S+ \S+ \S+\s*$'


@dataclass(frozen=True, slots=True)
class ProfileHead:
    """The first two lines of a profile."""

    functions: int
    metric: str
    metadata: Metadata
    squares: bool


def head_of(first: str, second: str) -> ProfileHead:
    """Read the first two lines."""
    counted = START.fullmatch(first)
    columns = _COLUMNS.match(second)
    if counted is None or columns is None:
        wrong, line = (first, 1) if counted is None else (second, 2)
        raise InputError(
            f"{quoted(wrong)} was found",
            where=f"line {line}",
            expected="N templated_functions_MULTI_METRIC"
            if line == 1
            else "# Name Calls Subrs Excl Incl ProfileCalls",
            hint="Is the file cut off, or not a profile of TAU?",
        )
    pairs = _ATTRIBUTE.findall(second)
    metadata = {html.unescape(name): html.unescape(value) for name, value in pairs}
    # A name in the metadata is whole; the first line has it without slashes.
    metric = metadata.get("Metric Name") or (counted[2] or "Time").strip()
    return ProfileHead(int(counted[1]), metric, metadata, columns[1] is not None)


def parse(text: str) -> tuple[ProfileHead, Names, Values]:
    """Read a whole profile; times stay in microseconds.

    Raises `InputError` where a line is not what it should be, or lines are missing.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    lines = pc.split_pattern(pa.array([text]), "\n").flatten()
    if len(lines) < 3:
        raise InputError("the profile has no functions", where="line 1", expected="a TAU profile")
    head = head_of(lines[0].as_py(), lines[1].as_py())
    functions = LineArray(3, lines.slice(2, head.functions))
    names, values = _functions(functions, head)
    _check_end(LineArray(3 + head.functions, lines.slice(2 + head.functions)))
    return head, names, values


def _functions(lines: LineArray, head: ProfileHead) -> tuple[Names, Values]:
    squares = rf"(?:{_NUMBER}) " if head.squares else ""
    found = lines.match(f'^"(?P<name>.+)" {_FIELDS} ' + squares + r"(?P<more>\d+)" + _GROUP)
    wrong = np.flatnonzero(~found.is_valid().to_numpy(zero_copy_only=False))
    if len(wrong) or len(lines.text) < head.functions:
        at = int(wrong[0]) if len(wrong) else len(lines.text)
        row = '"NAME" calls subroutines exclusive inclusive 0 GROUP="GROUP"'
        raise _unexpected(lines, at, f"function {at + 1} of {head.functions}: {row}")
    numbers = np.arange(len(found)) + lines.first

    def column(field: str, what: str) -> Floats:
        values: Floats = cast(found.field(field), pa.float64(), numbers, what).to_numpy()
        return values

    if column("more", "number of calls that were profiled one by one").any():
        raise InputError(
            "calls were profiled one by one, which is not read", where=f"line {lines.first}"
        )
    values = Values(
        row=np.arange(len(found)),
        calls=column("calls", "number of calls"),
        exclusive=column("excl", "exclusive value"),
        inclusive=column("incl", "inclusive value"),
    )
    return names_of(found.field("name"), found.field("group")), values


def _check_end(lines: LineArray) -> None:
    """Look for what must follow the functions, so that a file cut off is seen."""
    at = _counted(lines, 0, "aggregates", _AGGREGATE)
    if (at := _not_blank(lines, at)) < len(lines.text):
        at = _counted(lines, at, "userevents", _EVENT, heading=1)
    if (at := _not_blank(lines, at)) < len(lines.text):
        raise _unexpected(lines, at, "the end of the file")


def _counted(lines: LineArray, at: int, what: str, pattern: str, heading: int = 0) -> int:
    """Check a block of so many rows; return the position behind it, from 0."""
    at = _not_blank(lines, at)
    found = re.fullmatch(rf"(\d{{1,9}}) {what}\s*", _shown(lines, at))
    if found is None:
        raise _unexpected(lines, at, f"0 {what}")
    count = int(found[1])
    begin = at + 1 + (heading if count else 0)
    rows = lines.text.slice(begin, count)
    whole = pc.match_substring_regex(rows, pattern).to_numpy(zero_copy_only=False)
    if len(rows) < count or not whole.all():
        wrong = begin + (len(rows) if whole.all() else int(np.argmin(whole)))
        raise _unexpected(lines, wrong, f"{count} {what}, each in a line")
    return begin + count


def _not_blank(lines: LineArray, at: int) -> int:
    """Return the position of the first line from there on that is not blank."""
    blank = pc.equal(pc.utf8_trim_whitespace(lines.text.slice(at)), "")
    ahead: int = pc.index(blank, pa.scalar(False)).as_py()
    return at + ahead if ahead >= 0 else len(lines.text)


def _shown(lines: LineArray, at: int) -> str:
    return lines.text[at].as_py() if at < len(lines.text) else "the end of the file"


def _unexpected(lines: LineArray, at: int, expected: str) -> InputError:
    return InputError(
        f"{quoted(_shown(lines, at))} was found",
        where=f"line {lines.first + max(min(at, len(lines.text) - 1), 0)}",
        expected=expected,
        hint="Is the file cut off? TAU writes it when the program ends.",
    )
