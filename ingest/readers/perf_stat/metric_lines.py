"""`perf stat --metric-only` for programs: separated (-x), and JSON (-j).

Source: print_metric_headers, print_metric_only_csv and print_metric_only_json in
tools/perf/util/stat-display.c of the Linux kernel, from 4.6 and 6.3. Separated, a heading has the
names of the metrics behind those of the columns of the place, and each line ends with a separator;
JSON has one object a line, whose keys are the names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ingest.parsing.lines import quoted
from ingest.readers.perf_stat.metric_table import metric_fields, metric_rows
from ingest.readers.perf_stat.signs import OWN_FILE
from warehouse.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from ingest.parsing.lines import Flags, LineArray

_TIME = re.compile(r" *(\d+)\.(\d{9})")
_VALUE = re.compile(r" *(?:-?\d+(?:\.\d+)?|-?nan|-?inf|) *")
_REGIONS = ("socket", "die", "cluster", "cache", "core", "node")
_COUNTS = ("cpus", "aggregate-number", "counters")  # how many processors perf added up
_PLACES = ("time", "interval", "cpu", "comm-pid", "thread", *_REGIONS, *_COUNTS)
_OBJECT = re.compile(r'\s*\{\s*(?:"[^"]+" : (?:"[^"]*"|\d+(?:\.\d+)?)(?:,\s*|\s*\}))+\s*\Z')


def heading_separator(lines: Sequence[str]) -> str | None:
    """Return the separator of a heading with a row of values below it, None where it is none."""
    shown = [line for line in lines if line.strip() and not line.startswith("#")][:2]
    if len(shown) < 2 or shown[0][-1].isalnum():
        return None
    sep = shown[0][-1]
    places, names = _heading(shown[0], sep)
    cells = shown[1].split(sep)
    if not names or len(cells) != len(places) + len(names) + 1 or cells[-1].strip():
        return None
    values = cells[len(places) : -1]
    is_row = all(map(_VALUE.fullmatch, values)) and any(value.strip() for value in values)
    return sep if is_row and all(re.search("[A-Za-z]", name) for name in names) else None


def is_object(line: str) -> bool:
    """Return whether a line is an object of metrics by their names, as perf writes it."""
    if not _OBJECT.match(line):
        return False
    values = [value for name, value in _pairs(line) if name not in _PLACES]
    is_text = all(isinstance(value, str) and _VALUE.fullmatch(value) for value in values)
    return is_text and any(map(bool, values))


class SeparatedMetrics:
    """What `perf stat --metric-only -x SEP` writes."""

    NEEDS_END = True

    def __init__(self, sep: str) -> None:
        self.sep = sep
        self._heading: tuple[list[str], list[str]] | None = None

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return the metrics of all rows."""
        import numpy as np

        known = np.zeros(len(lines.text), dtype=bool)
        found: list[dict[str, object]] = []
        for position, line in enumerate(lines.text.to_pylist()):
            cells = line.split(self.sep)
            if not line.strip() or line.startswith("#") or cells.pop().strip():
                continue
            heading = self._heading
            if heading is None or not _VALUE.fullmatch(cells[-1]):
                self._heading = _heading(line, self.sep)
                known[position] = True
                continue
            places, names = heading
            values = cells[len(places) :]
            if len(values) == len(names) and all(map(_VALUE.fullmatch, values)):
                place = _place(dict(zip(places, cells, strict=False)))
                found += _fields(lines.first + position, place, zip(names, values, strict=True))
                known[position] = True
        return metric_rows(found), known

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        expected = "as many values as the heading has metrics, each with a separator after it"
        return f"{quoted(line)} is no row of metrics", expected, OWN_FILE


class JsonMetrics:
    """What `perf stat --metric-only -j` writes."""

    NEEDS_END = False

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return the metrics of all objects."""
        import numpy as np

        known = np.zeros(len(lines.text), dtype=bool)
        found: list[dict[str, object]] = []
        for position, line in enumerate(lines.text.to_pylist()):
            if not _OBJECT.match(line):
                continue
            known[position] = True
            pairs = _pairs(line)
            place = _place({name: str(value) for name, value in pairs if name in _PLACES})
            metrics = [(name, str(value)) for name, value in pairs if name not in _PLACES]
            found += _fields(lines.first + position, place, metrics)
        return metric_rows(found), known

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        expected = "an object of metrics by their names"
        return f"{quoted(line)} is no such object", expected, OWN_FILE


def _heading(line: str, sep: str) -> tuple[list[str], list[str]]:
    """Return the columns of the place and the names of the metrics."""
    names = [name.strip(" ") if name.strip() in _PLACES else name for name in line.split(sep)[:-1]]
    first = next((at for at, name in enumerate(names) if name not in _PLACES), len(names))
    return names[:first], [name.strip() for name in names[first:]]


def _place(texts: dict[str, str]) -> dict[str, object]:
    """Return time and place as fields of COLUMNS."""
    place: dict[str, object] = {}
    for name, text in texts.items():
        if name in ("time", "interval"):
            time = _TIME.fullmatch(text)
            place["time"] = int(time[1] + time[2]) if time else round(float(text) * 1e9)
        elif name == "cpu":
            place["cpu"] = text.removeprefix("CPU")
        elif name in ("comm-pid", "thread"):
            place["comm"], _, place["tid"] = text.rpartition("-")
        elif name in _REGIONS:
            place["place"] = text
    return place


def _fields(
    number: int, place: dict[str, object], metrics: Iterable[tuple[str, str]]
) -> list[dict[str, object]]:
    """Return the metrics of a line that have a value and a name."""
    return [
        {"line": number, **place, **metric_fields(name, value.strip())}
        for name, value in metrics
        if value.strip() and name
    ]


def _pairs(line: str) -> list[tuple[str, object]]:
    try:
        pairs: list[tuple[str, object]] = json.loads(line, object_pairs_hook=list)
    except ValueError as error:
        raise InputError(
            f"{quoted(line)} is no JSON object ({error})", expected="one object a line"
        ) from None
    return pairs
