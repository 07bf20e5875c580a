"""The chart of a metric's history: its values, its levels and where they changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import altair as alt
import polars as pl
from altair.typing import ChartType

from apps.output.colours import BETTER, NEUTRAL, SOFT_TEXT, WORSE
from apps.output.numbers import prefixed, signed_percent
from apps.output.tables import heading
from apps.output.text import short_name, version_text
from apps.pages.charts import axis, legend, scale, tips
from apps.pages.sizes import FIT

# A single metric, and each of several, which have the same axis of time.
_HEIGHT, _SMALL = 380, 150
_TINTS = {"worse": WORSE, "better": BETTER, "changed": NEUTRAL, "acknowledged": NEUTRAL}
_DASHES = alt.Scale(domain=["confirmed", "provisional"], range=[[5, 4], [1, 4]])
# Changes with a label: of more the largest. Labels of neighbours are below each other.
_LABELLED, _ROWS, _ROW = 12, 3, 13
# From more days on Vega's own ticks are whole days.
_SINGLE_DAYS = 14
# Ticks of a day, of which Vega makes up to twice as many, and formats by the shortest span whose
# ticks are as far apart.
_CLOCK_TICKS = 10
_CLOCK = (
    (2 * _CLOCK_TICKS * timedelta(minutes=1), "%m-%d %H:%M"),
    (2 * _CLOCK_TICKS * timedelta(seconds=1), "%H:%M:%S"),
    (timedelta(0), "%H:%M:%S.%L"),
)
# Versions that an axis has at most, and their letters.
_TICKS, _VERSION = 30, 16
# Labels of the axis of versions have a number before them: a version can have runs apart in time.
_GAP = "\u2003"
# Letters of a legend in a line.
_LETTERS = 110
# Names of the selections in a chart.
WINDOW, RUNS = "window", "runs"


@dataclass(frozen=True, slots=True)
class Times:
    """The axis of the runs' starts: dates, or `versions`, where runs are evenly spaced.

    `starts` are those of the runs that are drawn, ascending; versions are their labels.
    """

    starts: list[datetime]
    versions: list[str] | None

    def column(self, starts: pl.Series) -> pl.Series:
        """Return the places of starts on the axis."""
        if self.versions is None:
            return starts
        return starts.replace_strict(self.starts, self.versions, return_dtype=pl.String)

    def x(self, field: str) -> alt.X:
        """Return the encoding of a column of places."""
        if self.versions is None:
            first, last = self.starts[0], self.starts[-1]
            margin = (last - first) / 60 or timedelta(seconds=1)
            # Of one data set only, Vega takes numbers for no times.
            ends = [end.astimezone(UTC) for end in (first - margin, last + margin)]
            labels = _labels(last - first)
            # Labels that have no date leave it to the title.
            day = "" if "%m" in labels["format"] else f", {ends[0]:%Y-%m-%d}"
            dates = axis(f"Start of the run{day}", labelOverlap="greedy", **labels)
            return alt.X(f"{field}:T", axis=dates, scale=alt.Scale(type="utc", domain=ends))
        versions = axis(
            "Version",
            values=_ticks(self.versions),
            labelExpr=f"split(datum.label, '{_GAP}')[1]",
            labelOverlap=True,
            labelAngle=-30 if max(map(len, self.versions)) > len("00000 1.23.4") else 0,
        )
        domain = alt.Scale(type="point", domain=self.versions, padding=1)
        return alt.X(f"{field}:O", axis=versions, scale=domain)

    def between(self, selected: Sequence[Any]) -> tuple[datetime, datetime] | None:
        """Return the first and last start in a selected part of the axis, None without one."""
        if self.versions is None:
            low, high = min(selected), max(selected)
            found = [start for start in self.starts if low <= start.timestamp() * 1000 <= high]
        else:
            known = dict(zip(self.versions, self.starts, strict=True))
            found = [known[one] for one in selected if one in known]
        return (min(found), max(found)) if found else None


def times_of(points: pl.DataFrame, *, by_version: bool) -> Times:
    """Return the axis for points (started_at, version, run_id)."""
    runs = points.group_by("started_at").agg(pl.col("version", "run_id").first()).sort("started_at")
    starts = runs["started_at"].to_list()
    if not by_version:
        return Times(starts, None)
    names = [
        run_id if version is None else version_text(version)
        for version, run_id in runs.select("version", "run_id").iter_rows()
    ]
    labels = [f"{i:05d}{_GAP}{short_name(name, _VERSION)}" for i, name in enumerate(names)]
    return Times(starts, labels)


def _ticks(versions: Sequence[str]) -> list[str]:
    """Return the first label of each version, of too many every other, every third ..."""
    names = [label.split(_GAP)[1] for label in versions]
    firsts = [
        label
        for label, name, before in zip(versions, names, [None, *names[:-1]], strict=True)
        if name != before
    ]
    return firsts[:: -(-len(firsts) // _TICKS)]


def _labels(span: timedelta) -> dict[str, Any]:
    """Return the format of dates for the span of the times, and ticks that repeat no label."""
    if span.days > 900:
        return {"format": "%Y-%m"}
    if span.days >= 2:
        return {"format": "%Y-%m-%d"} | ({"tickCount": "day"} if span.days <= _SINGLE_DAYS else {})
    form = next(form for least, form in _CLOCK if span >= least)
    return {"format": form, "tickCount": _CLOCK_TICKS}


def history(
    points: pl.DataFrame, times: Times, *, picked: Sequence[str] = (), several: bool = False
) -> ChartType:
    """Draw one line per series, its levels, and a rule with a label at each change.

    Drawn is the part of the history that `times` has. `points` are rows of one metric: metric,
    unit, series, run_id, version, started_at, value, disturbed, and certainty, before, after,
    change, direction and acknowledged where the level changed there. Points of disturbances are
    pale, those of `picked` runs have a ring; the rule of a provisional change is dotted, that of an
    acknowledged one grey. One of `several` metrics is smaller. A part of the time (`WINDOW`) and
    points (`RUNS`) can be selected.
    """
    size, unit = prefixed(points["value"].to_list(), points["unit"][0])
    points = points.with_columns(pl.col("value", "before", "after") / size)
    drawn = points.filter(pl.col("started_at").is_between(times.starts[0], times.starts[-1]))
    names = points["series"].unique(maintain_order=True).to_list()
    columns = max(1, _LETTERS // (max(map(len, names)) + 4))
    shown = legend(columns=columns) if len(names) > 1 else None
    colour = alt.Color("series:N", scale=scale(names), legend=shown)
    title = short_name(points["metric"][0], 24 if several else 60)
    # One width for all small charts, so that their times are below each other.
    room = {"minExtent": 50, "maxExtent": 50} if several else {}
    height = _SMALL if several else _HEIGHT
    value = alt.Y("value:Q", axis=axis(title, unit, **room), scale=_values(drawn, height))
    started = pl.col("started_at").dt.strftime("%Y-%m-%d %H:%M:%S").alias("started")
    rows = drawn.with_columns(started, times.column(drawn["started_at"]).alias("at"))
    base = alt.Chart(rows).encode(x=times.x("at"), color=colour)
    dots = base.mark_circle(size=55, opacity=1).encode(
        y=value,
        opacity=alt.condition("datum.disturbed", alt.value(0.35), alt.value(1)),
        tooltip=[
            *tips(rows, "run_id", "version", "started"),
            alt.Tooltip("value:Q", title=heading("value", unit), format=".6g"),
            *tips(rows, "series"),
        ],
    )
    dots = dots.add_params(
        alt.selection_interval(name=WINDOW, encodings=["x"]),
        alt.selection_point(name=RUNS, fields=["run_id"]),
    )
    rings = (
        alt.Chart(rows.filter(pl.col("run_id").is_in(list(picked))))
        .mark_point(size=220, strokeWidth=2, color=NEUTRAL)
        .encode(x=times.x("at"), y=value)
    )
    lines = base.mark_line(strokeWidth=1.2, opacity=0.6).encode(y=value)
    layers = [lines, *_levels(points, times, colour), dots, *([rings] if picked else [])]
    parts = alt.layer(*_rules(drawn, times), alt.layer(*layers))
    chart: ChartType = parts.resolve_scale(color="independent").properties(
        height=height, autosize=FIT
    )
    return chart


def _values(points: pl.DataFrame, height: int) -> alt.Scale:
    """Return the scale of the values, with room for the labels of changes above them."""
    rows = min(points["after"].drop_nulls().len(), _ROWS)
    values = points["value"].filter(points["value"].is_finite()).to_list()
    if not rows or not values or min(values) == max(values):
        return alt.Scale(zero=False)
    low, high = min(values), max(values)
    room = (high - low) * (rows * _ROW + 8) / (height - rows * _ROW - 8)
    return alt.Scale(zero=False, nice=False, domain=[low - room / 4, high + room])


def _levels(points: pl.DataFrame, times: Times, colour: alt.Color) -> list[alt.Chart]:
    first, last = times.starts[0], times.starts[-1]
    found = levels_of(points).filter(pl.col("since") <= last, pl.col("until") >= first)
    if found.is_empty():
        return []
    found = found.with_columns(pl.col("since", "until").clip(first, last))
    rows = found.with_columns(
        times.column(found["since"]).alias("begin"), times.column(found["until"]).alias("end")
    )
    return [
        alt.Chart(rows)
        .mark_rule(strokeWidth=3, opacity=0.75)
        .encode(x=times.x("begin"), x2="end", y="level:Q", color=colour)
    ]


def _rules(points: pl.DataFrame, times: Times) -> list[alt.Chart]:
    """Return the rules at changes, and their labels."""
    changes = points.drop_nulls("after").sort("started_at")
    if changes.is_empty():
        return []
    kind = (
        pl.when(pl.col("acknowledged").is_null())
        .then(pl.col("direction").fill_null("changed"))
        .otherwise(pl.lit("acknowledged"))
    )
    rows = changes.with_columns(
        times.column(changes["started_at"]).alias("at"),
        kind.alias("kind"),
        pl.Series("label", map(change_label, changes.iter_rows(named=True)), pl.String),
        place=pl.int_range(pl.len()) % _ROWS,
    )
    kinds = [one for one in _TINTS if one in rows["kind"].to_list()]
    colour = alt.Color("kind:N", scale=scale(kinds, _TINTS), legend=None)
    base = alt.Chart(rows).encode(x=times.x("at"), color=colour)
    rules = base.mark_rule(strokeWidth=1.5).encode(
        strokeDash=alt.StrokeDash("certainty:N", scale=_DASHES, legend=None),
        tooltip=tips(rows, label="change", run_id="run"),
    )
    largest = rows.sort(pl.col("change").abs().fill_null(float("inf")), descending=True)
    ink = alt.value(SOFT_TEXT)
    labels = [
        alt.Chart(largest.head(_LABELLED).filter(place=row))
        .mark_text(align="left", baseline="top", dx=4, fontSize=11)
        .encode(x=times.x("at"), y=alt.value(row * _ROW), text="label:N", color=ink)
        for row in range(_ROWS)
    ]
    return [rules, *labels]


def change_label(row: Mapping[str, Any]) -> str:
    """Return a change in a few words: its size, direction, and what is not certain or known."""
    size = signed_percent(row["change"]) or "from 0"
    direction = f" {row['direction']}" if row["direction"] else ""
    early = ", provisional" if row["certainty"] == "provisional" else ""
    known = f", {row['acknowledged']}" if row["acknowledged"] else ""
    return f"{size}{direction}{early}{known}"


def levels_of(points: pl.DataFrame) -> pl.DataFrame:
    """Return the levels between changes: series, since, until, level (median of its values)."""
    levels = (
        points.sort("series", "started_at", maintain_order=True)
        .with_columns(number=pl.col("after").is_not_null().cum_sum().over("series"))
        .filter(pl.col("number").max().over("series") > 0)
        .group_by("series", "number", maintain_order=True)
        .agg(
            since=pl.col("started_at").min(),
            ended=pl.col("started_at").max(),
            level=pl.col("value").median(),
        )
    )
    until = pl.col("since").shift(-1).over("series").fill_null(pl.col("ended"))
    return levels.select("series", "since", until=until, level="level")
