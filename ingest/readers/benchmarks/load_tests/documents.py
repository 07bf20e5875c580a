"""JSON of k6 (--summary-export, handleSummary), vegeta and cyclictest; CSV of redis and locust.

Sources: k6's documentation of the end-of-test summary, vegeta's README, rt-tests 2.4,
redis-benchmark 7, locust 2. Times land in seconds, and means and percentiles as they are.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.base import Item, Run
from ingest.parsing.dates import written_date
from ingest.parsing.json_values import checked, field, object_of, text_of
from ingest.parsing.lines import named_cells
from ingest.parsing.metric_values import Better, Value, rows
from ingest.parsing.numbers import number
from warehouse.errors import InputError

_MILLI, _MICRO, _NANO = 1e-3, 1e-6, 1e-9
_K6 = {"avg": "", "med": " p50", "max": " max"}
_K6_BETTER: Mapping[str, Better] = {
    **dict.fromkeys(("http_reqs", "iterations", "checks"), "higher"),
    **dict.fromkeys(("http_req_failed", "dropped_iterations"), "lower"),
}
_VEGETA = {"mean": "", "50th": " p50", "90th": " p90", "95th": " p95", "99th": " p99"}
_LOCUST = ("Type", "Name", "Requests/s", "Failure Count", "Average Response Time")
_REDIS = {"avg": "", "p50": " p50", "p95": " p95", "p99": " p99", "max": " max"}


def k6(document: Any) -> Iterator[Item]:
    """Yield the run and values of k6: times of trends, rates of counters, shares of rates."""
    values: list[Value] = []
    for name, metric in field(document, "metrics", dict, "the file").items():
        kind = checked(metric, dict, "a metric", name)
        found = object_of(kind.get("values")) or kind
        if "rate" in found and "count" in found:
            values.append(Value(name, field(found, "rate", float, name), *_of_k6(name, "1/s")))
        elif "avg" in found:
            # Without `contains` a trend of the script's own can be of anything.
            is_time = kind.get("contains") == "time" or name.startswith(("http_req_", "iteration_"))
            for key, value in found.items():
                suffix = f" p{key[2:-1]}" if key.startswith("p(") else _K6.get(key)
                if suffix is None:
                    continue
                number = checked(value, float, repr(key), name)
                if is_time:
                    values.append(Value(name + suffix, number * _MILLI, "s", "lower"))
                else:
                    values.append(Value(name + suffix, number))
        elif isinstance(share := found.get("rate", found.get("value")), float):
            values.append(Value(name, share, *_of_k6(name, None)))
    yield Run(tags={"recorder": "k6"})
    yield rows(values)


def _of_k6(name: str, unit: str | None) -> tuple[str | None, Better | None]:
    return ("B/s" if name.startswith("data_") else unit), _K6_BETTER.get(name)


def vegeta(document: Any) -> Iterator[Item]:
    """Yield the run and values of vegeta report -type=json."""
    latencies = field(document, "latencies", dict, "the file")
    values = [
        Value(f"latency{suffix}", latencies[name] * _NANO, "s", "lower")
        for name, suffix in (*_VEGETA.items(), ("max", " max"))
        if isinstance(latencies.get(name), float)
    ]
    throughput = field(document, "throughput", float, "the file")
    values.append(Value("throughput", throughput, "1/s", "higher"))
    values.append(Value("success", field(document, "success", float, "the file"), None, "higher"))
    yield Run(started_at=written_date(document.get("earliest")), tags={"recorder": "vegeta"})
    yield rows(values)


def cyclictest(document: Any) -> Iterator[Item]:
    """Yield the run and latencies of cyclictest: of each thread, and the worst of all."""
    threads = field(document, "thread", dict, "the file")
    values = [
        Value(f"thread {number} {name}", field(of, key, float, number) * _MICRO, "s", "lower")
        for number, of in threads.items()
        for key, name in (("avg", "latency"), ("max", "latency max"))
    ]
    worst = max(value.value or 0 for value in values)
    values.append(Value("latency max", worst, "s", "lower"))
    system = object_of(document.get("sysinfo"))
    yield Run(
        machine=text_of(system.get("nodename")),
        threads=len(threads),
        tags={"recorder": "cyclictest"},
    )
    yield rows(values)


def redis(text: str) -> Iterator[Item]:
    """Yield the run and values of redis-benchmark --csv; before 6.2 it has rates only."""
    values: list[Value] = []
    for where, row in _table(text, ("test", "rps")):
        test = row["test"]
        values.append(Value(test, number(row["rps"], where), "1/s", "higher"))
        for name, suffix in _REDIS.items():
            if cell := row.get(f"{name}_latency_ms"):
                time = number(cell, where) * _MILLI
                values.append(Value(f"{test} latency{suffix}", time, "s", "lower"))
    yield Run(tags={"recorder": "redis-benchmark"})
    yield rows(values)


def locust(text: str) -> Iterator[Item]:
    """Yield the run and values of locust --csv (NAME_stats.csv): of each request, and of all."""
    values: list[Value] = []
    for where, row in _table(text, _LOCUST):
        of = " ".join(filter(None, (row["Type"], row["Name"])))
        values.append(Value(f"{of} requests", number(row["Requests/s"], where), "1/s", "higher"))
        values.append(Value(f"{of} failures", number(row["Failure Count"], where), None, "lower"))
        for name, cell in row.items():
            suffix = {"Average Response Time": ""}.get(name, f" p{name[:-1]}")
            if (name.endswith("%") or not suffix) and cell != "N/A":
                time = number(cell, where) * _MILLI
                values.append(Value(f"{of} latency{suffix}", time, "s", "lower"))
    yield Run(tags={"recorder": "locust"})
    yield rows(values)


def _table(text: str, needed: tuple[str, ...]) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the places and rows of a table; without a heading, its columns are `needed`."""
    reader = csv.reader(io.StringIO(text), strict=True)
    names = list(needed)
    try:
        for cells in reader:
            where = f"line {reader.line_num}"
            if cells[:1] == names[:1] and reader.line_num == 1:
                names = cells
                if missing := [name for name in needed if name not in names]:
                    raise InputError(f"{missing[0]!r} is missing", where=where, expected="a column")
            else:
                yield where, named_cells(names, cells, where)
    except csv.Error as error:
        where = f"line {reader.line_num}"
        raise InputError(f"the row is not CSV ({error})", where=where) from None
