"""Output of load tests and benchmarks, line by line.

Sources: the tools' manuals, and what sysbench 1.0, wrk 4.1, ab 2.3, h2load 1.52, pgbench 15,
stress-ng 0.15, hackbench 2.4, perf 6.1 and likwid-bench 5.2 print. How many clients
there were, and what they did, is the tag arguments: results of others are no history of these. What
a tool prints besides is left alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.base import Item, LeftOut, Run
from ingest.parsing.lines import numbered_lines
from ingest.parsing.metric_values import Better, Found, rows
from ingest.recording import Recording
from warehouse.errors import InputError

_N = r"(?P<value>\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)"
_TIME = r"(?P<unit>us|ms|s|m)"
# The second is that of `perf bench all`.
_PERF_BENCH = r"# Running '?(?P<test>[^\s']+)'? benchmark(?::|\.\.\.)"
_SCALES = {"m": (60.0, "s"), **{f"{k}B/s": (1024.0**n, "B/s") for n, k in enumerate(" KMG") if n}}


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

    settings are patterns of lines, and the text for what is in their group, and those that come
    `later`, among the values; left_out are patterns of lines with other figures, what one and
    several of these are, and why they do not land.
    """

    name: str
    title: str
    lines: tuple[_Line, ...]
    threads: str = r"(?!)"
    settings: tuple[tuple[str, str], ...] = ()
    later: tuple[tuple[str, str], ...] = ()
    left_out: tuple[tuple[str, str, str, str], ...] = ()

    def has(self, line: str) -> bool:
        """Return whether a line has a value, or ends a table or document."""
        patterns = [one.pattern for one in self.lines] + [one[0] for one in self.left_out]
        if line.strip().partition(":")[0] not in "".join(patterns):
            patterns += [r"[^:]+:\s+\d\S*(?: \S+)?", r"-{3,}|\.{3}"]
        return any(re.fullmatch(pattern, line.strip()) for pattern in patterns)


TOOLS = (
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
        "wrk",
        r"Thread Stats +Avg +Stdev +.*",  # autocannon begins in the same words
        (
            _Line(rf"Requests/sec: +{_N}", "requests", "1/s"),
            _Line(rf"Transfer/sec: +{_N}(?P<unit>[KMG]?B)", "transfer", "{unit}/s"),
            _Line(rf"Latency +{_N}{_TIME} .*", "latency", "{unit}"),
            _Line(rf"(?P<name>[\d.]+)% +{_N}{_TIME}", "latency p{name}", "{unit}"),
            _Line(rf"Non-2xx or 3xx responses: {_N}", "failed responses", None, "lower"),
            _Line(rf"Socket errors: connect {_N}, .*", "connect errors", None, "lower"),
            _Line(rf"Socket errors: .*, timeout {_N}", "timeouts", None, "lower"),
        ),
        settings=(
            (r"Running \w+ test @ \w+://[^/]+(/.+)", "{}"),
            (r"(\d+ threads and \d+ connections)", "{}"),
        ),
    ),
    _Tool(
        "ab",
        r"This is ApacheBench, .*",
        (
            _Line(rf"Requests per second: +{_N} \[#/sec\] \(mean\)", "requests", "1/s"),
            _Line(rf"Time per request: +{_N} \[ms\] \(mean\)", "latency", "ms"),
            _Line(rf"Transfer rate: +{_N} \[Kbytes/sec\] received", "transfer", "KB/s"),
            _Line(rf"(?P<name>\d+)% +{_N}(?: \(longest request\))?", "latency p{name}", "ms"),
            _Line(rf"Failed requests: +{_N}", "failed requests", None, "lower"),
            _Line(rf"Non-2xx responses: +{_N}", "failed responses", None, "lower"),
        ),
        settings=(
            (r"Document Path: +(/.+)", "{}"),
            (r"Concurrency Level: +(\d+)", "{} clients"),
        ),
        later=((r"(Keep-Alive) requests: +\d+", "{}"),),
    ),
    _Tool(
        "h2load",
        r"spawning thread #0: .*",
        (
            _Line(rf"finished in .*, {_N} req/s, .*", "requests", "1/s"),
            _Line(rf"finished in .*, {_N}(?P<unit>[KMG]?B)/s", "transfer", "{unit}/s"),
            _Line(
                rf"time for request:(?: +\S+){{2}} +{_N}{_TIME}(?: +\S+){{2}}", "latency", "{unit}"
            ),
            _Line(rf"time for request: +\S+ +{_N}{_TIME}(?: +\S+){{3}}", "latency max", "{unit}"),
            _Line(rf"requests: .*, {_N} failed, .*", "failed requests", None, "lower"),
        ),
        settings=(
            (r"spawning thread #\d+: (\d+) total client\(s\)\. .*", "{} clients"),
            (r"Application protocol: (\S+)", "{}"),
        ),
    ),
    _Tool(
        "pgbench",
        r"pgbench \(.*|transaction type: .*",
        (
            # Older ones print the rate with the time for connections, too.
            _Line(rf"tps = {_N} \((?!including connections).*", "transactions", "1/s"),
            _Line(rf"latency average = {_N} ms", "latency", "ms"),
            _Line(rf"rate limit schedule lag: avg {_N} .*", "schedule lag", "ms"),
            _Line(rf"number of failed transactions: {_N} .*", "failed transactions", None, "lower"),
            _Line(rf"number of transactions skipped: {_N} .*", "skipped", None, "lower"),
        ),
        threads=r"number of threads: (\d+)",
        settings=(
            (r"transaction type: (?:<builtin: )?(.*?)>?", "{}"),
            (r"scaling factor: (\d+)", "scale {}"),
            (r"query mode: (extended|prepared)", "{}"),
            (r"number of clients: (\d+)", "{} clients"),
        ),
        later=(
            (r"number of .* above the ([\d.]+ ms) latency limit: .*", "latency limit {}"),
            (r"(rate limit) schedule lag: .*", "{}"),
            (r"tps = .*\(including (reconnection) times\)", "{} for each"),
        ),
        left_out=(
            (
                r"\d+\.\d{3} +\S.*",
                "latency of a statement",
                "latencies of statements",
                "that of transactions lands",
            ),
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


def tool_of(text: str) -> str | None:
    """Return the name of the tool that printed a text."""
    lines = {line.strip() for line in text.splitlines()}
    found = (t.name for t in TOOLS if any(re.fullmatch(t.title, line) for line in lines))
    return next(found, None)


def items(recording: Recording, name: str) -> Iterator[Item]:
    """Yield the runs of a tool and their values; a metric that is repeated is of the next run.

    Raises `InputError` where results of another tool begin.
    """
    tool = next(tool for tool in TOOLS if tool.name == name)
    found = Found()
    others = [other for other in TOOLS if other is not tool]
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
    for pattern, text in tool.later:
        if setting := re.fullmatch(pattern, line):
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
