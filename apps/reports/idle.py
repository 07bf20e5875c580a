"""Why the workers of a run idle: the verdict in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from apps.output.numbers import amount, amounts, counted, percent, three_digits
from apps.output.tables import Row, dicts
from apps.output.text import cell
from apps.queries.idle import (
    Reading,
    Window,
    clocks_apart,
    idle_awaited,
    idle_by,
    idle_contradictions,
    idle_flags,
    idle_readings,
    idle_what_if,
    lifecycle,
    long_calls,
    nodes_apart,
    slow_workers,
    tasks_in_turn,
)
from apps.queries.timeline import timeline_span
from apps.reports.flags import flag_text
from warehouse.errors import NothingToAnalyse

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_DIRECT = Reading()
_PARTS = ("starvation", "latency", "overhead")
_BY_MODE = {
    "direct": "At first sight",
    "propagated": "With the overhead of the awaited workers",
    "transitive": "At the root",
}
# Less waiting than this, in per cent of all time, is not worth advice.
_HARDLY = 1.0
# More contradictions than this share of the waits make the rest doubtful.
_CONTRADICTIONS = 0.02
# A worker that is busy for so much of its time, in per cent, has none to lose; from this share of
# the starvation on, waiting for such workers is what the starvation of a run is.
_BUSY = 90.0
_MOSTLY = 0.5


def idle_sentences(con: DuckDBPyConnection, run_id: str, reading: Reading = _DIRECT) -> list[str]:
    """Return where the time went and why, who is to blame, and what could be gained.

    First come what spoils the answer (clocks that are apart) and workers that are slow.

    Raises `NothingToAnalyse` where the run has no workers.
    """
    return _sentences(con, run_id, reading)


def _sentences(con: DuckDBPyConnection, run_id: str, reading: Reading) -> list[str]:
    mode, latency_rule, window = reading
    readings = {
        (row["mode"], row["latency_rule"]): row for row in dicts(idle_readings(con, run_id, window))
    }
    chosen = readings.get((mode, latency_rule))
    if window is not None and chosen is not None and not chosen["wall"]:
        raise _outside(con, run_id, window)
    if chosen is None or not chosen["wall"]:
        raise NothingToAnalyse(
            f"the run {run_id} has no workers with recorded time",
            hint="pwh idle is for task runtimes: Dask, StarPU, or the neutral task tables.",
        )
    root = readings["transitive", latency_rule]
    sentences = [
        *_clocks(con, run_id),
        *_slow_workers(con, run_id),
        _shares(chosen),
        *_long_calls(con, run_id),
        *_tail(chosen),
        _headline(chosen, root, mode),
        *(_in_turn(con, run_id) if window is None else []),
        _totals(chosen),
        *_root_causes(chosen, root),
        *_blamed(con, run_id, reading, chosen),
    ]
    if window is None:
        sentences += _awaited(con, run_id, reading, chosen)
        sentences += _lifecycle(con, run_id) + _what_if(con, run_id)
    flags = dicts(idle_flags(con, run_id, reading))
    return sentences + [
        f"{counted(row['intervals'], 'interval')} flagged {flag_text(row['flag'])}."
        for row in flags
    ]


def _outside(con: DuckDBPyConnection, run_id: str, window: Window) -> NothingToAnalyse:
    """Return the error for a window without any time of the workers, with the time that is."""
    span = timeline_span(con, run_id)
    if span is None:
        return NothingToAnalyse(f"the workers of the run {run_id} have no recorded time")
    if window[0] >= window[1]:
        reason = f"the window from {window[0]} to {window[1]} ns is empty"
    else:
        reason = f"the window from {window[0]} to {window[1]} ns has no worker of the run {run_id}"
    return NothingToAnalyse(
        reason, hint=f"The workers of {run_id} were there from {span.t_begin} to {span.t_end} ns."
    )


def _clocks(con: DuckDBPyConnection, run_id: str) -> list[str]:
    """Return a warning where the clocks of nodes are apart, with what sets them right."""
    for row in dicts(clocks_apart(con, run_id)):
        return [
            f"The clocks of {cell(row['node'])} and {cell(row['other'])} are "
            f"{amount(row['apart_seconds'], 's')} apart: data seem to arrive before they are sent, "
            "so the shares below are wrong, and no comparison has them. Set them right: "
            f"pwh ingest {_file(row['path'])} --replace --align-clocks"
        ]
    for row in dicts(idle_contradictions(con, run_id)):
        if row["flagged"] > _CONTRADICTIONS * row["intervals"]:
            return [
                f"In {row['flagged']} of {counted(row['intervals'], 'wait')} data arrive or are "
                "made after their reader began, or arrive before they are sent: the clocks of the "
                "nodes may be apart, and the shares below wrong. Where you know by how much: "
                f"pwh ingest {_file(row['path'])} --replace --clock-offset NODE=SECONDS"
            ]
    for row in dicts(nodes_apart(con, run_id)):
        return [
            f"Nothing ran for {amount(row['seconds'], 's')} between the tasks of "
            f"{cell(row['node'])} and those of {cell(row['other'])}, longer than those of any node "
            "took: the clocks of the nodes may be apart, and the shares below wrong. Where you "
            f"know by how much: pwh ingest {_file(row['path'])} --replace --clock-offset "
            "NODE=SECONDS"
        ]
    return []


def _file(path: str | None) -> str:
    return "FILES" if path is None else shlex.quote(path)


def _slow_workers(con: DuckDBPyConnection, run_id: str) -> list[str]:
    slow = dicts(slow_workers(con, run_id))
    if not slow:
        return []
    most = slow[0]
    others = f" So it is on {counted(len(slow) - 1, 'other worker')}."
    return [
        f"The worker {cell(most['worker'])} is slow, or has the larger tasks: they take "
        f"{three_digits(most['factor'])} times as long there as those of the same type elsewhere "
        f"(95 % interval {three_digits(most['low'])} to {three_digits(most['high'])}, "
        f"{counted(most['tasks'], 'task')}).{others if len(slow) > 1 else ''}"
    ]


def _shares(row: dict[str, Any]) -> str:
    parts = ", ".join(f"{part} {amount(row[f'{part}_percent'], '%')}" for part in _PARTS)
    return (
        f"{counted(row['workers'], 'worker was', 'workers were')} busy "
        f"{amount(row['busy_percent'], '%')} of {'its' if row['workers'] == 1 else 'their'} time; "
        f"{parts}; "
        f"{amount(row['tail_percent'], '%')} is after {'its' if row['workers'] == 1 else 'their'} "
        "last task."
    )


def _long_calls(con: DuckDBPyConnection, run_id: str) -> list[str]:
    """Return that busy is an upper bound, where workers are in one call nearly all the time."""
    return [
        f"{row['in_one_call']} of {counted(row['workers'], 'worker')} took nearly all of "
        f"{'its' if row['in_one_call'] == 1 else 'their'} time for one call, as "
        f"{cell(row['name'])}: whether they waited within it is unknown here, so they were busy "
        f"for so long at most. The calls below it tell: pwh report {shlex.quote(run_id)}"
        for row in dicts(long_calls(con, run_id))
    ]


def _tail(chosen: dict[str, Any]) -> list[str]:
    """Return what most idle time after the last tasks means, where it is most."""
    waits = sum(chosen[f"{part}_percent"] for part in _PARTS)
    if chosen["tail_percent"] <= max(waits, _HARDLY):
        return []
    return [
        f"Most idle time, {amount(chosen['tail_percent'], '%')}, comes after the workers' last "
        "tasks or on workers without any: too little parallelism, or work split unevenly. What "
        "follows is about the time before."
    ]


def _headline(chosen: dict[str, Any], root: dict[str, Any], mode: str) -> str:
    """Return what dominates and what helps; the advice follows the root cause."""
    first, cause = chosen["dominant"], chosen["root_cause"]
    waits = sum(chosen[f"{part}_percent"] for part in _PARTS)
    if not waits:
        return "No worker waited for anything before its last task."
    if waits < _HARDLY:
        return f"Workers hardly waited before their last tasks ({waits:.2g} % of their time)."
    if first is None:
        return f"Why workers waited is unknown: {flag_text(chosen['reason'])}."
    if cause is None:
        return (
            f"{_BY_MODE[mode]} {first} dominates ({amount(chosen[f'{first}_percent'], '%')}), but "
            f"the root cause is unknown: {flag_text(chosen['reason'])}."
        )
    if first == cause:
        return f"{cause.capitalize()} dominates. {chosen['advice']}"
    return (
        f"{_BY_MODE[mode]} {first} dominates ({amount(chosen[f'{first}_percent'], '%')}), but the "
        f"root cause is {cause} ({amount(root[f'{cause}_percent'], '%')}): workers waited for "
        f"others that were waiting themselves. {chosen['advice']}"
    )


def _totals(row: dict[str, Any]) -> str:
    """Return the sums over workers as performance engineers abbreviate them."""
    names = {
        "TS": "starvation",
        "TL": "latency",
        "TO": "overhead",
        "ThreadT": "busy",
        "WallT": "wall",
    }
    texts = amounts([float(row[name]) / 1e9 for name in names.values()], "s")
    sums = ", ".join(f"{short} {text}" for short, text in zip(names, texts, strict=True))
    return (
        f"{sums}, summed over the workers: starvation (no task was ready), latency (data in "
        "transit), overhead (the runtime in the way, or nothing submitted), running tasks, and all "
        "time."
    )


def _root_causes(chosen: dict[str, Any], root: dict[str, Any]) -> list[str]:
    """Return the root causes, where they differ from the chosen mode by a per cent."""
    if all(abs(chosen[f"{p}_percent"] - root[f"{p}_percent"]) < 1 for p in _PARTS):
        return []
    parts = ", ".join(f"{part} {amount(root[f'{part}_percent'], '%')}" for part in _PARTS)
    return [
        f"Followed back to the root cause, through what the awaited workers waited for: {parts}."
    ]


def _blamed(
    con: DuckDBPyConnection, run_id: str, reading: Reading, chosen: dict[str, Any]
) -> list[str]:
    rows = dicts(idle_by(con, run_id, "blamed", reading))
    starved = [row for row in rows if row["by"] is not None and row["starvation_seconds"] > 0]
    if not starved or not chosen["starvation"]:
        return []
    most = max(starved, key=lambda row: row["starvation_seconds"])
    share = most["starvation_seconds"] * 1e9 / float(chosen["starvation"])
    return [
        f"{percent(share)} of the starvation is blamed on tasks of the type {cell(most['by'])}."
    ]


def _awaited(
    con: DuckDBPyConnection, run_id: str, reading: Reading, chosen: dict[str, Any]
) -> list[str]:
    """Return which workers the others wait for, where those are busy nearly always, as a GPU is.

    The others could not have been faster there.
    """
    if chosen["dominant"] != "starvation":
        return []
    rows = dicts(idle_awaited(con, run_id, reading))
    awaited = [row for row in rows if row["busy_percent"] >= _BUSY]
    share = sum(row["starvation"] for row in awaited) / float(chosen["starvation"])
    if share < _MOSTLY:
        return []
    most = awaited[0]
    others = f" and {counted(len(awaited) - 1, 'other worker')}" if len(awaited) > 1 else ""
    return [
        f"{percent(share)} of the starvation waits for {cell(most['worker'])}{others}, busy "
        f"{amount(most['busy_percent'], '%')} of the time: what runs there holds up the others."
    ]


def _in_turn(con: DuckDBPyConnection, run_id: str) -> list[str]:
    """Return which tasks wait for each other, as those of which never two run at a time do."""
    for row in dicts(tasks_in_turn(con, run_id)):
        kind = " without a type" if row["name"] is None else f" of the type {cell(row['name'])}"
        return [
            f"Never two tasks{'' if row['of_all'] else kind} ran at a time, though "
            f"{row['workers']} workers ran them, and one of them ran {percent(row['share'])} of "
            "the time: they take turns, as for a lock or in a chain, and more workers do not "
            "shorten that."
        ]
    return []


def _lifecycle(con: DuckDBPyConnection, run_id: str) -> list[str]:
    for row in dicts(lifecycle(con, run_id)):
        stages = [row[f"{stage}_seconds"] for stage in ("wait_for_inputs", "wait_to_run", "run")]
        if not row["known_tasks"] or not sum(stages):
            return []
        inputs, queued, ran = (100 * stage / sum(stages) for stage in stages)
        of_all = ""
        if row["known_tasks"] < row["tasks"]:
            of_all = f" (of {row['known_tasks']:,} tasks; of the others a stage is unknown)"
        return [
            f"From submission to end, tasks waited {amount(inputs, '%')} of the time for inputs to "
            f"be made, then {amount(queued, '%')} to run, and ran {amount(ran, '%')}{of_all}."
        ]
    return []


def _what_if(con: DuckDBPyConnection, run_id: str) -> list[str]:
    rows = [row for row in dicts(idle_what_if(con, run_id)) if row["percent"] is not None]
    if not rows or not any(row["percent"] for row in rows):
        return []
    if not rows[0]["is_recorded"]:
        return [
            "What one more worker gains is unknown, as nothing tells which tasks need each other: "
            f"{amount(rows[0]['percent'], '%')} at most, if none do."
        ]
    if all(row["replay_percent"] is None for row in rows):
        gains = ", ".join(f"{row['change']} {amount(row['percent'], '%')}" for row in rows)
        return [
            f"What could be gained at most: {gains}{_if(rows)}. There are too many tasks to replay "
            "them."
        ]
    gains = ", ".join(
        f"{row['change']} "
        f"{'unknown' if (gain := row['replay_percent']) is None else amount(gain, '%')} "
        f"(at most {amount(row['percent'], '%')})"
        for row in rows
    )
    return [f"What a replay of the tasks gains: {gains}{_if(rows)}."]


def _if(rows: Sequence[Row]) -> str:
    """Return what the gains take for granted: that of one more worker, and those of the others."""
    taken = ""
    if any(row["percent"] and row["change"] != "one more worker" for row in rows):
        taken += (
            "; no latency and no overhead with each worker's tasks and their order as they were"
        )
    if any(row["is_assumed"] for row in rows):
        taken += "; one more worker if no three tasks need each other in turn, as none such are "
        taken += "recorded"
    return taken
