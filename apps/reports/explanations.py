"""Why a run is slower: the verdict first, then what else changed, in sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from apps.output.numbers import (
    amount,
    amounts,
    counted,
    exponent_text,
    interval,
    p_value_text,
    percent,
    signed_percent,
    three_digits,
)
from apps.output.tables import Row, table_text
from apps.output.text import cell, day, version_text
from apps.reports.comparison import noise_source
from apps.reports.flags import flag_codes, flag_labels, flag_text

if TYPE_CHECKING:
    from apps.queries.explanations import Comparison

# Topic: its name, and the kind of trace that it needs.
_TOPICS = {
    "device": ("devices", "trace of a device"),
    "function": ("functions", "function times"),
    "counter": ("counters", "counters"),
    "bottleneck": ("bottlenecks", "counters that a model knows"),
    "scaling": ("scaling", "version measured on three counts"),
    "idle": ("idle time", "task trace"),
    "threads": ("threads", "block trace"),
    "benchmark": ("benchmarks", "results of benchmarks"),
}
_MAIN_TOPICS = {"counter": "counter", "metric": "benchmark"}
_MOST = {
    "device": 5,
    "function": 4,
    "counter": 3,
    "benchmark": 4,
    "bottleneck": 4,
    "scaling": 3,
    "idle": 3,
    "threads": 3,
}
_COSTS = {
    "frac_mem": "main memory costs",
    "frac_dtb": "data-TLB misses cost",
    "frac_icache": "instruction-cache misses cost",
    "frac_dma": "DMA costs",
}
_UNSURE = " (noise unknown, so not certain)"
_COLUMNS = (
    "topic",
    "subject",
    "metric",
    "before",
    "after",
    "unit",
    "change",
    "interval",
    "share",
    "certain",
    "flags",
)
_TREE = ("call path", "own before", "own after", "with callees before", "after", "share", "flags")
_INDENT = "  "
_LINES = 25
_SMALL = 0.1  # the change that an interval has to rule out
_WIDTH = 36
_WIDTHS = dict.fromkeys(("subject", "metric", "before", "after"), _WIDTH)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence, and the SQL query that shows the figures behind it."""

    text: str
    query: str | None = None


def explanation_text(
    which: Comparison,
    runs: Sequence[Row],
    rows: Sequence[Row],
    coverage: Sequence[Row],
    history: Row | None = None,
    tree: Sequence[Row] = (),
    *,
    show_queries: bool = False,
    most: int | None = None,
) -> str:
    """Return the explanation: title, sentences with their queries, and the tables of figures.

    `rows` are the findings, those with the strongest evidence first, `coverage` lists what was
    examined, `history` compares the run with the other runs of its series, `tree` has
    the call paths that differ. Of the findings `most` have a sentence.
    """
    lines = [_title(which, runs), ""]
    for sentence in explanation_sentences(which, runs, rows, coverage, history, most):
        lines.append(f"* {sentence.text}")
        if show_queries and sentence.query is not None:
            lines.append(f"  SQL: {cell(sentence.query, None)}")
    if rows:
        lines += ["", "What changed", finding_table(rows)]
    for unit, paths in groupby(tree, key=lambda row: row["unit"]):
        of_unit = list(paths)
        if any(row["inclusive_before"] is not None for row in of_unit):
            lines += ["", f"Call tree ({cell(unit)})", tree_table(of_unit)]
    return "\n".join(lines)


def explanation_sentences(
    which: Comparison,
    runs: Sequence[Row],
    rows: Sequence[Row],
    coverage: Sequence[Row],
    history: Row | None = None,
    most: int | None = None,
) -> list[Sentence]:
    """Return the sentences of the explanation, cause and verdict first; see `explanation_text`."""
    findings = list(finding_sentences(rows))
    more = 0 if most is None else max(len(findings) - most, 0)
    return [
        *_headline(which, runs, rows),
        _verdict(which, runs, rows, coverage),
        *_history_sentence(which, rows, history),
        *findings[: len(findings) - more],
        *([Sentence(f"{counted(more, 'more finding')}: --all")] if more else []),
        *(Sentence(text) for text in _coverage_sentences(rows, coverage)),
        *_notes(runs, rows),
    ]


def _title(which: Comparison, runs: Sequence[Row]) -> str:
    names = ", ".join(sorted({cell(row["app"]) for row in runs}))
    after, before = _side_name(which.runs, runs), _side_name(which.against, runs)
    is_versioned = any(row["version"] is not None for row in runs)
    how = {
        "change": "the last change of its series",
        "version": "the version before it" if is_versioned else "the run before it",
        "asked": "as requested",
    }[which.chosen_by]
    return f"{names}: {after} against {before} ({how})"


def _side_name(ids: Sequence[str], runs: Sequence[Row]) -> str:
    if len(ids) == 1:
        return _run_name(ids[0], runs)
    # `runs` are in order of time
    first, *_, last = [row["run_id"] for row in runs if row["run_id"] in ids]
    return f"{counted(len(ids), 'run')}, {cell(first)} to {cell(last)}"


def _run_name(run_id: str, runs: Sequence[Row]) -> str:
    row = next((row for row in runs if row["run_id"] == run_id), None)
    facts = []
    if row is not None and row["version"] is not None:
        facts.append(f"version {version_text(row['version'])}")
    if row is not None and row["started_at"] is not None:
        facts.append(day(row))
    return f"{cell(run_id)} ({', '.join(facts)})" if facts else cell(run_id)


def _headline(which: Comparison, runs: Sequence[Row], rows: Sequence[Row]) -> Iterator[Sentence]:
    """Yield what happened, where, by what mechanism, and with how much of the loss."""
    cause = next((row for row in rows if row["topic"] == "cause"), None)
    main = next((row for row in rows if row["topic"] == "metric"), None)
    if cause is None or main is None:
        return
    (mechanism,) = cause["flags"]
    why, text = flag_text(mechanism), f"{_change_of_side(which, runs, main)}: "
    if cause["subject"] is None:
        is_profiled = any(row["topic"] == "function" for row in rows)
        text += (
            f"{why} ({'no function has much of it' if is_profiled else 'no profile says where'})"
        )
    else:
        total = _totals(rows).get(cause["unit"], "loss")
        share = percent(min(cause["share"], 1))
        text += f"{cell(cause['subject'])} {_took(cause)}, {share} of the {total}"
        if mechanism["code"] != "more_work":
            text += f"{'; ' if mechanism['code'] == 'cause_unknown' else ', since '}{why}"
    yield Sentence(f"{text}.", cause["query"])


def _change_of_side(which: Comparison, runs: Sequence[Row], main: Row) -> str:
    """Return by how much the runs after differ: `solver 1.3 takes 12 % longer (+9 % to +15 %)`."""
    of_side = [row for row in runs if row["run_id"] in which.runs]
    names = {(row["app"], row["version"]) for row in of_side}
    name = cell(which.runs[0])
    if len(names) == 1 and None not in (named := names.pop()):
        name = f"{cell(named[0])} {version_text(named[1])}"
    within = f" ({ends})" if (ends := change_interval(main)) else ""
    if main["metric"] == "wall_seconds":
        return f"{name} {_took(main)}{within}"
    return f"{cell(main['metric'])} of {name} {movement(main)}{within}"


def _took(row: Row) -> str:
    """Return how much longer something takes, or how much more of another unit it costs."""
    if row["change"] is None:
        return f"{'takes' if row['unit'] == 's' else 'costs'} {from_to(row)}"
    if row["change"] >= 1:
        times = f"{1 + row['change']:.3g} times"
        return f"takes {times} as long" if row["unit"] == "s" else f"costs {times} as much"
    size = f"{100 * abs(row['change']):.3g} %"
    if row["unit"] == "s":
        return f"takes {size} {'longer' if row['change'] > 0 else 'less'}"
    return f"costs {size} {'more' if row['change'] > 0 else 'less'}"


def _verdict(
    which: Comparison, runs: Sequence[Row], rows: Sequence[Row], coverage: Sequence[Row]
) -> Sentence:
    row = next((row for row in rows if row["topic"] == "metric"), None)
    if row is not None:
        return Sentence(_metric_verdict(which, runs, row), row["query"])
    if any(
        one["topic"] == "benchmark" and one["runs_before"] and one["runs_after"] for one in coverage
    ):
        return _benchmarks_verdict(rows)
    return Sentence(
        "It is unknown how much slower: neither wall_seconds nor function times are known on both "
        "sides. The tag main_metric of the runs can name another metric; pwh compare shows those "
        "of both sides."
    )


def _metric_verdict(which: Comparison, runs: Sequence[Row], row: Row) -> str:
    """Return whether, where and by how much a metric changed, and how sure that is."""
    name, figures = cell(row["metric"]), f"{from_to(row)}, {_basis(row)}"
    if row["before"] == row["after"]:
        return f"{name} did not change: {figures}."
    sure = row["certain"] or which.chosen_by == "change"
    if not sure and row["certain"] is not None:
        verdict = f"{name} did not change beyond noise"
        low, high = row["change_low"], row["change_high"]
        if low is None or high is None or low < -_SMALL or high > _SMALL:
            verdict = f"It is not certain that {name} changed"
        return f"{verdict}: it {movement(row)}, {figures}."
    if which.chosen_by == "change":
        where = f"at {_run_name(which.changed or which.runs[0], runs)}"
    else:
        where = f"in {_side_name(which.runs, runs)} against {_side_name(which.against, runs)}"
    noise = (
        "beyond noise"
        if sure
        else "unknown whether this, or what follows, is beyond noise: measure 4 more runs of each"
    )
    if row["certain"]:
        noise += f" ({p_value_text(row['p_value'])})"
    return f"{name} {movement(row)} {where}: {figures}; {noise}."


def _basis(row: Row) -> str:
    """Return what the figures of a metric come from: how many runs, their interval and noise."""
    basis = (
        f"means (geometric where no value is 0 or less) of {row['values_before']} runs before and "
        f"{row['values_after']} from then on"
    )
    if row["values_before"] == row["values_after"] == 1:
        basis = "one run on each side"
    if within := change_interval(row):
        basis += f", {within} at 95 %"
    if source := noise_source(row["noise"]):
        basis += f", noise {source}"
    return basis


def _benchmarks_verdict(rows: Sequence[Row]) -> Sentence:
    """Return how many results of benchmarks changed, of runs that have no total time."""
    changed = [row["direction"] for row in rows if row["topic"] == "benchmark" and row["certain"]]
    found = (("worse", "got worse"), ("better", "got better"), (None, "changed"))
    counts = [f"{changed.count(one)} {verb}" for one, verb in found if one in changed]
    if not counts:
        return Sentence("The runs have no total time; they are compared by results of benchmarks.")
    return Sentence(
        f"The runs have no total time; of their results of benchmarks {', '.join(counts)} beyond "
        "noise."
    )


def _history_sentence(
    which: Comparison, rows: Sequence[Row], history: Row | None
) -> Iterator[Sentence]:
    """Yield how a run without a change point compares with the others of its series.

    Of a metric that is not that of the verdict only where there is something to tell.
    """
    if history is None:
        return
    figures = [history[name] for name in ("smallest", "largest", "middle", "value")]
    low, high, middle, value = amounts(figures, history["unit"])
    is_within = history["smallest"] <= history["value"] <= history["largest"]
    lasting = "No lasting change up to this run"
    if any(row["topic"] == "metric" and row["certain"] for row in rows):
        lasting = "The two sides differ for certain; their history shows no step yet"
    if history["since"] is not None:
        of = "" if history["change"] is None else f" of {signed_percent(history['change'])}"
        lasting = f"In the history the step{of} since {cell(history['since'])} is provisional"
    elif history["drift"] is not None:
        lasting = (
            f"No step up to this run, but the series drifts, {signed_percent(history['drift'])} "
            f"over {counted(history['points'], 'run')}"
        )
    others = f"{history['others']} others of its series"
    if len(which.runs) > 1:
        others = f"{history['others']} runs of other versions in its series"
    named = ""
    if not any(row["topic"] == "metric" for row in rows):
        if is_within and history["since"] is None and history["drift"] is None:
            return
        named = f"of {cell(history['metric'])} "
    yield Sentence(
        f"{lasting}: {named}the {others} have {low} to {high}, median {middle}; this one has "
        f"{value}, {'within' if is_within else 'outside of'} that range."
    )


def _coverage_sentences(rows: Sequence[Row], coverage: Sequence[Row]) -> Iterator[str]:
    """Yield what did not change, and what could not be examined, and why."""
    changed = {row["topic"] for row in rows if not is_total(row)}
    main = next((row["metric"] for row in rows if row["topic"] == "metric"), "")
    main_topic = _MAIN_TOPICS.get(main.partition(":")[0])
    same, missing = [], []
    for row in coverage:
        before, after = row["runs_before"], row["runs_after"]
        name, needs = _TOPICS[row["topic"]]
        if row["topic"] == "benchmark" and not (before or after):
            continue
        if before and after:
            if row["topic"] not in changed:
                others = "other " if row["topic"] == main_topic else ""
                same.append(f"{others}{name} ({before} and {counted(after, 'run')})")
            continue
        side = "on either side" if before == after else "before" if after else "after"
        why = cell(flag_text(row["note"]), None) or f"no {needs} {side}"
        missing.append(f"{name} ({why})")
    if same:
        yield f"No notable change beyond noise in {', '.join(same)}."
    if missing:
        yield f"Not examined: {'; '.join(missing)}."


def _notes(runs: Sequence[Row], rows: Sequence[Row]) -> Iterator[Sentence]:
    """Yield what else differs, and the limits of the figures."""
    for row in rows:
        if row["topic"] == "setting":
            yield Sentence(
                f"Note: {cell(row['subject'])} changed too, from {cell(row['before_label'])} to "
                f"{cell(row['after_label'])}.",
                row["query"],
            )
    if len({row["app"] for row in runs}) > 1:
        yield Sentence("Note: the runs are of different applications.")
    total = next((row for row in rows if is_total(row)), None)
    main = next((row for row in rows if row["metric"] == "wall_seconds"), None)
    # Costs in events are no part of a time.
    if total is None or main is None or total["unit"] != main["unit"]:
        return
    if main["after"] != main["before"]:
        part = (total["after"] - total["before"]) / (main["after"] - main["before"])
        if not 0.8 <= part <= 1.25 and abs(main["change"] or 0) >= 0.01:
            yield Sentence(
                f"Note: functions changed by {_difference(total)} together, wall_seconds by "
                f"{_difference(main)}: shares are of the former.",
                total["query"],
            )


def _difference(row: Row) -> str:
    """Return by how much a value changed, with its sign and unit."""
    more = row["after"] - row["before"]
    return f"{'+' if more > 0 else ''}{amount(more, row['unit'])}"


def finding_table(rows: Sequence[Row]) -> str:
    """Return the first findings as a table, and how many more there are."""
    lines = [table_text(_COLUMNS, [_line(row) for row in rows[:_LINES]], _WIDTHS)]
    if len(rows) > _LINES:
        lines.append(f"... and {len(rows) - _LINES} more; --format csv gives all")
    return "\n".join(lines)


def _line(row: Row) -> tuple[Any, ...]:
    is_number = row["before"] is not None
    return (
        row["topic"],
        row["subject"] or "(all)",
        row["metric"],
        three_digits(row["before"]) if is_number else row["before_label"],
        three_digits(row["after"]) if is_number else row["after_label"],
        row["unit"],
        None if row["change"] is None else signed_percent(row["change"]),
        change_interval(row),
        percent(row["share"]),
        {True: "yes", None: "unknown"}.get(row["certain"], "no"),
        flag_labels(row["flags"]),
    )


def tree_table(tree: Sequence[Row]) -> str:
    """Return the call paths that differ as a table, callees below and right of their callers.

    A path whose caller is not listed has the part that is missing in front of it.
    """
    lines, open_paths = [], list[list[str]]()
    for row in tree:
        parts = list(row["parts"])
        while open_paths and parts[: len(open_paths[-1])] != open_paths[-1]:
            open_paths.pop()
        known = len(open_paths[-1]) if open_paths else 0
        name = _INDENT * len(open_paths) + cell("->".join(parts[known:]), _WIDTH)
        open_paths.append(parts)
        share = row["own_share"] if row["inclusive_share"] is None else row["inclusive_share"]
        figures = ("own_before", "own_after", "inclusive_before", "inclusive_after")
        flags = flag_labels(row["flags"])
        lines.append((name, *(three_digits(row[key]) for key in figures), percent(share), flags))
    return table_text(_TREE, lines)


def finding_sentences(rows: Sequence[Row]) -> Iterator[Sentence]:
    """Yield a sentence for each finding, of each topic only those with the strongest evidence."""
    # Where nothing is known of the noise, the verdict on the main metric states it for all.
    unsure = not any(row["topic"] == "metric" and row["certain"] is None for row in rows)
    totals = _totals(rows)
    listed = _listed(rows)
    last = next((row for row in reversed(listed) if row["topic"] == "function"), None)
    explained: dict[str, list[float]] = {}
    for row in listed:
        topic, total = row["topic"], totals.get(row["unit"], "loss")
        text = _SENTENCES[topic](row, total)
        yield Sentence(text + _doubt(row, unsure) + ".", row["query"])
        if topic == "function" and row["share"] is not None:
            explained.setdefault(row["unit"], []).append(row["share"])
        if row is last:
            yield from _together(explained, totals)


def _totals(rows: Sequence[Row]) -> dict[str, str]:
    """Return what the total of each unit of functions is called, of which they have shares.

    Times and costs in events are no parts of one another: what rose while the time fell is no loss.
    """
    found = [row for row in reversed(rows) if is_total(row) or row["topic"] == "metric"]
    grew = {row["unit"]: row["after"] > row["before"] for row in found}
    names = {}
    for unit, more in grew.items():
        if grew.get("s", more) == more:
            names[unit] = "loss" if more else "gain"
        else:
            names[unit] = f"{'rise' if more else 'fall'} in {cell(unit)}"
    return names


def _together(
    explained: Mapping[str, Sequence[float]], totals: Mapping[str, str]
) -> Iterator[Sentence]:
    """Yield what the listed functions explain together, of each unit that several have."""
    for unit, shares in explained.items():
        if len(shares) > 1:
            total = totals.get(unit, "loss")
            kind = f" in {'time' if unit == 's' else cell(unit)}"
            if len(explained) == 1 or total.endswith(kind):
                kind = ""
            # more than all of it
            others = f"; others took {'more' if total.startswith(('gain', 'fall')) else 'less'}"
            yield Sentence(
                f"Together these {len(shares)} functions explain {percent(sum(shares))} of the "
                f"{total}{kind}{others if sum(shares) > 1 + _SMALL else ''}."
            )


def _listed(rows: Sequence[Row]) -> list[Row]:
    """Return the findings of which there are sentences: of each topic the strongest."""
    shown: dict[str, int] = {}
    # The verdict has the main metric.
    verdicts = {row["metric"] for row in rows if row["topic"] == "metric"}
    found = []
    for row in rows:
        topic = row["topic"]
        if topic not in _SENTENCES or is_total(row) or row["metric"] in verdicts:
            continue
        if shown.get(topic, 0) >= _MOST[topic] and not row["is_instructions"]:
            continue
        if topic == "function" and row["share"] is not None and abs(row["share"]) < 0.05:
            continue
        if (
            topic == "counter"
            and "same_count" in flag_codes(row["flags"])
            and not row["is_instructions"]
        ):
            continue
        shown[topic] = shown.get(topic, 0) + (not row["is_instructions"])
        found.append(row)
    return found


def _doubt(row: Row, unsure: bool) -> str:
    """Return what keeps a finding from being certain; `unsure` where that is not stated of all."""
    if "largest" in flag_codes(row["flags"]):
        return " (largest, not certain)"
    if row["certain"] is None:
        return _UNSURE if unsure else ""
    if "separated" in flag_codes(row["flags"]):
        return " (every run after lies beyond every run before)"
    return "" if row["certain"] else " (not certain)"


def is_total(row: Row) -> bool:
    """Return whether a finding is of all functions together."""
    return bool(row["topic"] == "function" and row["subject"] is None)


def _function(row: Row, total: str) -> str:
    name = cell(row["subject"])
    if "new" in flag_codes(row["flags"]):
        name += " (new)"
    if "gone" in flag_codes(row["flags"]):
        name += " (gone)"
    if row["share"] is None:
        return (
            f"{name} {movement(row)}, though all functions together hardly changed: {from_to(row)}"
        )
    if "new" in flag_codes(row["flags"]):
        return f"{percent(row['share'])} of the {total} is in {name}: {from_to(row)}{_calls(row)}"
    if row["share"] < 0:
        return f"In the other direction, {name} {movement(row)}: {from_to(row)}"
    return (
        f"{percent(row['share'])} of the {total} is in {name}: {from_to(row)}, it {movement(row)}"
        f"{_calls(row)}"
    )


def _calls(row: Row) -> str:
    """Return how much more or less often a function was called, where that changed by 10 %."""
    before, after = row["calls_before"], row["calls_after"]
    if not before or after is None or abs(after / before - 1) < _SMALL:
        return ""
    return f", called {amount(after)} times instead of {amount(before)}"


def _bottleneck(row: Row, _total: str) -> str:
    place = "the program" if row["subject"] is None else cell(row["subject"])
    cost = ""
    if row["before"] is not None and row["after"] is not None:
        cost = (
            f"{_COSTS[row['metric']]} {percent(row['before'])} -> {percent(row['after'])} of "
            "its cycles at most"
        )
    if row["before_label"] == row["after_label"]:
        return f"In {place} {cost}; its bottleneck is {row['after_label']} as before"
    text = f"The bottleneck of {place} moved from {row['before_label']} to {row['after_label']}"
    return f"{text}: {cost}" if cost else text


def _counter(row: Row, _total: str) -> str:
    each = " per cycle" if row["metric"].startswith("per_cycle:") else ""
    return f"{cell(row['subject'])}{each} {movement(row)}: {from_to(row)}"


def _benchmark(row: Row, _total: str) -> str:
    return f"{cell(row['subject'])} {movement(row)}: {from_to(row)}"


def _scaling(row: Row, _total: str) -> str:
    how = "worse" if row["direction"] == "worse" else "better"
    before, after = (2 ** row[side] for side in ("before", "after"))
    return (
        f"{cell(row['subject'])} scales {how}: its time {exponent_text(row['before'])}, now "
        f"{exponent_text(row['after'])}, so that twice the processes take {percent(after)} of the "
        f"time instead of {percent(before)}"
    )


def _device(row: Row, _total: str) -> str:
    what = "work" if row["metric"] == "busy" else "idle time before the next work"
    before, after = amounts([row["before"], row["after"]], "s")
    share = "" if row["share"] is None else f", {percent(row['share'])} of what changed there"
    return f"Devices: {what}, {cell(row['subject'])}: {before} -> {after}{share}"


def _idle(row: Row, _total: str) -> str:
    if row["metric"] == "slowdown":
        return _slow_worker(row)
    part = {"tail": "the time after the last task"}.get(row["subject"], row["subject"])
    text = (
        f"Idle workers: {part} went from {amount(row['before'], '%')} to "
        f"{amount(row['after'], '%')} of their time"
    )
    labels = (row["before_label"], row["after_label"])
    if labels[0] != labels[1] and row["subject"] in labels:
        text += (
            f"; the dominant cause went from {row['before_label'] or 'nothing known'} to "
            f"{row['after_label'] or 'nothing known'}"
        )
    return text


def _slow_worker(row: Row) -> str:
    if row["after"] > row["before"]:
        return (
            f"The worker {cell(row['after_label'])} is slow, or has the larger tasks: they take "
            f"{three_digits(row['after'])} times as long there as those of the same type on the "
            f"other workers, before {three_digits(row['before'])} times at most"
        )
    return (
        f"The worker {cell(row['before_label'])} was slow ({three_digits(row['before'])} times as "
        f"long for tasks of the same type); now {three_digits(row['after'])} times at most"
    )


def _threads(row: Row, _total: str) -> str:
    kernel = "the program" if row["subject"] is None else cell(row["subject"])
    verb = "diverge" if row["metric"] != "sync_rate" else "wait at barriers"
    more = row["after"] > row["before"]
    # Of full warps nothing diverges: there, less is more divergence.
    began = "began to" if more != (row["metric"] == "simt_efficiency") else "no longer"
    return (
        f"The threads of {kernel} {began} {verb}: {row['metric']} {three_digits(row['before'])} -> "
        f"{three_digits(row['after'])}"
    )


_SENTENCES: dict[str, Callable[[Row, str], str]] = {
    "device": _device,
    "function": _function,
    "bottleneck": _bottleneck,
    "counter": _counter,
    "benchmark": _benchmark,
    "scaling": _scaling,
    "idle": _idle,
    "threads": _threads,
}


def change_interval(row: Row) -> str | None:
    """Return the interval of a relative change, None where there is none."""
    ends = (row["change_low"], row["change_high"])
    return interval(*(None if end is None else 1 + end for end in ends))


def movement(row: Row) -> str:
    """Return by how much a value rose or fell."""
    verb = "rose" if row["after"] > row["before"] else "fell"
    if row["change"] is None:
        return f"{verb} from 0"
    if row["change"] >= 10:
        return f"{verb} to {1 + row['change']:.3g} times as much"
    return f"{verb} by {100 * abs(row['change']):.3g} %"


def from_to(row: Row) -> str:
    """Return the values on both sides with their unit."""
    unit = None if row["unit"] == "1/cycle" else row["unit"]
    return " -> ".join(amounts([row["before"], row["after"]], unit))
