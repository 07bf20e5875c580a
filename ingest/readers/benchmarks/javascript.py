"""Results of JavaScript's frameworks: JSON of vitest, mitata, bench-node and others; benchmark.js.

Sources: files that vitest 4.1 (vitest bench --outputJson), mitata 1.0 (format: "json"), autocannon
8.0 (-j), bench-node 0.15 (jsonReport), benny 3.7 (save) and benchmark.js 2.1, which prints text,
wrote. Times are in seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.dates import date_of, written_date
from ingest.parsing.json_values import checked, field, object_of, text_of
from ingest.parsing.metric_values import Value, percentiles, relative, rows
from warehouse.errors import InputError

_SUITE_LINE = re.compile(
    r"(\S.*) x ([\d,]+(?:\.\d+)?) ops/sec (?:±\S+ )?\(\d+ (?:runs? sampled|cycles?)\)"
)
_MILLI, _NANO = 1e-3, 1e-9


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
                values += _samples(name, samples, _MILLI) or [
                    Value(name, mean * _MILLI, "s", "lower", None, relative(entry.get("sd"), mean))
                ]
    yield rows(values)


def mitata(document: Any) -> Iterator[Item]:
    """Yield the run and values of mitata: the time of one call, sample by sample."""
    context = object_of(document.get("context"))
    runtime = (text_of(context.get(name)) or "" for name in ("runtime", "version"))
    yield Run(
        started_at=date_of(context.get("now")),
        tags={"recorder": "mitata", "runtime": " ".join(runtime).strip()},
    )
    values: list[Value] = []
    failed = 0
    for entry in field(document, "benchmarks", list, "the file"):
        for run in field(entry, "runs", list, "a benchmark"):
            name = field(run, "name", str, "a run")
            if "stats" not in run:
                failed += 1
                continue
            samples = field(field(run, "stats", dict, name), "samples", list, name)
            values += _samples(name, samples, _NANO)
    yield rows(values)
    yield LeftOut(failed, "benchmark", "failed")


def _samples(name: str, samples: Any, scale: float) -> list[Value]:
    """Return times one by one; none where they were not kept."""
    return [
        Value(name, checked(time, float, "a sample", name) * scale, "s", "lower", repetition)
        for repetition, time in enumerate(samples or ())
    ]


def bench_node(document: Any) -> Iterator[Item]:
    """Yield the run and values of bench-node: calls a second of each benchmark."""
    yield Run(tags={"recorder": "bench-node"})
    values = []
    for number, entry in enumerate(document):
        name = field(entry, "name", str, f"benchmark {number}")
        values.append(Value(name, field(entry, "opsSec", float, name), "ops/s", "higher"))
    yield rows(values)


def benny(document: Any) -> Iterator[Item]:
    """Yield the run and values of benny: calls a second of each case of a suite.

    Its margin is one of error, as that of benchmark.js; with details it has the deviation, too.
    """
    yield Run(
        app=field(document, "name", str, "the file"),
        version=text_of(document.get("version")),
        started_at=written_date(document.get("date")),
        tags={"recorder": "benny"},
    )
    values, samples = [], 0
    for entry in field(document, "results", list, "the file"):
        name = field(entry, "name", str, "a result")
        details = object_of(entry.get("details"))
        samples += len(details.get("sampleResults") or ())
        spread = relative(details.get("standardDeviation"), details.get("mean") or 0)
        rate = field(entry, "ops", float, name)
        values.append(Value(name, rate, "ops/s", "higher", None, spread))
    yield rows(values)
    yield LeftOut(samples, "sample", "calls a second and their deviation land")


def autocannon(document: Any) -> Iterator[Item]:
    """Yield the run and values of autocannon: requests and bytes a second, latencies, failures."""
    yield Run(
        started_at=written_date(document.get("start")),
        tags={"recorder": "autocannon", "url": field(document, "url", str, "the file")},
    )
    latency = field(document, "latency", dict, "the file")
    mean = field(latency, "mean", float, "latency")
    found = {name[1:].replace("_", "."): time for name, time in latency.items() if name[0] == "p"}
    values = [
        Value("latency", mean * _MILLI, "s", "lower", None, relative(latency.get("stddev"), mean)),
        *percentiles("latency", found, _MILLI),
    ]
    for name, unit in (("requests", "1/s"), ("throughput", "B/s")):
        rate = field(document, name, dict, "the file")
        mean = field(rate, "mean", float, name)
        values.append(Value(name, mean, unit, "higher", None, relative(rate.get("stddev"), mean)))
    for name in ("errors", "timeouts", "non2xx"):
        values.append(Value(name, field(document, name, float, "the file"), None, "lower"))
    yield rows(values)


def benchmarkjs(text: str) -> Iterator[Item]:
    """Yield the run and values of benchmark.js: calls a second, and what it says is no deviation.

    The percentage that it prints is a margin of error, which depends on the number of runs.
    """
    found = [row for line in text.splitlines() if (row := _SUITE_LINE.fullmatch(line.strip()))]
    if not found:
        raise InputError("there is no result", expected="sort x 5,501 ops/sec (69 runs sampled)")
    yield Run(tags={"recorder": "benchmark.js"})
    yield rows([Value(row[1], float(row[2].replace(",", "")), "ops/s", "higher") for row in found])
