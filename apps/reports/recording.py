"""Results of a recording session, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from apps.output.numbers import amount, amounts, counted, percent, signed_percent
from apps.recording.process import Execution
from apps.recording.session import Recorded
from apps.recording.surroundings import shell_text
from apps.reports.failures import failure_text
from udfs.measuring.sequential import Design, State


def runs_text(recorded: Sequence[Recorded], *, by_command: bool = False) -> str:
    """Return the times of a command's runs: medians, and the range of the wall time.

    They are named by application and version, or by their command.
    """
    failed = [one for one in recorded if one.done.exit_code or one.done.interrupted]
    good = [one.done for one in recorded if one not in failed]
    name = shell_text(recorded[0].side.command) if by_command else _name(recorded[0])
    texts = []
    if good:
        texts.append(f"{name}: {counted(len(good), 'run')}, {_times(good)}")
    for one in failed:
        code, interrupted = str(one.done.exit_code), one.done.interrupted
        text = failure_text(code, interrupted=interrupted)
        texts.append(f"{name}: {one.run_id} failed: {text}")
    return "\n".join(texts)


def _name(one: Recorded) -> str:
    version = one.side.facts.get("version")
    name = f"{one.side.facts['app']}@{version}" if version else str(one.side.facts["app"])
    profiler = one.side.tags.get("profiler")
    return f"{name} under {profiler}" if profiler else name


def _times(done: Sequence[Execution]) -> str:
    walls = sorted(one.wall for one in done)
    middle, least, most = amounts([_median(walls), walls[0], walls[-1]], "s")
    spread = f" ({least} to {most})" if len(walls) > 1 else ""
    parts = [f"wall {middle}{spread}"]
    parts += [
        f"{name} {amount(_median([getattr(one, name) for one in done]), 's')}"
        for name in ("user", "system")
    ]
    peak = 1024 * max(one.usage.ru_maxrss for one in done)
    return ", ".join([*parts, f"peak memory {amount(peak, 'B')}"])


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[-middle - 1]) / 2


def looked_text(state: State) -> str:
    """Return how far a test is after a pair of runs."""
    left_out = f", {len(state.disturbed)} left out" if state.disturbed else ""
    if not state.pairs:
        return f"no pair counts yet{left_out}"
    noise = f", noise of a run {percent(state.noise)}" if state.noise else ""
    return (
        f"pair {state.pairs} of at most {state.most}{left_out}: wall time "
        f"{signed_percent(state.change)} ({_range(state)}){noise}"
    )


def decided_text(state: State, design: Design) -> str:
    """Return how a test ended, and what disturbed it."""
    pairs = counted(state.pairs, "pair")
    errors = (
        f"{percent(design.false_alarm)} false alarms, {percent(design.miss)} misses of "
        f"{percent(design.smallest)}"
    )
    found = f"{signed_percent(state.change)} ({_range(state)})"
    match state.verdict:
        case "worse" | "better":
            word = "slower" if state.verdict == "worse" else "faster"
            lines = [f"decided after {pairs}: {word}, wall time {found}; {errors}"]
        case "same":
            lines = [
                f"decided after {pairs}: no change of {percent(design.smallest)} or more, "
                f"wall time {found}; {errors}"
            ]
        case _:
            more = max(state.most - state.pairs, state.most // 2, 1)
            lines = [
                f"undecided after {pairs}: wall time {found}; about {counted(more, 'more pair')} "
                "may decide, a quieter machine would sooner"
            ]
    if state.busy is not None:
        lines.append(
            f"the machine is busy: runs vary {state.busy:.1f} times as much as in the history"
        )
    if state.drift is not None:
        word = "slower" if state.drift > 0 else "faster"
        lines.append(
            f"the machine drifts: both sides became {percent(abs(state.drift))} {word} meanwhile"
        )
    if state.disturbed:
        names = ", ".join(str(at + 1) for at in state.disturbed)
        lines.append(f"left out as disturbed: {counted(len(state.disturbed), 'pair')} ({names})")
    return "\n".join(lines)


def _range(state: State) -> str:
    if not state.noise:
        return "noise unknown yet"
    return f"{signed_percent(state.low)} to {signed_percent(state.high)}"
