"""pprof profiles (profile.proto), compressed: all events of a profile are sample types.

Source: github.com/google/pprof, proto/profile.proto. Values are whole numbers, so that times are
in ns. A thread or rank is a numeric label of its samples.
"""

from __future__ import annotations

import gzip
from collections import defaultdict
from datetime import datetime
from typing import Any

from apps.exports import Exported
from apps.exports.profile import TIME, Measure, profile
from apps.exports.protobuf import message, number, packed, text
from apps.queries.runs import run_facts
from warehouse.errors import UsageError
from warehouse.session import Connection

# Fields of a Profile, and of the messages in it.
_TYPE, _SAMPLE, _MAPPING, _LOCATION, _FUNCTION, _STRING = 1, 2, 3, 4, 5, 6
_TIME_NANOS, _DURATION, _DEFAULT = 9, 10, 14
_ID, _NAME = 1, 2
_SAMPLE_LOCATIONS, _SAMPLE_VALUES, _SAMPLE_LABEL = 1, 2, 3
_LABEL_KEY, _LABEL_NUMBER = 1, 3
_LOCATION_LINE, _LINE_FUNCTION = 4, 1
_MAPPING_FILE = 5

Key = tuple[int | None, int | None, tuple[str, ...]]


def export(con: Connection, run_id: str, event: str | None) -> Exported:
    """Return the stacks of all events, `event` the default; see `apps.exports.export_run`."""
    measures, left_out = profile(con, run_id)
    names = [one.event for one in measures]
    if event is not None and event not in names:
        raise UsageError(f"the profile has no event {event!r}", hint=f"It has: {', '.join(names)}.")
    encoded = _encoded(measures, event or names[0], run_facts(con, run_id))
    # Without a time in its header the same run is always the same file.
    return Exported([gzip.compress(encoded, mtime=0)], left_out)


class _Strings(dict[str, int]):
    """Numbers texts in the order in which they are met; 0 is the empty one."""

    def __init__(self) -> None:
        super().__init__({"": 0})

    def __missing__(self, value: str) -> int:
        self[value] = place = len(self)
        return place


def _encoded(measures: list[Measure], default: str, facts: dict[str, Any]) -> bytes:
    strings = _Strings()
    parts = []
    for one in measures:
        unit = "nanoseconds" if one.event == TIME else one.unit
        parts.append(message(_TYPE, number(_ID, strings[one.event]), number(_NAME, strings[unit])))
    values: defaultdict[Key, list[int]] = defaultdict(lambda: [0] * len(measures))
    for place, one in enumerate(measures):
        scale = 1e9 if one.event == TIME else 1
        for stack in one.stacks:
            values[stack.rank, stack.thread, stack.frames][place] += round(stack.own * scale)
    functions: dict[str, int] = {}
    for (rank, thread, frames), weights in values.items():
        # Location and function of a name have the same number; the leaf comes first.
        numbers = [functions.setdefault(name, len(functions) + 1) for name in reversed(frames)]
        labels = [
            message(_SAMPLE_LABEL, number(_LABEL_KEY, strings[key]), number(_LABEL_NUMBER, label))
            for key, label in (("rank", rank), ("thread", thread))
            if label is not None
        ]
        parts.append(
            message(
                _SAMPLE,
                packed(_SAMPLE_LOCATIONS, numbers),
                packed(_SAMPLE_VALUES, weights),
                *labels,
            )
        )
    if facts.get("app"):
        parts.append(
            message(_MAPPING, number(_ID, 1), number(_MAPPING_FILE, strings[facts["app"]]))
        )
    for name, place in functions.items():
        line = message(_LOCATION_LINE, number(_LINE_FUNCTION, place))
        parts.append(message(_LOCATION, number(_ID, place), line))
        parts.append(message(_FUNCTION, number(_ID, place), number(_NAME, strings[name])))
    started, wall = facts.get("started_at"), facts.get("wall_seconds")
    if isinstance(started, datetime):
        parts.append(number(_TIME_NANOS, round(started.timestamp() * 1e9)))
    if wall is not None:
        parts.append(number(_DURATION, round(wall * 1e9)))
    parts.append(number(_DEFAULT, strings[default]))
    return b"".join([*parts, *(text(_STRING, value) for value in strings)])
