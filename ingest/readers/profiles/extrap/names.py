"""What the names of metrics in an Extra-P experiment mean."""

from __future__ import annotations

import re

ROOT = "<root>"  # Extra-P's name of the whole program

_RATE = re.compile(r"/\s*s\b|per[ _-]?sec|rate\b|bandwidth|throughput")
_COUNTER = re.compile(
    r"\bpapi\b|\bperf\b|visits?\b|calls\b|count|bytes|flop|cycles|\bcyc\b|instr|\bins\b|energy"
    r"|joule|power|watt|messages|\bmsgs?\b|loads?\b|stores?\b|miss|\bhits?\b|branch|cache|\btlb\b"
    r"|fault|iterations|packets|efficiency|ratio|percent|%|speed ?up|\bsize\b|\bipc\b|\bcpi\b"
)
_GAUGE = re.compile(r"memory|\bmem\b|heap|\brss\b|temperature|delta|change|difference")
_TIME = re.compile(r"time(?!st)|second|\bsecs?\b|\bs\b|duration|\bwall|elapsed|latency")
_SPREAD = re.compile(r"\b(min|max|minimum|maximum|std|stddev|sdev|variance|var|error)\b")
_UNITS = (
    (re.compile(r"\b(ns|nsecs?|nanosec(ond)?s?)\b"), 1e-9),
    (re.compile(r"\b([u\u00b5\u03bc]s|usecs?|microsec(ond)?s?)\b"), 1e-6),
    (re.compile(r"\b(ms|msecs?|millisec(ond)?s?)\b"), 1e-3),
    (re.compile(r"\bminutes?\b"), 60.0),
)


def as_text(value: float) -> str:
    """Write a parameter's value without a needless `.0`."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


class Metric:
    """What a metric is, by its name.

    `column` is the column of fn_timings it can fill, None for those that are no time; `doubt` ranks
    the claims of several metrics to be that time (0 is surest); `scale` brings values to `unit`,
    seconds for times, where the name has another unit; `signed` is whether values may be below
    zero. Times whose name has no unit are in seconds, as Score-P and Extra-P have them. A metric
    without a name, or with one that means nothing here, can be anything.
    """

    def __init__(self, name: str) -> None:
        # An underscore is a word character to a regular expression, but not to people.
        text = name.lower().replace("_", " ").replace("-", " ").strip()
        scale = next((factor for unit, factor in _UNITS if unit.search(text)), None)
        rate = bool(_RATE.search(text)) or text.startswith(("papi", "perf"))
        timed = not rate and (scale is not None or bool(_TIME.search(text)))
        counts = rate or bool(_COUNTER.search(text))
        spread = bool(_SPREAD.search(text))
        self.signed = not timed and (bool(_GAUGE.search(text)) or not counts)
        self.unit = "s" if timed and "var" not in text else None
        self.scale = scale if self.unit and scale else 1.0
        self.doubt = 0 if text == "time" else 1
        inclusive = "inclusive_seconds" if "incl" in text else "seconds"
        self.column = inclusive if timed and not spread else None
