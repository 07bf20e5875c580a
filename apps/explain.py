"""Why a run is slower: the verdict first, then what changed with it, in sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from apps import explain_tables
from apps.explain_words import Said, findings, from_to, is_total, moved
from apps.output import cell

if TYPE_CHECKING:
    from apps.queries import Comparison

Row = dict[str, Any]

_TOPICS = {
    "function": ("functions", "function times"),
    "counter": ("counters", "counters"),
    "bottleneck": ("bottlenecks", "counters that a model knows"),
    "scaling": ("scaling", "version measured on three counts"),
    "idle": ("idle time", "task trace"),
    "threads": ("threads", "block trace"),
}


def text(
    which: Comparison,
    runs: Sequence[Row],
    rows: Sequence[Row],
    coverage: Sequence[Row],
    history: Row | None = None,
    *,
    show_queries: bool = True,
) -> str:
    """Give the explanation: title, sentences with their queries, and the table of the figures.

    `rows` are the findings in the order of their evidence, `coverage` tells what was examined,
    `history` is the run's main metric beside the other runs of its series.
    """
    lines = [_title(which, runs), ""]
    for said in sentences(which, runs, rows, coverage, history):
        lines.append(f"* {said.words}")
        if show_queries and said.query is not None:
            lines.append(f"  SQL: {cell(said.query, None)}")
    if rows:
        lines += ["", "What changed", explain_tables.findings(rows)]
    return "\n".join(lines)


def sentences(
    which: Comparison,
    runs: Sequence[Row],
    rows: Sequence[Row],
    coverage: Sequence[Row],
    history: Row | None = None,
) -> list[Said]:
    """Give the explanation in sentences, the verdict first; parameters as for `text`."""
    return [
        _verdict(which, runs, rows),
        *_among_others(which, history),
        *findings(rows),
        *(Said(words) for words in _examined(rows, coverage)),
        *_mind(runs, rows),
    ]


def _title(which: Comparison, runs: Sequence[Row]) -> str:
    names = ", ".join(sorted({cell(row["app"]) for row in runs}))
    after, before = _name(which.runs, runs), _name(which.against, runs)
    how = {
        "change": "the last change of its series",
        "version": "the version before it",
        "asked": "as asked",
    }[which.chosen_by]
    return f"{names}: {after} against {before} ({how})"


def _name(ids: Sequence[str], runs: Sequence[Row]) -> str:
    if len(ids) == 1:
        return _one(ids[0], runs)
    return f"{len(ids)} runs, {cell(ids[0])} to {cell(ids[-1])}"


def _one(run_id: str, runs: Sequence[Row]) -> str:
    row = next((row for row in runs if row["run_id"] == run_id), None)
    facts = [] if row is None or row["version"] is None else [f"version {cell(row['version'])}"]
    if row is not None and row["started_at"] is not None:
        facts.append(f"{row['started_at']:%Y-%m-%d}")
    return f"{cell(run_id)} ({', '.join(facts)})" if facts else cell(run_id)


def _verdict(which: Comparison, runs: Sequence[Row], rows: Sequence[Row]) -> Said:
    row = next((row for row in rows if row["topic"] == "metric"), None)
    if row is None:
        return Said(
            "How much slower cannot be said: neither wall_seconds nor function times are known on "
            "both sides."
        )
    name, figures = cell(row["metric"]), from_to(row)
    of = f"medians of {row['values_before']} runs before and {row['values_after']} from then on"
    if row["values_before"] == row["values_after"] == 1:
        of = "one run on each side"
    sure = row["certain"] or which.chosen_by == "change"
    if row["before"] == row["after"] or not (sure or row["certain"] is None):
        return Said(f"{name} did not change beyond noise: {figures}, {of}.", row["query"])
    how = moved(row)
    if which.chosen_by == "change":
        where = f"at {_one(which.changed or which.runs[0], runs)}"
    else:
        where = f"in {_name(which.runs, runs)} against {_name(which.against, runs)}"
    told = "beyond noise" if sure else "too few runs to tell this, or what follows, from noise"
    if row["certain"]:
        told += " (p < 1e-06)" if row["p_value"] < 1e-6 else f" (p <= {row['p_value']:.2g})"
    return Said(f"{name} {how} {where}: {figures}, {of}; {told}.", row["query"])


def _among_others(which: Comparison, history: Row | None) -> Iterator[Said]:
    """Say how a run that no change goes with lies among the others of its series."""
    if which.chosen_by != "version" or history is None or history["value"] is None:
        return
    unit = "" if history["unit"] in (None, "1") else f" {cell(history['unit'])}"
    low, high = history["smallest"], history["largest"]
    place = "within that" if low <= history["value"] <= high else "outside of that"
    yield Said(
        f"No lasting change up to this run: the {history['others']} others of its series have "
        f"{low:.4g}{unit} to {high:.4g}{unit}, median {history['middle']:.4g}{unit}; this one has "
        f"{history['value']:.4g}{unit}, {place}."
    )


def _examined(rows: Sequence[Row], coverage: Sequence[Row]) -> Iterator[str]:
    """Say what did not change, and what could not be looked at, and why."""
    changed = {row["topic"] for row in rows if not is_total(row)}
    same, missing = [], []
    for row in coverage:
        before, after = row["runs_before"], row["runs_after"]
        name, needed = _TOPICS[row["topic"]]
        if before and after:
            if row["topic"] not in changed:
                same.append(f"{name} ({before} and {after} runs)")
            continue
        side = "on either side" if before == after else "before" if after else "after"
        why = f"no {needed} {side}"
        if row["note"] is not None:
            why = cell(row["note"], None)
        missing.append(f"{name} ({why})")
    if same:
        yield f"No clear change in {', '.join(same)}."
    if missing:
        yield f"Not examined: {'; '.join(missing)}."


def _mind(runs: Sequence[Row], rows: Sequence[Row]) -> Iterator[Said]:
    """Say what else differs, and what the figures cannot tell."""
    for row in rows:
        if row["topic"] == "setting":
            yield Said(
                f"Mind: {cell(row['subject'])} changed too, from {cell(row['before_label'])} to "
                f"{cell(row['after_label'])}.",
                row["query"],
            )
    if len({row["app"] for row in runs}) > 1:
        yield Said("Mind: the runs are of different applications.")
    total = next((row for row in rows if is_total(row)), None)
    main = next((row for row in rows if row["metric"] == "wall_seconds"), None)
    if total is not None and main is not None and main["after"] != main["before"]:
        part = (total["after"] - total["before"]) / (main["after"] - main["before"])
        if not 0.8 <= part <= 1.25 and abs(main["change"] or 0) >= 0.01:
            yield Said(
                f"Mind: functions changed by {total['after'] - total['before']:+.3g} s together, "
                f"wall_seconds by {main['after'] - main['before']:+.3g} s: shares are of the "
                "former.",
                total["query"],
            )
