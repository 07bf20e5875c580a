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

from ingest.parsing.lines import named_cells
from ingest.parsing.numbers import number
from warehouse.errors import InputError

_TEXTS = ("name", "command", "time_unit", "label", "error_message", "error_occurred")
_FAILED = 8  # the column error_occurred
_PARAMETER = "parameter_"
_PYTEST_PARAMETER = "param:"  # of tests that are parametrized; their names have it, too


def google(text: str) -> dict[str, Any]:
    """Return Google Benchmark's table as its JSON; what was printed before it is left out."""
    entries = list(_rows(text[text.index("name,iterations,") :]))
    for entry in entries:
        entry["error_occurred"] = entry.get("error_occurred") == "true"
    return {"context": {"date": None}, "benchmarks": with_statistics(entries)}


def with_statistics(entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the entries of benchmarks with what says which of them are statistics of others.

    Tables, and JSON before 1.5, do not say it: entries are statistics of a benchmark that has a
    mean and a deviation, and a median or repetitions, and whose name and an underscore their own
    begins with.
    """
    names = {entry["name"] for entry in entries}
    repeated = [
        name.removesuffix("_mean")
        for name in names
        if name.endswith("_mean")
        and f"{name.removesuffix('_mean')}_stddev" in names
        and not names.isdisjoint({f"{name.removesuffix('_mean')}_median", name[:-5]})
    ]
    seen: Counter[str] = Counter()
    for entry in entries:
        name = entry["name"]
        failed = entry.get("error_occurred") is True
        of = max((one for one in repeated if name.startswith(f"{one}_")), key=len, default=None)
        fitted = name.endswith(("_BigO", "_RMS")) and "iterations" not in entry
        if failed:
            continue
        if (of is not None and name not in repeated) or fitted:
            entry["run_name"] = of or name
            entry["aggregate_name"] = name.removeprefix(f"{of}_")
        else:
            entry["repetition_index"] = float(seen[name])
            seen[name] += 1
    return entries


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
        "benchmarks": [
            {"name": row["name"], "stats": row}
            for row in _rows(text, texts=("outliers", _PYTEST_PARAMETER))
        ]
    }


def _rows(text: str, texts: str | tuple[str, ...] = "\0") -> Iterator[dict[str, Any]]:
    """Yield a table's rows without their empty cells; columns named `texts`... are no numbers."""
    rows = csv.reader(io.StringIO(text), strict=True)
    try:
        header = next(rows)
        for cells in rows:
            where = f"row {rows.line_num}"
            # Google Benchmark writes no cells for the counters of one that failed.
            failed = ["true"] == cells[_FAILED:][:1] and header[_FAILED:][:1] == ["error_occurred"]
            row = cells + [""] * (len(header) - len(cells)) if failed else cells
            yield {
                name: cell if name in _TEXTS or name.startswith(texts) else number(cell, where)
                for name, cell in named_cells(header, row, where).items()
                if cell
            }
    except csv.Error as error:
        raise InputError(f"the row is not CSV ({error})", where=f"row {rows.line_num}") from None
