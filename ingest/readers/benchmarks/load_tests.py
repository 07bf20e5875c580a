"""What benchmarks that load a machine print, line by line.

Sources: the tools' manuals, and what sysbench 1.0, stress-ng 0.15, hackbench 2.4, perf 6.1 and
likwid-bench 5.2 print. What they did is the tag arguments: results of another load are no history
of these. What a tool prints besides is left alone. Times are in seconds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.base import Head, Item, LeftOut, Run, SingleFile, form_of
from ingest.parsing.lines import numbered_lines
from ingest.parsing.metric_values import Better, Found, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_N = r"(?P<value>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"
# The second is that of `perf bench all`.
_PERF_BENCH = r"# Running '?(?P<test>[^\s']+)'? benchmark(?::|\.\.\.)"
_SCALES = {f"{k}B/s": (1024.0**n, "B/s") for n, k in enumerate(" KMG") if n}


@dataclass(frozen=True, slots=True)
class _Line:
    """A line with a value: the metric's name and unit, in which groups of the pattern can be.

    A line without a value has a group that later names contain: the test that is being run.
    """

    pattern: str
    metric: str = ""
    unit: str | None = None
    better: Better | None = None


@dataclass(frozen=True, slots=True)
class _Tool:
    """A tool: the line by which it is recognised, those with values, those with settings.

    settings are patterns of lines, and the text for what is in their group; left_out are patterns
    of lines with other figures, what one and several of these are, and why they do not land.
    """

    name: str
    title: str
    lines: tuple[_Line, ...]
    threads: str = r"(?!)"
    settings: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str, str, str], ...] = ()

    def has(self, line: str) -> bool:
        """Return whether a line has a value, or ends a table or document."""
        patterns = [one.pattern for one in self.lines] + [one[0] for one in self.left_out]
        if line.strip().partition(":")[0] not in "".join(patterns):
            patterns += [r"[^:]+:\s+\d\S*(?: \S+)?", r"-{3,}|\.{3}"]
        return any(re.fullmatch(pattern, line.strip()) for pattern in patterns)


_TOOLS = (
    _Tool(
        "sysbench",
        r"sysbench \d+\.\d+.*",
        (
            _Line(rf"events per second: +{_N}", "events", "1/s"),
            _Line(rf"(?P<name>transactions|queries): +\d+ +\({_N} per sec\.\)", "{name}", "1/s"),
            _Line(rf"(?P<name>reads|writes|fsyncs)/s: +{_N}", "{name}", "1/s"),
            _Line(rf"(?P<name>read|written), MiB/s: +{_N}", "{name}", "MiB/s"),
            _Line(rf"Total operations: \d+ \( *{_N} per second\)", "operations", "1/s"),
            _Line(rf"[\d.]+ MiB transferred \({_N} MiB/sec\)", "transferred", "MiB/s"),
            _Line(rf"total time: +{_N}s", "total time", "s"),
            _Line(rf"total number of events: +{_N}", "total events", None, "higher"),
            _Line(rf"avg: +{_N}", "latency", "ms"),
            _Line(rf"max: +{_N}", "latency max", "ms"),
            _Line(rf"(?P<name>\d+)th percentile: +{_N}", "latency p{name}", "ms"),
            _Line(rf"ignored errors: +{_N} .*", "ignored errors", None, "lower"),
        ),
        threads=r"Number of threads: (\d+)",
        settings=(
            (r"Target transaction rate: (\d+/sec)", "at most {}"),
            (r"Prime numbers limit: (\d+)", "primes up to {}"),
            (r"Doing (.*) test", "{}"),
            (r"(?:block|Block) size:? (\S+)", "blocks of {}"),
            (r"(\S+) total file size", "{} of files"),
            (r"operation: (\w+)", "{}"),
            (r"scope: (\w+)", "{}"),
        ),
    ),
    _Tool(
        "stress-ng",
        r"stress-ng-version: .*|stress-ng: metrc: .*",
        (
            _Line(r"- stressor: (?P<test>\S+)"),
            _Line(rf"bogo-ops-per-second-real-time: {_N}", "{test}", "bogo-ops/s"),
            _Line(
                rf"(?P<name>(?!bogo-|ticks-)[a-z0-9-]*(?:per-|mb)sec[a-z0-9-]*): {_N}",
                "{test} {name}",
                None,
                "higher",
            ),
            _Line(
                rf"stress-ng: metrc: \[\d+\] (?P<name>[\w-]+)(?: +[\d.]+){{4}} +{_N} +[\d.]+.*",
                "{name}",
                "bogo-ops/s",
            ),
        ),
        settings=((r"stress-ng: info: +\[\d+\] dispatching hogs: (.*)", "{}"),),
        left_out=(
            (
                r"[\w-]+_total: \d+|stress-ng: \w+: +\[\d+\] +[\d,]+ \S.* [\d.]+ [KMBTPE]?/sec.*",
                "count of --perf",
                "counts of --perf",
                "perf stat -x, -o FILE.csv stress-ng ... records them",
            ),
            (
                r"stress-ng: metrc: \[\d+\] [\w-]+ +[\d.]+ [a-zA-Z].* \(.* mean of \d+ instances\)",
                "miscellaneous metric",
                "miscellaneous metrics",
                "their names are for people: --yaml FILE.yaml has those that are rates",
            ),
        ),
    ),
    _Tool(
        "hackbench",
        r"Running in (?:process|thread)(?:ed)? mode with \d+ groups .*",
        (_Line(rf"Time: {_N}", "hackbench", "s"),),
    ),
    _Tool(
        "perf bench",
        _PERF_BENCH,
        (
            _Line(_PERF_BENCH),
            _Line(r"# function '(?P<function>\S+)' .*"),
            _Line(rf"Total time: {_N} \[sec\]", "{test}", "s"),
            _Line(rf"{_N} (?P<unit>[KMG]B)/sec", "{test} {function}", "{unit}/s"),
            _Line(rf"{_N} usecs/op", "{test} per operation", "us"),
            _Line(rf"Averaged {_N} operations/sec .*", "{test}", "1/s"),
        ),
    ),
    _Tool(
        "likwid-bench",
        r"LIKWID MICRO BENCHMARK",
        (
            _Line(r"Test: (?P<test>\S+)"),
            _Line(rf"MByte/s:\s+{_N}", "{test}", "MByte/s"),
            _Line(rf"MFlops/s:\s+{_N}", "{test} flops", "Mflop/s"),
            _Line(rf"Cycles per update:\s+{_N}", "{test} cycles per update", None, "lower"),
        ),
        threads=r"Using (\d+) threads",
    ),
)


class LoadTests(SingleFile):
    """Rates and latencies of machines under load."""

    NAME = "load-tests"
    DESCRIPTION = "load of a machine: sysbench, stress-ng, hackbench, perf bench, likwid-bench"
    PATTERNS = ("sysbench.txt", "stress.yaml", "hackbench.txt", "perf-bench.txt")
    TABLES = ("metrics",)

    def sniff(self, head: Head) -> str | None:
        """Return the tool by the line that it begins its results with."""
        lines = {line.strip() for line in head.data.decode("utf-8", "replace").splitlines()}
        found = (t.name for t in _TOOLS if any(re.fullmatch(t.title, line) for line in lines))
        return next(found, None)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the runs and their values; a metric that is repeated is of the next run.

        Raises `InputError` where results of another tool begin.
        """
        form = form_of(self, recording)
        tool = next((tool for tool in _TOOLS if tool.name == form), None)
        if tool is None:
            raise InputError("no load test is recognised", expected=self.DESCRIPTION)
        yield from _items(recording, tool)


def _items(recording: Recording, tool: _Tool) -> Iterator[Item]:
    found = Found()
    others = [other for other in _TOOLS if other is not tool]
    context: dict[str, str] = {}
    figures: Counter[str] = Counter()  # of each test that is named
    for number, line in numbered_lines(recording, must_end=tool.has):
        another = next((o.name for o in others if re.fullmatch(o.title, line.strip())), None)
        if another:
            raise InputError(
                f"results of {another} begin here, behind those of {tool.name}",
                where=f"line {number}",
                expected="results of one tool in a file",
            )
        _take(line.strip(), tool, context, found, figures)
        for pattern, record, records, reason in tool.left_out:
            if re.fullmatch(pattern, line.strip()):
                yield LeftOut(1, record, reason, records)
    if not found.values:
        raise InputError(f"there is no result of {tool.name}", expected="a test that ended")
    several = len(found.threads) > 1
    for number, threads in enumerate(found.threads):
        key = str(number) if several else None
        tags = {"recorder": tool.name}
        if settings := found.settings.get(number):
            tags["arguments"] = ", ".join(settings)
        yield Run(key=key, threads=threads, tags=tags)
    yield rows(found.values)
    without = [test for test, count in figures.items() if not count]
    reason = f"without a figure that is known: {', '.join(without)}"
    yield LeftOut(len(without), f"test of {tool.name}", reason, f"tests of {tool.name}")


def _take(
    line: str, tool: _Tool, context: dict[str, str], found: Found, figures: Counter[str]
) -> None:
    if threads := re.fullmatch(tool.threads, line):
        found.next_run(int(threads[1][:9]))
    for pattern, text in tool.settings:
        if setting := re.fullmatch(pattern, line):
            found.next_run()
            found.set(text.format(setting[1]))
    for one in tool.lines:
        matched = re.fullmatch(one.pattern, line)
        if matched is None:
            continue
        groups = matched.groupdict()
        if "value" not in groups:
            if "test" in groups:
                context.clear()
                figures[groups["test"]] += 0
            context.update(groups)
            continue
        names = {"test": "", "function": "", **context, **groups}
        value, unit = float(groups["value"]), one.unit and one.unit.format(**names)
        scale, unit = _SCALES.get(unit or "", (1.0, unit))
        metric = " ".join(one.metric.format(**names).split())
        found.add(metric, value * scale, unit, one.better)
        if "test" in context:
            figures[context["test"]] += 1
