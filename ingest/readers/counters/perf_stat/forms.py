"""Two forms in which `perf stat` writes counts, line by line: separated (-x), and text.

Sources: the sections CSV FORMAT and JSON FORMAT of perf-stat(1), and what tools/perf/util/
stat-display.c of the Linux kernel prints, from 4.6 (fields after the count) to 6.16.

A form, here or in perf_stat_json, turns lines into a table of text columns (COLUMNS), one row per
line that contains a count or a metric; "" is what the line does not have. Its column `line`
is the line's number, `time` the end of the interval in ns or null.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.lines import LineArray, quoted
from ingest.parsing.numbers import cast
from ingest.readers.counters.perf_stat.signs import (
    NOT,
    OWN_FILE,
    PLACE,
    PLAIN_NUMBERS,
    has_decimal_comma,
    separated,
    separated_before_4,
    separated_place,
)
from udfs.arrays import Flags, Integers

COLUMNS = (
    *("cpu", "place", "comm", "tid", "value", "unit", "event", "cgroup"),
    *("deviation", "running", "metric", "metric_unit", "core"),
)


class Form(Protocol):
    """One way of writing counts."""

    NEEDS_END: bool
    """Whether only a line end shows that a line is whole."""

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return the rows of the lines, and flags of the lines that were understood."""
        ...

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line that was not: problem, expected, hint."""
        ...


def _separated_metric(sep: str) -> str:
    s = re.escape(sep)
    return (
        rf"^{separated_place(s)}(?:(?:{s}[\d.]+%)?{s}\d+{s}\d+\.\d\d)?(?:{s}){{2,}}"
        rf"(?P<metric>[\d.]*){s}(?P<metric_unit>.+)$"
    )


class Separated:
    """Output of `perf stat -x SEP`."""

    NEEDS_END = True

    def __init__(self, sep: str, *, before_4: bool = False) -> None:
        self.sep = sep
        self._count = separated_before_4(sep) if before_4 else separated(sep)

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return counts, and metrics that are on lines of their own; no sums of -I --summary."""
        return _matched(lines, self._count, _separated_metric(self.sep))

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        expected = f"value{self.sep}unit{self.sep}event{self.sep}... as perf stat -x writes them"
        if has_decimal_comma(line):
            return f"{quoted(line)} has decimal commas", expected, PLAIN_NUMBERS
        return f"{quoted(line)} is no line of counts", expected, OWN_FILE


_TEXT_PLACE = (
    r"^ *(?:(?P<time>\d+\.\d{9}) +)?(?:CPU(?P<cpu>\d+) +"
    rf"|(?P<place>{PLACE}) +(?:\d+ +)?|(?P<comm>\S.*?)-(?P<tid>\d+) +)?"
)
_TEXT_METRIC = r"# +(?P<metric>-?[\d.]+|-?nan|-?inf)%? +(?P<metric_unit>\S.*?)"
_TEXT_END = (
    r" *(?:\( \+- *(?P<deviation>[\d.]+|-?nan|inf)% \))?"
    r" *(?:[(\[](?P<running>\d+\.\d+)%[)\]])? *$"
)
_TEXT_COUNT = (
    rf"{_TEXT_PLACE}(?P<value>(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d{{2}}|\.\d{{6}})?|{NOT})"
    r"(?: (?P<unit>[^\s#(\d]\S*))? +(?P<event>[^\s#(\d]\S*(?: \[\w+\])?)"
    r"(?: +(?P<cgroup>[^\s#(]\S*))?"
    rf"(?: +{_TEXT_METRIC})?{_TEXT_END}"
)
# Before Linux 4.15 perf wrote the unit of its clocks behind their name.
_UNIT_BEHIND = r"(\d) +((?:task|cpu)-clock(?::\w+)?) \(msec\)"
# With six decimals, as scripts and documents round them, times look like counts of an event `time`.
_TIMES = r"^ *\d+\.\d{6} +seconds (?:time elapsed|user|sys) *$"
# The sign of a percentage is at its number, or before its name, where perf writes other units.
_SIGN = r"(# +-?\d+\.\d+)% +"
_TEXT_METRIC_ONLY = (
    rf"{_TEXT_PLACE}(?:[A-Za-z]\w*(?: \((?P<core>\w+)\))? +)?{_TEXT_METRIC}{_TEXT_END}"
)


class Text:
    """Output of `perf stat` for people."""

    NEEDS_END = True

    def rows(self, lines: LineArray) -> tuple[pa.Table, Flags]:
        """Return counts, and metrics that are on lines of their own."""
        text = pc.replace_substring_regex(lines.text, _UNIT_BEHIND, r"\1 msec \2")
        text = pc.replace_substring_regex(text, _SIGN, r"\1 %  ")
        text = pc.replace_substring_regex(text, _TIMES, "")
        table, known = _matched(replace(lines, text=text), _TEXT_COUNT, _TEXT_METRIC_ONLY)
        table = _with_shares(with_cores(table))
        # Here perf leaves the share of time out where it is 100 %.
        running = pc.if_else(pc.equal(table["running"], ""), "100", table["running"])
        at = table.schema.get_field_index("running")
        return table.set_column(at, "running", running), known

    def complaint(self, line: str) -> tuple[str, str, str]:
        """Return what is wrong with a line."""
        expected = "a count and the name of its event, such as `1133 context-switches`"
        if re.match(r"^ *[\d.' \u00a0\u202f]+,\d+ |^ *\d{1,3}(?:[.' \u00a0\u202f]\d{3})+ ", line):
            problem = f"{quoted(line)} has locale-formatted numbers"
            return problem, expected, PLAIN_NUMBERS
        return f"{quoted(line)} is no line of counts", expected, OWN_FILE


def has_counts(text: pa.StringArray) -> bool:
    """Return whether some line has a count as `perf stat` writes it for people."""
    return any(
        pc.any(pc.match_substring_regex(text, pattern)).as_py()
        for pattern in (_TEXT_COUNT, _TEXT_METRIC_ONLY)
    )


def with_cores(table: pa.Table) -> pa.Table:
    """Return the rows with the kind of core in all metrics of a group: perf writes it in the first.

    A count ends a group.
    """
    core = table["core"].to_numpy()
    begins = pc.not_equal(table["event"], "").to_numpy() | (core != "")
    at = np.maximum.accumulate(np.where(begins, np.arange(len(core)), 0))
    filled = pa.array(core[at], pa.string())
    return table.set_column(table.schema.get_field_index("core"), "core", filled)


def _with_shares(table: pa.Table) -> pa.Table:
    """Return the rows with what perf writes behind the second metric of a count in its row."""
    second = pc.equal(pc.utf8_trim_whitespace(table["metric_unit"]), "stalled cycles per insn")
    is_below = np.append(pc.and_(second, pc.equal(table["event"], "")).to_numpy()[1:], False)
    for name in ("deviation", "running"):
        texts = table[name].to_numpy()
        texts = np.where(is_below & (texts == ""), np.append(texts[1:], ""), texts)
        at = table.schema.get_field_index(name)
        table = table.set_column(at, name, pa.array(texts, pa.string()))
    return table


def _matched(lines: LineArray, count: str, metric: str) -> tuple[pa.Table, Flags]:
    """Return the rows of the lines that match one of two patterns, in the order of the file."""
    known = np.zeros(len(lines.text), dtype=bool)
    tables = []
    rest = np.ones(len(lines.text), dtype=bool)
    for pattern in (count, metric):
        found = pc.extract_regex(lines.text.filter(pa.array(rest)), pattern)
        hit = rest.copy()
        hit[rest] = found.is_valid().to_numpy(zero_copy_only=False)
        tables.append(_as_table(found.drop_null(), lines.numbers(hit)))
        known |= hit
        rest &= ~hit
        # A second pass is needed for few lines, or none.
        rest &= ~pc.match_substring_regex(lines.text, r"^\s*$").to_numpy(zero_copy_only=False)
    table = pa.concat_tables(tables)
    summary = pc.equal(table["timestamp"], "summary")
    table = table.filter(pc.invert(summary)).sort_by("line")
    digits = pc.replace_substring(table["timestamp"].combine_chunks(), ".", "")
    time = cast(digits, pa.int64(), table["line"].to_numpy(), "time")
    return table.drop_columns("timestamp").add_column(1, "time", time), known


def _as_table(found: pa.StructArray, at: Integers) -> pa.Table:
    names = {field.name for field in found.type}
    empty = pa.array([""] * len(found), pa.string())
    return pa.table(
        [pa.array(at)]
        + [pc.struct_field(found, n) if n in names else empty for n in ("time", *COLUMNS)],
        ["line", "timestamp", *COLUMNS],
    )
