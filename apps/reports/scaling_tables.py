"""Tables of scaling: sets of runs, predictions of a program and of its functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from apps.output.numbers import amount, amounts, three_digits
from apps.output.tables import Row, table
from apps.output.text import cell
from apps.reports.flags import Flag, first_text, flag_labels
from apps.reports.scaling_question import UNNAMED
from ingest.parsing.parameters import COUNTS

_RANKED_LINES = 10
# Counts from which a set of runs can be modelled.
LEAST_COUNTS = 3
# Names of functions in tables and sentences have as many characters at most.
NAME = 36
WIDTHS = {"function": NAME}
SECONDS = dict.fromkeys(("predicted", "low", "high"), "s")
_UNMODELLED = {
    *("no_model_stopped", "no_model_zero", "no_model_zero_last", "no_model_few_counts"),
    *("no_size_model_unknown", "no_size_model_one", "no_size_model_uncrossed", "no_size_model_few"),
}
# Slopes this near to 0 or -1 are called by their name.
_NEAR = 0.1


def _counts(row: Row) -> str:
    return f"{row['counts']} ({row['smallest']}" + (
        f" to {row['largest']})" if row["counts"] > 1 else ")"
    )


def _interval(row: Row) -> str | None:
    """Return the interval of predicted seconds; None where nothing is predicted."""
    if row["predicted"] is None:
        return None
    return " - ".join(amounts([row["low"], row["high"]], "s"))


def _band(name: str) -> Callable[[Row], str | None]:
    """Return what a row has as the 90 % interval of a column."""

    def band(row: Row) -> str | None:
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        return None if low is None else f"{amount(low)} - {amount(high)}"

    return band


def _peak(row: Row) -> Any:
    if row["is_extrapolated"]:
        return f"{three_digits(row['peak'])} (extrapolated)"
    return row["peak"]


def ranked(rows: Sequence[Row]) -> tuple[list[Row], list[Row]]:
    """Return the ten functions with the longest time at the target, and the ten growing fastest.

    Those grow fastest whose share of the time gains most from the largest measured count on.
    `rows` are those of `scaling_functions`.
    """
    known = [row for row in rows if row["share"] is not None]
    growing = sorted(
        (row for row in known if (row["growth"] or 0) > 0.001),
        key=lambda row: -(row["growth"] or 0),
    )
    return known[:_RANKED_LINES], growing[:_RANKED_LINES]


def known_efficiencies(rows: Sequence[Row]) -> Sequence[Row]:
    """Return efficiencies; none where it is not known what the program spends its time on."""
    return rows if any(row["parallel_efficiency"] is not None for row in rows) else []


def _flags(flags: Sequence[Flag] | None) -> str | None:
    """Return the kind of each flag of a function, without its explanation, which is too long."""
    return flag_labels([flag for flag in flags or [] if flag["code"] != "scaling_assumed"])


SETS = table(
    "application version machine scaling counts functions runs newest_run",
    application=lambda row: UNNAMED if row["app"] is None else row["app"],
    scaling=lambda row: (
        row["scaling"] if row["parameter_kind"] in COUNTS else f"over {row['parameter']}"
    ),
    counts=_counts,
)
PROGRAM = table(
    "parallelism predicted interval speedup efficiency core_hours",
    units=SECONDS,
    interval=_interval,
)
_of_functions = partial(
    table, widths=WIDTHS, units=SECONDS, interval=_interval, flags=lambda row: _flags(row["flags"])
)
RANKED = _of_functions("function predicted interval share share_measured flags")
PATENT = _of_functions("function kind predicted interval share formula flags")
EFFICIENCIES = table(
    "parallelism computation_seconds communication_seconds load_balance communication_efficiency "
    "serialisation transfer parallel_efficiency computation_scaling global_efficiency "
    "serial_fraction"
)
LAWS = table(
    "law serial serial_interval coherence coherence_interval largest_speedup at smape",
    serial_interval=_band("serial"),
    coherence_interval=_band("coherence"),
    at=_peak,
)


def why_unmodelled(row: Row) -> str | None:
    """Return why a function has no model, None where it has one."""
    return first_text(row["flags"], _UNMODELLED)


def growth(row: Row) -> str:
    """Return how a function's time changes beyond the largest count, with its 90 % interval.

    `row` has exponent, exponent_low, exponent_high (slope in logarithms), and flags.
    """
    exponent, low, high = (row[f"exponent{end}"] for end in ("", "_low", "_high"))
    if exponent is None:
        why = why_unmodelled(row)
        return f"unknown: {cell(why, None)}" if why else "unknown"
    if low is None or high is None:
        return f"{_slope(exponent)} (p^{exponent:.2f})"
    text = f"{_slope(exponent)} (p^{exponent:.2f}, 90 %: {low:.2f} to {high:.2f})"
    return f"{text}; it may fall or grow" if low < -_NEAR and high > _NEAR else text


def _slope(exponent: float) -> str:
    if abs(exponent) < _NEAR:
        return "stays about the same"
    if exponent > 0:
        return "grows"
    return "falls in proportion" if abs(exponent + 1) < _NEAR else "falls"
