"""Folded stacks: main;solve;dot 42, one line a stack, as FlameGraph and its kin draw them.

Source: FlameGraph's README. A weight is a whole number, so that times are in ns. A thread is the
first function of its stacks as py-spy writes it, a rank comes before it. Stacks of one function
each have the application as their root, as perf's stacks have the program.
"""

from __future__ import annotations

from collections import defaultdict

from apps.exports import Exported
from apps.exports.profile import TIME, Stack, chosen, profile, shown_name
from apps.queries.runs import run_facts
from warehouse.session import Connection

_SEPARATORS = ("-", "--")


def export(con: Connection, run_id: str, event: str | None) -> Exported:
    """Return the stacks of one event; see `apps.exports.export_run`."""
    measures, left_out = profile(con, run_id)
    measure, others = chosen(measures, event)
    threads = {(stack.rank, stack.thread) for stack in measure.stacks}
    is_flat = all(len(stack.frames) == 1 for stack in measure.stacks)
    root = [shown_name(run_facts(con, run_id).get("app") or run_id)] if is_flat else []
    scale = 1e9 if measure.event == TIME else 1
    weights: defaultdict[str, float] = defaultdict(float)
    for stack in measure.stacks:
        weights[_line(root, stack, with_thread=len(threads) > 1)] += stack.own * scale
    lines = [f"{line} {round(weight)}\n" for line, weight in weights.items() if round(weight)]
    unit = "ns" if measure.event == TIME else measure.unit
    return Exported(["".join(lines).encode()], [*left_out, *others, f"the weights are in {unit}"])


def _line(root: list[str], stack: Stack, *, with_thread: bool) -> str:
    frames = [_frame(name) for name in (*root, *stack.frames)]
    if with_thread and stack.thread is not None:
        frames.insert(0, f"thread ({stack.thread})")
    if with_thread and stack.rank is not None:
        frames.insert(0, f"rank {stack.rank}")
    line = ";".join(frames)
    # A line that begins with # would be a comment.
    return f" {line}" if line.startswith("#") else line


def _frame(name: str) -> str:
    """Return a name without what separates functions."""
    return f"[{name}]" if name in _SEPARATORS else name.replace(";", ":")
