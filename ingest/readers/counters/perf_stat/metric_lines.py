"""`perf stat --metric-only` for programs: separated (-x), and JSON (-j).

Source: print_metric_headers, print_metric_only_csv and print_metric_only_json in
tools/perf/util/stat-display.c of the Linux kernel, from 4.6 and 6.3. Separated, a heading has the
names of the metrics behind those of the columns of the place, and each line ends with a separator;
JSON has one object a line, whose keys are the names.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pyarrow as pa

from ingest.parsing.lines import LineArray, quoted
from ingest.readers.counters.perf_stat.metric_table import metric_fields, metric_rows
from ingest.readers.counters.perf_stat.signs import (
    METRIC_PLACES,
    METRIC_VALUE,
    METRICS_OBJECT,
    OWN_FILE,
    PLAIN_NUMBERS,
    heading,
    pairs_of,
)
from udfs.arrays import Flags
from warehouse.errors import InputError

_TIME = re.compile(r" *(\d+)\.(\d{9})")
_REGIONS = ("socket", "die", "cluster", "cache", "core", "node")


class SeparatedMetrics:
    """Output of `perf stat --metric-only -x SEP`."""

    NEEDS_END = True

    def __init__(self, sep: str) -> None:
        self.sep = sep
        self._heading: tuple[list[str], list[str]] | None = None

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return the metrics of all rows."""
        known = np.zeros(len(lines.text), dtype=bool)
        found: list[dict[str, object]] = []
        for position, line in enumerate(lines.text.to_pylist()):
            cells = line.split(self.sep)
            if not line.strip() or line.startswith("#") or cells.pop().strip():
                continue
            names_above = self._heading
            if names_above is None or not METRIC_VALUE.fullmatch(cells[-1]):
                self._heading = heading(line, self.sep)
                known[position] = True
                continue
            places, names = names_above
            values = cells[len(places) :]
            if len(values) == len(names) and all(map(METRIC_VALUE.fullmatch, values)):
                place = _place(dict(zip(places, cells, strict=False)))
                found += _fields(lines.first + position, place, zip(names, values, strict=True))
                known[position] = True
        _check_decimals(found)
        return metric_rows(found), known

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        expected = "as many values as the heading has metrics, each with a separator after it"
        return f"{quoted(line)} is no row of metrics", expected, OWN_FILE


class JsonMetrics:
    """Output of `perf stat --metric-only -j`."""

    NEEDS_END = False

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return the metrics of all objects."""
        known = np.zeros(len(lines.text), dtype=bool)
        found: list[dict[str, object]] = []
        for position, line in enumerate(lines.text.to_pylist()):
            if not METRICS_OBJECT.match(line):
                continue
            known[position] = True
            pairs = pairs_of(line)
            place = _place({name: str(value) for name, value in pairs if name in METRIC_PLACES})
            metrics = [(name, str(value)) for name, value in pairs if name not in METRIC_PLACES]
            found += _fields(lines.first + position, place, metrics)
        _check_decimals(found)
        return metric_rows(found), known

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        expected = "an object of metrics by their names"
        return f"{quoted(line)} is no such object", expected, OWN_FILE


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


def _check_decimals(found: Sequence[Mapping[str, object]]) -> None:
    """Raise `InputError` where no value has decimals: perf ends them at a decimal comma."""
    if found and all(str(one["metric"]).lstrip("-").isdigit() for one in found):
        raise InputError(
            "no metric has decimals, as perf loses them in languages with decimal commas",
            where=f"line {found[0]['line']}",
            expected="metrics with decimals, such as 1.23",
            hint=PLAIN_NUMBERS,
        )


def _fields(
    number: int, place: dict[str, object], metrics: Iterable[tuple[str, str]]
) -> list[dict[str, object]]:
    """Return the metrics of a line that have a value and a name."""
    return [
        {"line": number, **place, **metric_fields(name, value.strip())}
        for name, value in metrics
        if value.strip() and name
    ]
