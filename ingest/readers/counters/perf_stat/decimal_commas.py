"""`perf stat` in languages with decimal commas: its numbers written as in English.

Source: tools/perf/util/stat-display.c of the Linux kernel. perf writes the seconds of -I with a
point in every language, groups digits in the counts of its text only, and a count has no, two or
six decimals: so 10.310 is ten thousand, and 16,42 is less than seventeen.
"""

from __future__ import annotations

import re
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from ingest.parsing.lines import LineArray
from ingest.readers.counters.perf_stat.runs import HEADER, STARTED
from ingest.readers.counters.perf_stat.signs import PLACE

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
