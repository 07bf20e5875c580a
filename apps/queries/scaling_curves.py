"""Questions whose answers are drawn as curves of time by parallelism."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.scaling import of_set

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

    from apps.queries.scaling import ScalingSet

_POINTS = 32


def counts_between(smallest: int, largest: int) -> list[int]:
    """Give about 32 counts from the smallest to the largest, evenly on a log scale, both in."""
    if largest <= smallest:
        return [smallest]
    step = math.log(largest / smallest) / _POINTS
    return sorted({round(smallest * math.exp(i * step)) for i in range(_POINTS + 1)})


def scaling_measured(con: DuckDBPyConnection, which: ScalingSet) -> DuckDBPyRelation:
    """Give measured times by count, of functions and of the program (function NULL), s."""
    return ask(con, "ui_scaling_measured", **of_set(con, which))


def scaling_fitted(
    con: DuckDBPyConnection, which: ScalingSet, functions: Sequence[str], counts: Sequence[int]
) -> DuckDBPyRelation:
    """Give predicted times of functions at counts with their 90 % intervals, s."""
    params = {"functions": json.dumps(list(functions)), "counts": list(counts)}
    return ask(con, "ui_scaling_fitted", **of_set(con, which), **params)


def scaling_models_of(con: DuckDBPyConnection, which: ScalingSet) -> DuckDBPyRelation:
    """Give the models of a set's functions: exponent with its interval, formula, flags."""
    return ask(con, "ui_scaling_models_of", **of_set(con, which))
