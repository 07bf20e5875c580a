"""Output of `go test -bench`: BenchmarkSum-8  1000  123 ns/op  16 B/op  2 allocs/op.

With -json (cmd/test2json) the same lines come in pieces, in the fields Output of events, those of
several packages mixed.

Source: the Go benchmark data format (golang.org/design/14313-benchmark-format). A benchmark that
is repeated (-count) has repetitions; the -8 behind all names is GOMAXPROCS, the run's threads.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ingest.base import Item, LeftOut, Run
from ingest.parsing.json_values import parse
from ingest.parsing.lines import numbered_lines, unexpected
from ingest.parsing.metric_values import Value, direction, rows
from ingest.recording import Recording

_FACT = re.compile(r"(goos|goarch|pkg|cpu): *(.+?)\s*")
_RESULT = re.compile(r"Benchmark(\S*)\s+(\d+)((?:\s+\S+ \S+)+)\s*")
# Where a benchmark prints something, that comes between its name and its result.
_NAME = re.compile(r"Benchmark((?![a-z])\S*)(?:\s.*)?")
_REST = re.compile(r"\s*\d+((?:\s+[\d.eE+-]+ \S+)*\s+[\d.eE+-]+ \S+/op(?:\s+\S+ \S+)*)\s*")
_PAIR = re.compile(r"(\S+) (\S+)")
# A unit of its own may have lost letters: of those that go prints it is known how they end.
_LAST = re.compile(r"(?:PASS|FAIL|ok\s).*|.*\s[\d.eE+-]+ (?:ns/op|B/op|allocs/op|MB/s)\s*")
_LAST_EVENT = re.compile(r"\{.*\}\s*")
_PROCESSORS = re.compile(r"(.+)-(\d{1,6})")


def go_testing(recording: Recording) -> Iterator[Item]:
    """Yield the run and values; raises `InputError` at a result that cannot be read."""
    yield from _items(numbered_lines(recording, must_end=_LAST.fullmatch))


def go_json(recording: Recording) -> Iterator[Item]:
    """Yield the run and values of the events of `go test -json`."""
    printed: dict[str, str] = {}
    number = 0
    for number, line in numbered_lines(recording, must_end=_LAST_EVENT.fullmatch):
        # Lines of the build come between the events, as plain text.
        if not line.startswith("{"):
            continue
        event = parse(line, number)
        output = event.get("Output", "")
        if event.get("Action") == "output" and isinstance(output, str):
            package = str(event.get("Package", ""))
            printed[package] = printed.get(package, "") + output
    lines = (
        line for package, text in printed.items() for line in (f"pkg: {package}", *text.split("\n"))
    )
    yield from _items((number, line) for line in lines)


@dataclass(slots=True)
class _Printed:
    """Printed results: facts, (package, benchmark, value, unit), and how many failed."""

    facts: dict[str, str] = field(default_factory=dict)
    results: list[tuple[str, str, float, str]] = field(default_factory=list)
    failed: int = 0


def _items(lines: Iterable[tuple[int, str]]) -> Iterator[Item]:
    """Yield the run and values of numbered lines."""
    printed = _read(lines)
    facts, results = printed.facts, printed.results
    packages = {package for package, *_ in results}
    ends = {found[2] if (found := _PROCESSORS.fullmatch(name)) else None for _, name, *_ in results}
    processors = next(iter(ends)) if len(ends) == 1 else None
    yield Run(
        app=facts.get("pkg") if len(packages) == 1 else None,
        threads=int(processors) if processors else None,
        tags={name: facts[name] for name in ("goos", "goarch", "cpu") if name in facts},
    )
    seen: Counter[tuple[str, str]] = Counter()
    values = []
    for package, full, value, unit in results:
        name = full.removesuffix(f"-{processors}") if processors else full
        metric = name if len(packages) == 1 else f"{package}.{name}"
        if unit == "ns/op":
            values.append(Value(metric, value * 1e-9, "s", "lower", seen[metric, unit]))
        else:
            by = direction(unit)
            values.append(Value(f"{metric} {unit}", value, unit, by, seen[metric, unit]))
        seen[metric, unit] += 1
    yield rows(values)
    yield LeftOut(printed.failed, "benchmark or package", "failed", "benchmarks or packages")


def _read(lines: Iterable[tuple[int, str]]) -> _Printed:
    """Read numbered lines; the result of a benchmark may be on a later line than its name."""
    printed = _Printed()
    waiting: str | None = None
    for number, line in lines:
        name, pairs = waiting, ""
        if fact := _FACT.fullmatch(line):
            printed.facts[fact[1]] = fact[2]
        elif result := _RESULT.fullmatch(line):
            name, pairs = result[1], result[3]
        elif found := _NAME.fullmatch(line):
            waiting = found[1]
        elif found := _REST.fullmatch(line):
            pairs = found[1]
        else:
            printed.failed += line.startswith(("--- FAIL", "FAIL"))
        if pairs and name is not None:
            waiting = None
            package = printed.facts.get("pkg", "")
            printed.results += [
                (package, name, _number(value, number), unit)
                for value, unit in _PAIR.findall(pairs)
            ]
    return printed


def _number(text: str, line: int) -> float:
    try:
        return float(text)
    except ValueError:
        raise unexpected(
            text,
            line,
            "BenchmarkName-8  1000  123 ns/op",
            "Is the line whole? Print results to a file of their own: go test -bench . > FILE",
        ) from None
