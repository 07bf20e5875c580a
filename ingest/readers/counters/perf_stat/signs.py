"""Signs of `perf stat`: how counts and metrics are separated, and its JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from ingest.parsing.lines import quoted
from warehouse.errors import InputError

OWN_FILE = "Let perf write to a file of its own (perf stat -o FILE) to keep other output apart."
PLAIN_NUMBERS = "Record again with LC_ALL=C, which gives plain numbers such as 1234.56."

JSON = re.compile(r'\s*\{.*"(?:counter-value|pcnt-running|metric-unit|metric-value)"\s*:')
PLACE = r"S\d+(?:-D\d+)?(?:-(?:C|CLS|L\d+-ID)\d+)?|N\d+"
NOT = "<not counted>|<not supported>"
METRIC_VALUE = re.compile(r" *(?:-?\d+(?:\.\d+)?|-?nan|-?inf|) *")
# The columns before those of metrics. The last count the processors that perf added up.
METRIC_PLACES = (
    *("time", "interval", "cpu", "comm-pid", "thread"),
    *("socket", "die", "cluster", "cache", "core", "node"),
    *("cpus", "aggregate-number", "counters"),
)
_PAIR = r'"[^"\\]+" : (?:"[^"\\]*"|(?:0|[1-9]\d*)(?:\.\d+)?)'
METRICS_OBJECT = re.compile(rf"\s*\{{\s*{_PAIR}(?:,\s*{_PAIR})*\s*\}}\s*\Z")
_SEPARATOR = re.compile(r"(?P<sep>[^\d.%<>]{1,8}?)\d+(?P=sep)\d{1,3}\.\d\d(?:(?P=sep)|$)")
_SEPARATOR_BEFORE_4 = re.compile(
    rf" *(?:\d+\.\d{{9}}[^\d.])?(?:(?:CPU|S)\d+\W)?(?:\d+(?:\.\d{{6}})?|{NOT})"
    r"(?P<sep>[^\w.%<> ])(?P=sep)?"
    r"(?:(?:task|cpu)-clock|cycles|instructions|branch(?:es|-misses)|cache-(?:references|misses)"
    r"|(?:page|major|minor)-faults|context-switches|(?:cpu|CPU)-migrations|cs|faults"
    r"|stalled-cycles-\w+|(?:L1-[di]cache|LLC|[di]TLB|branch)-(?:load|store|prefetche)(?:s|-misses))"
    r"(?::\w+)?(?=(?P=sep)|$)"
)
_DECIMAL_COMMA = re.compile(r"(?P<sep>[^\d.%<>]{1,8}?)\d+(?P=sep)\d{1,3},\d\d(?:(?P=sep)|$)")


def separator(line: str) -> str | None:
    """Find the separator of a line that `perf stat -x` wrote; None where it is no such line."""
    found = _SEPARATOR.search(line)
    count = found and re.match(separated(found["sep"]), line)
    # No event begins with a digit, as numbers between letters do in packed style sheets.
    return found["sep"] if found and count and not count["event"][0].isdigit() else None


def separator_before_4(line: str) -> str | None:
    """Find the separator of a count as Linux before 4.0 writes it; None where it is no such line.

    Such a line has little that is particular to perf: only its usual events are known by it.
    """
    found = _SEPARATOR_BEFORE_4.match(line)
    return found and found["sep"]


def has_decimal_comma(line: str) -> bool:
    """Return a line that perf wrote with the decimal comma of some languages."""
    return _DECIMAL_COMMA.search(line) is not None


def separated(sep: str) -> str:
    """Return the pattern of a count; an event in slashes may contain the separator."""
    s = re.escape(sep)
    name, field = (rf"[^/{s}]", rf"[^{s}]*?") if len(sep) == 1 else ("[^/]", ".*?")
    event = rf"{name}+?(?:/[^/]*/{name}*?)?"
    return (
        rf"^{separated_place(s)}(?P<value>\d+(?:\.\d+)?|{NOT}){s}(?P<unit>{field}){s}"
        rf"(?P<event>{event})(?:{s}(?P<cgroup>{field}))??"
        rf"(?:{s}(?P<deviation>\d+\.\d+|-?nan|inf)%)?{s}\d+{s}(?P<running>\d+\.\d\d)"
        rf"(?:{s}(?P<metric>[\d.]*){s}(?P<metric_unit>{'.*' if sep == ' ' else field}))?$"
    )


def separated_before_4(sep: str) -> str:
    """Return the pattern of a count as Linux before 4.0 writes it: what is unknown is left out."""
    s = re.escape(sep)
    field = rf"[^{s}]*?" if len(sep) == 1 else ".*?"
    return (
        rf"^{separated_place(s)}(?P<value>\d+(?:\.\d+)?|{NOT}){s}(?:(?P<unit>\w*){s})?"
        rf"(?P<event>[a-zA-Z]{field})(?:{s}(?P<cgroup>/{field}))?"
        rf"(?:{s}(?P<deviation>\d+\.\d+|-?nan|inf)%)?(?:{s}(?P<running>\d+\.\d\d)%?)?$"
    )


def separated_place(s: str) -> str:
    """Return the pattern of what precedes a count: its time, its place or its thread."""
    return (
        rf" *(?:(?P<time>\d+\.\d{{9}}|summary){s})?(?:CPU(?P<cpu>\d+){s}"
        rf"|(?P<place>{PLACE}){s}(?:\d+{s})?|(?P<comm>.*?)-(?P<tid>\d+){s})?"
    )


def heading_separator(lines: Sequence[str]) -> str | None:
    """Return the separator of a heading with a row of values below it, None where it is none."""
    shown = [line for line in lines if line.strip() and not line.startswith("#")][:2]
    if len(shown) < 2 or shown[0][-1].isalnum():
        return None
    sep = shown[0][-1]
    places, names = heading(shown[0], sep)
    cells = shown[1].split(sep)
    if not names or len(cells) != len(places) + len(names) + 1 or cells[-1].strip():
        return None
    values = cells[len(places) : -1]
    is_row = all(map(METRIC_VALUE.fullmatch, values)) and any(value.strip() for value in values)
    return sep if is_row and all(re.search("[A-Za-z]", name) for name in names) else None


def is_object(line: str) -> bool:
    """Return whether a line is an object of metrics by their names, as perf writes it."""
    if not METRICS_OBJECT.match(line):
        return False
    values = [value for name, value in pairs_of(line) if name not in METRIC_PLACES]
    is_text = all(isinstance(value, str) and METRIC_VALUE.fullmatch(value) for value in values)
    return is_text and any(map(bool, values))


def heading(line: str, sep: str) -> tuple[list[str], list[str]]:
    """Return the columns of the place and the names of the metrics."""
    names = [
        name.strip(" ") if name.strip() in METRIC_PLACES else name for name in line.split(sep)[:-1]
    ]
    first = next((at for at, name in enumerate(names) if name not in METRIC_PLACES), len(names))
    return names[:first], [name.strip() for name in names[first:]]


def pairs_of(line: str) -> list[tuple[str, object]]:
    """Return names and values of an object; raises `InputError` where it is no JSON."""
    try:
        pairs: list[tuple[str, object]] = json.loads(line, object_pairs_hook=list)
    except ValueError as error:
        raise InputError(
            f"{quoted(line)} is no JSON object ({error})", expected="one object a line"
        ) from None
    return pairs
