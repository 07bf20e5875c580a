"""What a recording session came to, in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from apps.output.numbers import amount, amounts, counted
from apps.recording.process import Execution
from apps.recording.session import Recorded
from apps.recording.surroundings import shell_text
from apps.reports.failures import failure_text


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
    peak = max(one.max_rss for one in done)
    return ", ".join([*parts, f"peak memory {amount(peak, 'B')}"])


def _median(values: Sequence[float]) -> float:
    ordered = sorted(values)
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[-middle - 1]) / 2
