"""Tables of BenchmarkDotNet: the CSV and the Markdown that it exports (*-report.csv, -github.md).

Source: recordings of versions 0.13 and 0.14. The means land, in seconds, with their deviation, and
the memory that was allocated, in bytes (KB are 1024). Columns between Method and Mean that tell the
benchmarks apart are in the name: those behind the settings of the job in CSV, and Runtime where it
differs; in Markdown all but names of jobs. Benchmarks that failed have no mean, and are left out.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence

from ingest.base import Item, LeftOut, Run
from ingest.parsing.metric_values import Value, rows
from ingest.parsing.units import SECONDS
from warehouse.errors import InputError

_CSV = re.compile(r"\ufeff?\"?Method\"?([,;])\"?Job\"?[,;]")
_VALUE = re.compile(r"(\d[\d,]*(?:\.\d+)?) ([a-zA-Z\u00b5\u03bc]+)")
_BYTES = {"B": 1, "KB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
_LAST_SETTING = "WarmupCount"
_NO_PARAMETERS = ("Method", "Type", "Namespace", "Job", "Toolchain")

_Row = dict[str, str]


def items(text: str) -> Iterator[Item]:
    """Yield a run for each table, and its values; raises `InputError` where there is no table."""
    tables = [_csv(text)] if _CSV.match(text) else _markdown(text)
    tables = [table for table in tables if table]
    if not tables:
        raise InputError("there is no result", expected="a row below | Method | ... | Mean | ...")
    values = [value for run, table in enumerate(tables) for value in _values(table, run)]
    for run in range(len(tables)):
        tags = {"recorder": "BenchmarkDotNet"}
        yield Run(key=str(run) if len(tables) > 1 else None, tags=tags)
    yield rows(values)
    means = [_amount(row.get("Mean", ""), SECONDS) for table in tables for row in table]
    yield LeftOut(means.count(None), "benchmark", "failed")


def _csv(text: str) -> list[_Row]:
    separator = _CSV.match(text)
    reader = csv.DictReader(
        io.StringIO(text.removeprefix("\ufeff")), delimiter=separator[1] if separator else ","
    )
    found = [_whole(row, reader.line_num) for row in reader]
    names = list(found[0]) if found else []
    if _LAST_SETTING not in names:
        return found
    of_job = names[1 : names.index(_LAST_SETTING) + 1]
    differs = len({row.get("Runtime") for row in found}) > 1
    dropped = [name for name in of_job if name != "Runtime" or not differs]
    return [{name: row[name] for name in names if name not in dropped} for row in found]


def _markdown(text: str) -> list[list[_Row]]:
    tables: list[list[_Row]] = []
    names: list[str] = []
    for number, line in enumerate(text.splitlines(), 1):
        cells = [cell.strip().strip("*") for cell in line.strip().strip("|").split("|")]
        if not line.strip().startswith("|"):
            names = []
        elif "Method" in cells and "Mean" in cells:
            names = cells
            tables.append([])
        elif names and any(cells) and not set("".join(cells)) <= set("-: "):
            row = dict(zip(names, cells, strict=False))
            tables[-1].append(_whole(row if len(cells) == len(names) else {}, number))
    return tables


def _whole(row: _Row, line: int) -> _Row:
    if not row or None in row or None in row.values():
        raise InputError(
            "a row has other values than the columns are", where=f"line {line}", expected="as many"
        )
    return row


def _values(table: Sequence[_Row], run: int) -> Iterator[Value]:
    """Yield the values of a table; raises `InputError` where commas may be decimal ones."""
    numbers = [
        found[1] for row in table for cell in row.values() if (found := _VALUE.fullmatch(cell))
    ]
    if any("," in number for number in numbers) and not any("." in number for number in numbers):
        raise InputError(
            "no number has a point, so the commas may be decimal ones",
            expected="1,234.5 ns",
            hint="Export in English: CultureInfo.InvariantCulture",
        )
    for row in table:
        name = _name(row)
        mean = _amount(row.get("Mean", ""), SECONDS)
        if mean is None:
            continue
        spread = _amount(row.get("StdDev", ""), SECONDS)
        deviation = spread / mean if spread is not None and mean else None
        yield Value(name, mean, "s", "lower", None, deviation, run)
        allocated = _amount(row.get("Allocated", ""), _BYTES)
        if allocated is not None:
            yield Value(f"{name} allocated", allocated, "bytes", "lower", None, None, run)


def _name(row: _Row) -> str:
    columns = list(row)
    parameters = [
        f"{name}={row[name]}"
        for name in columns[: columns.index("Mean")]
        if name not in _NO_PARAMETERS and row[name] not in ("Default", "")
    ]
    method = ".".join(row[name].strip("'") for name in ("Type", "Method") if row.get(name))
    return f"{method}({','.join(parameters)})" if parameters else method


def _amount(cell: str, units: dict[str, float] | dict[str, int]) -> float | None:
    """Return a value in seconds or bytes; None if there is none (NA, ?, -)."""
    found = _VALUE.fullmatch(cell.replace("\u03bc", "\u00b5"))
    if found is None or found[2] not in units:
        return None
    return float(found[1].replace(",", "")) * units[found[2]]
