"""JSON of Google Benchmark, pytest-benchmark, hyperfine and github-action-benchmark.

Sources: Google Benchmark's docs/user_guide.md and tools.md, pytest-benchmark's and hyperfine's
documentation, src/write.ts of github-action-benchmark; files written by Google Benchmark 1.9.5,
pytest-benchmark 5 and hyperfine 1.15.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.dates import date_of, written_date
from ingest.parsing.json_values import checked, field, object_of, text_of, texts_of
from ingest.parsing.metric_values import Better, Value, direction, relative, rows
from ingest.parsing.units import SECONDS
from ingest.readers.benchmarks.frameworks.csv_forms import with_statistics
from warehouse.errors import InputError

_GOOGLE_FIELDS = (
    *("family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads"),
    *("iterations", "real_time", "cpu_time", "cv", "big_o"),
)
_GOOGLE_ENVIRONMENT = {"cores": "num_cpus", "mhz": "mhz_per_cpu", "build": "library_build_type"}
_PYTEST_ENVIRONMENT = {
    **{"cpu": "processor", "os": "system", "kernel": "release", "compiler": "python_compiler"},
    "interpreter": "python_version",
}
_BIGGER: Mapping[str, Better] = {
    "customBiggerIsBetter": "higher",
    "customSmallerIsBetter": "lower",
    "pytest": "higher",
    "benchmarkjs": "higher",
}
_GO_UNITS = re.compile(r"(\S+)((?:\s+[\d.eE+-]*\d \S+)+)\s*")
_GO_VALUE = re.compile(r"([\d.eE+-]*\d) (\S+)")
_RANGE = re.compile(r"(?:\u00b1|\+/-|\+-)?\s*([\d.,]+(?:[eE][-+]?\d+)?)\s*(%?)\s*")


def google(*documents: Any) -> Iterator[Item]:
    """Yield a run for each document of Google Benchmark, and values: times in seconds, counters.

    Repetitions are rows; the means, medians and deviations that follow from them are left out.
    Where only these were written, the mean lands with its deviation.
    """
    values: list[Value] = []
    failed = 0
    for run, document in enumerate(documents):
        context = field(document, "context", dict, "the file")
        program = context.get("executable")
        library = text_of(context.get("library_version"))
        yield Run(
            key=str(run) if len(documents) > 1 else None,
            app=_last(program),
            machine=text_of(context.get("host_name")),
            started_at=written_date(context.get("date")),
            tags=texts_of({"recorder": library and f"google-benchmark {library}"}),
            environment=texts_of(context, _GOOGLE_ENVIRONMENT),
        )
        found = field(document, "benchmarks", list, "the file")
        entries = [checked(e, dict, "a benchmark", f"benchmark {n}") for n, e in enumerate(found)]
        failed += sum(map(_has_failed, entries))
        values += [value._replace(run=run) for value in _google_results(entries)]
    yield rows(values)
    yield LeftOut(failed, "benchmark", "failed or skipped")


def _has_failed(entry: Mapping[str, Any]) -> bool:
    return entry.get("error_occurred") is True or bool(entry.get("skipped"))


def _google_results(entries: Sequence[dict[str, Any]]) -> Iterator[Value]:
    if not any("run_name" in entry for entry in entries):
        with_statistics([entry for entry in entries if isinstance(entry.get("name"), str)])
    single = {e.get("run_name", e.get("name")) for e in entries if not e.get("aggregate_name")}
    spreads = {
        e.get("run_name"): e for e in entries if e.get("aggregate_name") == "stddev"
    }  # the deviation has the unit of the mean
    for number, entry in enumerate(entries):
        where = f"benchmark {number}"
        name = field(entry, "run_name" if "run_name" in entry else "name", str, where)
        aggregate = entry.get("aggregate_name")
        if _has_failed(entry):
            continue
        if not aggregate:
            yield from _google_values(name, entry, where)
        elif aggregate == "mean" and name not in single:
            yield from _google_values(name, entry, where, spreads.get(name))


def _google_values(
    name: str, entry: Mapping[str, Any], where: str, spread: Mapping[str, Any] | None = None
) -> Iterator[Value]:
    unit = entry.get("time_unit", "ns")
    if not isinstance(unit, str) or unit not in SECONDS:
        raise InputError(f"the time unit is {unit!r}", where=where, expected="ns, us, ms or s")
    index = entry.get("repetition_index")
    numbered = spread is None and isinstance(index, float) and 0 <= index < 1 << 31
    repetition = int(index or 0) if numbered else None

    def deviation(of: str) -> float | None:
        return relative((spread or {}).get(of), entry[of])

    for of, metric in (("real_time", name), ("cpu_time", f"{name} cpu_time")):
        # Tables round: a time of 0.000 us is not known.
        time = field(entry, of, float, where) * SECONDS[unit] or None
        yield Value(metric, time, "s", "lower", repetition, deviation(of))
    for counter, value in entry.items():
        if isinstance(value, float) and counter not in _GOOGLE_FIELDS:
            rate = {"items_per_second": "1/s", "bytes_per_second": "B/s"}.get(counter)
            better: Better | None = "higher" if rate else None
            yield Value(f"{name} {counter}", value, rate, better, repetition, deviation(counter))


def pytest_benchmark(document: Any) -> Iterator[Item]:
    """Yield the run and values of pytest-benchmark: the rounds, where they were saved, or means."""
    machine, commit = (
        object_of(document.get("machine_info")),
        object_of(document.get("commit_info")),
    )
    version = text_of(commit.get("id"))
    # What it writes outside of a repository.
    version = None if version == "unversioned" else version
    is_known = version is not None
    cpu = object_of(machine.get("cpu"))
    environment = texts_of(machine, _PYTEST_ENVIRONMENT)
    environment |= texts_of(cpu, {"cpu": "brand_raw", "cores": "count"})
    yield Run(
        app=text_of(commit.get("project")),
        version=version,
        machine=text_of(machine.get("node")),
        started_at=written_date(document.get("datetime")),
        commit=version,
        branch=text_of(commit.get("branch")) if is_known else None,
        committed_at=written_date(commit.get("time")) if is_known else None,
        environment=environment,
    )
    values: list[Value] = []
    for number, entry in enumerate(field(document, "benchmarks", list, "the file")):
        where = f"benchmark {number}"
        name = field(entry, "fullname" if "fullname" in entry else "name", str, where)
        stats = field(entry, "stats", dict, where)
        values += _repeated(name, stats.get("data"), stats, where)
    yield rows(values)


def hyperfine(document: Any) -> Iterator[Item]:
    """Yield the run and values of hyperfine: each command's times, and its processor times.

    Commands that were named alike (-n) and differ in a parameter (-L, -P) have it in their names.
    Runs that failed (exit_codes, with -i) have no time: what they took is not that of the work.
    """
    yield Run()
    failed = 0
    values: list[Value] = []
    results = field(document, "results", list, "the file")
    commands = [
        field(entry, "command", str, f"result {number}") for number, entry in enumerate(results)
    ]
    shared = {name for name, count in Counter(commands).items() if count > 1}
    for number, (command, entry) in enumerate(zip(commands, results, strict=True)):
        where = f"result {number}"
        parameters = object_of(entry.get("parameters")) if command in shared else {}
        differs = ", ".join(f"{of}={value}" for of, value in parameters.items())
        name = f"{command} ({differs})" if differs else command
        found = list(_repeated(name, entry.get("times"), entry, where))
        fails = []
        if codes := entry.get("exit_codes"):
            # null is that of a run ended by a signal
            fails = [code != 0 for code in checked(codes, list, "the exit codes", where)]
        if len(fails) != len(found):  # a mean is of all runs
            fails = [any(fails)] * len(found)
        for of in ("user", "system"):
            if isinstance(entry.get(of), float):
                found.append(Value(f"{name} {of}", entry[of], "s", "lower"))
                fails.append(any(fails))
        failed += sum(fails)
        values += [
            value._replace(value=None) if fail else value
            for value, fail in zip(found, fails, strict=True)
        ]
    yield rows(values)
    yield LeftOut(failed, "time", "the command failed")


def _repeated(name: str, times: Any, stats: Mapping[str, Any], where: str) -> Iterator[Value]:
    """Yield times in seconds one by one, or where they were not kept their mean."""
    if times:
        for repetition, time in enumerate(checked(times, list, "the times", where)):
            value = checked(time, float, "a time", where)
            yield Value(name, value, "s", "lower", repetition)
    else:
        mean = field(stats, "mean", float, where)
        # Tables round: a mean of 0.0 ms is not known, nor a deviation of 0, which is also written
        # of a single time.
        spread = relative(stats.get("stddev") or None, mean)
        yield Value(name, mean or None, "s", "lower", None, spread)


def action(document: Any) -> Iterator[Item]:
    """Yield a run for each commit of github-action-benchmark, with its values.

    An application is a suite of the repository that the file states: projects name theirs alike.
    """
    values: list[Value] = []
    number = unknown = 0
    _, _, address = (text_of(document.get("repoUrl")) or "").rpartition("://")
    project = address.rstrip("/").removesuffix(".git")
    for suite, history in field(document, "entries", dict, "the file").items():
        for place, entry in enumerate(checked(history, list, "a suite", f"suite {suite}")):
            where = f"suite {suite}, entry {place}"
            commit = field(entry, "commit", dict, where)
            version = field(commit, "id", str, where)
            facts = {
                "tool": entry.get("tool"),
                "author": object_of(commit.get("author")).get("name"),
                "subject": str(commit.get("message") or "").partition("\n")[0],
                "url": commit.get("url"),
            }
            yield Run(
                key=f"{suite}.{place}.{version[:12]}",
                app=f"{project}: {suite}" if project else suite,
                version=version,
                started_at=date_of(entry.get("date")),
                commit=version,
                committed_at=written_date(commit.get("timestamp")),
                tags={name: text for name, of in facts.items() if (text := text_of(of))},
            )
            benches = entry.get("benches") or []
            found = list(_action_values(benches, entry.get("tool"), number, where))
            known = [value for value in found if value.value is not None]
            unknown += len(found) - len(known)
            values += known
            number += 1
    yield rows(values)
    yield LeftOut(unknown, "value", "null")


def action_input(document: Any) -> Iterator[Item]:
    """Yield the values of what github-action-benchmark is given: a list of name, unit and value.

    Whether more is better is an option of the action.
    """
    yield Run()
    yield rows(
        list(_action_values(checked(document, list, "the file", "line 1"), None, 0, "line 1"))
    )


def _action_values(benches: Sequence[Any], tool: Any, number: int, where: str) -> Iterator[Value]:
    """Yield the values of one commit; None is null, which frameworks write of what failed.

    Of Go the unit has all other values as well: ns/op, and behind it 16 B/op, 2 allocs/op.
    """
    for bench in benches:
        name = field(bench, "name", str, where)
        is_null = "value" in bench and bench["value"] is None
        value = None if is_null else field(bench, "value", (float, str), where)
        unit, others = _units(text_of(bench.get("unit")))
        spread = _RANGE.fullmatch(str(bench.get("range") or ""))
        try:
            value = None if value is None else float(value)
            spread_of = float(spread[1].replace(",", "")) if spread else None
        except ValueError:
            raise InputError(f"{name} is {value!r}", where=where, expected="a number") from None
        if spread and spread_of is not None:
            spread_of = spread_of / 100 if spread[2] else relative(spread_of, value or 0)
        better = _BIGGER.get(str(tool)) or direction(unit)
        yield Value(name, value, unit, better, None, spread_of, number)
        for other, text in others.items():
            yield Value(f"{name} {other}", float(text), other, direction(other), run=number)


def _units(text: str | None) -> tuple[str | None, dict[str, str]]:
    """Return the unit of a value, and other values by their units, which Go's has behind it."""
    found = None if text is None else _GO_UNITS.fullmatch(text)
    if found is None:
        return text, {}
    return found[1], {unit: number for number, unit in _GO_VALUE.findall(found[2])}


def _last(path: Any) -> str | None:
    return re.split(r"[/\\]", path)[-1] or None if isinstance(path, str) else None
