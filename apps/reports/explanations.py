"""Why a run is slower: the verdict first, then what changed with it, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.output import Row, cell, percent_text, table_text, three_digits

if TYPE_CHECKING:
    from apps.queries.explanations import Comparison

_TOPICS = {
    "function": ("functions", "function times"),
    "counter": ("counters", "counters"),
    "bottleneck": ("bottlenecks", "counters that a model knows"),
    "scaling": ("scaling", "version measured on three counts"),
    "idle": ("idle time", "task trace"),
    "threads": ("threads", "block trace"),
}


def explanation_text(
    which: Comparison,
    runs: Sequence[Row],
    rows: Sequence[Row],
    coverage: Sequence[Row],
    history: Row | None = None,
    *,
    show_queries: bool = True,
) -> str:
    """Return the explanation: title, sentences with their queries, and the table of the figures.

    `rows` are the findings in the order of their evidence, `coverage` tells what was examined,
    `history` is the run's main metric beside the other runs of its series.
    """
    lines = [_title(which, runs), ""]
    for said in explanation_sentences(which, runs, rows, coverage, history):
        lines.append(f"* {said.words}")
        if show_queries and said.query is not None:
            lines.append(f"  SQL: {cell(said.query, None)}")
    if rows:
        lines += ["", "What changed", finding_tables(rows)]
    return "\n".join(lines)


def explanation_sentences(
    which: Comparison,
    runs: Sequence[Row],
    rows: Sequence[Row],
    coverage: Sequence[Row],
    history: Row | None = None,
) -> list[Said]:
    """Return the explanation in sentences, the verdict first; parameters as for `text`."""
    return [
        _verdict(which, runs, rows),
        *_among_others(which, history),
        *finding_sentences(rows),
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


_SHOWN = 25
_WIDTH = 36
_COLUMNS = ("topic", "subject", "metric", "before", "after", "change", "share", "certain", "flags")


def finding_tables(rows: Sequence[Row]) -> str:
    """Return the first rows as a table, and how many there are."""
    lines = [table_text(_COLUMNS, [_line(row) for row in rows[:_SHOWN]])]
    if len(rows) > _SHOWN:
        lines.append(f"... and {len(rows) - _SHOWN} more; --format csv gives all")
    return "\n".join(lines)


def _line(row: Row) -> tuple[Any, ...]:
    numbers = row["before"] is not None
    return (
        row["topic"],
        cell(row["subject"] or "(all)", _WIDTH),
        cell(row["metric"], _WIDTH),
        three_digits(row["before"]) if numbers else cell(row["before_label"], _WIDTH),
        three_digits(row["after"]) if numbers else cell(row["after_label"], _WIDTH),
        None if row["change"] is None else f"{row['change']:+.1%}",
        percent_text(row["share"]),
        {True: "yes", None: "unknown"}.get(row["certain"], "no"),
        ", ".join(row["flags"]) or None,
    )


_MOST = {"function": 4, "counter": 3, "bottleneck": 4, "scaling": 3, "idle": 3, "threads": 3}
_INSTRUCTIONS = ("instructions", "inst_retired.any", "papi_tot_ins")
_COSTS = {
    "frac_mem": "main memory",
    "frac_dtb": "data-TLB misses",
    "frac_icache": "instruction-cache misses",
    "frac_dma": "DMA",
}
_UNSURE = " (too few runs to tell it from noise)"


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, and the SQL that shows what it rests on."""

    words: str
    query: str | None = None


def finding_sentences(rows: Sequence[Row]) -> Iterator[Said]:
    """Return a sentence for each finding, of each topic only the best founded."""
    told: dict[str, int] = {}
    # where nothing is known of the noise the verdict says so for all
    unsure = any(row["topic"] == "metric" and row["certain"] is not None for row in rows)
    whole = [row for row in rows if is_total(row)] or [r for r in rows if r["topic"] == "metric"]
    loss = not whole or whole[0]["after"] > whole[0]["before"]
    for row in rows:
        topic = row["topic"]
        if topic not in _WORDS or is_total(row):
            continue
        if told.get(topic, 0) >= _MOST[topic] and not _is_instructions(row):
            continue
        if topic == "function" and row["share"] is not None and abs(row["share"]) < 0.05:
            continue
        follows = "same_count" in row["flags"]
        if topic == "counter" and follows and not _is_instructions(row):
            continue
        told[topic] = told.get(topic, 0) + (not _is_instructions(row))
        words = _WORDS[topic](row, "loss" if loss else "gain")
        yield Said(
            words + (_UNSURE if unsure and row["certain"] is None else "") + ".", row["query"]
        )


def is_total(row: Row) -> bool:
    """Say whether a row is of all functions together."""
    return bool(row["topic"] == "function" and row["subject"] is None)


def _is_instructions(row: Row) -> bool:
    return row["topic"] == "counter" and str(row["subject"]).split(":")[0].lower() in _INSTRUCTIONS


def _function(row: Row, what: str) -> str:
    name = cell(row["subject"])
    if "new" in row["flags"]:
        name += " (new)"
    if "gone" in row["flags"]:
        name += " (gone)"
    if row["share"] is None:
        return f"{name} {moved(row)}, though all functions together hardly changed: {from_to(row)}"
    if row["share"] < 0:
        return f"Against it, {name} {moved(row)}: {from_to(row)}"
    return f"{row['share']:.0%} of the {what} is in {name}: {from_to(row)}, it {moved(row)}"


def _bottleneck(row: Row, _what: str) -> str:
    place = "the program" if row["subject"] is None else cell(row["subject"])
    cost = ""
    if row["before"] is not None and row["after"] is not None:
        cost = (
            f"{_COSTS[row['metric']]} costs {row['before']:.0%} -> {row['after']:.0%} of its "
            "cycles at most"
        )
    if row["before_label"] == row["after_label"]:
        return f"In {place} {cost}; its bottleneck is {row['after_label']} as before"
    told = f"The bottleneck of {place} moved from {row['before_label']} to {row['after_label']}"
    return f"{told}: {cost}" if cost else told


def _counter(row: Row, _what: str) -> str:
    each = " per cycle" if row["metric"].startswith("per_cycle:") else ""
    return f"{cell(row['subject'])}{each} {moved(row)}: {from_to(row)}"


def _scaling(row: Row, _what: str) -> str:
    better = "worse" if row["direction"] == "worse" else "better"
    return (
        f"{cell(row['subject'])} scales {better}: its time goes with p^{row['before']:.2f} -> "
        f"p^{row['after']:.2f} ({cell(row['before_label'])} -> {cell(row['after_label'])} s)"
    )


def _idle(row: Row, _what: str) -> str:
    part = {"tail": "the time after the last task"}.get(row["subject"], row["subject"])
    words = (
        f"Idle workers: {part} went from {row['before']:.1f}% to {row['after']:.1f}% of their time"
    )
    labels = (row["before_label"], row["after_label"])
    if labels[0] != labels[1] and row["subject"] in labels:
        words += (
            f"; what dominates went from {row['before_label'] or 'nothing'} to "
            f"{row['after_label'] or 'nothing'}"
        )
    return words


def _threads(row: Row, _what: str) -> str:
    kernel = "the program" if row["subject"] is None else cell(row["subject"])
    verb = "diverge" if row["metric"] == "fluctuation" else "wait at barriers"
    began = "began to" if row["after"] > row["before"] else "no longer"
    return (
        f"The threads of {kernel} {began} {verb}: {row['metric']} {three_digits(row['before'])} -> "
        f"{three_digits(row['after'])}"
    )


_WORDS: dict[str, Callable[[Row, str], str]] = {
    "function": _function,
    "bottleneck": _bottleneck,
    "counter": _counter,
    "scaling": _scaling,
    "idle": _idle,
    "threads": _threads,
}


def moved(row: Row) -> str:
    """Say by how much a value rose or fell."""
    verb = "rose" if row["after"] > row["before"] else "fell"
    if row["change"] is None:
        return f"{verb} from nothing"
    if row["change"] >= 1:
        return f"{verb} to {1 + row['change']:.3g} times as much"
    return f"{verb} {abs(row['change']):.1%}"


def from_to(row: Row) -> str:
    """Return the values on both sides with their unit."""
    unit = "" if row["unit"] in (None, "1", "1/cycle") else f" {cell(row['unit'])}"
    return f"{row['before']:.4g}{unit} -> {row['after']:.4g}{unit}"
