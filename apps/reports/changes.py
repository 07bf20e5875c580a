"""Sentences on the history of a metric: changes, early word of them, bursts, and its noise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apps.output.numbers import amount, amounts, counted, p_value_text, percent, signed_percent
from apps.output.text import cell, day, short_name, version_text

LEAST_POINTS = 10
# Series up to which each is named where all are short.
_FEW = 3
_SINCE = 24
_EXACTLY = 3  # more runs that are needed as predicted; of larger numbers about half often do
# As instructions that callgrind counts: one run beyond that is no outlier.
HARDLY_VARIES = 1e-4
ANOTHER_RUN = "A single run may be an outlier: another shows whether it lasts."
_TROUBLED = {
    "disturbed": "disturbed by bursts of bad runs",
    "noisy": "noisy",
    "wandering": "wandering, each run is like the one before",
}


def change_sentence(name: str, row: Mapping[str, Any]) -> str:
    """Return since when a metric changed, by how much, in which direction and how certainly."""
    return f"{_change(name, row)}{not_itself(row)}.{_acknowledged(row)}"


def _change(name: str, row: Mapping[str, Any], early: str = "") -> str:
    before, after = amounts([row["before"], row["after"]], row["unit"])
    size = signed_percent(row["change"]) or "from 0"
    kind, sure = row["direction"] or "not known to be better or worse", p_value_text(row["p_value"])
    levels = f"{before} before, {after} after ({sure}){_between(row)}"
    since = "in the order of measurement since" if row.get("is_measured_order") else "since"
    return f"{name}: {size}, {kind}, {early}{since} {_run(row)}: {levels}"


def moved_text(row: Mapping[str, Any]) -> str:
    """Return what moved at an event."""
    texts = {
        "code": "the code",
        "version": "the version (no commit of it is known)",
        "machine": "the machine, rather than this program",
        "unknown": "unknown",
    }
    environment = f"the environment ({cell(row['environment'])[1:-1]})"
    return texts.get(row["moved"], environment)


def provisional_sentence(name: str, row: Mapping[str, Any]) -> str:
    """Return the same of a level that is no change yet, and how many runs would confirm it."""
    return f"{_change(name, row, 'provisional ')}; {confirmation(row)}.{_acknowledged(row)}"


def confirmation(row: Mapping[str, Any]) -> str:
    """Return what would confirm a level that is no change yet, or how far it is certain."""
    if more := row["more_runs"]:
        most = "up to " if more > _EXACTLY else ""
        return f"{most}{counted(more, 'more run')} at that level would confirm it"
    return "certain between these versions, the history alone does not show it yet"


def series_state(row: Mapping[str, Any]) -> str:
    """Return the latest change of a series in a few words, or that there is none to see."""
    if row["since"] is None:
        few = f"too few runs ({row['runs']} of {LEAST_POINTS})"
        return "no change" if row["runs"] >= LEAST_POINTS else few
    size = signed_percent(row["change"]) or "from 0"
    sure = "" if row["more_runs"] is None else " (provisional)"
    since = short_name(cell(row["since"]), _SINCE)
    return f"{row['direction'] or 'changed'}: {size}{sure} since {since}"


def disturbance_sentence(name: str, row: Mapping[str, Any]) -> str:
    """Return which runs were bad, and how bad."""
    first, last = day(row), f"{row['last_started_at']:%Y-%m-%d}"
    days = first if first == last else f"{first} to {last}"
    disturbed, usual = amounts([row["disturbed"], row["usual"]], row["unit"])
    return (
        f"{name}: {counted(row['last'] - row['first'] + 1, 'run')} disturbed, "
        f"{cell(row['run_id'])} to {cell(row['last_run_id'])}, {days}: "
        f"{disturbed} instead of {usual}; "
        "no change."
    )


def short_series_sentences(states: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return in one sentence that series are short; none for few, of which each has its own.

    `states` are those of series of which nothing else is known.
    """
    if len(states) <= _FEW:
        return []
    runs = sorted(state["points"] for state in states)
    have = counted(runs[-1], "run") if runs[0] == runs[-1] else f"{runs[0]} to {runs[-1]} runs"
    return [
        f"{len(states)} series have {have} each, of {LEAST_POINTS} that are needed to detect "
        "changes."
    ]


def is_short(state: Mapping[str, Any]) -> bool:
    """Return whether a series has too few runs to detect anything in it."""
    return state["points"] < LEAST_POINTS and state["smallest_visible"] is None


def state_sentences(name: str, state: Mapping[str, Any], *, quiet: bool) -> list[str]:
    """Return what a series is like and, where it has no change, what could be seen in it."""
    points, unit = state["points"], state["unit"]
    visible = _visible(state["smallest_visible"])
    if points < LEAST_POINTS:
        if not quiet:  # what is provisional says what would confirm it
            return []
        seen = f" With {LEAST_POINTS}, {visible} would be seen at this noise." if visible else ""
        needed = f"{counted(points, 'run')}, of {LEAST_POINTS} that are needed to detect changes."
        return [f"{name}: {needed}{seen}"]
    out = []
    if state["high_share"] is not None:
        low, high = amounts([state["low"], state["high"]], unit)
        out.append(
            f"{name}: bimodal, two levels alternate: {low} in "
            f"{percent(1 - state['high_share'])} of the runs, {high} in "
            f"{percent(state['high_share'])}."
        )
    if state["drift"] is not None:
        out.append(
            f"{name}: drifts, {signed_percent(state['drift'])} over {counted(points, 'run')}."
        )
    if quiet:
        trouble = _TROUBLED.get(state["state"])
        if trouble:
            seen = f"; {trouble}: {f'only {visible}' if visible else 'no change'} would be seen"
        else:
            seen = f"; {visible} would be seen" if visible else ""
        gradual = _gradual(state)
        what = "step" if gradual or state["drift"] is not None else "change"
        out.append(
            f"{name}: no {what} in {counted(points, 'run')}{gradual}; the median is "
            f"{amount(state['level'], unit)}{seen}."
        )
    if state["latest_outlier"] is not None:
        latest, level = amounts([state["latest_outlier"], state["level"]], unit)
        message = f"far from {level} and from all runs before. {ANOTHER_RUN}"
        least = state["smallest_visible"]
        if least is not None and least < HARDLY_VARIES:
            message = f"where the runs before have {level} and hardly vary."
        out.append(
            f"{name}: the latest run, {cell(state['latest_outlier_run_id'])}, has {latest}, "
            f"{message}"
        )
    return out


def _gradual(state: Mapping[str, Any]) -> str:
    """Return by how much a series without a step ends from where it began, where visible."""
    change, visible = state["overall_change"], state["smallest_visible"]
    if state["changes"] or state["drift"] is not None or change is None:
        return ""
    if not visible or abs(change) < visible:
        return ""
    quarter = counted(state["points"] // 4, "run")
    return f", but the last {quarter} are {signed_percent(change)} from the first {quarter}"


def _visible(share: float | None) -> str | None:
    """Return from which size on a change is visible; None where that is unknown."""
    if share is None:
        return None
    size = f"{100 * share:.0f}" if share >= 0.1 else f"{100 * share:.2g}"
    return "any other value" if share == 0 else f"a change of {size} % or more"


def commit_range(row: Mapping[str, Any]) -> str | None:
    """Return the commits, else the versions, among which the cause of a change is; None: unknown.

    The one before .. is that of the last run before the change.
    """
    for key, what in (("commit", "commits"), ("version", "versions")):
        old, new = row[f"previous_{key}"], row[key]
        if old is not None and new is not None:
            same = f"the same {key} on both sides"
            return same if old == new else f"{what} {version_text(old)}..{version_text(new)}"
    return None


def _between(row: Mapping[str, Any]) -> str:
    found = commit_range(row)
    return f"; {found}" if found else ""


def not_itself(row: Mapping[str, Any]) -> str:
    """Return what moved where that is not what was measured."""
    if row.get("moved") not in ("machine", "environment"):
        return ""
    return f"; what moved is {moved_text(row)}"


def _run(row: Mapping[str, Any]) -> str:
    version = f", version {version_text(row['version'])}" if row["version"] is not None else ""
    return f"run {cell(row['run_id'])}{version}, {day(row)}"


def _acknowledged(row: Mapping[str, Any]) -> str:
    if row["acknowledged"] is None:
        return ""
    note = f": {cell(row['note'])}" if row["note"] else ""
    return f" Acknowledged as {row['acknowledged']}{note}."
