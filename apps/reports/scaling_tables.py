"""Tables of scaling: sets of runs, predictions of a program and of its functions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from apps.output.numbers import amount, percent, three_digits
from apps.output.tables import Row
from apps.output.text import cell
from apps.reports.flags import Flag, first_text, flag_labels
from apps.reports.scaling_question import UNNAMED
from ingest.parsing.parameters import COUNTS

SETS = ("application", "version", "machine", "scaling", "counts", "functions", "runs", "newest run")
PROGRAM = ("parallelism", "seconds", "interval", "speed-up", "efficiency", "core hours")
RANKED = ("function", "seconds", "interval", "share", "at largest", "flags")
EFFICIENCIES = (
    *("parallelism", "computation", "communication", "load balance", "comm. eff."),
    *("serialisation", "transfer", "parallel eff.", "comp. scaling"),
    *("global eff.", "serial part"),
)
LAWS = ("law", "serial part", "90 %", "coherence", "90 % ", "largest speed-up", "at", "SMAPE")
PATENT = ("function", "kind", "seconds", "interval", "share", "formula", "flags")
_RANKED_LINES = 10
# Counts from which a set of runs can be modelled.
LEAST_COUNTS = 3
# Names of functions in tables and sentences have as many characters at most.
NAME = 36
WIDTHS = {"function": NAME}
_UNMODELLED = {
    *("no_model_stopped", "no_model_zero", "no_model_zero_last", "no_model_few_counts"),
    *("no_size_model_unknown", "no_size_model_one", "no_size_model_uncrossed", "no_size_model_few"),
}
# Slopes this near to 0 or -1 are called by their name.
_NEAR = 0.1


def set_lines(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return the lines of the table SETS from the rows of `scaling_contents`."""
    return [
        (
            UNNAMED if row["app"] is None else row["app"],
            row["version"],
            row["machine"],
            row["scaling"] if row["parameter_kind"] in COUNTS else f"over {row['parameter']}",
            f"{row['counts']} ({row['smallest']} to {row['largest']})"
            if row["counts"] > 1
            else f"1 ({row['smallest']})",
            row["functions"],
            row["runs"],
            row["newest_run"],
        )
        for row in rows
    ]


def program_lines(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return the rows of `predict_program` as lines under `PROGRAM`."""
    return [
        (row["parallelism"], None, None, None, None, None)
        if row["predicted"] is None
        else (
            row["parallelism"],
            *_figures(row),
            three_digits(row["speedup"]),
            percent(row["efficiency"]),
            three_digits(row["core_hours"]),
        )
        for row in rows
    ]


def ranking_lines(rows: Sequence[Row]) -> tuple[list[Any], list[Any]]:
    """Return the ten functions with the longest time at the target, and the ten growing fastest.

    Those grow fastest whose share of the time gains most from the largest measured count on.
    `rows` are those of `scaling_functions`. Each line is (function, predicted s, interval, share,
    share at the largest count, flags).
    """
    known = [row for row in rows if row["share"] is not None]
    growing = sorted(
        (row for row in known if (row["growth"] or 0) > 0.001),
        key=lambda row: -(row["growth"] or 0),
    )
    return [_ranked_line(row) for row in known[:_RANKED_LINES]], [
        _ranked_line(row) for row in growing[:_RANKED_LINES]
    ]


def patent_lines(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return the rows of the question `scaling/patent` as lines under `PATENT`."""
    return [
        (
            row["function"],
            row["kind"],
            *((None, None) if row["predicted"] is None else _figures(row)),
            percent(row["share"]),
            row["formula"],
            _flags(row["flags"]),
        )
        for row in rows
    ]


def efficiency_lines(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return the rows of the question `scaling/efficiencies` as lines under `EFFICIENCIES`.

    Nothing where it is not known what the time of the program is spent on.
    """
    shares = (
        *("load_balance", "communication_efficiency", "serialisation", "transfer"),
        *("parallel_efficiency", "computation_scaling", "global_efficiency"),
    )
    if all(row["parallel_efficiency"] is None for row in rows):
        return []
    return [
        (
            row["parallelism"],
            *(amount(row[f"{part}_seconds"], "s") for part in ("computation", "communication")),
            *(percent(row[name]) for name in shares),
            three_digits(row["serial_fraction"]),
        )
        for row in rows
    ]


def law_lines(rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    """Return the rows of the question `scaling/laws` as lines under `LAWS`."""

    def band(row: Row, name: str) -> str | None:
        low, high = row[f"{name}_low"], row[f"{name}_high"]
        return None if low is None else f"{amount(low)} - {amount(high)}"

    return [
        (
            row["law"],
            three_digits(row["serial"]),
            band(row, "serial"),
            three_digits(row["coherence"]),
            band(row, "coherence"),
            three_digits(row["most"]),
            f"{three_digits(row['peak'])} (extrapolated)"
            if row["is_extrapolated"]
            else three_digits(row["peak"]),
            percent(row["smape"]),
        )
        for row in rows
    ]


def _ranked_line(row: Row) -> tuple[Any, ...]:
    return (
        row["function"],
        *_figures(row),
        percent(row["share"]),
        percent(row["share_measured"]),
        _flags(row["flags"]),
    )


def _figures(row: Row) -> tuple[float | None, str]:
    """Return the predicted seconds and their interval, to three digits."""
    return three_digits(row["predicted"]), f"{amount(row['low'])} - {amount(row['high'])}"


def _flags(flags: Sequence[Flag] | None) -> str | None:
    """Return the kind of each flag of a function, without its explanation, which is too long."""
    return flag_labels([flag for flag in flags or [] if flag["code"] != "scaling_assumed"])


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
