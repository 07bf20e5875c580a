"""Java Flight Recorder as JSON.

    jfr print --json --stack-depth 64 --events jdk.ExecutionSample FILE.jfr > NEW.json

Source: the tool jfr of JDK 17, and what it prints: without --stack-depth the last 5 frames of a
stack, even there as not truncated. Only execution samples are read: a sample is a thread that ran
Java code. How long one stands for is not in the file, so no times land. Functions are named by
class and method, as Class.method; `thread` is the thread's id in the system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ingest.base import Item, LeftOut, Run
from ingest.parsing.call_paths import UNKNOWN, frame_name
from ingest.parsing.json_values import field
from ingest.readers.profiles.sampling.stacks import NO_THREAD, Measure, Stacks
from warehouse.errors import InputError

_SAMPLE = "jdk.ExecutionSample"
_PRINTED = 5  # frames of a stack that jfr print shows by default


def items(document: Mapping[str, Any]) -> Iterator[Item]:
    """Yield the run and its rows."""
    yield Run(tags={"recorder": "Java Flight Recorder"})
    recording = field(document, "recording", dict, "the file")
    stacks, samples = Stacks(), Measure("samples", "samples")
    others: Counter[str] = Counter()
    depths: Counter[int] = Counter()
    without = cut = 0
    for number, event in enumerate(field(recording, "events", list, "recording")):
        where = f"event {number}"
        kind = field(event, "type", str, where)
        if kind != _SAMPLE:
            others[kind] += 1
            continue
        values = field(event, "values", dict, where)
        trace = values.get("stackTrace")
        if not isinstance(trace, dict) or not trace.get("frames"):
            without += 1
            continue
        frames = field(trace, "frames", list, where)
        path = stacks.path([_function(frame, where) for frame in reversed(frames)])
        samples.sums[_thread(values.get("sampledThread")), path] += 1
        depths[len(frames)] += 1
        cut += trace.get("truncated") is True
    if not samples.sums:
        raise InputError(
            f"there is no {_SAMPLE} with a stack",
            expected="samples of running threads",
            hint=f"Print them: jfr print --json --stack-depth 64 --events {_SAMPLE} FILE.jfr > "
            "NEW.json",
        )
    yield from stacks.items([samples])
    yield LeftOut(without, "sample", "without a stack")
    yield LeftOut(cut, "stack's callers", "cut off by the recorder", "stacks' callers")
    if max(depths) == _PRINTED:
        reason = f"beyond {_PRINTED} frames: jfr print --stack-depth 64 shows them"
        yield LeftOut(depths[_PRINTED], "stack's callers", reason, "stacks' callers")
    kinds = f"of {', '.join(others)}" if len(others) < 4 else f"of {len(others)} other kinds"
    yield LeftOut(others.total(), f"event {kinds}", f"only {_SAMPLE} is read", f"events {kinds}")


def _function(frame: Any, where: str) -> str:
    if not isinstance(frame, dict) or not frame.get("method"):
        return UNKNOWN
    method = field(frame, "method", dict, where)
    name = field(method, "name", str, where)
    owner = method.get("type")
    within = owner.get("name") if isinstance(owner, dict) else None
    return frame_name(f"{within.replace('/', '.')}.{name}" if isinstance(within, str) else name)


def _thread(thread: Any) -> int:
    number = thread.get("osThreadId") if isinstance(thread, dict) else None
    if isinstance(number, float) and number.is_integer() and 0 <= number < 1 << 62:
        return int(number)
    return NO_THREAD
