"""The tables of `perf stat --metric-only` and `--topdown`: a column for each metric.

Source: print_metric_only and print_metric_headers in tools/perf/util/stat-display.c of the Linux
kernel. perf aligns names and values at the right, in columns as wide as the longer of the two.
Names contain blanks, so columns are found by where values end; where the two do not end together,
by their number, if names are at least two blanks apart and no value is missing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import pyarrow as pa

from ingest.parsing.lines import LineArray, quoted
from ingest.readers.counters.perf_stat.forms import COLUMNS
from ingest.readers.counters.perf_stat.signs import OWN_FILE, PLACE
from udfs.arrays import Flags
from warehouse.errors import InputError

_ROW = re.compile(
    r" *(?:(?P<time>\d+\.\d{9})(?: +|$))?"
    rf"(?:CPU(?P<cpu>\d+) +|(?P<place>{PLACE}) +(?:\d+ +)?)?"
    r"(?P<cells>(?:(?:-?\d+\.\d+|-?nan|-?inf)%?(?: +|$))*)"
)
_CELL = re.compile(r"(-?\d+\.\d+|-?nan|-?inf)(%?)")
_WIDTH = 20  # METRIC_ONLY_LEN
# A name is with its unit: "%  tma_retiring".
_NAME = re.compile(r"(?:%  )?\S+(?: \S+)*")
_HEADING = re.compile(r"(?:#? +time )?(?= *\S*[A-Za-z%]).*")


def is_row(line: str) -> bool:
    """Return whether a line has values only, after its time and place."""
    found = _ROW.fullmatch(line)
    return found is not None and found["cells"] != ""


class MetricTable:
    """Output of `perf stat --metric-only`."""

    NEEDS_END = True

    def __init__(self) -> None:
        self._heading: tuple[int, str] | None = None

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return the metrics of all rows; raises `InputError` where columns and names differ."""
        known = np.zeros(len(lines.text), dtype=bool)
        found: list[dict[str, object]] = []
        for place, text in enumerate(lines.text.to_pylist()):
            number = lines.first + place
            row = _ROW.fullmatch(text)
            if row is None:
                self._heading = (number, text) if text.strip() else self._heading
            elif row["cells"]:
                if self._heading is None or not _HEADING.fullmatch(self._heading[1]):
                    raise _unnamed(number, text)
                if self._heading[0] >= lines.first:
                    known[self._heading[0] - lines.first] = True
                known[place] = True
                found += _cells(row, self._heading[1], number)
            else:
                known[place] = bool(row["time"] or row["cpu"] or row["place"])
        return metric_rows(found), known

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        return f"{quoted(line)} is no row of metrics", "a value below each metric's name", OWN_FILE


def _cells(row: re.Match[str], heading: str, number: int) -> list[dict[str, object]]:
    """Return the metrics of a row, each with the name that is above it."""
    cells = list(_CELL.finditer(row.string, row.start("cells")))
    # The prefix of a row ends before the padding of its first column.
    begin = len(row.string[: row.start("cells")].rstrip())
    ends = [cell.end() for cell in cells]
    names = _aligned(heading, begin, ends) or _in_order(heading[begin:], len(cells))
    if names is None:
        raise InputError(
            f"the values of {quoted(row.string)} are not below the names of metrics",
            where=f"line {number}",
            expected="columns as perf aligns them",
            hint="Record without --metric-only to have a name beside each value.",
        )
    place = {
        "line": number,
        "time": int(row["time"].replace(".", "")) if row["time"] else None,
        "cpu": row["cpu"] or "",
        "place": row["place"] or "",
    }
    return [
        {**place, **metric_fields("%  " * (bool(cell[2]) and "%" not in name) + name, cell[1])}
        for name, cell in zip(names, cells, strict=True)
    ]


def metric_fields(name: str, value: str) -> dict[str, object]:
    """Return a metric by the name that perf writes above it, as fields of COLUMNS."""
    event, _, clock = name.rpartition(" ")
    if clock == "GHz":
        return {"event": event.strip() or "cycles", "metric": value, "metric_unit": clock}
    share = "%  " if " of all " in name and "%" not in name else ""
    return {"event": name.removeprefix("%  "), "metric": value, "metric_unit": share + name}


def metric_rows(found: Sequence[Mapping[str, object]]) -> pa.Table:
    """Return the table of a form (COLUMNS) from fields; what a row lacks is ""."""
    types = {"line": pa.int64(), "time": pa.int64()}
    names = ("line", "time", *COLUMNS)
    columns = [
        pa.array(
            [one.get(n, None if n in types else "") for one in found], types.get(n, pa.string())
        )
        for n in names
    ]
    return pa.table(columns, list(names))


def _aligned(heading: str, begin: int, ends: list[int]) -> list[str] | None:
    """Return the names that end where the values do; None where one does not."""
    begins = [begin, *ends[:-1]]
    names = [heading[start:end].strip() for start, end in zip(begins, ends, strict=True)]
    at_ends = all(heading[end - 1 : end].strip() for end in ends)
    apart = not any(heading[end : end + 1].strip() for end in ends)
    whole = len(heading.rstrip()) == ends[-1]
    # Above a missing value there is a name, too, which would seem a part of the next one.
    wide = all(
        end - start == 1 + max(_WIDTH, len(name))
        for name, start, end in zip(names[1:], ends[:-1], ends[1:], strict=True)
    )
    single = all(_NAME.fullmatch(name) for name in names)
    return names if single and at_ends and apart and whole and wide else None


def _in_order(heading: str, count: int) -> list[str] | None:
    """Return names that are two blanks apart; None where their number is another.

    As those that fill their column are one blank apart, so that two would seem one.
    """
    names = [name.strip() for name in _NAME.findall(heading)]
    apart = all(len(name) < _WIDTH for name in names)
    return names if apart and len(names) == count else None


def _unnamed(number: int, line: str) -> InputError:
    return InputError(
        f"there are no names above {quoted(line)}",
        where=f"line {number}",
        expected="a line with the names of the metrics before their values",
        hint=OWN_FILE,
    )
