"""Units of time as tools and people write them."""

from __future__ import annotations

TIMES = {
    "s": ("s", "sec", "secs", "second", "seconds"),
    "ms": ("ms", "msec", "msecs", "millis", "millisecond", "milliseconds"),
    "us": ("us", "usec", "usecs", "micros", "microsecond", "microseconds", "\u00b5s"),
    "ns": ("ns", "nsec", "nsecs", "nanos", "nanosecond", "nanoseconds"),
    # In the name of a column min can be the least of several.
    "min": ("mins", "minute", "minutes"),
    "h": ("h", "hr", "hrs", "hour", "hours"),
}
"""Names of each unit."""
UNIT_OF = {name: unit for unit, names in TIMES.items() for name in names}
"""The unit of each name."""
PER_SECOND = {
    name: per
    for unit, per in (("s", 1.0), ("ms", 1e3), ("us", 1e6), ("ns", 1e9))
    for name in TIMES[unit]
}
"""How many of a unit below a minute, by any of its names, are a second."""
_LONG = {"min": 60.0, "h": 3600.0, "day": 86400.0}
SECONDS = {
    **{name: 1 / per for name, per in PER_SECOND.items()},
    **{"ps": 1e-12, "fs": 1e-15, **_LONG},
    **{name: _LONG[unit] for name, unit in UNIT_OF.items() if unit in _LONG},
}
"""How many seconds a unit is, by any of its names."""
