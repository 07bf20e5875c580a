"""Whether a candidate is certainly slower than a baseline: which runs, and the verdicts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from apps.output import Row, amount, cell, dicts, interval, ratio_percent
from apps.queries.comparison import resolve_runs
from apps.queries.gate import gate_metrics, gate_runs
from apps.queries.runs import LATEST
from apps.queries.trend import EVERY_METRIC
from apps.reports.series import TOTALS, series_name
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

LIMIT = 0.05
TIMES = (*TOTALS, "seconds:*")
_LAST = "last:"
_TAG = "tag:"


@dataclass(frozen=True, slots=True)
class Sides:
    """Runs of the baseline and of the candidate that are alike, with the names asked for."""

    baseline: list[str]
    candidate: list[str]
    baseline_name: str
    candidate_name: str


def find_sides(con: DuckDBPyConnection, app: str, baseline: str, candidate: str) -> Sides:
    """Find the runs that are meant; only those of a configuration that both sides have.

    Raises `UsageError` for a baseline that cannot be read, `NothingToAnalyse` where a side has no
    runs or no configuration is on both sides.
    """
    runs = dicts(gate_runs(con, app))
    if not runs:
        raise NothingToAnalyse(f"there are no runs of {app!r}", hint="pwh runs lists them.")
    named = None if baseline.startswith(_LAST) else _named(con, app, runs, baseline)
    after = _candidate(con, app, runs, candidate, named or [])
    before = _last(runs, after, baseline) if named is None else named
    ids = {row["run_id"] for row in after}
    before = [row for row in before if row["run_id"] not in ids]
    if not before:
        raise NothingToAnalyse(
            f"the baseline {baseline} of {app} has no runs beside those of the candidate"
        )
    shared = {str(row["configuration"]) for row in before}
    shared &= {str(row["configuration"]) for row in after}
    if not shared:
        raise NothingToAnalyse(
            f"the baseline {baseline} of {app} has no run like the candidate: "
            f"{cell(before[0]['configuration'])} and {cell(after[0]['configuration'])}",
            hint="Runs are alike by the fields of series_fields (pwh trend --by ... --keep).",
        )
    return Sides(
        [row["run_id"] for row in before if str(row["configuration"]) in shared],
        [row["run_id"] for row in after if str(row["configuration"]) in shared],
        baseline,
        _name_of(after, candidate),
    )


def _named(con: DuckDBPyConnection, app: str, runs: Sequence[Row], name: str) -> list[Row]:
    """Return the runs of a version, a run or tag:K=V."""
    if name.startswith(_TAG):
        key, equals, value = name.removeprefix(_TAG).partition("=")
        if not equals or not key:
            raise UsageError(f"{name!r} names no tag", hint="Such as --baseline tag:branch=main")
        found = [row for row in runs if (row["tags"] or {}).get(key) == value]
        if not found:
            raise NothingToAnalyse(f"no run of {app} has the tag {key}={value}")
        return found
    known = {row["run_id"] for row in runs}
    try:
        ids = set(resolve_runs(con, name, app))
    except NothingToAnalyse:
        close = [row["run_id"] for row in runs if row["run_id"].startswith(name)]
        if len(close) != 1:
            raise
        ids = set(close)
    return [row for row in runs if row["run_id"] in ids & known]


def _candidate(
    con: DuckDBPyConnection, app: str, runs: Sequence[Row], name: str, baseline: Sequence[Row]
) -> list[Row]:
    """Return the runs of the candidate: latest is all runs of the newest run's version.

    Where that version is all there is, or is the baseline's too, it is the newest run alone.
    """
    if name != LATEST:
        return _named(con, app, runs, name)
    taken = {row["run_id"] for row in baseline}
    free = [row for row in runs if row["run_id"] not in taken]
    if not free:
        raise NothingToAnalyse(f"{app} has no runs beside those of the baseline")
    newest = free[0]
    version = newest["version"]
    others = {row["version"] for row in runs} - {version}
    if version is None or not others or version in {row["version"] for row in baseline}:
        return [newest]
    return [row for row in free if row["version"] == version]


def _last(runs: Sequence[Row], after: Sequence[Row], baseline: str) -> list[Row]:
    """Return the last runs before the candidate, so many of each configuration that it has."""
    digits = baseline.removeprefix(_LAST)
    if not digits.isascii() or not digits.isdigit() or int(digits) < 1:
        raise UsageError(f"{baseline!r} is no number of runs", hint="Such as --baseline last:10")
    ids = {row["run_id"] for row in after}
    first = max(i for i, row in enumerate(runs) if row["run_id"] in ids)
    older = [row for row in runs[first + 1 :] if row["run_id"] not in ids]
    found = []
    for configuration in {str(row["configuration"]) for row in after}:
        alike = [row for row in older if str(row["configuration"]) == configuration]
        found += alike[: int(digits)]
    return found


def _name_of(after: Sequence[Row], asked: str) -> str:
    if asked != LATEST:
        return asked
    versions = {row["version"] for row in after if row["version"] is not None}
    return (
        f"{asked}: {next(iter(versions))}"
        if len(versions) == 1
        else f"{asked}: {after[0]['run_id']}"
    )


def judge_metrics(
    con: DuckDBPyConnection,
    of: Sides,
    metrics: Sequence[str],
    limit: float | None,
    level: float,
) -> DuckDBPyRelation:
    """Judge the metrics, the worst first; raises `NothingToAnalyse` where none is on both sides.

    Without `metrics` these are the times, of the whole and of each function; where there are none,
    every metric of which it is known what is better. Without `limit` it is the smallest_change
    that change_thresholds say for a metric, else 5 %.
    """
    for patterns in [metrics] if metrics else [TIMES, EVERY_METRIC]:
        found = gate_metrics(
            con,
            of.baseline,
            of.candidate,
            level,
            patterns,
            limit=limit,
            default_limit=LIMIT,
            undirected=bool(metrics),
        )
        if found.limit(1).fetchone() is not None:
            return found
    raise NothingToAnalyse(
        f"{of.baseline_name} and {of.candidate_name} have no metric in common"
        + (f" of {', '.join(metrics)}" if metrics else ""),
        hint="pwh compare shows what there is on either side.",
    )


def failing_metrics(rows: Sequence[Row]) -> list[Row]:
    """Return the metrics that close the gate: certainly worse than the limit allows."""
    return [row for row in rows if row["decides"] and row["verdict"] == "worse"]


_LINES = 40
_SPECIAL = re.compile(r"[\\`*\[\]|$~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;", "#": "&#35;"}
_WORDS = {
    "worse": "**worse**",
    "uncertain": "uncertain",
    "unknown": "noise unknown",
    "fine": "fine",
}


def escaped(value: Any) -> str:
    """Write text so that Markdown takes nothing in it for markup, a mention or a table's edge."""
    text = _SPECIAL.sub(lambda found: "\\" + found[0], cell(value, None))
    return "".join(_ENTITIES.get(letter, letter) for letter in text)


def gate_markdown(app: str, of: Sides, rows: Sequence[Row], level: float) -> str:
    """Return the summary: whether the gate is open, why, and a table of the metrics."""
    failed = failing_metrics(rows)
    title = f"## {escaped(app)}: {'regression' if failed else 'no certain regression'}"
    runs = (
        f"Baseline {escaped(of.baseline_name)} ({_count(of.baseline)}), candidate "
        f"{escaped(of.candidate_name)} ({_count(of.candidate)}). Intervals hold for all metrics "
        f"together with {level:.3g} probability."
    )
    lines = [title, "", _why(rows, failed), "", runs, ""]
    lines += [
        "| metric | verdict | baseline | candidate | change | interval | limit |",
        "| --- | --- | ---: | ---: | ---: | --- | ---: |",
        *(_line(one) for one in rows[:_LINES]),
    ]
    if len(rows) > _LINES:
        lines += ["", f"... and {len(rows) - _LINES} more metrics: --format csv gives all."]
    return "\n".join(lines)


def _count(runs: Sequence[str]) -> str:
    return "1 run" if len(runs) == 1 else f"{len(runs)} runs"


def _why(rows: Sequence[Row], failed: Sequence[Row]) -> str:
    if failed:
        named = ", ".join(
            f"{_name(one)} {escaped(ratio_percent(one['ratio']))}" for one in failed[:3]
        )
        more = f" and {len(failed) - 3} more" if len(failed) > 3 else ""
        return f"Worse than the limit allows, for certain: {named}{more}."
    counts = Counter(row["verdict"] for row in rows if row["decides"])
    said = ["Nothing is worse than the limit allows for certain."]
    if counts["uncertain"]:
        said.append(
            f"Of {counts['uncertain']} metrics the noise is too large to rule it out: more "
            "repetitions would tell."
        )
    if counts["unknown"]:
        said.append(
            f"Of {counts['unknown']} metrics the noise is unknown: run each side at least "
            "twice, or keep a history of 8 runs."
        )
    return " ".join(said)


def _name(row: Row) -> str:
    return escaped(series_name(row["metric"], row["fields"]))


def _line(row: Row) -> str:
    verdict = _WORDS[row["verdict"]]
    if not row["decides"]:
        why = "direction unknown" if row["better"] is None else "less than 1 % of the time"
        verdict = f"{verdict.strip('*')} ({why})"
    cells = (
        _name(row),
        verdict,
        escaped(amount(row["baseline"], row["unit"])),
        escaped(amount(row["candidate"], row["unit"])),
        escaped(ratio_percent(row["ratio"])),
        escaped(interval(row["low"], row["high"])),
        f"{100 * row['limit']:.3g} %",
    )
    return f"| {' | '.join(cells)} |"
