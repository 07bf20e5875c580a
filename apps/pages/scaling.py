"""Scaling: how programs scale, up to which count, and which functions limit them."""

from __future__ import annotations

import polars as pl
import streamlit as st

from apps.pages import scaling_charts as charts
from apps.pages.base import View
from apps.pages.text import NO_APPLICATION
from apps.queries.scaling import ScalingSet, counts_between, scaling_functions, scaling_sets
from apps.reports.imbalance import scaling_imbalance_sentences
from apps.reports.scaling import scaling_sentences
from apps.reports.scaling_limits import drawn_turning_point, worth_sentences
from apps.reports.scaling_question import (
    GAIN,
    MORE_COUNTS,
    Question,
    complete_question,
    few_counts,
    how_to_begin,
    predict_grid,
)
from apps.reports.scaling_tables import SECONDS, growth
from udfs.scaling.limits import FLOOR, Turning

_PROGRAM = "whole program"
_NO_SET = (
    "Scaling models need function times at three counts at least (ranks, threads or nodes); there "
    "is no such set of runs yet."
)
_RANKED = 12
_DRAWN = 3


def page(view: View) -> None:
    """Show how a set of runs scales: verdict, points and fits, speed-up, ranking, imbalance."""
    sets, asked = view.value(scaling_sets), view.address.parameter("app")
    offered = [one for one in sets if one.is_modelled or _app(one) == asked]
    if not offered:
        _nothing(view, f"{_NO_SET} {MORE_COUNTS if sets else view.value(how_to_begin)}")
        return
    most = max(offered, key=lambda one: one.counts)
    apps = sorted({_app(one) for one in offered})
    app = view.select("Application", apps, key="app", default=_app(most))
    of_app = (one for one in offered if _app(one) == app)
    known = {set_label(one): one for one in sorted(of_app, key=lambda one: not one.is_modelled)}
    which = known[view.select("Runs", list(known), key="set") or next(iter(known))]
    if not which.is_modelled:
        _nothing(view, f"{few_counts(which)}. {MORE_COUNTS}")
        return
    target = view.number("At count (0: auto)", key="at", value=0, low=0, step=1, help=_AT_HELP)
    scaling = view.select("Scaling", ("strong", "weak"), key="scaling", every="as measured")
    question = complete_question(which, (target,) if target else (), scaling, None)
    ranking = view.rows(scaling_functions, which, question.target)
    predicted = view.rows(predict_grid, question)
    turning = view.ask("scaling/turning", set_id=which.set_id, kind=None)
    imbalance = view.ask("imbalance/scaling", set_id=which.set_id)
    rows = predicted.to_dicts()
    buying = view.ask("scaling/worth", set_id=which.set_id, gain=GAIN, cost_weight=1.0)
    worth = worth_sentences(question, buying.to_dicts(), GAIN, 1.0)
    sentences = scaling_sentences(question, rows, ranking.to_dicts(), turning.to_dicts(), worth)
    view.verdicts([*sentences, *scaling_imbalance_sentences(imbalance.to_dicts())])
    point = drawn_turning_point(question, rows, turning.to_dicts())
    models = view.ask("scaling/models", set_id=which.set_id)
    _times(view, question, ranking, predicted, models, point)
    _program(view, question, predicted)
    _ranking(view, question, ranking)
    _efficiencies(view, question)
    _laws(view, question)
    _imbalance(view, which, imbalance)
    _models(view, models)


def _app(one: ScalingSet) -> str:
    return NO_APPLICATION if one.app is None else one.app


def set_label(one: ScalingSet) -> str:
    """Return what a set of runs is called in the list of sets, and in addresses."""
    parts = [f"version {one.version}"] if one.version is not None else []
    parts += [f"on {one.machine}"] if one.machine is not None else []
    return f"{' '.join(parts) or 'all runs'}: {one.counts} counts, {one.smallest} to {one.largest}"


def _nothing(view: View, why: str) -> None:
    view.empty(
        why,
        "pwh ingest profile_8/ --app program --ranks 8\n"
        "pwh ingest profile_16/ --app program --ranks 16\n"
        "pwh ingest profile_32/ --app program --ranks 32",
    )


def _times(
    view: View,
    question: Question,
    ranking: pl.DataFrame,
    predicted: pl.DataFrame,
    models: pl.DataFrame,
    point: Turning | None,
) -> None:
    which = question.which
    st.subheader("Measured and predicted time", anchor=False)
    names = ranking["function"].to_list()
    chosen = view.multi("Functions", names, key="function", placeholder="the largest")
    functions = (
        chosen or ranking.filter(pl.col("share").is_not_null())["function"].to_list()[:_DRAWN]
    )
    counts = counts_between(which.smallest, max(question.target, which.largest))
    program = _drawn(question, predicted)
    fitted = view.ask("scaling/fitted", set_id=which.set_id, functions=functions, counts=counts)
    columns = ("what", "parallelism", "predicted", "low", "high")
    lines = pl.concat(
        [
            program.with_columns(what=pl.lit(_PROGRAM)).select(columns),
            fitted.rename({"function": "what"}).select(columns),
        ]
    ).drop_nulls("predicted")
    measured = view.ask("scaling/measured", set_id=which.set_id).with_columns(
        what=pl.col("function").fill_null(_PROGRAM)
    )
    drawn = measured.filter(pl.col("what").is_in([_PROGRAM, *functions]))
    left, right = st.columns([3, 2])
    with left:
        view.chart(
            charts.time_chart(
                drawn.select("what", "parallelism", "seconds"), lines, which.largest, point
            ),
            "Measured times as points, predicted times as lines with 90 % bands",
            "scaling/measured",
        )
        strip = "" if point is None else f" Grey: {_turning_words(point)}."
        st.caption(
            "Points: measured; lines: predicted; bands: 90 % interval. To the right of the dashed "
            f"line nothing was measured.{strip}"
        )
    with right:
        _growth(view, models, ranking, functions)
    _kinds(view, measured)


def _turning_words(point: Turning) -> str:
    if point.high is None:
        return f"it could be fastest from {point.low} on, at 90 %"
    return f"fastest at about {point.about}, 90 %: {point.low} to {point.high}"


def _growth(view: View, models: pl.DataFrame, ranking: pl.DataFrame, functions: list[str]) -> None:
    """Show how the functions grow, those that are drawn first, then the largest."""
    order = list(dict.fromkeys([*functions, *ranking["function"].to_list()]))
    # Where only whole programs were measured, their times are no function's.
    order = order or models["function"].to_list()
    places = pl.DataFrame({"function": order, "place": range(len(order))})
    shown = models.join(places, on="function").sort("place")
    view.table(
        shown.select(
            "function",
            pl.col("exponent").round(2).alias("power"),
            pl.col("exponent_low").round(2).alias("from"),
            pl.col("exponent_high").round(2).alias("to (90 %)"),
            "smape",
            "kind",
        )
    )
    st.caption("Power: that of the parallelism with which the time grows beyond the largest count.")


def _kinds(view: View, measured: pl.DataFrame) -> None:
    """Show how much of the time is computation and each kind of MPI calls, where it has both."""
    kinds = measured.drop_nulls(["function", "kind"]).group_by("parallelism", "kind")
    summed = kinds.agg(pl.col("seconds").sum())
    if summed["kind"].n_unique() < 2:
        return
    st.subheader("Time by kind", anchor=False)
    view.chart(
        charts.kinds_chart(summed),
        "Share of the functions' time by kind at each count",
        "scaling/measured",
    )


def _drawn(question: Question, predicted: pl.DataFrame) -> pl.DataFrame:
    which = question.which
    reach = max(question.target, which.largest)
    return predicted.filter(pl.col("parallelism").is_between(which.smallest, reach))


def _program(view: View, question: Question, predicted: pl.DataFrame) -> None:
    which = question.which
    predictions = _drawn(question, predicted).drop_nulls(["low", "high", "speedup"])
    if predictions.is_empty():
        return
    # Speed-up and efficiency are inversely proportional to the time, and so are their bands.
    banded = predictions.with_columns(
        (pl.col(name) * pl.col("predicted") / pl.col(other)).alias(f"{name}_{end}")
        for name in ("speedup", "efficiency")
        for end, other in (("low", "high"), ("high", "low"))
    )
    left, right = st.columns(2)
    with left:
        st.subheader("Speed-up", anchor=False)
        view.chart(
            charts.speedup_chart(banded, which.smallest, which.largest),
            "Predicted speed-up by parallelism, with its band, and the ideal one",
            "scaling/program",
        )
    with right:
        st.subheader("Efficiency", anchor=False)
        view.chart(
            charts.efficiency_chart(banded, which.largest, FLOOR),
            "Predicted efficiency by parallelism, with its band",
            "scaling/program",
        )
    asked = predicted.filter(pl.col("parallelism").is_in(question.counts))
    view.table(asked, units=SECONDS)


def _ranking(view: View, question: Question, ranking: pl.DataFrame) -> None:
    target, largest = question.target, question.which.largest
    st.subheader(f"Functions at {target}", anchor=False)
    if ranking.is_empty():
        st.caption("Unknown: only times of the whole program were measured.")
        return
    ranked = ranking.drop_nulls("share").head(_RANKED)
    if ranked.is_empty():
        st.caption("No function has a prediction at this count.")
        return
    tall = pl.concat(
        [
            ranked.select("function", pl.lit(when).alias("when"), pl.col(name).alias("share"))
            for when, name in (
                (f"predicted at {target}", "share"),
                (f"at {largest}, the largest measured", "share_measured"),
            )
        ]
    )
    view.chart(
        charts.ranking_chart(tall, target, largest),
        "Functions by share of the predicted time",
        "scaling/functions",
        choose=("function", "function"),
    )
    with st.expander("All functions"):
        view.table(ranking.drop("formula"), units=SECONDS)


def _efficiencies(view: View, question: Question) -> None:
    found = view.ask("scaling/efficiencies", set_id=question.which.set_id, kind=question.kind)
    if found["parallel_efficiency"].null_count() == len(found):
        return
    st.subheader("Efficiencies at the measured counts", anchor=False)
    view.table(found)
    st.caption(
        "Load balance times communication efficiency is parallel efficiency; times computation "
        "scaling it is global efficiency (POP Centre of Excellence). A serial fraction (Karp and "
        "Flatt) that grows with the count is overhead, one that stays is serial work."
    )


def _laws(view: View, question: Question) -> None:
    found = view.ask("scaling/laws", set_id=question.which.set_id, kind=question.kind)
    if found.is_empty():
        return
    with st.expander(f"Laws of speed-up, against {question.which.smallest}"):
        view.table(found)


def _imbalance(view: View, which: ScalingSet, imbalance: pl.DataFrame) -> None:
    if imbalance.is_empty():
        st.subheader("Imbalance over ranks", anchor=False)
        st.caption("Unknown: no function has times of two ranks or more at any of the counts.")
        return
    count = imbalance["parallelism"][0]
    st.subheader(f"Imbalance over ranks at {count}", anchor=False)
    largest = imbalance["function"].head(_RANKED).to_list()
    ranks = view.ask(
        "imbalance/ranks", set_id=which.set_id, parallelism=count, most=256, functions=largest
    )
    view.chart(
        charts.ranks_chart(ranks, largest),
        "Time of functions on each rank over its mean",
        "imbalance/ranks",
        choose=("function", "function"),
    )
    view.table(
        imbalance.select(
            "function",
            "imbalance",
            "max_seconds",
            "mean_seconds",
            "saved_seconds",
            "slow_ranks",
            "waiting",
            "share",
            "ranks",
            "measurements",
            pl.col("exponent").alias("growth of the imbalance (exponent of p)"),
        )
    )
    st.caption(
        "Imbalance is max / mean - 1; perfect balance would save at most max - mean. In calls that "
        "wait for others a rank that comes late waits least, so these name no slow ranks."
    )


def _models(view: View, models: pl.DataFrame) -> None:
    growths = [growth(row) for row in models.to_dicts()]
    with st.expander("All models"):
        view.table(
            models.select(
                "function",
                pl.Series("beyond the largest count its time", growths, pl.String),
                "kind",
                "formula",
                "points",
                "repetitions",
                "smape",
                "cv_error",
                "flags",
            )
        )


_AT_HELP = (
    "Functions are ranked at this count and curves drawn up to it; 0 is 8 x the largest measured."
)
