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
from apps.queries.runs import run_facts
from ingest.parsing.protobuf import messages
from warehouse.errors import UsageError
from warehouse.session import Connection

_MOST = (1 << 63) - 1  # of a value
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


def _encoded(measures: list[Measure], default: str, facts: dict[str, Any]) -> bytes:
    profile = messages("pprof").Profile()
    strings: dict[str, int] = {"": 0}

    def string(text: str) -> int:
        """Return the number of a text, in the order in which they are met."""
        return strings.setdefault(text, len(strings))

    for one in measures:
        unit = "nanoseconds" if one.event == TIME else one.unit
        profile.sample_type.add(type=string(one.event), unit=string(unit))
    values: defaultdict[Key, list[int]] = defaultdict(lambda: [0] * len(measures))
    for place, one in enumerate(measures):
        scale = 1e9 if one.event == TIME else 1
        for stack in one.stacks:
            values[stack.rank, stack.thread, stack.frames][place] += round(stack.own * scale)
    functions: dict[str, int] = {}
    for (rank, thread, frames), weights in values.items():
        # Location and function of a name have the same number; the leaf comes first.
        numbers = [functions.setdefault(name, len(functions) + 1) for name in reversed(frames)]
        sample = profile.sample.add(location_id=numbers)
        sample.value.extend(min(weight, _MOST) for weight in weights)
        for key, label in (("rank", rank), ("thread", thread)):
            if label is not None:
                sample.label.add(key=string(key), num=label)
    if facts.get("app"):
        profile.mapping.add(id=1, filename=string(facts["app"]))
    for name, place in functions.items():
        profile.location.add(id=place).line.add(function_id=place)
        profile.function.add(id=place, name=string(name))
    started, wall = facts.get("started_at"), facts.get("wall_seconds")
    if isinstance(started, datetime):
        profile.time_nanos = round(started.timestamp() * 1e9)
    if wall is not None:
        profile.duration_nanos = round(wall * 1e9)
    profile.default_sample_type = string(default)
    profile.string_table.extend(strings)
    return bytes(profile.SerializeToString(deterministic=True))
