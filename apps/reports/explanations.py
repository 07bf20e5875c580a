"""Why a run is slower: the verdict first, then what else changed, in sentences."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from apps.output.numbers import (
    amounts,
    counted,
    p_value_text,
    percent,
    signed_percent,
    three_digits,
)
from apps.output.tables import Row, dicts, table, table_text
from apps.output.text import cell, day, version_text
from apps.queries.base import ask_dicts
from apps.queries.explanations import (
    Comparison,
    explained_against,
    explained_change,
    explanation,
    run_in_history,
)
from apps.reports.changes import not_itself
from apps.reports.comparison import another_run, noise_source
from apps.reports.findings import (
    SMALL_CHANGE,
    Sentence,
    change_interval,
    finding_sentences,
    from_to,
    is_total,
    movement,
    totals_named,
)
from apps.reports.flags import flag_labels, flag_text, labels_of_flags
from apps.reports.ledger import ledger_rows, ledger_text
from warehouse.session import Connection

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
_INTERPRETER = "_PyEval_"
_UNEXPLAINED = {"cause_undecided", "cause_unknown", "works_longer"}
# Mechanisms of which a gain has less; the others have their direction in their text.
_LESS = re.compile(r"waits_|kernel|sleeps|collects_|touches_|slower_(?!clock|calls|instructions)")
# Mechanisms that counters would tell apart.
_UNCOUNTED = {"cause_unknown", "works_longer", "slower_calls"}
# The mechanism of what is none of the program's doing.
OTHERS_RAN = "waits_processor"
_WAITING = ("run_delay", "waiting")
_MAIN_TOPICS = {"counter": "counter", "metric": "benchmark"}
_TREE = ("call path", "own before", "own after", "with callees before", "after", "share", "flags")
_INDENT = "  "
_LINES = 25
_MOST = 5  # sentences that are read before one looks for more
_WIDTH = 36


def explanation_text(
    con: Connection,
    which: Comparison,
    rows: Sequence[Row],
    *,
    show_queries: bool = False,
    is_short: bool = False,
) -> str:
    """Return the explanation: title, sentences with their queries, and the tables of figures.

    `rows` are the ledger and the findings (`explanation`), those with the strongest evidence
    first. A short one has what leads, and the ledger.
    """
    runs = ask_dicts(con, "explanations/runs", **which.sides)
    coverage = ask_dicts(con, "explanations/coverage", **which.sides)
    history = run_in_history(con, which)
    lines = [_title(which, runs), ""]
    sentences = explanation_sentences(which, runs, rows, coverage, history, is_short=is_short)
    for sentence in sentences:
        lines.append(f"* {sentence.text}")
        if show_queries and sentence.query is not None:
            lines.append(f"  SQL: {cell(sentence.query, None)}")
    if ledger := ledger_rows(rows):
        lines += ["", "What the difference consists of", ledger_text(ledger)]
    if is_short:
        return "\n".join([*lines, "", "All findings, figures and call paths: --all"])
    if findings := [row for row in rows if row["topic"] != "ledger"]:
        lines += ["", _FINDINGS.text(findings, "What changed", most=_LINES)]
    tree = ask_dicts(con, "explanations/call_tree", smallest_share=0.05, most=25, **which.sides)
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
    *,
    is_short: bool = False,
) -> list[Sentence]:
    """Return the sentences of the explanation, cause and verdict first; see `explanation_text`."""
    # What changed on devices leads: whole runs follow from it.
    on_devices = [row for row in rows if row["topic"] in ("device", "metric")]
    rest = [row for row in rows if row["topic"] != "device"]
    leading = [
        *_headline(which, runs, rows),
        *finding_sentences(on_devices),
        _verdict(which, runs, rows, coverage),
        *_history_sentence(which, rows, history),
    ]
    if which.changed is None:
        certain = (row for row in rows if row["certain"] and row["topic"] != "setting")
        leading += map(Sentence, another_run(certain, "change_low", "change_high"))
    examined = [Sentence(text) for text in _coverage_sentences(rows, coverage)]
    if is_short:
        # the ledger has the functions
        untold = [row for row in rest if not (row["topic"] == "function" and ledger_rows(rows))]
        found = [*finding_sentences(untold), *_notes(which, runs, rows)]
        if not any(row["topic"] == "metric" for row in rows):
            found += examined
        return [*leading, *found[: max(0, _MOST - len(leading))], *_missing(rows, coverage)]
    return [
        *leading,
        *finding_sentences(rest),
        *examined,
        *_notes(which, runs, rows),
        *_missing(rows, coverage),
    ]


def change_headline(con: Connection, run_id: str) -> list[str]:
    """Return what leads the explanation of the last change of a run's series, as it is stored.

    Nothing for a run before it.
    """
    rows = ask_dicts(con, "explanations/leading", run_id=run_id)
    if not rows:
        return []
    which = Comparison(rows[0]["runs"], rows[0]["against"], changed=rows[0]["run_id"])
    runs = ask_dicts(con, "explanations/runs", **which.sides)
    return [f"Last change of its series: {one}" for one in _leading(which, runs, rows)]


class Cause(NamedTuple):
    """The first sentence on a difference, and the code of its mechanism where that is known."""

    text: str
    mechanism: str | None


def first_cause(
    con: Connection, run_id: str, changed: str, baseline: Collection[str]
) -> Cause | None:
    """Return what `pwh explain` says first of the change before a run that begins at another.

    None where what is explained is another change, or the difference from the version before,
    unless that is the `baseline`.
    """
    which = explained_change(con, changed) or explained_against(con, run_id)
    if which is None or which.changed not in {None, changed}:
        return None
    if which.chosen_by == "version" and set(which.against) != set(baseline):
        return None
    return leading_cause(con, which)


def cause_sentence(con: Connection, run_id: str) -> str | None:
    """Return the first sentence on the change whose first run this is; None where it is of none.

    The change is one of the metric that runs are judged by, or the level of a branch.
    """
    which = explained_change(con, run_id)
    found = None if which is None else leading_cause(con, which)
    return None if found is None else found.text


def leading_cause(con: Connection, which: Comparison) -> Cause | None:
    """Return what is said first of a comparison of runs; None where nothing is known of it."""
    rows = dicts(explanation(con, which))
    runs = ask_dicts(con, "explanations/runs", **which.sides)
    causes = (row["flags"][0]["code"] for row in rows if row["topic"] == "cause")
    mechanism = next(causes, None)
    return next((Cause(text, mechanism) for text in _leading(which, runs, rows)), None)


def _leading(which: Comparison, runs: Sequence[Row], rows: Sequence[Row]) -> list[str]:
    """Return the sentences that lead an explanation: its headline, else the metric itself."""
    if headline := [one.text for one in _headline(which, runs, rows)]:
        return headline
    return [_metric_verdict(which, runs, row) for row in rows if row["topic"] == "metric"][:1]


def _title(which: Comparison, runs: Sequence[Row]) -> str:
    names = ", ".join(sorted({cell(row["app"]) for row in runs}))
    after, before = _side_name(which.runs, runs), _side_name(which.against, runs)
    is_versioned = any(row["version"] is not None for row in runs)
    how = {
        "change": "the last change of its series",
        "provisional": "the last change of its series, which is not certain yet",
        "version": "the version before it" if is_versioned else "the run before it",
        "branch": "the level of the default branch",
        "asked": "as requested",
    }[which.chosen_by]
    if which.event is not None:
        how = f"event {which.event}, on both sides of which the requested runs are: pwh events"
    if which.moved is not None:
        how += not_itself(which.moved)
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
    elif row is not None and row["commit"] is not None:
        facts.append(f"commit {version_text(row['commit'])}")
    if row is not None and row["started_at"] is not None:
        facts.append(day(row))
    return f"{cell(run_id)} ({', '.join(facts)})" if facts else cell(run_id)


def _headline(which: Comparison, runs: Sequence[Row], rows: Sequence[Row]) -> Iterator[Sentence]:
    """Yield what happened, where, by what mechanism, and with how much of the loss."""
    cause = next((row for row in rows if row["topic"] == "cause"), None)
    if cause is None:
        return
    leading = (row for row in rows if row["metric"] == cause["before_label"])
    main = next(row for row in leading if row["topic"] != "cause")
    (mechanism,) = cause["flags"]
    why, text = flag_text(mechanism), f"{_change_of_side(which, runs, main)}: "
    if cause["direction"] == "better" and _LESS.match(mechanism["code"]):
        why = f"less of this happens: {why}"
    if cause["subject"] is None:
        is_profiled = any(row["topic"] == "function" for row in rows)
        text += (
            f"{why} ({'no function has much of it' if is_profiled else 'no profile says where'})"
        )
    else:
        total = totals_named(rows).get(cause["unit"], "loss")
        share = percent(min(cause["share"], 1))
        callees = ", with what it calls," if cause["metric"].startswith("inclusive:") else ""
        text += f"{cell(cause['subject'])}{callees} {_took(cause)}, {share} of the {total}"
        ledger = [row for row in rows if row["topic"] == "ledger"]
        waiting = sum(row["share"] or 0 for row in ledger if row["metric"] in _WAITING)
        if cause["share"] < 0.5 <= waiting:
            text += f" ({percent(waiting)} is waiting)"
        if mechanism["code"] != "more_work":
            text += f"{'; ' if mechanism['code'] in _UNEXPLAINED else ', since '}{why}"
    if main["topic"] != "metric" and any(
        row["topic"] == "metric" and row["unit"] == "s" for row in rows
    ):
        text += " (the time of whole runs varies too much to tell)"
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
    sure = row["certain"] or which.changed is not None
    if not sure and row["certain"] is not None:
        verdict = f"{name} did not change beyond noise"
        low, high = row["change_low"], row["change_high"]
        if low is None or high is None or low < -SMALL_CHANGE or high > SMALL_CHANGE:
            verdict = f"It is not certain that {name} changed"
        return f"{verdict}: it {movement(row)}, {figures}."
    if which.changed is not None:
        where = f"at {_run_name(which.changed, runs)}"
    else:
        where = f"in {_side_name(which.runs, runs)} against {_side_name(which.against, runs)}"
    noise = (
        "beyond noise"
        if sure
        else "unknown whether this, or what else differs, is beyond noise: "
        "measure 4 more runs of each"
    )
    if row["certain"]:
        noise += f" ({p_value_text(row['p_value'])})"
    return f"{name} {movement(row)} {where}: {figures}; {noise}."


def _basis(row: Row) -> str:
    """Return what the figures of a metric come from: how many runs, their interval and noise."""
    clipped = ", rare outliers of six or more clipped" if row["noise"] == "runs" else ""
    basis = (
        f"means (geometric where no value is 0 or less{clipped}) of {row['values_before']} runs "
        f"before and {row['values_after']} from then on"
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
    if len(which.runs) > 1 and which.chosen_by == "version":
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


def _notes(which: Comparison, runs: Sequence[Row], rows: Sequence[Row]) -> Iterator[Sentence]:
    """Yield what else differs, and the limits of the figures."""
    settings = [row for row in rows if row["topic"] == "setting"]
    if settings:
        changed = (
            f"{cell(row['subject'])} from {cell(row['before_label'])} to {cell(row['after_label'])}"
            for row in settings
        )
        yield Sentence(f"Note: changed, too: {'; '.join(changed)}.", settings[0]["query"])
    if which.left_out:
        others = counted(which.left_out, "run")
        yield Sentence(
            f"Note: {others} of other configurations are left out: pwh compare has them."
        )
    if len({row["app"] for row in runs}) > 1:
        yield Sentence("Note: the runs are of different applications.")
    main = next((row for row in rows if row["topic"] == "metric"), None)
    if main is None or main["metric"] != "wall_seconds" or main["certain"] is False:
        return
    if any(row["subject"] == "functions:seconds" for row in ledger_rows(rows)[:1]):
        yield Sentence(
            "Note: shares are of the time of all functions, which is no part of wall_seconds: "
            "several threads at once, or other runs."
        )


def _missing(rows: Sequence[Row], coverage: Sequence[Row]) -> Iterator[Sentence]:
    """Yield which tool would say where a change is, or why, if that is not known."""
    main = next((row for row in rows if row["topic"] == "metric"), None)
    if main is None or main["certain"] is False or main["before"] == main["after"]:
        return
    examined = {row["topic"] for row in coverage if row["runs_before"] and row["runs_after"]}
    cause = next((row for row in rows if row["topic"] == "cause"), None)
    if cause and cause["flags"][0]["code"].startswith(OTHERS_RAN):
        yield Sentence(
            "Whether the program itself changed shows where both sides have the same neighbours: "
            "pwh record --against runs them by turns."
        )
    elif not examined & {"function", "device"}:
        yield Sentence(
            "No profile of both sides says in which function: pwh record has one where perf, or "
            "py-spy for Python, is installed, and everywhere with --tool callgrind or cprofile."
        )
    elif any((row["subject"] or "").startswith(_INTERPRETER) for row in rows):
        yield Sentence(
            "The profile has the functions of the interpreter, not those of the Python program: "
            "pwh record has them where py-spy is installed, and everywhere with --tool cprofile."
        )
    elif cause and cause["subject"] is None and cause["flags"][0]["code"].startswith("waits"):
        yield Sentence(
            "No profile of both sides says where it waits, which those of the processor do not "
            "see: strace -c -w has the calls of the system, and of Python --tool cprofile the "
            "functions."
        )
    elif cause["flags"][0]["code"] in _UNCOUNTED if cause else not examined & {"counter", "device"}:
        yield Sentence(
            "No counter of both sides says why, such as instructions: pwh record has them where "
            "perf stat can read them, and everywhere with --tool callgrind."
        )


def _side(row: Row, side: str) -> Any:
    return row[f"{side}_label"] if row["before"] is None else three_digits(row[side])


_FINDINGS = table(
    "topic subject metric before after unit change interval share certain flags",
    dict.fromkeys(("subject", "metric", "before", "after"), _WIDTH),
    subject=lambda row: row["subject"] or "(all)",
    before=lambda row: _side(row, "before"),
    after=lambda row: _side(row, "after"),
    change=lambda row: signed_percent(row["change"]),
    interval=change_interval,
    certain=lambda row: {True: "yes", None: "unknown"}.get(row["certain"], "no"),
    flags=labels_of_flags,
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
