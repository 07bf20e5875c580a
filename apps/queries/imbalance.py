"""Questions about how evenly the ranks of a run share its work."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.scaling import ScalingSet

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def function_imbalance(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the imbalance of a run's functions, those with the most seconds to save first."""
    return ask(con, "imbalance/functions", run_id=run_id)


def work_imbalance(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return how evenly the ranks share the work: one row, none where fewer than two are known."""
    return ask(con, "imbalance/work", run_id=run_id)


def scaling_imbalance(con: DuckDBPyConnection, which: ScalingSet) -> DuckDBPyRelation:
    """Return the imbalance of a set's functions at its largest count, and how it grows."""
    return ask(con, "imbalance/scaling", **which.keys)


MOST_RANKS = 256


def rank_shares(
    con: DuckDBPyConnection,
    which: ScalingSet,
    functions: Sequence[str],
    parallelism: int,
    most: int = MOST_RANKS,
) -> DuckDBPyRelation:
    """Return the time of functions on each rank over its mean: function, ranks, seconds, of_mean.

    Of more than `most` ranks it is the largest of neighbours, first_rank to last_rank.
    """
    at = {"parallelism": parallelism, "most": most, "functions": json.dumps(list(functions))}
    return ask(con, "imbalance/ranks", **which.keys, **at)
