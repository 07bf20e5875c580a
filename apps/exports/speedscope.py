"""speedscope's own format: one sampled profile a thread.

Source: speedscope's wiki, "Importing from custom sources", and its file-format-spec.ts.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from apps.exports import Exported
from apps.exports.profile import TIME, Measure, Stack, chosen, profile
from warehouse.session import Connection
from warehouse.version import __version__

SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def export(con: Connection, run_id: str, event: str | None) -> Exported:
    """Return the stacks of one event; see `apps.exports.export_run`."""
    measures, left_out = profile(con, run_id)
    measure, others = chosen(measures, event)
    frames: dict[str, int] = {}
    threads: defaultdict[tuple[int | None, int | None], list[Stack]] = defaultdict(list)
    for stack in measure.stacks:
        threads[stack.rank, stack.thread].append(stack)
        for name in stack.frames:
            frames.setdefault(name, len(frames))
    document = {
        "$schema": SCHEMA,
        "shared": {"frames": [{"name": name} for name in frames]},
        "profiles": [
            _profile(measure, _name(measure, rank, thread), stacks, frames)
            for (rank, thread), stacks in threads.items()
        ],
        "name": run_id,
        "activeProfileIndex": 0,
        "exporter": f"pwh {__version__}",
    }
    return Exported([json.dumps(document).encode(), b"\n"], [*left_out, *others])


def _name(measure: Measure, rank: int | None, thread: int | None) -> str:
    parts = [] if rank is None else [f"rank {rank}"]
    parts += [] if thread is None else [f"Thread {thread}"]
    return ", ".join(parts) or measure.event


def _profile(
    measure: Measure, name: str, stacks: list[Stack], frames: dict[str, int]
) -> dict[str, Any]:
    unit = "seconds" if measure.event == TIME else measure.unit
    return {
        "type": "sampled",
        "name": name,
        "unit": unit if unit in ("seconds", "bytes") else "none",
        "startValue": 0,
        "endValue": sum(stack.own for stack in stacks),
        "samples": [[frames[name] for name in stack.frames] for stack in stacks],
        "weights": [stack.own for stack in stacks],
    }
