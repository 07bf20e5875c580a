"""Why the workers of a run idle: the verdict in sentences."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Sequence
from typing import Any

from apps.output.numbers import amount, amounts, counted, percent, three_digits
from apps.output.tables import Row, dicts
from apps.output.text import cell
from apps.queries.base import ask_dicts
from apps.queries.idle import Reading, Window, in_reading, within
from apps.queries.timeline import timeline_span
from apps.reports.flags import flag_sentence, flag_text
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection

_DIRECT = Reading()
_PARTS = ("starvation", "latency", "overhead")
_WAITS = (*_PARTS, "not_recorded")
_KINDS = {
    "stream": ("stream of a device", "streams of a device"),
    "copy": ("copy engine", "copy engines"),
    "host": ("thread that launches work", "threads that launch work"),
    "process": ("process", "processes"),
    "cpu": ("worker", "workers"),
    "runtime": ("thread of the runtime itself", "threads of the runtime itself"),
}
_BY_MODE = {
    "direct": "At first sight",
    "propagated": "With the overhead of the awaited workers",
    "transitive": "At the root",
}
# Less waiting than this, in per cent of all time, is not worth advice.
_HARDLY = 1.0
# What follows where clocks of nodes are doubtful: proven to be apart, or perhaps.
_APART = "clocks_disagree"
_MAYBE = (
    ", and the shares below wrong. Where you know by how much: {again} --clock-offset NODE=SECONDS"
)
_OF_CLOCKS = {
    _APART: (
        ", so the shares below are wrong, and no comparison has them. Set them right: {again} "
        "--align-clocks"
    ),
    "clocks_contradict": _MAYBE,
    "nodes_apart": _MAYBE,
}
# A worker that is busy for so much of its time, in per cent, has none to lose; from this share of
# the starvation on, waiting for such workers is what the starvation of a run is.
_BUSY = 90.0
_MOSTLY = 0.5
# Tasks and waits; of more the critical path and what else needs the whole run take many seconds.
MOST_AT_ONCE = 300_000
# A gain below this, in per cent, is none to speak of.
_LITTLE = 5.0


def idle_sentences(
    con: Connection, run_id: str, reading: Reading = _DIRECT, *, with_path: bool = True
) -> list[str]:
    """Return where the time went and why, who is to blame, and what could be gained.

    First come what spoils the answer (clocks that are apart) and workers that are slow. Without
    `with_path` neither the critical path nor what could be gained is found.

    Raises `NothingToAnalyse` where the run has no workers.
    """
    mode, latency_rule, window = reading
    rows = dicts(within(con, "idle/readings", window, run_id=run_id))
    whole = _by_reading(rows, None).get((mode, latency_rule))
    kinds = [row for row in rows if (row["mode"], row["latency_rule"]) == (mode, latency_rule)]
    kinds = [row for row in kinds if row.get("kind") is not None]
    # The first is that of the workers which do the work.
    judged = [row["kind"] for row in kinds if row["kind"] not in ("not judged", "runtime")]
    readings = _by_reading(rows, judged[0] if judged else None)
    chosen = readings.get((mode, latency_rule))
    if window is not None and chosen is not None and not chosen["wall"]:
        raise _outside(con, run_id, window)
    if chosen is None or whole is None or not whole["wall"]:
        raise NothingToAnalyse(
            f"the run {run_id} has no workers with recorded time",
            hint="pwh idle is for task runtimes: Dask, StarPU, or the neutral task tables.",
        )
    root = readings["transitive", latency_rule]
    reason = chosen["reason"]
    # Across clocks that are apart there is neither order nor path.
    is_ordered = reason is None or reason["code"] != _APART
    with_path = with_path and window is None and is_ordered
    gains = ask_dicts(con, "idle/what_if", run_id=run_id) if with_path else []
    path = ask_dicts(con, "idle/path", run_id=run_id) if with_path else []
    turns = _in_turn(con, run_id) if window is None and is_ordered else []
    sentences = [
        *_clocks(con, run_id),
        *_slow_workers(con, run_id),
        *turns,
        _shares(chosen),
        *_other_kinds(kinds, chosen),
        *_long_calls(con, run_id),
        *_tail(
            [chosen] if chosen.get("kind") == "stream" else [chosen, _but_runtime(whole, kinds)],
            gains,
            path,
        ),
        _headline(chosen, root, mode),
        _totals(chosen),
    ]
    if is_ordered:
        sentences += [*_root_causes(chosen, root), *_blamed(con, run_id, reading, chosen)]
    if window is None and is_ordered:
        sentences += _awaited(con, run_id, reading, chosen)
        sentences += _lifecycle(con, run_id) + _path(path) + _what_if(gains)
    flags = dicts(in_reading(con, "idle/flags", reading, run_id=run_id))
    return sentences + [
        f"{counted(row['intervals'], 'interval')} flagged {flag_text(row['flag'])}."
        for row in flags
    ]


def _outside(con: Connection, run_id: str, window: Window) -> NothingToAnalyse:
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


def _clocks(con: Connection, run_id: str) -> list[str]:
    """Return a warning where the clocks of nodes are doubtful, with what sets them right."""
    sentences = []
    for row in ask_dicts(con, "idle/clocks", run_id=run_id):
        again = f"pwh ingest {_file(row['path'])} --replace"
        then = _OF_CLOCKS[row["doubt"]["code"]].format(again=again)
        sentences.append(flag_sentence(row["doubt"], then))
    return sentences


def _file(path: str | None) -> str:
    return "FILES" if path is None else shlex.quote(path)


def _slow_workers(con: Connection, run_id: str) -> list[str]:
    slow = ask_dicts(con, "idle/slow_workers", run_id=run_id)
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


def _by_reading(rows: Sequence[Row], kind: str | None) -> dict[tuple[str, str], Row]:
    return {(row["mode"], row["latency_rule"]): row for row in rows if row.get("kind") == kind}


def _shares(row: dict[str, Any]) -> str:
    parts = ", ".join(
        f"{part.replace('_', ' ')} {amount(row[f'{part}_percent'], '%')}"
        for part in _WAITS
        if part != "not_recorded" or row["not_recorded"]
    )
    one, many = _KINDS.get(row.get("kind") or "cpu", _KINDS["cpu"])
    return (
        f"{counted(row['workers'], f'{one} was', f'{many} were')} busy "
        f"{amount(row['busy_percent'], '%')} of {'its' if row['workers'] == 1 else 'their'} time; "
        f"{parts}; "
        f"{amount(row['tail_percent'], '%')} is after {'its' if row['workers'] == 1 else 'their'} "
        "last task."
    )


def _other_kinds(kinds: Sequence[Row], chosen: Row) -> list[str]:
    """Return how busy workers of other kinds were, and how many are none that count."""
    found = []
    for row in kinds:
        if row["kind"] == "not judged":
            found.append(
                f"{counted(row['workers'], 'worker')} with tasks for less than 1 % of the time, "
                "not judged here"
            )
        elif row["kind"] != chosen.get("kind"):
            found.append(
                f"{counted(row['workers'], *_KINDS[row['kind']])}, busy "
                f"{amount(row['busy_percent'], '%')}"
            )
    return [f"Beside them: {'; '.join(found)}."] if found and chosen.get("kind") else []


def _long_calls(con: Connection, run_id: str) -> list[str]:
    """Return that busy is an upper bound, where workers are in one call nearly all the time."""
    return [
        f"{row['in_one_call']} of {counted(row['workers'], 'worker')} took nearly all of "
        f"{'its' if row['in_one_call'] == 1 else 'their'} time for one call, as "
        f"{cell(row['name'])}: whether they waited within it is unknown here, so they were busy "
        f"for so long at most. The calls below it tell: pwh report {shlex.quote(run_id)}"
        for row in ask_dicts(con, "idle/long_calls", run_id=run_id)
    ]


def _but_runtime(whole: Row, kinds: Sequence[Row]) -> Row:
    """Return the shares of the time of all workers but threads of the runtime."""
    runtime = [row for row in kinds if row["kind"] == "runtime"]
    rest = {
        name: whole[name] - sum(row[name] for row in runtime)
        for name in ("wall", "busy", "tail", *_WAITS)
    }
    rest["overhead"] -= rest["not_recorded"]
    return {f"{name}_percent": 100 * ns / (rest["wall"] or 1) for name, ns in rest.items()}


def _tail(
    readings: Sequence[dict[str, Any]], gains: Sequence[Row], path: Sequence[Row]
) -> list[str]:
    """Return what most idle time after the last tasks means, where it is most in a reading."""
    chosen = next((row for row in readings if _is_mostly_tail(row)), None)
    if chosen is None:
        return []
    why = "too little parallelism, or work split unevenly"
    longest = next(iter(_longest(path)), None)
    most, is_chain = next(iter(gains), None), any(row["is_chain"] for row in gains)
    gained = most["replay_percent"] or 0 if most else 0
    if most and most["change"] != "one more worker" and gained >= chosen["tail_percent"]:
        why = f"with {most['change']} the run would be {amount(gained, '%')} shorter, by replay"
    elif is_chain and longest is not None and longest["cause"] == "compute":
        why = (
            "tasks wait for each other in a chain, which no more workers shorten; the largest "
            f"part of it is tasks of the type {cell(longest['name'])}"
        )
    return [
        f"Most idle time, {amount(chosen['tail_percent'], '%')}, comes after the workers' last "
        f"tasks or on workers without any: {why}. What follows is about the time before."
    ]


def _is_mostly_tail(row: dict[str, Any]) -> bool:
    waits = sum(row[f"{part}_percent"] for part in _WAITS)
    return bool(row["tail_percent"] > max(waits, _HARDLY) and row["busy_percent"] < _BUSY)


def _headline(chosen: dict[str, Any], root: dict[str, Any], mode: str) -> str:
    """Return what dominates and what helps."""
    waits = sum(chosen[f"{part}_percent"] for part in _WAITS)
    if not waits:
        return "No worker waited for anything before its last task."
    if waits < _HARDLY:
        return f"Workers hardly waited before their last tasks ({waits:.2g} % of their time)."
    if chosen.get("kind") == "stream" and chosen["busy_percent"] >= _BUSY:
        return "The device had work nearly all of the time: only less work makes it faster."
    verdict = _verdict(chosen, root, mode)
    if chosen["dominant"] is not None and (chosen["reason"] or {}).get("code") in _OF_CLOCKS:
        verdict = f"If the clocks are right: {verdict}"
    if chosen["busy_percent"] >= _BUSY:
        return (
            "Workers ran tasks nearly all of the time: what takes long is within these. Of the "
            f"little that they waited: {verdict}"
        )
    return verdict


def _verdict(chosen: dict[str, Any], root: dict[str, Any], mode: str) -> str:
    first, cause = chosen["dominant"], chosen["root_cause"]
    waits = sum(chosen[f"{part}_percent"] for part in _WAITS)
    if first is None and chosen["reason"]["code"] == _APART:
        return "Why workers waited is unknown until the clocks are set right."
    if first is None:
        return (
            f"Why workers waited is not recorded: {flag_text(chosen['reason'])}"
            f"{_known(chosen, waits)}."
        )
    if cause is None:
        return (
            f"{_BY_MODE[mode]} {first} dominates ({amount(chosen[f'{first}_percent'], '%')}), but "
            f"the root cause is unknown: {flag_text(chosen['reason'])}."
        )
    advice = chosen["advice"]
    if first == cause:
        of = ""
        if chosen["not_recorded_percent"] >= waits / 100:
            known = 1 - chosen["not_recorded_percent"] / waits
            of = f" in the {percent(known)} of the waits of which the trace tells the cause"
        return f"{cause.capitalize()} dominates{of}. {advice}"
    return (
        f"{_BY_MODE[mode]} {first} dominates ({amount(chosen[f'{first}_percent'], '%')}), but the "
        f"root cause is {cause} ({amount(root[f'{cause}_percent'], '%')}): workers waited for "
        f"others that were waiting themselves. {advice}"
    )


def _known(chosen: dict[str, Any], waits: float) -> str:
    """Return what is known of waits whose causes mostly are not, where that is something."""
    parts = [part for part in _PARTS if chosen[f"{part}_percent"] >= waits / 100]
    if not parts:
        return ""
    shares = ", ".join(f"{part} {amount(chosen[f'{part}_percent'], '%')}" for part in parts)
    return f" (known of all time: {shares})"


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
    unknown = ""
    if row["not_recorded"]:
        unknown = (
            f" Of TO, {amount(row['not_recorded'] / 1e9, 's')} are not recorded to be overhead."
        )
    return (
        f"{sums}, summed over the workers: starvation (no task was ready), latency (data in "
        "transit), overhead (the runtime in the way, or nothing submitted), running tasks, and all "
        f"time.{unknown}"
    )


def _root_causes(chosen: dict[str, Any], root: dict[str, Any]) -> list[str]:
    """Return the root causes, where they differ from the chosen mode by a per cent."""
    if all(abs(chosen[f"{p}_percent"] - root[f"{p}_percent"]) < 1 for p in _PARTS):
        return []
    parts = ", ".join(f"{part} {amount(root[f'{part}_percent'], '%')}" for part in _PARTS)
    return [
        f"Followed back to the root cause, through what the awaited workers waited for: {parts}."
    ]


def _blamed(con: Connection, run_id: str, reading: Reading, chosen: dict[str, Any]) -> list[str]:
    """Return the type of task that most of the starvation waits for, where types are known."""
    rows = dicts(in_reading(con, "idle/blame", reading, run_id=run_id, most=None, worker=None))
    starved = [row for row in rows if (row["waits_by"], row["cause"]) == ("type", "starvation")]
    known = [row for row in starved if row["is_known"]]
    if not known or not chosen["starvation"]:
        return []
    most = max(known, key=lambda row: row["seconds"])
    share = most["seconds"] / sum(row["seconds"] for row in starved)
    return [
        f"{percent(share)} of the starvation is blamed on tasks of the type {cell(most['what'])}."
    ]


def _awaited(con: Connection, run_id: str, reading: Reading, chosen: dict[str, Any]) -> list[str]:
    """Return which workers the others wait for, where those are busy nearly always, as a GPU is.

    The others could not have been faster there.
    """
    if chosen["dominant"] != "starvation":
        return []
    rows = ask_dicts(
        con, "idle/awaited", run_id=run_id, mode=reading.mode, latency_rule=reading.latency_rule
    )
    awaited = [row for row in rows if (row["busy_percent"] or 0) >= _BUSY]
    share = sum(row["starvation"] for row in awaited) / sum(row["starvation"] for row in rows)
    if share < _MOSTLY:
        return []
    most = awaited[0]
    others = f" and {counted(len(awaited) - 1, 'other worker')}" if len(awaited) > 1 else ""
    return [
        f"{percent(share)} of the starvation waits for {cell(most['worker'])}{others}, busy "
        f"{amount(most['busy_percent'], '%')} of the time: what runs there holds up the others."
    ]


def _in_turn(con: Connection, run_id: str) -> list[str]:
    """Return which tasks wait for each other, as those of which never two run at a time do."""
    for row in ask_dicts(con, "idle/turns", run_id=run_id):
        kind = " without a type" if row["name"] is None else f" of the type {cell(row['name'])}"
        if row["within"]:
            alone = row["alone_seconds"]
            times = [
                row["every_seconds"],
                row["usual_seconds"],
                *([] if alone is None else [alone]),
            ]
            every, usual, *took = amounts(times, "s")
            where = f" where one that waited for no other took {took[0]}" if took else ""
            return [
                f"Tasks{kind} take turns within, as for a lock: one ends every {every}, however "
                f"many run at a time, and on average they take {usual}{where}. More workers do not "
                "shorten that."
            ]
        often = "Hardly ever" if row["meetings"] else "Never"
        return [
            f"{often} two tasks{'' if row['of_all'] else kind} ran at a time, though "
            f"{row['workers']} workers ran them, and one of them ran {percent(row['share'])} of "
            "the time: they take turns, as for a lock or in a chain, and more workers do not "
            "shorten that."
        ]
    return []


def _lifecycle(con: Connection, run_id: str) -> list[str]:
    for row in ask_dicts(con, "idle/lifecycle", run_id=run_id):
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


def _path(parts: Sequence[Row]) -> list[str]:
    """Return what the critical path consists of, and what shortening its parts would gain."""
    if not parts:
        return []
    shares: Counter[str] = Counter()
    for part in parts:
        shares[part["cause"]] += part["percent"]
    largest = sorted(shares.items(), key=lambda share: (-share[1], share[0]))
    text = ", ".join(f"{cause} {amount(share, '%')}" for cause, share in largest)
    sentence = f"The critical path is {text}."
    if unknown := [cause for cause in ("unknown", "submission") if cause in shares]:
        of = {"unknown": "a task", "submission": "the program that submits"}
        what = " or ".join(of[cause] for cause in unknown)
        sentence += (
            f" Where it is unknown what {what} waited for, the path goes on with the task that "
            "ended last, as an assumption."
        )
    halved = []
    for row in _longest(parts)[:3]:
        what = f"{row['cause']} of {cell(row['name'])}"
        by_replay = row["replay_percent"]
        replayed = "" if by_replay is None else f"{amount(by_replay, '%')} by replay, "
        halved.append(f"{what} {replayed}{amount(row['gain_percent'], '%')} at most")
    if halved:
        sentence += f" Half as long, its longest parts would gain: {'; '.join(halved)}."
    return [sentence]


def _longest(path: Sequence[Row]) -> list[Row]:
    """Return the parts of a critical path that can be shorter and are a twentieth of it."""
    return [row for row in path if row["gain_percent"] is not None and row["percent"] >= _LITTLE]


def _what_if(rows: Sequence[Row]) -> list[str]:
    if not rows:
        return []
    if not any(row["percent"] for row in rows):
        if not rows[0]["is_recorded"]:
            return []
        late = rows[0]["path_cause"] == "submission"
        why = ": tasks are submitted too late" if late else ""
        if rows[0]["is_chain"]:
            why = ": the chain is all of the time"
        has_more = any(row["change"] == "one more worker" for row in rows)
        what = "One more worker gains nothing, nor does less waiting"
        return [f"{what if has_more else 'Less waiting gains nothing'}{why}."]
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
        f"{'unknown' if (gain := _replayed(row)) is None else amount(gain, '%')} "
        f"(at most {amount(row['percent'], '%')})"
        for row in rows
    )
    return [f"What a replay of the tasks gains: {gains}{_if(rows)}."]


def _replayed(row: Row) -> float | None:
    """Return what a replay of a change gains, %; None where it is unknown."""
    return row["replay_percent"] if row["percent"] else 0.0


def _if(rows: Sequence[Row]) -> str:
    """Return what the gains take for granted: that of one more worker, and those of the others."""
    taken = ""
    if any(row["percent"] and row["change"].startswith("no ") for row in rows):
        taken += (
            "; no latency and no overhead with each worker's tasks and their order as they were"
        )
    if any(row["percent"] and row["change"] == "other placement" for row in rows):
        taken += "; other placement if every worker can run every task of its kind"
    if assumed := [row["change"] for row in rows if row["is_assumed"] and row["percent"]]:
        taken += f"; {' and '.join(assumed)} if tasks need no more than is recorded"
    return taken
