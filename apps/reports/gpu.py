"""Work of GPUs, what limits them, and what would help: in sentences."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from apps.output.numbers import amount, amounts, counted, percent
from apps.output.tables import dicts
from apps.output.text import cell
from apps.queries.base import ask, ask_value
from apps.reports.flags import flag_sentence, flag_text
from warehouse.session import Connection

_BUSY = {"computing": "only computing", "copying": "only copying", "both": "both"}
_IDLE = {
    "sync": "in calls that wait",
    "copy": "in calls that copy",
    "memory": "in calls that allocate or free memory",
    "launch": "in other calls of the runtime",
    "operators": "in operators",
    "python": "in Python functions",
    "unrecorded": "in what was not recorded",
    "call": "in the call that launched the next work",
    "device": "after that call had returned",
    "unknown": "before work of which no call is known",
}
# Devices that are described each, the least busy first, and all whose time is stated.
_DESCRIBED = 2
_STATED = 8
# Shares below these are left out: of the idle time, of the work, and of the window.
_LEAST_PART, _LEAST_WORK, _LEAST_GAIN = 0.05, 0.1, 0.02
# Steps that differ by more than this are told apart.
_OTHER_STEP = 1.25


def device_part(metric: str) -> str:
    """Return what a part of a device's time was: `idle time in operators`, `convolutions`."""
    _, kind, part = metric.split(":", 2)
    return f"idle time {_IDLE[part]}" if kind == "idle" else cell(part)


def gpu_sentences(con: Connection, run_id: str) -> list[str]:
    """Return how busy the GPUs of a run were, why they were idle, and what would help.

    An empty list for a run without work of a device.
    """
    if not ask_value(con, "gpu/any", run_id=run_id):
        return []
    devices = dicts(ask(con, "gpu/devices", run_id=run_id))
    about: dict[str, dict[str, list[dict[str, Any]]]] = {
        topic: defaultdict(list) for topic in ("steps", "operations", "gains")
    }
    for topic, rows in about.items():
        for row in dicts(ask(con, f"gpu/{topic}", run_id=run_id)):
            rows[row["device"]].append(row)
    sentences = []
    for device in devices[:_DESCRIBED]:
        name = device["device"]
        sentences += [
            _busy(device),
            *_verdict(device),
            *_steps(about["steps"][name]),
            *_operations(device, about["operations"][name]),
            *_gains(device, about["gains"][name]),
        ]
    sentences += [_busy(device) for device in devices[_DESCRIBED:_STATED]]
    if len(devices) > _STATED:
        most = percent(devices[-1]["busy_share"])
        sentences.append(f"{len(devices) - _STATED} other devices were busy up to {most}.")
    return [*sentences, *_stragglers(con, run_id), *_memory(con, run_id)]


def _stragglers(con: Connection, run_id: str) -> list[str]:
    """Return which device the others waited for, where that took a notable part of the time."""
    return [
        f"{cell(row['straggler'])} comes last: the others wait for it in communication for "
        f"{amount(row['waited_seconds'], 's')} of {amount(row['window_seconds'], 's')} on average."
        for row in dicts(ask(con, "gpu/stragglers", run_id=run_id))
        if row["waited_seconds"] >= _LEAST_PART * row["window_seconds"]
    ]


def _memory(con: Connection, run_id: str) -> list[str]:
    """Return how much memory was in use at most, where an allocator recorded it."""
    sentences = []
    for row in dicts(ask(con, "gpu/memory", run_id=run_id))[:_STATED]:
        used, reserved = amounts([row["allocated_bytes"], row["reserved_bytes"]], "bytes")
        of = f" of {reserved} reserved" if row["reserved_bytes"] else ""
        sentences.append(f"{cell(row['device'])} had at most {used} of memory in use{of}.")
    return sentences


def _busy(device: dict[str, Any]) -> str:
    window = device["window_seconds"]
    parts = [
        f"{what} {percent(device[f'{part}_seconds'] / window)}"
        for part, what in _BUSY.items()
        if device[f"{part}_seconds"] and window
    ]
    split = f" ({', '.join(parts)})" if len(parts) > 1 else ""
    return (
        f"{cell(device['device'])} was busy {percent(device['busy_share'])} of "
        f"{amount(window, 's')}, from its first work to its last{split}."
    )


def _verdict(device: dict[str, Any]) -> list[str]:
    """Return what limits a device, what is second to it, and how its idle time splits."""
    name, verdict, second = cell(device["device"]), device["verdict"], device["second"]
    late = ""
    if "late" in verdict["args"]:
        args = verdict["args"]
        late = f"; the largest part in {cell(args['late'])} ({args['late_time']})"
    first = f"{name} is {flag_text(verdict)}{late}."
    if second is not None and device["is_tied"]:
        first = (
            f"Two causes limit {name} nearly equally. It is {flag_text(verdict)}{late}. And it is "
            f"{flag_text(second)}."
        )
    sentences = [first]
    if second is not None and not device["is_tied"]:
        sentences.append(f"Second, it is {flag_text(second)}.")
    sentences += [flag_sentence(flag) for flag in device["flags"]]
    idle = device["idle_seconds"]
    if idle and device["busy_share"] < 1 - _LEAST_PART:
        shares = {part: device[f"{part}_seconds"] / idle for part in _IDLE}
        texts = dict(_IDLE)
        if device["interpreter_seconds"] >= _LEAST_PART * idle:
            of_it = percent(device["interpreter_seconds"] / idle)
            texts["unrecorded"] += f" (the interpreter between operators {of_it})"
        parts = [
            f"{percent(share)} {texts[part]}"
            for part, share in sorted(shares.items(), key=lambda entry: -entry[1])
            if share >= _LEAST_PART
        ]
        sentences.append(
            f"Of the {amount(idle, 's')} idle, the host spent before the next work: "
            f"{', '.join(parts)}."
        )
    return sentences


def _steps(steps: list[dict[str, Any]]) -> list[str]:
    """Return how steps differ: the first are slower where a profiler starts with them."""
    if len(steps) < 2:
        return []
    windows = sorted(step["window_seconds"] for step in steps)
    usual = windows[(len(windows) - 1) // 2]
    slow = []
    for step in steps:
        if step["window_seconds"] <= _OTHER_STEP * usual:
            break
        slow.append(step)
    rest = steps[len(slow) :]
    busy = sum(step["busy_seconds"] for step in rest) / sum(s["window_seconds"] for s in rest)
    mean = sum(step["window_seconds"] for step in rest) / len(rest)
    usual_text = f"{amount(mean, 's')} on average, busy {percent(busy)}"
    if not slow:
        return [f"A step of {len(steps)} takes {usual_text}."]
    first = ", ".join(amount(step["window_seconds"], "s") for step in slow[:3])
    takes = "takes" if len(slow) == 1 else "take"
    name = "first step" if len(slow) == 1 else f"first {len(slow)} steps"
    return [
        f"The {name} {takes} {first}, the other {counted(len(rest), 'step')} {usual_text}: a "
        "profiler, or what is done once, slows the first."
    ]


def _operations(device: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    shown = [row for row in rows if (row["share"] or 0) >= _LEAST_WORK][:4]
    if not shown:
        return []
    parts = ", ".join(f"{cell(row['operation'])} {percent(row['share'])}" for row in shown)
    return [f"Work of {cell(device['device'])}: {parts}."]


def _gains(device: dict[str, Any], rows: list[dict[str, Any]]) -> list[str]:
    parts = [
        f"{flag_text({'code': row['change'], 'args': {}})} "
        f"{amount(row['window_seconds'], 's')} ({percent(row['gain_share'])} less)"
        for row in rows
        if (row["gain_share"] or 0) >= _LEAST_GAIN
    ]
    if not parts:
        if device["verdict"]["code"] != "gpu_bound":
            return []
        alone = device["communicating_seconds"] - device["hidden_seconds"]
        if 2 * alone > device["busy_seconds"]:
            return ["Most of its work is communication, which ends when the last device has come."]
        return ["Nothing that the host does would shorten it: the work of the device does."]
    return [f"A replay of the same work takes, with {'; with '.join(parts)}."]
