"""Questions about what instruction streams could sustain, and what limits them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.queries.base import MOST_HELD, ask, hold

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

# Segments that a summary of effects looks at, about: each is predicted 64 times.
_LOOKED_AT = 1000


def of_run(con: DuckDBPyConnection, run_id: str) -> dict[str, Any]:
    """Give the parameters of a question about one run: it, and what is held of its predictions."""
    of = hold(con, {"throughput_predictions": "hold_run"}, most=MOST_HELD, run_id=run_id)
    return {"run_id": run_id, "of": of}


def throughput_threads(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give the threads of a run: predicted, bounds and measured, the most instructions first."""
    return ask(con, "throughput_threads", **of_run(con, run_id))


def throughput_segments(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give the segments of a run, those with most to gain first."""
    return ask(con, "throughput_segments", **of_run(con, run_id))


def throughput_limits(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give what the predicted cycles of a run go to."""
    return ask(con, "throughput_limits", **of_run(con, run_id))


def throughput_effects(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give what the model holds against a run's segments by group of features, the worst first.

    Of very many segments some are looked at, spread evenly; column segments says how many.
    """
    return ask(con, "throughput_effects", **of_run(con, run_id), most=_LOOKED_AT)


def throughput_flags(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give what is flagged of a run's segments, and on how many."""
    return ask(con, "throughput_flags", **of_run(con, run_id))


def throughput_model(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give the models that predicted for a run."""
    return ask(con, "throughput_model", **of_run(con, run_id))


def counted_ipc(con: DuckDBPyConnection, run_id: str) -> float | None:
    """Give the instructions per cycle that the run's counters say; None where they do not."""
    row = ask(con, "throughput_counters", run_id=run_id).fetchone()
    return None if row is None or row[0] is None else float(row[0])
