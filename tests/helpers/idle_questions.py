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
    inherited = size(minus(within(row["lost"], [(a, b)]), row["sets"]["R"]))
    own = 0 if row["is_recorded"] else rest - found["ov_unsubmitted"]
    found["not_recorded"] = own + inherited
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
        name, start = task["fragment_id"], task["t_start"]
        if name in seen:
            return None
        seen.add(name)
        out += [(name, "compute", min(task["t_end"], until) - start)]
        out += [(name, "starvation", until - task["t_end"])]
        before, row = _held_before(reference, task), idle.get(name)
        if row is None:
            task, until = before, start
            continue
        a = row["t_start"]
        maker, made, sent, there = _last_input(reference, task)
        asked = None if task.get("t_submit") is None else min(task["t_submit"], start)
        by_input = there is not None and there > a and there >= (there if asked is None else asked)
        by_submission = not by_input and asked is not None and asked > a
        met = there if by_input else asked if by_submission else a
        last = _ended_last(reference, start)
        if not row["is_recorded"] and last and last["t_end"] > met and last is not before:
            out.append((name, "unknown", start - last["t_end"]))
            task, until = last, last["t_end"]
            continue
        out.append((name, "overhead" if row["is_recorded"] else "unknown", start - met))
        task, until = before, a
        if by_input:
            since = made if maker is not None else max(a, made)
            others = within(row["sets"]["L"], [(since, sent)])
            out += [(name, "latency", there - max(since, sent))]
            out += [(name, "latency", q - p) for p, q in others]
            out += [(name, "overhead", q - p) for p, q in minus([(since, sent)], others)]
        if by_input and maker is not None:
            task, until = maker, made
        elif by_input:
            out.append((name, "starvation", made - a))
        elif by_submission:
            asking = _ended_last(reference, asked)
            if asking:
                task, until = asking, asking["t_end"]
            out.append((name, "submission", asked - until))
    return [part for part in out if part[2] > 0]


def _last_input(reference: Reference, task: Row) -> tuple[Row | None, Any, Any, Any]:
    """Return who made the input that was there last, and when it was made, sent and there."""
    node, start = reference.node[task["worker_id"]], task["t_start"]
    found = []
    for d in reference.inputs.get(task["fragment_id"], ()):
        made = reference.made_at(d)
        if made is None or reference.data[d].get("producer_fragment") == task["fragment_id"]:
            continue
        ways = [] if reference.home(d) == node else reference.transfers.get((d, node), [])
        there = max(made, min((way["recv"] for way in ways), default=made))
        sends = [way["send"] for way in ways if way["send"] is not None]
        sent = max(made, min(there, *sends)) if sends else made
        found.append((there, made, d.encode(), sent, reference.data[d].get("producer_fragment")))
    if not found:
        return None, None, None, None
    there, made, _, sent, producer = max(found)
    maker = reference.tasks.get(producer)
    maker = maker if maker and maker["t_start"] < start else None
    return maker, min(made, start), min(sent, start), min(there, start)


def _ended_last(reference: Reference, moment: int) -> Row | None:
    ended = [t for t in reference.tasks.values() if t["t_start"] < t["t_end"] <= moment]
    return max(
        ended,
        key=lambda t: (
            t["t_end"],
            t["worker_id"].encode(),
            t["t_start"],
            t["fragment_id"].encode(),
        ),
        default=None,
    )


def _held_before(reference: Reference, task: Row) -> Row | None:
    """Return the task that ran on the worker last before this one."""
    mine = sorted(
        (t for t in reference.tasks.values() if t["worker_id"] == task["worker_id"]),
        key=lambda t: (t["t_start"], t["fragment_id"].encode()),
    )
    return max(mine[: mine.index(task)], key=lambda t: t["t_end"], default=None)
