"""Units of time as tools and people write them."""

from __future__ import annotations

TIMES = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "ms": ("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"),
    "us": ("us", "usec", "usecs", "micros", "microsecond", "microseconds", "\u00b5s"),
    "ns": ("ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"),
}
"""Names of each unit below a minute."""
_PARTS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
PER_SECOND = {name: _PARTS[unit] for unit, names in TIMES.items() for name in names}
"""How many of a unit, by any of its names, are a second."""
