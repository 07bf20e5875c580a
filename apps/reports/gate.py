"""Whether a candidate is certainly slower than a baseline: the runs, and the verdicts."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import dropwhile, takewhile
from typing import Any

from apps.output.numbers import amounts, counted, interval, ratio_percent
from apps.output.tables import Row, dicts
from apps.output.text import cell, first_names, markdown_escaped, version_text
from apps.queries.base import ask, ask_dicts
from apps.queries.comparison import LEVEL, run_comparison
from apps.queries.runs import LATEST, newest_unknown, resolve_side
from apps.queries.trend import EVERY_METRIC
from apps.reports.changes import ANOTHER_RUN, confirmation, moved_text
from apps.reports.comparison import another_run
from apps.reports.explanations import OTHERS_RAN, first_cause
from apps.reports.series import TOTALS, common_fields, fields_texts, series_names
from apps.reports.trend import measured_order_sentences, no_series, start_sentences
from warehouse.errors import NothingToAnalyse, PwhError, UsageError
from warehouse.session import Connection, Relation

LIMIT = 0.05
TIMES = (*TOTALS, "seconds:*", "cost:*")
_LAST = "last:"
_TAG = "tag:"
_LINES = 40
_UNCERTAIN = 10
_NAMED = 5
_VERDICTS = {
    "worse": "**worse**",
    "provisional": "**provisional**",
    "again": "**run it again**",
    "uncertain": "uncertain",
    "unknown": "noise unknown",
    "fine": "fine",
    "missing": "missing",
}


@dataclass(frozen=True, slots=True)
class Sides:
    """Runs of an application, a baseline and a candidate of equal configurations, and their names.

    Without `baseline_name` the baseline is the level of each metric, and `baseline` the last run
    before the candidate of each configuration. `came_back` is whether the candidate also ran before
    the baseline: those runs are left out.
    """

    app: str
    baseline: list[str]
    candidate: list[str]
    baseline_name: str | None
    candidate_name: str
    came_back: bool


def find_sides(con: Connection, app: str, baseline: str | None, candidate: str) -> Sides:
    """Return the runs of both sides, only those of a configuration that both sides have.

    Without a baseline those of the candidate, which may be of configurations that are new. Raises
    `UsageError` for a baseline that cannot be read, `NothingToAnalyse` where a side has no
    runs or no configuration is on both sides.
    """
    if candidate == LATEST:
        _reject_failed(con, app)
    runs = ask_dicts(con, "gate/runs", app=app)
    if not runs:
        raise NothingToAnalyse(f"there are no runs of {app!r}", hint="pwh runs lists them.")
    if baseline is None:
        every = _candidate(con, app, runs, candidate, [])
        before, after = _last_runs(runs, every, "last:1")
        return Sides(
            app,
            [row["run_id"] for row in before],
            [row["run_id"] for row in after],
            None,
            _candidate_name(after, candidate),
            came_back=len(after) < len(every),
        )
    named = None if baseline.startswith(_LAST) else _named(con, app, runs, baseline)
    every = _candidate(con, app, runs, candidate, named or [])
    if named is None:
        before, after = _last_runs(runs, every, baseline)
    else:
        before, after = named, _since_baseline(runs, every, named) if candidate == LATEST else every
    ids = {row["run_id"] for row in after}
    before = [row for row in before if row["run_id"] not in ids]
    if not before:
        raise NothingToAnalyse(
            f"the baseline {baseline} of {app} has no runs other than those of the candidate"
        )
    shared = {str(row["configuration"]) for row in before}
    shared &= {str(row["configuration"]) for row in after}
    if not shared:
        texts = fields_texts([before[0]["configuration"], after[0]["configuration"]])
        raise NothingToAnalyse(
            f"the baseline {baseline} of {app} has no run of the candidate's configuration: "
            + " and ".join(text or "none known" for text in texts),
            hint="Runs are compared by the fields of series_fields (pwh trend --by ... --keep).",
        )
    return Sides(
        app,
        [row["run_id"] for row in before if str(row["configuration"]) in shared],
        [row["run_id"] for row in after if str(row["configuration"]) in shared],
        baseline,
        _candidate_name(after, candidate),
        came_back=len(after) < len(every),
    )


def _reject_failed(con: Connection, app: str) -> None:
    """Raise `PwhError` where all runs of the newest version failed.

    An older version, which may be what was reverted, is not the latest.
    """
    for row in ask_dicts(con, "gate/failed_since", app=app):
        which = "a version as new as any" if row["is_tied"] else "the newest version"
        raise PwhError(
            f"all runs of {which} of {app}, {version_text(row['version'])}, failed",
            hint="Name what to judge instead: --candidate VERSION",
        )


def _named(con: Connection, app: str, runs: Sequence[Row], name: str) -> list[Row]:
    """Return the runs of a version, a run or tag:K=V."""
    if name.startswith(_TAG):
        key, equals, value = name.removeprefix(_TAG).partition("=")
        if not equals or not key:
            raise UsageError(f"{name!r} is not a tag", hint="Such as --baseline tag:branch=main")
        found = [row for row in runs if (row["tags"] or {}).get(key) == value]
        if not found:
            raise NothingToAnalyse(f"no run of {app} has the tag {key}={value}")
        return found
    known = {row["run_id"] for row in runs}
    ids = set(resolve_side(con, name, app))
    return [row for row in runs if row["run_id"] in ids & known]


def _candidate(
    con: Connection, app: str, runs: Sequence[Row], name: str, baseline: Sequence[Row]
) -> list[Row]:
    """Return the runs of the candidate: latest is all runs of the newest version or commit.

    Where there is no other, or the baseline has the same, it is the newest run alone, of those of
    one place that of each configuration. Raises `NothingToAnalyse` where it is unknown which that
    is, or it is one of the baseline.
    """
    if name != LATEST:
        return _named(con, app, runs, name)
    taken = {row["run_id"] for row in baseline}
    tied = [row for row in runs if row["place"] == runs[0]["place"]]
    newest = [row for row in tied if row["run_id"] not in taken]
    if not newest:
        raise NothingToAnalyse(
            f"the newest run of {app}, {runs[0]['run_id']}, is one of the baseline",
            hint="Name what to judge: --candidate VERSION",
        )
    version = newest[0]["version"]
    if any(row["version"] != version for row in newest):
        raise newest_unknown(app)
    others = {row["version"] for row in runs} - {version}
    if version is None or not others or version in {row["version"] for row in baseline}:
        if len({str(row["configuration"]) for row in newest}) < len(newest):
            raise newest_unknown(app)
        return newest
    return [row for row in runs if row["version"] == version]


def _since_baseline(
    runs: Sequence[Row], after: Sequence[Row], baseline: Sequence[Row]
) -> list[Row]:
    """Return the runs of the latest version without those before the first of the baseline."""
    ids = {row["run_id"] for row in after}
    first = max((row["place"] for row in baseline), default=len(runs))
    return [row for row in runs if row["run_id"] in ids and row["place"] <= first]


def _last_runs(
    runs: Sequence[Row], after: Sequence[Row], baseline: str
) -> tuple[list[Row], list[Row]]:
    """Return the last N runs before the candidate of each of its configurations, and the candidate.

    These N are of the default branch.

    Of a version that came back the candidate is what followed the last run of another one; its
    earlier runs are on no side. Raises `NothingToAnalyse` where it is unknown which N are the last.
    """
    digits = baseline.removeprefix(_LAST)
    if not digits.isascii() or not digits.isdigit() or int(digits) < 1:
        raise UsageError(f"{baseline!r} is not a number of runs", hint="Such as --baseline last:10")
    ids = {row["run_id"] for row in after}
    before, newest = [], []
    for configuration in dict.fromkeys(str(row["configuration"]) for row in after):
        # what is on another branch is before nothing
        alike = [
            row
            for row in runs
            if str(row["configuration"]) == configuration
            and (row["run_id"] in ids or not row["is_candidate"])
        ]
        since = list(dropwhile(lambda row: row["run_id"] not in ids, alike))
        stretch = list(takewhile(lambda row: row["run_id"] in ids, since))
        others = [row for row in alike if row["run_id"] not in ids]
        older = [row for row in since[len(stretch) :] if row["run_id"] not in ids]
        if stretch[0]["is_candidate"]:
            # a branch has no order with it
            older, others = others, []
        newest += stretch
        last, left = older[: int(digits)], older[int(digits) :]
        if _is_tied(stretch, others) or _is_tied(last, left):
            raise NothingToAnalyse(
                f"which runs are the last {digits} before the candidate is unknown: several landed "
                "from one file, with the same start or none",
                hint="State the start of each in a column started_at, and land the file with "
                "--replace; or name a version: --baseline VERSION",
            )
        before += last
    return before, newest


def _is_tied(newer: Sequence[Row], older: Sequence[Row]) -> bool:
    """Return whether it is unknown that runs are newer: another version, or none, has the place."""
    places = {row["place"] for row in newer} & {row["place"] for row in older}
    versions = {row["version"] for row in (*newer, *older) if row["place"] in places}
    return bool(places) and (len(versions) > 1 or None in versions)


def _candidate_name(after: Sequence[Row], name: str) -> str:
    if name != LATEST:
        return name
    versions = {row["version"] for row in after if row["version"] is not None}
    one = version_text(versions.pop()) if len(versions) == 1 else after[0]["run_id"]
    return f"{name}: {one}"


def judge_metrics(
    con: Connection,
    sides: Sides,
    metrics: Sequence[str],
    limit: float | None,
    level: float,
    better: str | None = None,
    *,
    provisional: bool = False,
) -> Relation:
    """Judge the metrics, the worst first; raises `NothingToAnalyse` where none can be judged.

    Without `metrics` these are the times, of the whole run and of each function; where there are
    none, every metric with a known direction, or with `better` (lower, higher) every metric.
    Without `limit` it is the metric's smallest_change in change_thresholds, else 5 %.
    """
    patterns = list(metrics or EVERY_METRIC)
    if sides.baseline_name is None:
        asked = {"after": sides.candidate, "patterns": patterns, "better": better, "limit": limit}
        compared = ask(con, "gate/levels", **asked, level=level, default_limit=LIMIT)
    else:
        compared = run_comparison(con, sides.baseline, sides.candidate, level, patterns)

    both = {"before": json.dumps(sides.baseline), "after": json.dumps(sides.candidate)}

    def judged(shown: Sequence[str], **terms: Any) -> Relation:
        asked = {"compared": compared.alias, "shown": json.dumps(list(shown)), **both, **terms}
        return ask(con, "gate/metrics", app=sides.app, default_limit=LIMIT, **asked)

    terms = {"limit": limit, "better": better, "provisional": provisional, "level": level}
    for shown in [metrics] if metrics else [TIMES, EVERY_METRIC]:
        found = judged(shown, undirected=bool(metrics), **terms)
        if found.filter("verdict <> 'missing'").limit(1).fetchone() is not None:
            return found
    if sides.baseline_name is None and compared.limit(1).fetchone() is None:
        raise no_series(con, sides.app, metrics, candidate=sides.candidate)
    names = f"{sides.baseline_name or 'the runs before'} and {sides.candidate_name}"
    compared = run_comparison(con, sides.baseline, sides.candidate, level)
    found = judged(EVERY_METRIC, **dict.fromkeys(terms), undirected=True)
    if common := sorted({row["metric"] for row in dicts(found) if row["verdict"] != "missing"}):
        named = first_names([*map(cell, common)], _NAMED)
        if metrics:
            raise NothingToAnalyse(
                f"{names} have no metric in common of {', '.join(metrics)}",
                hint=f"They have: {named}.",
            )
        raise NothingToAnalyse(
            f"of no metric that {names} have in common it is known what is better: {named}",
            hint="Add --better lower (or higher), and --metric NAME to choose some.",
        )
    raise NothingToAnalyse(
        f"{names} have no metric in common", hint="pwh compare shows the metrics of each side."
    )


def failing_metrics(rows: Sequence[Row]) -> list[Row]:
    """Return the metrics that fail the gate: worse than the limit allows."""
    return [row for row in rows if row["fails"]]


def needs_run(rows: Sequence[Row]) -> bool:
    """Return whether nothing fails, and a single run may be an outlier: it is to be run again."""
    return not failing_metrics(rows) and any(row["needs_run"] for row in rows)


def gate_result(con: Connection, app: str, metric: str, run_id: str) -> str | None:
    """Return the verdict of the gate on the latest runs in one metric; None where it cannot judge.

    Those are the latest of the default branch of the same configuration as `run_id`: on its
    machine, for example.
    """
    try:
        runs = [row for row in ask_dicts(con, "gate/runs", app=app) if not row["is_candidate"]]
        own = next(str(row["configuration"]) for row in runs if row["run_id"] == run_id)
        newest = next(row for row in runs if str(row["configuration"]) == own)
        sides = find_sides(con, app, None, newest["version"] or newest["run_id"])
        judged = dicts(judge_metrics(con, sides, [metric], None, LEVEL))
    except NothingToAnalyse:
        return None
    # a name such as operator* is a pattern, too
    rows = [row for row in judged if row["metric"] == metric]
    if failing_metrics(rows):
        return "fails"
    if needs_run(rows):
        return "is undecided: run it again"
    doubtful = any(row["verdict"] in ("uncertain", "unknown") for row in rows if row["decides"])
    return "passes, but is not certain" if doubtful else "passes"


def neutral_markdown(app: str, sides: Sides) -> str:
    """Return the summary of runs before which there are none that they can be held against."""
    name, candidate = map(markdown_escaped, (app, sides.candidate_name))
    runs = counted(len(sides.candidate), "run")
    return (
        f"## {name}: nothing to hold it against\n\nCandidate {candidate} ({runs}) is the first "
        "that was measured in this way (pwh runs): neutral."
    )


def gate_cause(con: Connection, sides: Sides, rows: Sequence[Row]) -> list[str]:
    """Return in Markdown what moved and the first sentence of `pwh explain`, unless all passes.

    And what may have put the runs in another order than the code has.
    """
    named = [] if sides.baseline_name is None else sides.baseline
    doubts: list[str] = []
    if not named:
        order = *start_sentences(con, sides.app), *measured_order_sentences(con, sides.app)
        doubts = list(map(markdown_escaped, order))
    reported = failing_metrics(rows) or [row for row in rows if row["needs_run"]]
    if not reported:
        return doubts
    levels = list({row["level_until"] for row in reported} - {None})
    asked = {"runs": sides.candidate, "metrics": [row["metric"] for row in reported]}
    against = {"against": levels or sides.baseline, "are_levels": bool(levels)}
    found = ask_dicts(con, "gate/moved", app=sides.app, **asked, **against)
    cause = first_cause(con, sides.candidate[-1], found[0]["run_id"], named) if found else None
    if cause is not None and cause.mechanism == OTHERS_RAN:
        found = [row | {"moved": "machine"} for row in found]
    why = [] if cause is None else [markdown_escaped(cause.text)]
    return [*map(_moved, found), *why, *doubts]


def _moved(row: Row) -> str:
    """Return what moved, with the commits, else the versions, on both sides."""
    between = ""
    for kind, urls in (("commit", ("previous_url", "url")), ("version", ("", ""))):
        names = [row[f"previous_{kind}"], row[kind]]
        if None not in names:
            shown = [
                _linked(version_text(name), row.get(url))
                for name, url in zip(names, urls, strict=True)
            ]
            between = (
                f"; {kind}s {shown[0]} to {shown[1]}"
                if names[0] != names[1]
                else f"; {kind} {shown[1]}"
            )
            break
    return f"What moved: {markdown_escaped(moved_text(row))}{between}."


def _linked(name: str, url: str | None) -> str:
    return f"[{markdown_escaped(name)}]({url})" if url else markdown_escaped(name)


def gate_markdown(
    app: str, sides: Sides, rows: Sequence[Row], level: float, cause: Sequence[str] = ()
) -> str:
    """Return the summary: whether the gate passes, why, what moved, and a table of the metrics."""
    rows, fields = _named_rows(rows)
    runs = (
        f"{_runs(sides)}{fields}. Changes are of geometric means over runs, or means where a value "
        "is 0 or less; of six runs or more rare outliers are clipped. The intervals hold for all "
        f"metrics together with a probability of {level:.3g}."
    )
    title = f"## {_verdict(app, rows)}"
    return "\n".join([title, "", " ".join([_reason(rows), *cause]), "", runs, "", *_metrics(rows)])


def gate_comment(
    app: str, sides: Sides, rows: Sequence[Row], level: float, cause: Sequence[str] = ()
) -> str:
    """Return the summary as a short comment on a pull request: the verdict, then what fails.

    All metrics are behind a click. The first line, which is not shown, is the same in every
    comment on this application, so that the last one is found.
    """
    rows, fields = _named_rows(rows)
    lines = [
        comment_marker(app),
        f"**{_verdict(app, rows)}**",
        "",
        " ".join([_reason(rows), *cause]),
    ]
    if worse := failing_metrics(rows):
        lines += ["", *_table(worse[:_UNCERTAIN])]
    return "\n".join(
        [
            *lines,
            "",
            f"<details><summary>{_runs(sides)}{fields}: {counted(len(rows), 'metric')}</summary>",
            "",
            *_metrics(rows),
            "",
            f"All intervals hold together with a probability of {level:.3g}.",
            "</details>",
        ]
    )


def comment_marker(app: str) -> str:
    """Return what every comment on an application begins with; a browser does not show it."""
    return f"<!-- pwh gate {markdown_escaped(app).replace('--', '- -')} -->"


def _named_rows(rows: Sequence[Row]) -> tuple[list[Row], str]:
    """Return the rows with names for Markdown, and in words the fields that all have in common."""
    common, apart = common_fields([row["fields"] for row in rows])
    names = series_names([(row["metric"], own) for row, own in zip(rows, apart, strict=True)])
    named = [{**row, "name": markdown_escaped(name)} for row, name in zip(rows, names, strict=True)]
    return named, f", {markdown_escaped(cell(common, None))}" if common else ""


def _verdict(app: str, rows: Sequence[Row]) -> str:
    verdict = "no certain regression"
    if failing_metrics(rows):
        verdict = "regression"
    elif needs_run(rows):
        verdict = "run it again"
    return f"{markdown_escaped(app)}: {verdict}"


def _runs(sides: Sides) -> str:
    candidate = markdown_escaped(sides.candidate_name)
    baseline = "level of each metric before its largest open change, else now"
    if sides.baseline_name is not None:
        runs = counted(len(sides.baseline), "run")
        baseline = f"{markdown_escaped(sides.baseline_name)} ({runs})"
    return (
        f"Baseline {baseline}, "
        f"candidate {candidate} ({counted(len(sides.candidate), 'run')}"
        f"{' since it came back' if sides.came_back else ''})"
    )


def _metrics(rows: Sequence[Row]) -> list[str]:
    listed = _listed(rows)
    lines = _table(listed)
    if len(rows) > len(listed):
        more = counted(len(rows) - len(listed), "more metric")
        lines += ["", f"... and {more}: --format csv gives all."]
    return lines


def _table(rows: Sequence[Row]) -> list[str]:
    return [
        "| metric | verdict | baseline | candidate | change | interval | limit |",
        "| --- | --- | ---: | ---: | ---: | --- | ---: |",
        *map(_line, rows),
    ]


def _listed(rows: Sequence[Row]) -> list[Row]:
    """Return the metrics for the table: at most ten of those that are uncertain or unknown.

    Those that are fine and would not decide are left out.
    """
    doubtful = [row for row in rows if row["verdict"] in ("uncertain", "unknown")][_UNCERTAIN:]
    fine = [row for row in rows if row["verdict"] == "fine" and not row["decides"]]
    left_out = {id(row) for row in [*doubtful, *fine]}
    return [row for row in rows if id(row) not in left_out][:_LINES]


def _reason(rows: Sequence[Row]) -> str:
    if failed := failing_metrics(rows):
        early = sum(row["verdict"] != "worse" for row in failed)
        certainty = f"Provisionally ({early} of {len(failed)})" if early else "Certainly"
        text = f"{certainty} worse than the limit allows: {_changes(failed)}."
        return " ".join([text, *another_run(failed)]) + _missing(rows)
    counts = Counter(_doubt(row) for row in rows if row["decides"])
    sentences = [f"Nothing is certainly worse than the limit allows.{_missing(rows)}"]
    if again := [row for row in rows if row["needs_run"]]:
        sentences = [f"Worse than the limit allows in one run: {_changes(again)}. {ANOTHER_RUN}"]
    if counts["uncertain"]:
        sentences.append(
            f"The noise of {counted(counts['uncertain'], 'metric')}, or the last digit of the "
            "values, is too large to rule it out: measure more runs of each, or with more digits."
        )
    if counts["changed"]:
        changed = [
            f"{row['name']} at {markdown_escaped(cell(row['changed_within']))}"
            for row in rows
            if row["decides"] and _doubt(row) == "changed"
        ]
        sentences.append(
            f"The baseline is on both sides of a change (pwh trend): {first_names(changed, 3)}. "
            "Name one that is on one side of it."
        )
    if counts["no ratio"]:
        sentences.append(
            f"{counted(counts['no ratio'], 'metric has', 'metrics have')} values of 0 or less, and "
            "no ratio to hold against the limit."
        )
    if counts["unknown"]:
        sentences.append(
            f"The noise between runs of {counted(counts['unknown'], 'metric')} is unknown: measure "
            "4 more runs of each."
        )
    return " ".join(sentences)


def _missing(rows: Sequence[Row]) -> str:
    """Return what the candidate was not measured in; a benchmark that fails is often not there."""
    names = [row["name"] for row in rows if row["verdict"] == "missing"]
    if not names:
        return ""
    return (
        f" {counted(len(names), 'metric is', 'metrics are')} missing in the candidate: "
        f"{first_names(names, _NAMED)}."
    )


def _doubt(row: Row) -> str:
    """Return the verdict on a metric, and of an uncertain one why it is."""
    if row["verdict"] in ("again", "uncertain") and row["changed_within"] is not None:
        return "changed"
    if row["verdict"] != "uncertain":
        return str(row["verdict"])
    return "no ratio" if row["ratio"] is None else "uncertain"


def _changes(rows: Sequence[Row]) -> str:
    """Return how much the first metrics changed, and how many more are named nowhere."""
    return first_names([f"{row['name']} {_change(row)}" for row in rows], 3)


def _change(row: Row) -> str:
    """Return how much a metric changed; from 0 there is no ratio."""
    from_zero = "from 0" if row["baseline"] == 0 and row["candidate"] else None
    return markdown_escaped(ratio_percent(row["ratio"]) or from_zero)


def _line(row: Row) -> str:
    verdict = _VERDICTS[row["verdict"]]
    if not row["decides"] and row["verdict"] != "missing":
        reason = "direction unknown" if row["better"] is None else "less than 1 % of the time"
        reason = f"acknowledged: {row['acknowledged']}" if row["acknowledged"] else reason
        verdict = f"{verdict.strip('*')} ({reason})"
    elif row["fails"] and row["more_runs"] is not None:
        verdict += f" ({confirmation(row)})"
    cells = (
        row["name"],
        verdict,
        *map(markdown_escaped, amounts([row["baseline"], row["candidate"]], row["unit"])),
        _change(row),
        markdown_escaped(interval(row["low"], row["high"])),
        f"{100 * row['limit']:.3g} %",
    )
    return f"| {' | '.join(cells)} |"
