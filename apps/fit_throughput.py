"""`pwh fit throughput`: what there is to learn from, the reduction, and what is said of the fit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from apps.output import table_text
from warehouse import models, throughput
from warehouse.errors import NothingToAnalyse, UsageError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

    from udfs.throughput.fitting import Fitted, Thinned
    from warehouse.models import Fit
    from warehouse.throughput import Gathered

_REDUCE = re.compile(r"som:(\d+),(\d*\.?\d+)")
_MEASURES = ("mean error", "median error", "Kendall's tau")


def reduction(text: str | None) -> tuple[int, float] | None:
    """Read --reduce: classes of the map and the share kept; raises `UsageError`."""
    if text is None:
        return None
    found = _REDUCE.fullmatch(text.strip().lower())
    if found is None or not int(found[1]) or not 0 < float(found[2]) <= 1:
        raise UsageError(
            f"--reduce {text!r} is no reduction",
            hint="som:200,0.15 sorts segments into 200 classes and keeps 15 % of each.",
        )
    return int(found[1]), float(found[2])


def gather(con: DuckDBPyConnection, form: str | None) -> Gathered:
    """Read the measured segments of a form, by default the one with most.

    Raises `NothingToAnalyse` where there are too few.
    """
    there = throughput.measured(con)
    if not there:
        raise NothingToAnalyse(
            "there are no segments with measured cycles",
            hint="Ingest some: segments of traces with cycles, or blocks of machine code with "
            "cycles per 100 iterations.",
        )
    return throughput.gather(con, form or next(iter(there)))


def said(
    con: DuckDBPyConnection, gathered: Gathered, fitted: Fitted, fit: Fit, version: int
) -> str:
    """Give the report on a model that was just stored."""
    used = models.in_force(con, throughput.KIND, fit.subject)
    force = "in force from now on" if used == version else f"a person chose throughput/{used}"
    lines = [
        f"Model throughput/{version} of {fit.subject}: {fit.algorithm}, {force}.",
        f"* It learned from {fit.description}, in {fitted.seconds:.0f} s.",
    ]
    if gathered.kept_out:
        why = ", ".join(f"{count} {reason}" for reason, count in gathered.kept_out.items())
        lines.append(f"* Kept out: {why}.")
    if fitted.thinned is not None:
        lines.append(f"* {_reduction_said(fitted.thinned)}")
    band = [value for _, _, what, value in fit.scores if what == "in the band"]
    if band:
        lines.append(f"* Its 90 % band held {band[0]:.0%} of the segments held out.")
    lines.append(f"* {_network_said(fitted)}")
    return "\n".join([*lines, "", "Errors of the predicted cycles", _score_table(fit)])


def _reduction_said(thinned: Thinned) -> str:
    faster = thinned.seconds_all / max(thinned.seconds_kept, 1e-9)
    return (
        f"Reduction: {thinned.kept} segments stand for {thinned.segments} "
        f"({thinned.classes} classes of the map). The network's mean error on groups held out is "
        f"{thinned.error_kept:.1%}, from all segments {thinned.error_all:.1%}; it took "
        f"{thinned.seconds_kept:.1f} s, from all {thinned.seconds_all:.1f} s "
        f"({faster:.1f} times as long)."
    )


def _network_said(fitted: Fitted) -> str:
    error = {
        name: value
        for name, split, what, value in fitted.scores
        if what == "mean error" and split == "groups held out"
    }
    better = [n for n, value in error.items() if n != "network" and value <= error["network"]]
    if better:
        return f"The network does not beat everything beside it: {', '.join(better)} did as well."
    return "The network is the best of all on groups held out."


def _score_table(fit: Fit) -> str:
    """Give a line for every algorithm: its scores on groups held out, then at random."""
    splits = list(dict.fromkeys(split for _, split, *_ in fit.scores))
    values = {(name, split, what): value for name, split, what, value in fit.scores}
    rows = [
        (
            f"{name}{' *' if name == fit.algorithm else ''}",
            *(
                _cell(values.get((name, split, what)), what)
                for split in splits
                for what in _MEASURES
            ),
        )
        for name in dict.fromkeys(name for name, *_ in fit.scores)
    ]
    heads = [
        f"{what}{'' if i == 0 else ' (random)'}" for i in range(len(splits)) for what in _MEASURES
    ]
    legend = [
        f"Held out: {splits[0]}; (random): {splits[1]}, which flatters: near-duplicates are seen.",
        "*: the model stored",
    ]
    return "\n".join([table_text(("algorithm", *heads), rows), *legend])


def _cell(value: float | None, what: str) -> str | None:
    if value is None:
        return None
    return f"{value:.2f}" if what == "Kendall's tau" else f"{value:.1%}"
