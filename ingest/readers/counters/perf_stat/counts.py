"""The runs and counts of a file of `perf stat`, stretch by stretch of its lines.

Where a language has decimal commas, numbers are written as in English first. Source:
tools/perf/util/stat-display.c of the Linux kernel. perf writes the seconds of -I with a point in
every language, groups digits in the counts of its text only, and a count has no, two or six
decimals: so 10.310 is ten thousand, and 16,42 is less than seventeen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.base import Item, LeftOut, Run
from ingest.parsing.lines import LineArray, check_line_end, chunks, quoted
from ingest.readers.counters.perf_stat.forms import Form, Separated, Text, has_counts
from ingest.readers.counters.perf_stat.json import Json
from ingest.readers.counters.perf_stat.metric_lines import JsonMetrics, SeparatedMetrics
from ingest.readers.counters.perf_stat.metric_table import MetricTable, is_row
from ingest.readers.counters.perf_stat.rows import Landing, nameless, negative
from ingest.readers.counters.perf_stat.runs import HEADER, INTERVALS, LAST, METRICS, STARTED, Runs
from ingest.readers.counters.perf_stat.signs import (
    JSON,
    OWN_FILE,
    PLACE,
    PLAIN_NUMBERS,
    has_decimal_comma,
    heading_separator,
    is_object,
    separator,
    separator_before_4,
)
from ingest.recording import Recording
from udfs.arrays import Flags, Integers
from warehouse.errors import InputError

# What has decimals in all languages: times, metrics, milliseconds, and shares of the time.
_POINTS = re.compile(
    rb"^ *\d+\.\d+(?: \+- \d+\.\d+)? +seconds "
    rb"|# +-?\d+\.\d+"
    rb"|\d\.\d\d msec "
    rb"|(?P<sep>[^\d.,%<> ]{1,8}?|,)\d+(?P=sep)\d{1,3}\.\d\d(?:(?P=sep)|$)"
    rb'|"pcnt-running" : \d+\.\d'
    rb"|^ *(?:\d+\.\d{9} +)?(?:CPU\d+ +|[SN]\d\S* +(?:\d+ +)?)?\d+\.\d{1,3}%?(?= +[\d\n]|\n)",
    re.MULTILINE,
)

_COUNT = rf"^( *(?:\d+\.\d{{9}} +)?(?:CPU\d+ +|(?:{PLACE}) +(?:\d+ +)?|\S.*?-\d+ +)?\d"
_GROUP = rf"{_COUNT}{{1,18}})[.\x{{a0}}\x{{202f}}](\d{{3}}(?:[,. \x{{a0}}\x{{202f}}]|$))"
_MOST_GROUPS = 6
_NUMBERS = (
    (rf"{_COUNT}+),(\d{{2}}|\d{{6}}) ", r"\1.\2 "),
    (r"((?:# +|\+- *|[(\[])[+-]?\d+),(\d+)", r"\1.\2"),
    (r"^( *\d+),(\d+ +(?:\+-|seconds |\())", r"\1.\2"),
    # Separated, and JSON.
    # Twice: neighbours share the separator between them.
    *[(r'(^|[^\d.,%<> "])(\d+),(\d+%?)([^\d.,%<> "]|$)', r"\1\2.\3\4")] * 2,
    (r'("counter-value" : "\d+),(\d{6}")', r"\1.\2"),
    (r'("[\w-]+" : )(\d+),(\d+)([,}])', r"\1\2.\3\4"),
)
_NO_COUNTS = f"{HEADER}|{STARTED}"
_VALUES_ONLY = rf"^ *(?:\d+\.\d{{9}} +)?(?:CPU\d+ +|(?:{PLACE}) +(?:\d+ +)?)?[,% ]*\d[\d,% ]*$"


def has_points(data: bytes) -> bool:
    """Return whether lines have a decimal that only a language with points writes."""
    return _POINTS.search(data) is not None


def with_points(lines: LineArray) -> LineArray:
    """Return lines of a file that has decimal commas with the numbers that English has."""
    text = lines.text
    for _ in range(_MOST_GROUPS):
        text = pc.replace_substring_regex(text, _GROUP, r"\1\2")
    for pattern, number in _NUMBERS:
        text = pc.replace_substring_regex(text, pattern, number)
    table = pc.match_substring_regex(text, _VALUES_ONLY)
    text = pc.if_else(table, pc.replace_substring(text, ",", "."), text)
    keep = pc.match_substring_regex(lines.text, _NO_COUNTS)
    return replace(lines, text=pc.if_else(keep, lines.text, text))


def without_metrics(table: pa.Table) -> tuple[pa.Table, int]:
    """Return the counts of a table of a form, and how many metrics it had.

    In separated lines perf ends a metric's value at its comma: 1,23 is written as 1.
    """
    lost = pc.sum(pc.not_equal(table["metric"], "")).as_py() or 0
    table = table.filter(pc.not_equal(table["event"], ""))
    empty = pa.array([""] * len(table), pa.string())
    for name in ("metric", "metric_unit"):
        table = table.set_column(table.schema.get_field_index(name), name, empty)
    return table, lost


_SEARCHED = 2000


def items(recording: Recording) -> Iterator[Item]:
    """Yield the runs, and their counts stretch by stretch."""
    executions, points = _survey(recording)
    runs, landing = Runs(many=executions > 1), Landing()
    form: Form | None = None
    yielded: Run | None = None
    before = ""
    for chunk in chunks(recording):
        lines = chunk.array() if points else with_points(chunk.array())
        form = form or _form(lines)
        if form is None:
            _Follower(runs, None).follow(lines, np.empty(0, np.int64), ~_blank(lines))
            continue
        table, known = form.rows(lines)
        yield LeftOut(nameless(table), "metric", "perf wrote (null) for the name")
        yield LeftOut(negative(table), "metric", "negative, as their events were counted in turns")
        if isinstance(form, Separated) and not points:
            table, lost = without_metrics(table)
            yield LeftOut(lost, "metric", "perf lost the decimals after the comma")
        if form.NEEDS_END and not lines.whole:
            end = lines.first + len(lines.text) - 1
            is_whole = partial(_is_whole, form, before)
            check_line_end(recording, lines.line(end), is_whole, where=f"line {end}")
        before = lines.text[-1].as_py()
        follower = _Follower(runs, form)
        at = table["line"].to_numpy()
        number, inside = follower.follow(lines, at, ~known & ~_blank(lines))
        for run in follower.runs:
            if run != yielded:
                yield run
            yielded = run
        if isinstance(form, Text):
            inside |= table["time"].is_valid().to_numpy()
            table, number = table.filter(inside), number[inside]
        yield from landing.rows(table, number)
    _check_complete(runs, form)


class _Follower:
    """Follows one stretch of lines: the runs there, and the run of each row."""

    def __init__(self, runs: Runs, form: Form | None) -> None:
        self._runs = runs
        self._form = form
        self.runs: list[Run] = []

    def follow(self, lines: LineArray, at: Integers, others: Flags) -> tuple[Integers, Flags]:
        """Take the lines that contain no counts.

        Returns per row (their lines are `at`) the number of its run, and whether it is where
        text contains counts.
        """
        runs = self._runs
        borders, states = [0], [(runs.number, runs.open and runs.headed)]
        done = 0
        for number in lines.numbers(others).tolist():
            rows = int(np.searchsorted(at, number))
            self._count(rows > done)
            done = rows
            self._take(lines.line(number), number)
            borders.append(number)
            states.append((runs.number, runs.open and runs.headed))
        self._count(len(at) > done)
        self.runs.append(runs.run)
        state = np.array(states)[np.searchsorted(borders, at) - 1]
        return state[:, 0], state[:, 1].astype(bool)

    def _count(self, rows: bool) -> None:
        if rows and (self._runs.open or not isinstance(self._form, Text)):
            self._runs.counted = True

    def _take(self, line: str, number: int) -> None:
        before, run = self._runs.number, self._runs.run
        where = f"line {number}"
        known = self._runs.take(line, where)
        if self._runs.number != before:
            self.runs.append(run)
        if known or line.startswith("#") or self._form is None:
            return
        if self._runs.open or not isinstance(self._form, Text):
            problem, expected, hint = self._form.complaint(line)
            raise InputError(problem, where=where, expected=expected, hint=hint)


def _survey(recording: Recording) -> tuple[int, bool]:
    """Return how many executions have a start or a command, and whether decimals have points."""
    started = headed = 0
    points = False
    for chunk in chunks(recording):
        started += len(re.findall(STARTED.encode(), chunk.data, re.MULTILINE))
        headed += len(re.findall(HEADER.encode(), chunk.data, re.MULTILINE))
        points = points or has_points(chunk.data)
    return max(started, headed), points


def _form(lines: LineArray) -> Form | None:
    """Find out in which form the file is; None where there is nothing but comments yet."""
    first = None
    for number, line in enumerate(lines.text.slice(0, _SEARCHED).to_pylist(), lines.first):
        if (form := _form_of(line)) is not None:
            return form
        if first is None and line.strip() and not line.startswith("#"):
            first = (number, line)
    if (sep := heading_separator(lines.text.slice(0, _SEARCHED).to_pylist())) is not None:
        return SeparatedMetrics(sep)
    if pc.any(pc.match_substring_regex(lines.text, f"{HEADER}|{INTERVALS}|{METRICS}")).as_py():
        start = lines.text.slice(0, _SEARCHED)
        is_table = any(map(is_row, start.to_pylist())) and not has_counts(start)
        return MetricTable() if is_table else Text()
    if first is None:
        return None
    if first[1].lstrip().startswith("{"):
        return Json()
    raise _unknown_form(*first)


def _form_of(line: str) -> Form | None:
    """Return the form that a line shows by itself."""
    if JSON.match(line):
        return Json()
    if (sep := separator(line)) is not None:
        return Separated(sep)
    if (sep := separator_before_4(line)) is not None:
        return Separated(sep, before_4=True)
    return JsonMetrics() if is_object(line) else None


def _unknown_form(number: int, line: str) -> InputError:
    if has_decimal_comma(line):
        problem, hint = "the numbers have decimal commas", PLAIN_NUMBERS
    elif not re.search(r"\w", line):
        problem = f"{quoted(line)} is a row of metrics without any value"
        hint = "Here perf counts nothing that they are made of: record without --metric-only."
    else:
        problem = f"{quoted(line)} is no line of counts"
        hint = OWN_FILE
    return InputError(
        problem,
        where=f"line {number}",
        expected="counts as perf stat writes them, plain, with -x or with -j",
        hint=hint,
    )


def _blank(lines: LineArray) -> Flags:
    blank: Flags = pc.match_substring_regex(lines.text, r"^\s*$").to_numpy(zero_copy_only=False)
    return blank


def _is_whole(form: Form, before: str, line: str) -> bool:
    """Return whether a line is what perf writes last, or has as many fields as the one before."""
    if isinstance(form, Separated | SeparatedMetrics):
        return 0 < line.count(form.sep) == before.count(form.sep)
    return re.search(LAST, line) is not None


def _check_complete(runs: Runs, form: Form | None) -> None:
    """Raise `InputError` for a file that lacks what perf writes last."""
    if isinstance(form, Text) and runs.headed and runs.open:
        raise InputError(
            "the end is missing",
            where="end of the file",
            expected="a line `... seconds time elapsed`",
            hint="The file is cut off, or perf was killed. Record again.",
        )
    if not runs.counted:
        raise InputError(
            "the file begins an execution without counts" if runs.number else "there are no counts",
            where="end of the file",
            expected="counts of at least one event",
            hint=(
                "Did perf fail to start the program? Without hardware counters, as in most virtual "
                "machines, --metric-only has nothing to print: record without it."
            ),
        )
