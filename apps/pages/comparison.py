"""Compare: two runs or versions, what changed by how much, in which functions, and why."""

from __future__ import annotations

import polars as pl
import streamlit as st

from apps.output.numbers import counted
from apps.output.text import cell
from apps.pages import causes
from apps.pages import comparison_charts as charts
from apps.pages.base import View
from apps.queries.comparison import LEVEL, run_comparison
from apps.queries.explanations import comparable, explained_against
from apps.queries.runs import resolve_side
from apps.queries.scaling import scaling_set_of
from apps.reports.comparison import (
    both_sides,
    comparison_notes,
    comparison_sentences,
)
from apps.reports.scaling_versions import COMPARED, slower_sentences
from apps.reports.series import shown_fields
from warehouse.errors import UsageError

_DRAWN = 25
# Classifying the samples of more runs takes seconds.
_MOST_RUNS = 10
_COLUMNS = (
    *("metric", "verdict", "before", "after", "unit", "ratio", "low", "high", "p_value"),
    *("runs_before", "runs_after", "noise"),
)


def page(view: View) -> None:
    """Show the comparison that the address names, without one that of the last two versions."""
    choices = view.ask("comparison/choices")["choice"].to_list()
    if not choices:
        view.empty()
        return
    usual = _usual(view)
    names = [
        view.pick(label, choices, key=key, placeholder="a run or APP@VERSION", default=default)
        for label, key, default in zip(("From", "To"), ("before", "after"), usual, strict=True)
    ]
    if names[0] is None or names[1] is None:
        st.caption("Choose two runs or versions of an application.")
        return
    before, after = (view.value(resolve_side, name) for name in names)
    if shared := set(before) & set(after):
        raise UsageError(f"{names[0]} and {names[1]} are both the run {min(shared)}.")
    _compare(view, (names[0], before), (names[1], after))


def _compare(view: View, *sides: tuple[str, list[str]]) -> None:
    """Show the comparison of two sides, each a name and its runs."""
    (_, before), (to, after) = sides
    with st.spinner("Comparing every metric ..."):
        rows = view.rows(run_comparison, before, after, LEVEL)
    found = rows.to_dicts()
    if not both_sides(found):
        st.info("The two have nothing in common to compare: no metric, or no configuration.")
        return
    title = " to ".join(f"{name} ({counted(len(runs), 'run')})" for name, runs in sides)
    notes = view.value(comparison_notes, sides, LEVEL)
    view.verdicts([f"From {title}:", *comparison_sentences(found, LEVEL), *notes])
    of_one = _configuration(view, rows)
    _ratios(view, of_one)
    if rows["metric"].is_in(["functions:seconds", "functions:cost"]).any():
        view.link("Profiles of the two", "profile", run=to, against=sides[0][0])
    st.subheader("Why", anchor=False)
    fields = of_one["fields_after"].to_list()[0] if len(of_one) else None
    causes.show(view, view.value(comparable, after, before, fields))
    _sides(view, before, after, (sides[0][0], sides[1][0]))
    with st.expander("All metrics"):
        view.table(rows.select(_COLUMNS))


def _usual(view: View) -> tuple[str | None, str | None]:
    """Return the sides where the address does not name both: those of the change in view."""
    linked = view.address.parameter("after") or view.address.carried("change")
    if linked and not view.address.parameter("before"):
        runs = view.value(resolve_side, linked)
        which = view.value(explained_against, runs[0])
        if which is not None and (before := [run for run in which.against if run not in runs]):
            return before[-1], linked
        return None, linked
    for app in (view.address.carried("app"), None):
        for before, after in view.ask("comparison/latest", app=app).iter_rows():
            return before, after
    return None, None


def _configuration(view: View, rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the configuration that the user chooses, the one with most by default."""
    paired = rows.filter(
        pl.col("fields_before").is_not_null(), pl.col("fields_after").is_not_null()
    )
    named = [
        cell(shown_fields(fields), None) or "all runs"
        for fields in paired["fields_after"].to_list()
    ]
    paired = paired.with_columns(pl.Series("configuration", named, pl.String))
    counts = paired["configuration"].value_counts(sort=True)["configuration"].to_list()
    if len(counts) < 2:
        return paired
    chosen = view.select("Runs with", counts, key="with", inline=True)
    return paired.filter(configuration=chosen)


def _ratios(view: View, rows: pl.DataFrame) -> None:
    st.subheader("Ratios, with their intervals", anchor=False)
    drawn = rows.filter(pl.col("ratio").is_finite() & (pl.col("ratio") > 0))
    if drawn.is_empty():
        st.caption("No metric has a ratio.")
        return
    is_part = pl.col("metric").str.contains("^(?:seconds|cost):")
    ordered = drawn.sort(
        pl.when(is_part).then((pl.col("after") - pl.col("before")).abs()).otherwise(0),
        ~pl.col("verdict").is_in(["same", "uncertain", "unknown"]),
        pl.col("ratio").log().abs(),
        descending=True,
        maintain_order=True,
    )
    view.chart(
        charts.ratio_chart(ordered.head(_DRAWN)),
        "Ratio after to before of each metric",
        ("comparison/metrics", "comparison/stored"),
    )
    text = (
        "A circle without a line: the noise is unknown. Functions by what they take more or less, "
        "then the largest changes."
    )
    most = charts.MOST_RATIO
    if not ordered.head(_DRAWN)["ratio"].is_between(1 / most, most).all():
        text += f" Ratios beyond {most:g} are drawn at the edge."
    if len(ordered) > _DRAWN:
        text += f" {_DRAWN} of {len(ordered)} metrics."
    st.caption(text)


def _sides(view: View, before: list[str], after: list[str], names: tuple[str, str]) -> None:
    """Show idle time, bottlenecks and scaling of both sides, where both have such traces."""
    # where the workers' time went, unless one side has no task traces
    idle = view.ask("idle/of_runs", before=before, after=after)
    side = pl.when("is_after").then(pl.lit(names[1])).otherwise(pl.lit(names[0]))
    of_workers = idle.with_columns(side=side) if idle["is_after"].n_unique() == 2 else None
    classes = _classes(view, before, after, names)
    shown = [
        (title, draw(rows, names), of)
        for title, draw, rows, of in (
            ("Workers' time", charts.idle_chart, of_workers, "idle/of_runs"),
            ("Bottlenecks", charts.class_chart, classes, "bottlenecks/classes"),
        )
        if rows is not None
    ]
    for place, (title, chart, of) in zip(st.columns(max(len(shown), 1)), shown, strict=False):
        with place:
            st.subheader(title, anchor=False)
            view.chart(chart, f"{title}: shares on either side", of)
    _scaling(view, before, after)


def _classes(
    view: View, before: list[str], after: list[str], names: tuple[str, str]
) -> pl.DataFrame | None:
    """Return the classes of bottlenecks on either side, None where one has no class."""
    counted_on = set(view.ask("bottlenecks/counted_runs")["run_id"])
    frames = []
    for name, side in zip(names, (before, after), strict=True):
        runs = [run for run in side if run in counted_on][:_MOST_RUNS]
        if not runs:
            return None
        classes = view.ask("bottlenecks/classes", runs=runs, rank=None)
        if classes["class"].to_list() == ["Unknown"]:
            return None
        frames.append(classes.select(pl.lit(name).alias("side"), "class", "share"))
    return pl.concat(frames)


def _scaling(view: View, before: list[str], after: list[str]) -> None:
    """Show where two versions and how their functions grow differ, where each has three counts."""
    first, second = (view.value(scaling_set_of, runs) for runs in (before, after))
    if first is None or second is None or first == second:
        return
    sets = {"before": first.set_id, "after": second.set_id}
    times = view.ask("scaling/comparison_times", **sets)
    st.subheader("Times at each count", anchor=False)
    st.markdown(" ".join(slower_sentences(times.to_dicts())))
    if not times.is_empty():
        view.table(times, units={"function_more": "s"}, percent=("change",))
    at = COMPARED * max(first.largest, second.largest)
    st.subheader(f"Scaling, with shares of the time at {at}", anchor=False)
    rows = view.ask("scaling/comparison", **sets, at=at)
    view.table(rows.drop("formula_before", "formula_after"))
