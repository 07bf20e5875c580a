"""The reader of benchmark results."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from ingest.base import Head, Item, SingleFile, form_of
from ingest.parsing.json_values import parse
from ingest.parsing.lines import Whole, check_line_end, whole_text
from ingest.recording import Recording
from warehouse.errors import InputError

_FORMS = {
    "google": re.compile(rb'\s*\{\s*"context"\s*:\s*\{(?s:.*)"benchmarks"\s*:\s*\['),
    "pytest_benchmark": re.compile(rb'\s*\{\s*"machine_info"\s*:\s*(?:\{|null)'),
    "hyperfine": re.compile(rb'\s*\{\s*"results"\s*:\s*\[\s*\{\s*"command"\s*:'),
    "hyperfine_csv": re.compile(rb"command,mean,stddev,median,user,system,min,max\b"),
    "pytest_csv": re.compile(rb"name,(?:param:[^,\n]*,)*min,max,mean,stddev\b"),
    "google_csv": re.compile(
        rb"(?s:.*?)^name,iterations,real_time,cpu_time,time_unit,", re.MULTILINE
    ),
    "pyperf": re.compile(rb'\s*\{\s*"benchmarks"\s*:\s*\[\s*\{\s*"(?:metadata|runs)"\s*:'),
    "action": re.compile(
        rb'\s*(?:window\.BENCHMARK_DATA\s*=|\{(?=[^{}]*"lastUpdate"\s*:)[^{}]*"entries"\s*:\s*\{)'
    ),
    "action_input": re.compile(
        rb'\s*\[\s*\{(?=[^{}]*"name"\s*:)(?=[^{}]*"unit"\s*:)[^{}]*"value"\s*:[^{}]*\}'
    ),
    "jmh": re.compile(rb'\s*\[\s*\{\s*"jmhVersion"\s*:'),
    "jmh_csv": re.compile(rb'"Benchmark","Mode","Threads","Samples","Score",'),
    "jmh_text": re.compile(
        rb"(?s:.*?)^(?:\[(?i:info)\])? *Benchmark +(?:\(\S+\) +)*Mode +(?:Thr +)?"
        rb"(?:Cnt|Count|Samples) +(?:Sec +)?(?:Score|Mean) .*Units",
        re.MULTILINE,
    ),
    "google_text": re.compile(rb"(?s:.*?)^Benchmark +Time +CPU +Iterations", re.MULTILINE),
    "hyperfine_text": re.compile(rb"\| Command \| Mean \["),
    # Of version 1, before the results come the times of all benchmarks, and first of all what they
    # are versions of: more than is looked at.
    "asv": re.compile(
        rb'\s*\{\s*"benchmark_version"\s*:\s*\{|\s*\{[^{}]*"commit_hash"\s*:\s*"[0-9a-f]+"(?s:.*)'
        rb'"(?:env_name|params|requirements|ended_at|duration)"\s*:'
    ),
    "reframe_report": re.compile(rb'\s*\{(?s:.*)"session_info"\s*:\s*\{(?s:.*)"data_version"\s*:'),
    "reframe_log": re.compile(
        rb"(?:[^\n]*\bjob_completion_time\b|(?=[^\n]*_unit\b)[^\n]*\bdisplay_name\b)[^\n]*_value\b"
        rb"|[^\n|]+\|(?:reframe )?[\d.]+[^\n|]*\|[^\n]* on \S+ using [^\n]*\|ref=[^\n]*\(l="
    ),
    "go_json": re.compile(
        rb'\s*\{"(?:Time|ImportPath|Action)":"[^\n]*\n(?s:.*)"Output":"Benchmark'
    ),
    "go_testing": re.compile(
        rb"(?s:.*?)^Benchmark\S*[ \t]+\d+[ \t]+[\d.eE+-]+ \S+/op\b", re.MULTILINE
    ),
    "catch2": re.compile(
        rb"\s*(?:<\?xml[^>]*>\s*)?<Catch(?:2TestRun)?\s(?s:.*)<BenchmarkResults\s"
    ),
    "vitest": re.compile(rb'\s*\{\s*"files"\s*:\s*\[\s*\{\s*"filepath"(?s:.*)"benchmarks"\s*:'),
    "benchmarkjs": re.compile(
        rb"(?s:.*?)^ *\S.* x [\d,.]+ ops/sec [^\n]*\(\d+ (?:runs? sampled|cycles?)\)", re.MULTILINE
    ),
    "fio": re.compile(rb'(?s:.*?)^\{\s*"fio version"\s*:', re.MULTILINE),
    "iperf": re.compile(rb'\s*\{\s*"start"\s*:\s*\{(?s:.*)"version"\s*:\s*"iperf '),
    "rust": re.compile(
        rb"(?s:.*?)(?:[ \t]time:[ \t]+\[[\d.]+ \S+ [\d.]+ \S+ [\d.]+ \S+\]\r?\n"
        rb"|^test \S.* \.\.\. bench: +[\d,.]+ ns/iter"
        rb'|^\{ *"type": *"bench", *"name": *"[^\n]*"median": *[\d.]+, *"deviation")',
        re.MULTILINE,
    ),
    "dotnet": re.compile(
        rb'(?s:.*?)^(?:BenchmarkDotNet[= ]v|(?:\xef\xbb\xbf)?"?Method"?[,;]"?Job"?[,;])',
        re.MULTILINE,
    ),
    "suites": re.compile(
        rb"(?s:.*?)^[ \t]*(?:Function +(?:Best )?Rate \(?MB/s\)? +Avg time|# OSU \S.* Test"
        rb"|# Benchmarking \S|T/V +N +NB +P +Q +Time +Gflops|\|(?: +relative \|)? +ns/\S+ \| )",
        re.MULTILINE,
    ),
}
# Notes and text of fio (--output-format=normal,json) come before and after.
_FIO_OBJECT = re.compile(r"^\{.*?(?:^\}|\Z)", re.MULTILINE | re.DOTALL)
# What is printed between other lines: a log can have that of several frameworks.
_PRINTED = {
    "google_text": "Google Benchmark",
    "jmh_text": "JMH",
    "go_testing": "Go",
    "benchmarkjs": "Benchmark.js",
    "rust": "Rust",
    "dotnet": "BenchmarkDotNet",
    "suites": "STREAM, OSU, Intel MPI, HPL or nanobench",
}
_LIMIT = 256 << 20


# Forms of lines, and whether one is whole, by its fields or its end.
_UNIT = "(?:ns|us|ms|s|min|hr|day)"
_LINES: dict[str, Whole] = {
    **dict.fromkeys(("google_csv", "pytest_csv", "hyperfine_csv", "jmh_csv"), True),
    "google_text": re.compile(
        r"-{5,}\s*|\S.* +\S+ (?:ns|us|ms|s|%) +\S+ (?:ns|us|ms|s|%) +\d+"
        r"(?: (?!.*per_second=[^ ]*[^ s]$).*)?"
    ).fullmatch,
    "hyperfine_text": re.compile(r"\|.*\|\s*").fullmatch,
    "jmh_text": re.compile(rf".*\s(?:{_UNIT}/op|ops/{_UNIT})\s*").fullmatch,
    "dotnet": re.compile(r"\|.*\|\s*|[^|]+[;,].*").fullmatch,
    "reframe_log": True,
}


class Benchmarks(SingleFile):
    """Reads what benchmark frameworks write, value by value; times are in seconds."""

    NAME = "benchmarks"
    DESCRIPTION = (
        "results of Google Benchmark, pytest, hyperfine, JMH, asv, ReFrame, Go, Rust, HPL, fio"
    )
    PATTERNS = ("*benchmark*.json", "hyperfine.json", "jmh-result.json", "bench*.txt", "data.js")
    TABLES = ("metrics", "fn_timings")

    def sniff(self, head: Head) -> str | None:
        """Return the form by the first fields of JSON, or a line of results."""
        return next((form for form, pattern in _FORMS.items() if pattern.match(head.data)), None)

    def read(self, recording: Recording) -> Iterator[Item]:
        """Yield the runs and their values; see `Reader.read`."""
        from ingest.readers.benchmarks.frameworks import (
            catch2,
            csv_forms,
            dotnet,
            go_testing,
            javascript,
            json_forms,
            per_language,
            printed_tables,
            reframe,
            rust,
            storage_network,
            suites,
        )

        form = form_of(self, recording)
        if form is None:
            raise InputError(
                "these are no results of a benchmark that is known",
                expected=self.DESCRIPTION,
                hint="Other results: a CSV file with the columns metric, value, unit, better.",
            )
        with recording.open() as file:
            data = file.read(1 << 16)
        mixed = [name for one, name in _PRINTED.items() if _FORMS[one].match(data)]
        if form in _PRINTED and len(mixed) > 1:
            raise InputError(
                f"there are results of several frameworks: {'; '.join(mixed)}",
                expected="results of one in a file",
            )
        lines = {
            "catch2": catch2.items,
            "go_testing": go_testing.go_testing,
            "go_json": go_testing.go_json,
            "rust": rust.items,
            "suites": suites.items,
        }
        if form in lines:
            yield from lines[form](recording)
            return
        documents: dict[str, Callable[[Any], Iterator[Item]]] = {
            "google": json_forms.google,
            "pytest_benchmark": json_forms.pytest_benchmark,
            "hyperfine": json_forms.hyperfine,
            "action": json_forms.action,
            "action_input": json_forms.action_input,
            "jmh": per_language.jmh,
            "asv": lambda document: per_language.asv(document, recording.path),
            "pyperf": per_language.pyperf,
            "vitest": javascript.vitest,
            "fio": storage_network.fio,
            "iperf": storage_network.iperf,
            "reframe_report": reframe.report,
        }
        text = whole_text(recording, limit=_LIMIT, strict=form in documents)
        if form in _LINES:
            check_line_end(recording, text, _LINES[form])
        if form == "action":
            text = text.strip().removesuffix(";")
            text = text if text.startswith("{") else text.partition("=")[2]
        elif form == "fio":
            text = _only_object(text)
        tables = {
            "google_csv": lambda: json_forms.google(csv_forms.google(text)),
            "pytest_csv": lambda: json_forms.pytest_benchmark(csv_forms.pytest_benchmark(text)),
            "hyperfine_csv": lambda: json_forms.hyperfine(csv_forms.hyperfine(text)),
            "google_text": lambda: json_forms.google(*printed_tables.google(text)),
            "hyperfine_text": lambda: json_forms.hyperfine(printed_tables.hyperfine(text)),
            "jmh_text": lambda: per_language.jmh(*printed_tables.jmh(text)),
            "jmh_csv": lambda: per_language.jmh(printed_tables.jmh_csv(text)),
            "benchmarkjs": lambda: javascript.benchmarkjs(text),
            "dotnet": lambda: dotnet.items(text),
            "reframe_log": lambda: reframe.log(text),
        }
        if form in tables:
            yield from tables[form]()
            return
        # asv writes NaN for parameters that a benchmark skips.
        yield from documents[form](parse(text, allow_nan=form == "asv"))


def _only_object(text: str) -> str:
    """Return the JSON object between other lines of fio; raise `InputError` at another one."""
    first, *more = _FIO_OBJECT.finditer(text)
    if more:
        raise InputError(
            "another result begins here",
            where=f"line {text.count(chr(10), 0, more[0].start()) + 1}",
            expected="one result of fio in a file",
            hint="With --status-interval the last one has the totals: keep that one.",
        )
    return first[0]
