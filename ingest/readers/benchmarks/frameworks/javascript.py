"""Results of JavaScript's frameworks: JSON of vitest, and what benchmark.js prints.

Sources: files that vitest 4.1 (vitest bench --outputJson) and benchmark.js 2.1 wrote. Times are in
seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.base import Item, Run
from ingest.parsing.json_values import checked, field
from ingest.parsing.metric_values import Value, relative, rows
from warehouse.errors import InputError

_SUITE_LINE = re.compile(
    r"(\S.*) x ([\d,]+(?:\.\d+)?) ops/sec (?:±\S+ )?\(\d+ (?:runs? sampled|cycles?)\)"
)
_MILLI = 1e-3


def vitest(document: Any) -> Iterator[Item]:
    """Yield the run and values of vitest: samples where they were kept, or means."""
    yield Run(tags={"recorder": "vitest"})
    values: list[Value] = []
    for file in field(document, "files", list, "the file"):
        for group in field(file, "groups", list, "a file"):
            of = field(group, "fullName", str, "a group")
            for entry in field(group, "benchmarks", list, of):
                name = f"{of} > {field(entry, 'name', str, of)}"
                mean = field(entry, "mean", float, name)
                samples = entry.get("samples")
                values += _samples(name, samples) or [
                    Value(name, mean * _MILLI, "s", "lower", None, relative(entry.get("sd"), mean))
                ]
    yield rows(values)


def _samples(name: str, samples: Any) -> list[Value]:
    """Return times one by one; none where they were not kept."""
    return [
        Value(name, checked(time, float, "a sample", name) * _MILLI, "s", "lower", repetition)
        for repetition, time in enumerate(samples or ())
    ]


def benchmarkjs(text: str) -> Iterator[Item]:
    """Yield the run and values of benchmark.js: calls a second, and what it says is no deviation.

    The percentage that it prints is a margin of error, which depends on the number of runs.
    """
    found = [row for line in text.splitlines() if (row := _SUITE_LINE.fullmatch(line.strip()))]
    if not found:
        raise InputError("there is no result", expected="sort x 5,501 ops/sec (69 runs sampled)")
    yield Run(tags={"recorder": "benchmark.js"})
    yield rows([Value(row[1], float(row[2].replace(",", "")), "ops/s", "higher") for row in found])
