"""Tables that Google Benchmark, hyperfine and JMH print for people, and JMH's CSV.

Each is turned into the object that the same tool writes as JSON; its numbers are rounded as
printed. Sources: src/console_reporter.cc and string_util.cc of Google Benchmark, src/export/
markdown.rs of hyperfine, TextResultFormat and CSVResultFormat of JMH.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from typing import Any

from ingest.parsing.units import SECONDS
from ingest.readers.benchmarks.frameworks.csv_forms import with_statistics
from warehouse.errors import InputError

_NUMBER = r"\d+(?:\.\d+)?(?:e[+-]?\d+)?"
_GOOGLE_ROW = re.compile(
    rf"(\S.*?) +({_NUMBER}) (ns|us|ms|s) +({_NUMBER}) (?:ns|us|ms|s) +(\d+)(?: +(.*))?"
)
_GOOGLE_FAILED = re.compile(r"(\S.*?) +(?:ERROR OCCURRED|SKIPPED): .*")
_GOOGLE_COUNTER = re.compile(rf"(\S+)=(-?{_NUMBER})([kMGTPEmunpf]?)(i?)(/s)?")
# Before 1.4 rates have no name, and all prefixes are powers of 1024.
_GOOGLE_RATE = re.compile(r"(?:^| )([\d.]+)([kMGT]?)(B| items)/s(?= |$)")
_GOOGLE_HEADING = re.compile(r"Benchmark +Time +CPU +Iterations(?: +UserCounters\.\.\.|(.*))")
_GOOGLE_FACTS = {
    "executable": re.compile(r"Running (\S.*)"),
    "date": re.compile(r"(\d{4}-\d\d-\d\dT\S+|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)"),
}
_PREFIXES = {name: power for power, name in enumerate("kMGTPE", 1)}
_SMALL = {name: power for power, name in enumerate("munpf", 1)}
_HYPERFINE_HEADING = re.compile(r"\| Command \| Mean \[(ms|s|us|\u00b5s)\] \|.*")
_JMH_VERSION = re.compile(r"^# JMH version: (\S+)", re.MULTILINE)
# The log of sbt or Maven that a table may be part of.
_JMH_LOG = re.compile(r"^\[info\] ", re.IGNORECASE)
# JMH 0.1: Mode Thr Cnt Sec Mean Mean error; up to 1.0: Mode Samples Score Score error.
_JMH_HEADING = re.compile(
    r" *Benchmark +((?:\(\S+\) +)*)Mode +(Thr +)?(?:Cnt|Count|Samples) +(?:Sec +)?(?:Score|Mean) .*"
)
# Consoles without the sign of an error print another one, or several.
_JMH_SCORE = re.compile(
    r"(?:(\d+) +(?:\d+ +){0,2})?(?:(-?\d+[.,]\d+)|[^\s\w-]{1,3} *10\S*|NaN)"
    r"(?: +[^\s\w/]{1,3} +\S+| +\d+[.,]\d+| +NaN)? +(\D.*)"
)
_JMH_MODES = ("thrpt", "avgt", "sample", "ss")
_JMH_PARAMETER = "Param: "


def google(text: str) -> list[dict[str, Any]]:
    """Return Google Benchmark's tables as its JSON, one for each execution."""
    executions: list[dict[str, Any]] = []
    columns: list[str] = []
    for line in _lines(text):
        facts = {
            name: fact[1] for name, of in _GOOGLE_FACTS.items() if (fact := of.fullmatch(line))
        }
        # What an execution prints of itself comes before its rows.
        if not executions or (facts and executions[-1]["benchmarks"]):
            executions.append({"context": {"date": None}, "benchmarks": []})
        executions[-1]["context"] |= facts
        entries = executions[-1]["benchmarks"]
        if heading := _GOOGLE_HEADING.fullmatch(line):
            columns = (heading[1] or "").split()
        elif row := _GOOGLE_ROW.fullmatch(line):
            real, cpu, iterations = float(row[2]), float(row[4]), float(row[5])
            entry = {"name": row[1], "real_time": real, "cpu_time": cpu, "time_unit": row[3]}
            counters = row[6] or ""
            if columns:  # --benchmark_counters_tabular: a column a counter, then the label
                cells = zip(columns, counters.split(), strict=False)
                counters = " ".join(f"{name}={cell}" for name, cell in cells)
            entries.append({**entry, "iterations": iterations, **_google_counters(counters)})
        elif failed := _GOOGLE_FAILED.fullmatch(line):
            entries.append({"name": failed[1], "error_occurred": True})
    found = [execution for execution in executions if execution["benchmarks"]]
    if not found:
        raise InputError("the table has no row", expected="a benchmark and its times: BM_x  5 ns")
    return [one | {"benchmarks": with_statistics(one["benchmarks"])} for one in found]


def _google_counters(text: str) -> dict[str, float]:
    """Return the counters behind a row: hits=3 items_per_second=77k/s bytes_per_second=4.6Gi/s.

    Before 1.8 the prefixes of bytes_per_second are powers of 1024, too.
    """
    found = {}
    for name, number, prefix, binary, _ in _GOOGLE_COUNTER.findall(text):
        base = 1024 if binary or name == "bytes_per_second" else 1000
        power = _PREFIXES.get(prefix, 0) - _SMALL.get(prefix, 0)
        found[name] = float(number) * float(base) ** power
    for number, prefix, unit in _GOOGLE_RATE.findall(text):
        name = "bytes_per_second" if unit == "B" else "items_per_second"
        found.setdefault(name, float(number) * 1024.0 ** _PREFIXES.get(prefix, 0))
    return found


def hyperfine(text: str) -> dict[str, Any]:
    """Return hyperfine's table in Markdown as its JSON: means, with their deviation."""
    results = []
    scale = None
    for number, line in enumerate(_lines(text), 1):
        if found := _HYPERFINE_HEADING.fullmatch(line):
            scale = SECONDS[found[1]]
        elif scale is not None and line.startswith("| `"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            try:
                command, means = cells[:2]
                mean, *spread = (float(part) * scale for part in means.split("\u00b1"))
            except ValueError:
                raise InputError(
                    f"{line!r} was found", where=f"line {number}", expected="| `sleep 1` | 1.002 |"
                ) from None
            name = command.strip("`").replace("\\|", "|")
            results.append({"command": name, "mean": mean, "stddev": next(iter(spread), None)})
    return {"results": results}


def jmh(text: str) -> list[list[dict[str, Any]]]:
    """Return JMH's tables as its JSON: scores, as no table has the iterations."""
    version = _JMH_VERSION.search(text)
    tables: list[list[dict[str, Any]]] = []
    names: list[str] = []
    has_threads = False
    for number, printed in enumerate(_lines(text), 1):
        line = _JMH_LOG.sub("", printed)
        if heading := _JMH_HEADING.fullmatch(line):
            names = [name.strip("()") for name in heading[1].split()]
            has_threads = heading[2] is not None
            tables.append([])
            continue
        words = line.split()
        if not tables or len(words) < len(names) + 4 or words[len(names) + 1] not in _JMH_MODES:
            continue
        mode = words[len(names) + 1]
        score = _JMH_SCORE.fullmatch(" ".join(words[len(names) + 2 :]))
        if score is None:
            raise InputError(
                f"{line.strip()!r} was found",
                where=f"line {number}",
                expected="a benchmark, its mode, and its score: a.B.sort  avgt  5  12.123  ns/op",
            )
        # Languages with decimal commas have them here, too: no thousands are grouped.
        # And one of 0.000 is rounded, and not known.
        value = float(score[2].replace(",", ".")) or None if score[2] else None
        parameters = {
            name: word
            for name, word in zip(names, words[1:], strict=False)
            if word not in ("N/A", "")
        }
        threads = float(score[1]) if has_threads and score[1] else None
        _add(tables[-1], words[0], mode, parameters, value, score[3], threads)
    if not any(tables):
        raise InputError("the table has no row", expected="a benchmark and its score")
    known = {"jmhVersion": version[1] if version else None}
    return [[{**known, **entry} for entry in table] for table in tables if table]


def jmh_csv(text: str) -> list[dict[str, Any]]:
    """Return JMH's CSV as its JSON."""
    entries: list[dict[str, Any]] = []
    for number, row in enumerate(csv.DictReader(io.StringIO(text)), 2):
        try:
            if None in row or None in row.values():
                raise ValueError
            value = None if row["Score"] == "NaN" else float(row["Score"])
            threads = float(row["Threads"])
        except (TypeError, ValueError):
            raise InputError(
                f"the row of {row['Benchmark']} has other values than the columns are",
                where=f"line {number}",
                expected="a value a column, and numbers with decimal points",
                hint="Did JMH run in a language with decimal commas? Let it write JSON: -rf json",
            ) from None
        parameters = {
            name.removeprefix(_JMH_PARAMETER): cell
            for name, cell in row.items()
            if name and name.startswith(_JMH_PARAMETER) and cell
        }
        _add(entries, row["Benchmark"], row["Mode"], parameters, value, row["Unit"], threads)
    return [{"jmhVersion": None, **entry} for entry in entries]


def _add(
    entries: list[dict[str, Any]],
    name: str,
    mode: str,
    parameters: Mapping[str, str],
    score: float | None,
    unit: str,
    threads: float | None = None,
) -> None:
    """Add a result, or to the last one a secondary metric: a.B.sort:gc.alloc.rate."""
    name, _, secondary = name.partition(":")
    found = {"score": score, "scoreUnit": unit}
    of = {"benchmark": name, "mode": mode, "params": dict(parameters) or None, "threads": threads}
    last = entries[-1] if entries else {}
    if secondary and all(last.get(key) == value for key, value in of.items()):
        last["secondaryMetrics"][secondary] = found
    else:
        full = f"{name}:{secondary}" if secondary else name
        entries.append({**of, "benchmark": full, "primaryMetric": found, "secondaryMetrics": {}})


def _lines(text: str) -> list[str]:
    """Return the lines without blanks and colours at their ends."""
    return [re.sub(r"\x1b\[[\d;]*m", "", line).rstrip() for line in text.splitlines()]
