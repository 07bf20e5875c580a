"""The history of an application: since when metrics changed, by how much, and how sure that is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from apps.output.numbers import amounts, counted, signed_percent
from apps.output.tables import Row, table
from apps.output.text import BLOCKS, cell, day
from apps.queries.base import ask_dicts
from apps.queries.trend import EVERY_METRIC, Series
from apps.reports.changes import (
    change_sentence,
    commit_range,
    disturbance_sentence,
    is_short,
    provisional_sentence,
    short_series_sentences,
    state_sentences,
)
from apps.reports.series import TOTALS, common_fields, series_name, series_names, shown_fields
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection

_SENTENCES = 12
_CHARTS = 4
_MOVED = ("moved", "environment")  # what events have of changes
_LINES = 30
_WIDTHS = {"metric": 40, "run_id": 24}
_CHART_WIDTH = 72


def trend_text(con: Connection, app: str, metrics: Sequence[str], machine: str | None) -> str:
    """Return the history as sentences, charts and tables; raises `NothingToAnalyse` without one.

    Without `metrics` the total times come first where they changed, then the metrics with the
    largest changes. Fields that all series have in common are stated once.
    """
    query = Series(app, metrics or EVERY_METRIC, machine)
    events = ask_dicts(con, "trend/events", **query.params())
    measured = measured_order_sentences(con, app)
    changes, early = changes_in(con, query, measured, events)
    shown = query._replace(metrics=metrics or [*_first([*changes, *early]), *TOTALS])
    series = ask_dicts(con, "trend/series", **shown.params())
    if not series and not metrics:
        shown = query
        series = ask_dicts(con, "trend/series", **shown.params())
    if not series:
        raise no_series(con, app, metrics, machine)
    found = found_in(con, shown, changes, early)
    if not metrics:
        series.sort(key=lambda row: _rank(row["metric"], found.of(row)))
    doubts = doubt_sentences(con, app, measured)
    return _text(con, query, series, changes, events, found, doubts)


def _text(
    con: Connection,
    query: Series,
    series: Sequence[Row],
    changes: Sequence[Row],
    events: Sequence[Row],
    found: Found,
    doubts: Sequence[str],
) -> str:
    """Return the text on the series that are shown and on all changes of those asked for."""
    # The heading has the fields that are alike.
    common, apart = common_fields([row["fields"] for row in [*series, *changes]])
    stated = () if any(apart) else ("fields",)
    names = series_names([(row["metric"], own) for row, own in zip(series, apart, strict=False)])
    named = list(zip(names, series, strict=True))
    sentences = [
        *_first_sentences(found.all_sentences(named)),
        *_mixed_sentences(con, query.app),
        *doubts,
    ]
    if not any(event["others"] or event["state"] == "withdrawn" for event in events):
        events = []
    parts = [
        f"History of {series_name(query.app, common)}",
        "\n".join(f"* {sentence}" for sentence in sentences),
        *(chart(name, row, found.of(row)) for name, row in named[:_CHARTS] if row["points"] > 1),
        *(
            table.text(rows, title, most=_LINES, without=stated)
            for title, table, rows in (
                ("Events: what changed together", _EVENTS, events),
                ("Changes", _CHANGES, changes),
                ("Series", _SERIES, series),
            )
            if rows
        ),
    ]
    return "\n\n".join(part for part in parts if part)


def _first_sentences(sentences: Sequence[str]) -> list[str]:
    """Return as many sentences as are shown, and how many more there are."""
    more = len(sentences) - _SENTENCES
    if more <= 0:
        return list(sentences)
    return [*sentences[:_SENTENCES], f"{more} more: see the tables, or name a --metric."]


def _by_series(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return rows by the series that they are of."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(_key(row), []).append(row)
    return found


def changes_in(
    con: Connection,
    asked: Series,
    measured: Sequence[str],
    events: Sequence[Row] | None = None,
) -> tuple[list[Row], list[Row]]:
    """Return the changes of series, those confirmed and the provisional ones.

    With what moved at their events (of these series unless stated), and whether they are in the
    order of measurement only, for which the reasons are `measured`.
    """
    found = ask_dicts(con, "trend/events", **asked.params()) if events is None else events
    of = {event["event_id"]: event for event in found}
    order = {"is_measured_order": bool(measured)}
    changes = [
        row | order | {name: of.get(row["event_id"], {}).get(name) for name in _MOVED}
        for row in ask_dicts(con, "trend/changes", **asked.params())
    ]
    early = ask_dicts(con, "trend/provisional", **asked.params())
    return changes, [row | order for row in early]


def all_found(con: Connection, asked: Series, measured: Sequence[str]) -> Found:
    """Return all that is found in series; `measured` is `measured_order_sentences`."""
    return found_in(con, asked, *changes_in(con, asked, measured))


def found_in(con: Connection, asked: Series, changes: Sequence[Row], early: Sequence[Row]) -> Found:
    """Return what is found in series: `changes`, of which the `early` ones are provisional."""
    return Found(
        changes=_by_series(changes),
        provisional=_by_series(early),
        disturbances=_by_series(ask_dicts(con, "trend/disturbances", **asked.params())),
        states=_by_series(ask_dicts(con, "trend/states", **asked.params())),
    )


@dataclass(frozen=True, slots=True)
class Found:
    """What is found in the series of an application, by series."""

    changes: dict[str, list[Row]]
    provisional: dict[str, list[Row]]
    disturbances: dict[str, list[Row]]
    states: dict[str, list[Row]]

    def of(self, series: Row) -> list[Row]:
        """Return the changes of a series, confirmed and provisional, in order of time."""
        key = _key(series)
        return sorted(
            [*self.changes.get(key, []), *self.provisional.get(key, [])],
            key=lambda row: row["index"],
        )

    def all_sentences(self, named: Sequence[tuple[str, Row]]) -> list[str]:
        """Return what is found in series, given with their names; short ones together."""
        shorts = [row for _, row in named if self.is_short(row)]
        together = short_series_sentences([self.state(row) for row in shorts])
        reported = [(name, row) for name, row in named if not together or row not in shorts]
        return [*(one for name, row in reported for one in self.sentences(name, row)), *together]

    def sentences(self, name: str, series: Row) -> list[str]:
        """Return what is found in a series."""
        key = _key(series)
        changes = sorted(self.changes.get(key, []), key=lambda row: row["index"])
        early = self.provisional.get(key, [])
        return [
            *(change_sentence(name, row) for row in changes),
            *(provisional_sentence(name, row) for row in early),
            *(disturbance_sentence(name, row) for row in self.disturbances.get(key, [])),
            *state_sentences(name, self.state(series), quiet=not changes and not early),
        ]

    def state(self, series: Row) -> Row:
        """Return what the noise of a series is like."""
        (state,) = self.states[_key(series)]
        return state

    def is_short(self, series: Row) -> bool:
        """Return whether a series has too few runs, and nothing is found in it."""
        return is_short(self.state(series)) and not self.of(series)


def _key(row: Row) -> str:
    return f"{row['metric']} {row['fields']}"


def _first(changes: Sequence[Row]) -> list[str]:
    """Return the metrics with the largest changes, as many as are shown."""
    return list(dict.fromkeys(row["metric"] for row in changes))[:_SENTENCES]


def _rank(metric: str, changes: Sequence[Row]) -> tuple[int, bool, float]:
    """Return the order of a series: total times that changed, then known directions, then size."""
    has_direction = any(change["direction"] for change in changes)
    is_total = bool(changes) and metric in TOTALS
    return (
        not is_total,
        not has_direction,
        -max((abs(change["change"] or 0) for change in changes), default=-1),
    )


def _mixed_sentences(con: Connection, app: str) -> list[str]:
    return [
        f"Note: a series has {row['most']} values of {row['field']} ({cell(row['texts'])}), "
        "which is not among the fields by which series are grouped."
        for row in ask_dicts(con, "trend/mixed", app=app)
    ]


def doubt_sentences(con: Connection, app: str, measured: Sequence[str]) -> list[str]:
    """Return what of an application's series is in doubt: order, values without one, direction.

    `measured` is `measured_order_sentences` of it.
    """
    return [
        *start_sentences(con, app),
        *measured,
        *_unit_sentences(con, app),
        *_direction_sentences(con, app),
    ]


def start_sentences(con: Connection, app: str) -> list[str]:
    """Return what is not known of when runs started, by which they are put in order."""
    return [
        *(
            f"Note: when {_part(row['guessed'], row['runs'])} started is known only from the last "
            f"change of {'its' if row['guessed'] == 1 else 'their'} files, which copies and "
            "checkouts do not keep; --started-at states it."
            for row in ask_dicts(con, "trend/dated", app=app)
        ),
        *(
            f"Note: it is unknown when {counted(row['runs'], 'run')} started, so that no series "
            "has them: a column started_at or --started-at states it."
            for row in ask_dicts(con, "trend/undated", app=app)
        ),
    ]


def measured_order_sentences(con: Connection, app: str) -> list[str]:
    """Return why runs are in the order in which they were measured, which may not be the code's."""
    return [
        *(
            f"Note: {cell(row['earlier'])} was measured before {cell(row['version'])}: without "
            "commits (pwh ingest --commit) changes are told in the order of measurement."
            for row in ask_dicts(con, "trend/contradicted", app=app)
        ),
        *(
            f"Note: the dates of {row['undated']} of {counted(row['commits'], 'commit')} are "
            "unknown: changes are told in the order of measurement until pwh commits FOLDER reads "
            "them, in a clone that has them."
            for row in ask_dicts(con, "trend/unordered_commits", app=app)
        ),
    ]


def _part(some: int, runs: int) -> str:
    if some < runs:
        return f"{some} of {runs} runs"
    return "the run" if runs == 1 else f"the {runs} runs"


def _unit_sentences(con: Connection, app: str) -> list[str]:
    """Return which metrics of an application have no series, as their unit changes."""
    return [
        f"Note: {cell(row['metric'])} is in several units ({cell(row['units'])}), the newest since "
        f"run {cell(row['run_id'])}: its values are no series."
        for row in ask_dicts(con, "trend/units", app=app)
    ]


def _direction_sentences(con: Connection, app: str) -> list[str]:
    """Return of which metrics the files state another direction than the unit has."""
    return [
        f"Note: doubtful direction: {cell(row['metric'])} is in {cell(row['unit'])}, of which "
        f"{row['better']} is taken as better, but its file states {row['stated']}; pwh trend "
        "--better states it."
        for row in ask_dicts(con, "trend/doubtful", app=app)
    ]


def no_series(
    con: Connection,
    app: str,
    metrics: Sequence[str] = (),
    machine: str | None = None,
    candidate: Sequence[str] = (),
) -> NothingToAnalyse:
    """Return why an application, or only the runs of a candidate, has no series of such metrics."""
    runs = ask_dicts(con, "gate/runs", app=app)
    if not runs:
        return NothingToAnalyse(f"there are no runs of {app!r}", hint="pwh runs lists them.")
    branches = ask_dicts(con, "trend/branches", app=app)
    if branches and all(row["is_candidate"] for row in branches):
        names = ", ".join(cell(row["branch"]) for row in branches)
        return NothingToAnalyse(
            f"all runs of {app} are on other branches than the default one: {names}",
            hint="pwh trend --branch NAME compares them; pwh commits --default NAME sets it.",
        )
    name = f"the candidate of {app}" if candidate else app
    judged = [row for row in runs if not candidate or row["run_id"] in candidate]
    if all(row["started_at"] is None for row in judged):
        return NothingToAnalyse(
            f"the start of every run of {name} is unknown, so they have no order",
            hint="State it with pwh ingest --started-at.",
        )
    if len(runs) > 1 and len({row["started_at"] for row in runs}) == 1:
        return NothingToAnalyse(
            f"all runs of {app} started at one time, so they have no order",
            hint="State the start of each in a column started_at, and land them with --replace.",
        )
    if notes := _unit_sentences(con, app):
        return NothingToAnalyse(
            f"{app} has no series. {notes[0]}", hint="Land all runs with values in one unit."
        )
    of_metrics = f" of {', '.join(metrics)}" if metrics else ""
    on_machine = f" on {machine}" if machine else ""
    return NothingToAnalyse(
        f"{app} has no series{of_metrics}{on_machine}",
        hint=f"pwh sql \"SELECT DISTINCT metric, machine FROM metric_series WHERE app = '{app}'\"",
    )


def _moved(row: Row) -> str:
    """Return what moved, and which fields of the environment."""
    if row["state"] == "withdrawn":
        return "later runs show no change there"
    fields = f": {cell(row['environment'])}" if row["moved"] == "environment" else ""
    return f"{row['moved']}{fields}"


def _values(row: Row) -> list[float]:
    return [point["value"] for point in row["series"]]


_CHANGES = table(
    "metric fields run_id version started_at before after unit change direction p_value",
    _WIDTHS,
    fields=lambda row: shown_fields(row["fields"]),
    started_at=day,
    change=lambda row: signed_percent(row["change"]),
    p_value=lambda row: f"{row['p_value']:.2g}",
)
_SERIES = table(
    "metric fields points first last median latest unit",
    _WIDTHS,
    fields=lambda row: shown_fields(row["fields"]),
    first=lambda row: day(row["series"][0]),
    last=lambda row: day(row["series"][-1]),
    median=lambda row: median(_values(row)),
    latest=lambda row: _values(row)[-1],
)
_EVENTS = table(
    "event_id started_at run_id metric change direction others between moved acknowledged",
    _WIDTHS,
    started_at=day,
    change=lambda row: signed_percent(row["change"]) or "from 0",
    direction=lambda row: row["state"] if row["state"] == "withdrawn" else row["direction"],
    between=commit_range,
    moved=_moved,
)


def chart(name: str, row: Row, changes: Sequence[Row]) -> str:
    """Return a series drawn as block characters, with ^ at its changes and ? at provisional ones.

    A block is one run, or the median of several where there are too many for a line.
    """
    values = _values(row)
    per_block = -(-len(values) // _CHART_WIDTH)
    groups = [values[i : i + per_block] for i in range(0, len(values), per_block)]
    shown = [median(group) for group in groups]
    low, high = min(shown), max(shown)
    line = "".join(_block(value, low, high) for value in shown)
    places = {
        change["index"] // per_block: "?" if "more_runs" in change else "^" for change in changes
    }
    marks = "".join(places.get(i, " ") for i in range(len(shown))).rstrip()
    runs = "one block per run" if per_block == 1 else f"one block per {per_block} runs (median)"
    smallest, largest = amounts([low, high], row["unit"])
    first, last = day(row["series"][0]), day(row["series"][-1])
    days = first if first == last else f"{first} to {last}"
    title = f"{name}: {smallest} to {largest}, {days}, {runs}"
    return "\n".join([title, f"  {line}", *([f"  {marks}"] if marks else [])])


def _block(value: float, low: float, high: float) -> str:
    if high == low:
        return BLOCKS[3]
    return BLOCKS[round((value - low) / (high - low) * (len(BLOCKS) - 1))]
