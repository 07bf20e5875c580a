"""CSV of Google Benchmark (--benchmark_format=csv), hyperfine (--export-csv), pytest-benchmark.

Each is turned into the object that the same tool writes as JSON. Sources: src/csv_reporter.cc of
Google Benchmark, src/export/csv.rs of hyperfine, csv.py of pytest-benchmark (pytest-benchmark
compare --csv); files written by 1.7.1, 1.15 and 5.2.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterator
from typing import Any

from ingest.parsing.lines import check_line_end
from warehouse.errors import InputError

_TEXTS = ("name", "command", "time_unit", "label", "error_message", "error_occurred")
_FAILED = 8  # the column error_occurred
_PARAMETER = "parameter_"
_STATISTICS = ("mean", "median", "stddev")


def google(text: str) -> dict[str, Any]:
    """Return Google Benchmark's table as its JSON; what was printed before it is left out.

    The table does not distinguish a statistic from a benchmark: rows are statistics of a benchmark
    that has a mean, a median and a deviation, and whose name and an underscore they begin with.
    """
    entries = list(_rows(text[text.index("name,iterations,") :]))
    names = {entry["name"] for entry in entries}
    repeated = [
        name.removesuffix("_mean")
        for name in names
        if all(f"{name.removesuffix('_mean')}_{one}" in names for one in _STATISTICS)
    ]
    seen: Counter[str] = Counter()
    for entry in entries:
        name = entry["name"]
        failed = entry.get("error_occurred") == "true"
        of = max((one for one in repeated if name.startswith(f"{one}_")), key=len, default=None)
        fitted = name.endswith(("_BigO", "_RMS")) and "iterations" not in entry
        if failed:
            entry["error_occurred"] = True
        elif (of is not None and name not in repeated) or fitted:
            entry["run_name"] = of or name
            entry["aggregate_name"] = name.removeprefix(f"{of}_")
        else:
            entry["repetition_index"] = float(seen[name])
            seen[name] += 1
    return {"context": {"date": None}, "benchmarks": entries}


def hyperfine(text: str) -> dict[str, Any]:
    """Return hyperfine's table as its JSON: it has the mean times, not each."""
    results = []
    for row in _rows(text, texts=_PARAMETER):
        parameters = {
            name.removeprefix(_PARAMETER): row.pop(name)
            for name in list(row)
            if name.startswith(_PARAMETER)
        }
        results.append(row | {"parameters": parameters})
    return {"results": results}


def pytest_benchmark(text: str) -> dict[str, Any]:
    """Return pytest-benchmark's table as its JSON: it has the mean times, not each."""
    return {
        "benchmarks": [{"name": row["name"], "stats": row} for row in _rows(text, texts="outliers")]
    }


def _rows(text: str, texts: str = "\0") -> Iterator[dict[str, Any]]:
    """Yield a table's rows without their empty cells; columns named `texts`... are no numbers."""
    check_line_end(text[-1:].encode())
    rows = csv.reader(io.StringIO(text), strict=True)
    try:
        header = next(rows)
        for cells in rows:
            where = f"row {rows.line_num}"
            # Google Benchmark writes no cells for the counters of one that failed.
            failed = ["true"] == cells[_FAILED:][:1] and header[_FAILED:][:1] == ["error_occurred"]
            row = cells + [""] * (len(header) - len(cells)) if failed else cells
            if len(row) != len(header):
                problem = f"there are {len(row)} values"
                raise InputError(problem, where=where, expected=f"{len(header)}, as columns")
            yield {
                name: cell if name in _TEXTS or name.startswith(texts) else _number(cell, where)
                for name, cell in zip(header, row, strict=True)
                if cell
            }
    except csv.Error as error:
        raise InputError(f"the row is not CSV ({error})", where=f"row {rows.line_num}") from None


def _number(cell: str, where: str) -> float:
    try:
        return float(cell)
    except ValueError:
        raise InputError(f"{cell!r} was found", where=where, expected="a number") from None
