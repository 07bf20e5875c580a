"""The questions about idle time, computed literally by definition: slow, for tests only."""

from __future__ import annotations

from typing import Any

from tests.helpers.idle_reference import Reference, minus, size, within
from tests.helpers.schedules import Row

Part = tuple[str, str, int]


def cut_to(reference: Reference, rows: list[Row], t0: int, t1: int) -> list[Row]:
    """Return the rows of one reading within [t0, t1)."""
    out = []
    for row in rows:
        a, b = max(row["t_start"], t0), min(row["t_end"], t1)
        if (a, b) == (row["t_start"], row["t_end"]):
            out.append(row)
        elif a < b:
            out.append({**row, **_parts(reference, row, a, b)})
    return out


def _parts(reference: Reference, row: Row, a: int, b: int) -> dict[str, Any]:
    sets = {name: within(intervals, [(a, b)]) for name, intervals in row["sets"].items()}
    s, c, x, latency, rest = (size(sets[name]) for name in "SCXLR")
    share = _uniform_until(reference, row, b) - _uniform_until(reference, row, a)
    u = min(s, max(0, share))
    task = reference.tasks.get(row["task"], {})
    submit = task.get("t_submit")
    before = [] if submit is None or submit <= a else [(a, submit)]
    found = {
        "t_start": a,
        "t_end": b,
        "starvation1": s + c + x,
        "ov_concrete": c,
        "ov_uniform": u,
        "ov_rest": rest,
        "ov_unsubmitted": size(within(sets["R"], before)),
        "lat_inherited": x,
        "starvation": s - u,
        "latency": latency + x,
        "overhead": c + u + rest,
    }
    return found if s + c + x else found | {"blamed_task": None, "blamed_worker": None}


def _uniform_until(reference: Reference, row: Row, moment: int) -> int:
    """Return what the uniform share would be if the starvation ended at a moment."""
    maker = row["blamed_worker"]
    if maker is None or moment <= row["t_start"]:
        return 0
    starved = within(row["sets"]["S"], [(row["t_start"], moment)])
    exact, total = reference.exact.get(maker, []), 0
    for p, q, ns in reference.totals.get(maker, []):
        y = size(minus([(p, q)], exact))
        total += min(ns, y) * size(within(starved, [(p, q)])) // y if y else 0
    return min(total, size(starved))


def critical_path(reference: Reference, direct: list[Row]) -> list[Part] | None:
    """Return task, cause and ns of the parts of the path; None where it comes to a task twice."""
    idle = {row["task"]: row for row in direct if row["task"] is not None}
    tasks = reference.tasks
    task = min(tasks.values(), key=lambda t: (-t["t_end"], t["fragment_id"].encode()), default=None)
    out: list[Part] = []
    seen: set[str] = set()
    until = task["t_end"] if task else 0
    while task is not None:
        name = task["fragment_id"]
        if name in seen:
            return None
        seen.add(name)
        row = idle.get(name)
        out += [
            (name, "compute", min(task["t_end"], until) - task["t_start"]),
            (name, "starvation", until - task["t_end"]),
        ]
        if row is not None:
            out += [(name, "latency", row["latency"]), (name, "overhead", row["ov_rest"])]
        if row is not None and row["starvation1"] and row["blamed_task"] in tasks:
            task, until = tasks[row["blamed_task"]], row["t_start"] + row["starvation1"]
            continue
        if row is not None:
            out.append((name, "starvation", row["starvation1"]))
        until = task["t_start"] if row is None else row["t_start"]
        task = _held_before(reference, task)
    return [part for part in out if part[2] > 0]


def _held_before(reference: Reference, task: Row) -> Row | None:
    """Return the task that ran on the worker last before this one."""
    mine = sorted(
        (t for t in reference.tasks.values() if t["worker_id"] == task["worker_id"]),
        key=lambda t: (t["t_start"], t["fragment_id"].encode()),
    )
    return max(mine[: mine.index(task)], key=lambda t: t["t_end"], default=None)
