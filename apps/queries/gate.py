"""Questions about a candidate and its baseline."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

from apps.queries.base import ask
from apps.queries.comparison import LEVEL
from warehouse.session import Connection, Relation


@dataclass(frozen=True, slots=True)
class Terms:
    """What a gate allows: the regression `limit` (0.05 is 5 %).

    Without `limit` it is that of change_thresholds, else `default_limit`. `better` (lower, higher)
    is the direction of metrics without a known one; `undirected` includes them without.
    `provisional` is whether changes that are not certain yet count; `level` is the probability
    with which what is worse is so.
    """

    limit: float | None
    default_limit: float
    better: str | None = None
    undirected: bool = False
    provisional: bool = False
    level: float = LEVEL


def gate_metrics(
    con: Connection,
    app: str,
    before: Sequence[str],
    after: Sequence[str],
    compared: Relation,
    shown: Sequence[str],
    terms: Terms,
) -> Relation:
    """Return the verdict on each metric under these terms, the worst first.

    Of the metrics `compared` (`run_comparison`) those that match `shown` (patterns) are judged.
    """
    return ask(
        con,
        "gate/metrics",
        app=app,
        before=json.dumps(list(before)),
        after=json.dumps(list(after)),
        compared=compared.alias,
        shown=json.dumps(list(shown)),
        **asdict(terms),
    )


def levels_compared(
    con: Connection,
    after: Sequence[str],
    level: float,
    metrics: Sequence[str],
    better: str | None,
) -> Relation:
    """Return runs against the level of each metric before its largest open change, else now."""
    asked = {"level": level, "patterns": list(metrics), "better": better}
    return ask(con, "gate/levels", after=list(after), **asked)
