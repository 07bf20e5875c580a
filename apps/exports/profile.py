"""The stacks of a run with their own cost, as flame graphs and call trees are drawn from."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from apps.output.numbers import counted
from apps.output.text import printable
from apps.queries.base import ask
from apps.queries.runs import row_counts
from warehouse.errors import NothingToAnalyse, UsageError
from warehouse.session import Connection

TIME = "time"
# What formats and readers take as the weight of a stack.
_MOST = 2.0**63


@dataclass(frozen=True, slots=True)
class Stack:
    """Functions from the root to the one that took the cost, where it ran, and its own cost."""

    rank: int | None
    thread: int | None
    frames: tuple[str, ...]
    own: float


@dataclass(slots=True)
class Measure:
    """One event of a profile (TIME is in s), its unit, and its stacks."""

    event: str
    unit: str
    stacks: list[Stack] = field(default_factory=list)


def profile(con: Connection, run_id: str) -> tuple[list[Measure], list[str]]:
    """Return the measures of a run's profile, the first choice first, and what is left out.

    Raises `NothingToAnalyse` where the run has none.
    """
    measures: dict[str, Measure] = {}
    dropped = 0
    for event, unit, rank, thread, frames, own in ask(
        con, "export/stacks", run_id=run_id
    ).fetchall():
        if not (math.isfinite(own) and 0 < own < _MOST):
            dropped += 1
            continue
        one = measures.setdefault(event, Measure(event, unit))
        one.stacks.append(Stack(rank, thread, tuple(map(shown_name, frames)), own))
    if not measures:
        counts = row_counts(con, run_id)
        has = ", ".join(counts) or "no rows"
        raise NothingToAnalyse(
            f"the run {run_id} has no profile: no times and no costs of functions above 0",
            hint=f"It has {has}."
            + (" Its tasks open as a timeline: --to perfetto." if "tasks" in counts else ""),
        )
    left_out = []
    if dropped:
        left_out.append(f"{counted(dropped, 'cost')} below 0 or without a finite value left out")
    return list(measures.values()), left_out


def chosen(measures: list[Measure], event: str | None) -> tuple[Measure, list[str]]:
    """Return the measure of an event, by default the first, and which others are left out.

    Raises `UsageError` where there is no such event.
    """
    names = [one.event for one in measures]
    if event is not None and event not in names:
        raise UsageError(f"the profile has no event {event!r}", hint=f"It has: {', '.join(names)}.")
    one = next(one for one in measures if event in (None, one.event))
    others = ", ".join(name for name in names if name != one.event)
    left_out = [f"only {one.event} is written; --event takes another: {others}"] if others else []
    return one, left_out if event is None else []


def shown_name(name: str) -> str:
    """Return a name on one line, without control characters, and not empty."""
    return printable(name).replace("\n", " ").strip() or "[unknown]"
