"""JSON of frameworks that a language has for itself: JMH of Java, asv and pyperf of Python.

Sources: JSONResultFormat of JMH 1.37 and its Mode; the file format of asv's results, version 2, in
asv's developer documentation, and results that asv 0.6 wrote; the JSON format 1.0 in pyperf's
documentation, and files of pyperf 2.10.
"""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.dates import date_of, written_date
from ingest.parsing.json_values import checked, field, object_of, text_of, texts_of
from ingest.parsing.metric_values import Better, Value, rows
from ingest.parsing.units import SECONDS
from warehouse.errors import InputError

# JMH 0.1 writes nsec/op.
_PER_OPERATION = re.compile(r"(ns|us|ms|s|min|hr|day)(?:ec)?/op")
_COLUMNS = ("result", "params")
_ASV_ENVIRONMENT = {
    **{"cpu": "cpu", "cores": "num_cpu", "os": "os", "memory": "ram", "architecture": "arch"},
    "interpreter": "python",
}
_PYPERF_ENVIRONMENT = {
    **{"cpu": "cpu_model_name", "cores": "cpu_count", "kernel": "platform", "os": "os"},
    **{"interpreter": "python_version", "compiler": "python_compiler", "flags": "python_cflags"},
    **{"governor": "cpu_config", "affinity": "cpu_affinity", "aslr": "aslr", "timer": "timer"},
}
_JMH_ENVIRONMENT = {"interpreter": "jdkVersion", "vm": "vmName", "vm_version": "vmVersion"}
_ASV_SETTING = re.compile(r'[{,]\s*"(project|show_commit_url)"\s*:\s*"([^"]+)"')
_ASV_COMMENT = re.compile(r"^\s*//.*$", re.MULTILINE)
# What asv measures is in a benchmark's name.
_KINDS: Mapping[str, tuple[str | None, Better | None]] = {
    "time": ("s", "lower"),
    "timeraw": ("s", "lower"),
    "mem": ("bytes", "lower"),
    "peakmem": ("bytes", "lower"),
}
_PYPERF_UNITS: Mapping[str, str | None] = {"second": "s", "byte": "bytes", "integer": None}


def jmh(*documents: Any) -> Iterator[Item]:
    """Yield a run for each document, and its values: iterations of all forks, else the score.

    Times per operation are in seconds, throughput as JMH writes it; results of profilers (gc) land
    beside them. What JMH states as error is a confidence interval, not a deviation.
    """
    values: list[Value] = []
    for run, document in enumerate(documents):
        results = checked(document, list, "the file", "its start")
        if not results:
            raise InputError("there is no result", expected="a score of at least one benchmark")
        entries = [checked(e, dict, "a result", f"result {n}") for n, e in enumerate(results)]
        yield _jmh_run(entries, str(run) if len(documents) > 1 else None)
        values += [value._replace(run=run) for value in _jmh_results(entries)]
    yield rows(values)


def _jmh_run(entries: Sequence[Mapping[str, Any]], key: str | None) -> Run:
    first = entries[0]
    threads = first.get("threads")
    counted = isinstance(threads, float) and threads.is_integer() and 1 <= threads < 1 << 31
    return Run(
        key=key,
        threads=int(first["threads"]) if counted and not _threads_differ(entries) else None,
        tags={"recorder": f"jmh {first.get('jmhVersion') or ''}".strip()},
        environment=texts_of(first, _JMH_ENVIRONMENT),
    )


def _threads_differ(entries: Sequence[Mapping[str, Any]]) -> bool:
    return any(entry.get("threads") != entries[0].get("threads") for entry in entries)


def _jmh_results(entries: Sequence[Mapping[str, Any]]) -> Iterator[Value]:
    by_threads = _threads_differ(entries)
    names = [_jmh_name(entry, f"result {n}", by_threads) for n, entry in enumerate(entries)]
    times = Counter(names)
    for place, (name, entry) in enumerate(zip(names, entries, strict=True)):
        where = f"result {place}"
        mode = field(entry, "mode", str, where)
        metric = f"{name} {mode}" if times[name] > 1 else name
        better: Better = "higher" if mode == "thrpt" else "lower"
        primary = field(entry, "primaryMetric", dict, where)
        yield from _jmh_values(metric, primary, better, where)
        others = entry.get("secondaryMetrics") or {}
        for other, found in checked(others, dict, "the metrics", where).items() if others else ():
            label = other.lstrip("\u00b7")
            metrics = checked(found, dict, label, where)
            yield from _jmh_values(f"{metric} {label}", metrics, None, where)


def _jmh_name(entry: Mapping[str, Any], where: str, by_threads: bool) -> str:
    """Return the benchmark's name with its parameters: a.B.sort(size=10)."""
    name: str = field(entry, "benchmark", str, where)
    found = entry.get("params")
    parameters = dict(found) if isinstance(found, dict) else {}
    if by_threads and isinstance(threads := entry.get("threads"), float):
        parameters["threads"] = f"{threads:g}"
    listed = ", ".join(f"{key}={value}" for key, value in parameters.items())
    return f"{name}({listed})" if listed else name


def _jmh_values(
    metric: str, found: Mapping[str, Any], better: Better | None, where: str
) -> Iterator[Value]:
    unit = field(found, "scoreUnit", str, where)
    scale = 1.0
    if time := _PER_OPERATION.fullmatch(unit):
        scale, unit = SECONDS[time[1]], "s"
    forks = found.get("rawData")
    iterations = (
        [value for fork in forks for value in checked(fork, list, "a fork", where)]
        if isinstance(forks, list)
        else []
    )
    # A profiler that found nothing writes "NaN".
    if not iterations:
        score = found.get("score")
        value = score * scale if isinstance(score, float) else None
        yield Value(metric, value, unit, better)
    for repetition, value in enumerate(iterations):
        measured = value * scale if isinstance(value, float) else None
        yield Value(metric, measured, unit, better, repetition)


def asv(document: Any, path: Path) -> Iterator[Item]:
    """Yield the run and values of one environment at one commit, samples where asv kept them.

    In version 1 all starts are in an object of their own, and first files have no name of the
    environment but that of the file: 7810d6d7-py2.7-numpy1.8.json.
    """
    params = object_of(document.get("params"))
    columns = document.get("result_columns", list(_COLUMNS))
    results = field(document, "results", dict, "the file")
    found = {name: _by_column(columns, entry) for name, entry in results.items()}
    starts = [
        *(entry.get("started_at") for entry in found.values()),
        *object_of(document.get("started_at")).values(),
    ]
    commit = field(document, "commit_hash", str, "the file")
    project, page = _asv_project(path)
    environment = texts_of(params, _ASV_ENVIRONMENT)
    tags = {
        "environment": text_of(document.get("env_name"))
        or path.name.partition(".json")[0].partition("-")[2],
        "url": page and f"{page}{commit}",
    }
    yield Run(
        app=project,
        version=commit,
        machine=text_of(params.get("machine")),
        started_at=date_of(min((at for at in starts if isinstance(at, float)), default=None)),
        commit=commit,
        committed_at=date_of(document.get("date")),
        tags={name: text for name, text in tags.items() if text},
        environment=environment | texts_of(object_of(document.get("requirements"))),
    )
    values: list[Value] = []
    failed = 0
    for name, entry in found.items():
        kind = name.rpartition(".")[2].partition("_")[0]
        unit, better = _KINDS.get(kind, (None, None))
        for metric, result, samples in _asv_results(name, entry):
            if result is None or math.isnan(result):
                failed += 1
            elif samples:
                values += [Value(metric, v, unit, better, n) for n, v in enumerate(samples)]
            else:
                values.append(Value(metric, result, unit, better))
    yield rows(values)
    yield LeftOut(failed, "benchmark", "failed or skipped")


def _asv_project(path: Path) -> tuple[str | None, str | None]:
    """Return the project of a file of results, and the address of its commits before the digits.

    Both are in asv.conf.json, in a folder around the results; else the project is the folder of the
    results: NAME/results/MACHINE/FILE, NAME/.asv/results/MACHINE/FILE.
    """
    folders = path.resolve().parents
    for folder in folders[:5]:
        try:
            text = (folder / "asv.conf.json").read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        # Of lines that begin with // asv takes no notice; a file that is no JSON has the fields.
        set_here = dict(_ASV_SETTING.findall(_ASV_COMMENT.sub("", text)))
        if "project" in set_here:
            return set_here["project"], set_here.get("show_commit_url")
    names = [folder.name for folder in folders]
    if "results" in names[:3]:
        names = [name for name in names[names.index("results") + 1 :] if name != ".asv"]
    return next(filter(None, names), None), None


def _by_column(columns: Any, entry: Any) -> dict[str, Any]:
    """Return a result by the names of its columns, in the older and the newer version."""
    if isinstance(entry, dict):
        return entry
    if not isinstance(entry, list):
        return {"result": [entry]}
    return dict(zip(columns, entry, strict=False))


def _asv_results(
    name: str, entry: Mapping[str, Any]
) -> Iterator[tuple[str, float | None, list[float]]]:
    """Yield metric, result and samples for each combination of the parameters."""
    where = f"benchmark {name}"
    parameters = entry.get("params")
    axes = [checked(axis, list, "params", where) for axis in parameters or ()]
    points = list(itertools.product(*axes))
    results, samples = entry.get("result"), entry.get("samples")
    if not isinstance(results, list):
        results = [results] * len(points)
    if len(results) != len(points):
        raise InputError(
            f"{name} has {len(results)} results at {len(points)} points",
            where=where,
            expected="a result for each combination of its parameters",
        )
    kept = samples if isinstance(samples, list) and len(samples) == len(points) else []
    for place, (point, result) in enumerate(zip(points, results, strict=True)):
        metric = f"{name}({', '.join(map(str, point))})" if point else name
        value = None if result is None else checked(result, float, "a result", where)
        own = kept[place] if kept and isinstance(kept[place], list) else []
        yield metric, value, [v for v in own if isinstance(v, float)]


def pyperf(document: Any) -> Iterator[Item]:
    """Yield the run and values of pyperf, of all its processes; its warm-ups are none of them.

    Facts that all benchmarks share are in the file's metadata, the others in each benchmark's.
    """
    shared = object_of(document.get("metadata"))
    entries = field(document, "benchmarks", list, "the file")
    values: list[Value] = []
    dates = []
    for number, entry in enumerate(entries):
        where = f"benchmark {number}"
        facts = {**shared, **object_of(checked(entry, dict, "a benchmark", where).get("metadata"))}
        name = field(facts, "name", str, where)
        unit = facts.get("unit", "second")
        if unit not in _PYPERF_UNITS:
            raise InputError(
                f"the unit is {unit!r}", where=where, expected=" or ".join(_PYPERF_UNITS)
            )
        runs = field(entry, "runs", list, where)
        dates += [
            written_date(object_of(checked(run, dict, "a run", where).get("metadata")).get("date"))
            for run in runs
        ]
        measured = [
            checked(value, float, "a value", where)
            for run in runs
            for value in run.get("values") or ()
        ]
        values += [
            Value(
                name, value, _PYPERF_UNITS[unit], None if unit == "integer" else "lower", repetition
            )
            for repetition, value in enumerate(measured)
        ]
    known = [date for date in dates if date is not None]
    environment = texts_of(shared, _PYPERF_ENVIRONMENT)
    machine = text_of(shared.get("hostname"))
    yield Run(machine=machine, started_at=min(known, default=None), environment=environment)
    yield rows(values)
