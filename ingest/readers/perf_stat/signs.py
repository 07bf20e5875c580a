"""What only `perf stat` writes: how its counts are separated, and its JSON."""

from __future__ import annotations

import re

OWN_FILE = "Let perf write to a file of its own (perf stat -o FILE) to keep other output apart."
PLAIN_NUMBERS = "Record again with LC_ALL=C, which gives plain numbers such as 1234.56."

JSON = re.compile(r'\s*\{.*"(?:counter-value|pcnt-running|metric-unit)"\s*:')
PLACE = r"S\d+(?:-D\d+(?:-(?:C|CLS|L\d+-ID)\d+)?)?|N\d+"
NOT = "<not counted>|<not supported>"
_SEPARATOR = re.compile(r"(?P<sep>[^\d.%<>]{1,8}?)\d+(?P=sep)\d{1,3}\.\d\d(?:(?P=sep)|$)")
_DECIMAL_COMMA = re.compile(r"(?P<sep>[^\d.%<>]{1,8}?)\d+(?P=sep)\d{1,3},\d\d(?:(?P=sep)|$)")


def separator(line: str) -> str | None:
    """Find the separator of a line that `perf stat -x` wrote; None where it is no such line."""
    found = _SEPARATOR.search(line)
    if found is None or not re.match(separated(found["sep"]), line):
        return None
    return found["sep"]


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


def separated_place(s: str) -> str:
    """Return the pattern of what precedes a count: its time, its place or its thread."""
    return (
        rf" *(?:(?P<time>\d+\.\d{{9}}|summary){s})?(?:CPU(?P<cpu>\d+){s}"
        rf"|(?P<place>{PLACE}){s}(?:\d+{s})?|(?P<comm>.*?)-(?P<tid>\d+){s})?"
    )
