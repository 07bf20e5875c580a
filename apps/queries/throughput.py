"""Questions about what instruction streams could sustain, and what limits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import Narrowing, Question, ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

# Segments that a summary of effects looks at, about: each is predicted 64 times.
_LOOKED_AT = 1000


def predictions_of(run_id: str) -> Narrowing:
    """Return what questions about the instruction streams of a run have in common."""
    rows = Question("throughput/predictions", {"run_id": run_id})
    return Narrowing({"throughput_predictions": rows})


def throughput_threads(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the threads of a run: predicted, bounds and measured, the most instructions first."""
    return ask(con, "throughput/threads", run_id=run_id)


def throughput_segments(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the segments of a run, those with most to gain first."""
    return ask(con, "throughput/segments", run_id=run_id)


def thread_list(run_id: str) -> Question:
    """Return the question for the threads of a run, the most instructions first."""
    return Question("throughput/threads", {"run_id": run_id})


def segment_list(run_id: str) -> Question:
    """Return the question for the segments of a run, those with most to gain first."""
    return Question("throughput/segments", {"run_id": run_id})


def throughput_limits(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return what the predicted cycles of a run go to."""
    return ask(con, "throughput/limits", run_id=run_id)


def throughput_effects(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return what the model holds against a run's segments by group of features, the worst first.

    Of very many segments some are looked at, spread evenly; column segments says how many.
    """
    return ask(con, "throughput/effects", run_id=run_id, most=_LOOKED_AT)


def throughput_flags(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return what is flagged of a run's segments, and on how many."""
    return ask(con, "throughput/flags", run_id=run_id)


def throughput_model(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the models that predicted for a run."""
    return ask(con, "throughput/model", run_id=run_id)


def counted_ipc(con: DuckDBPyConnection, run_id: str) -> float | None:
    """Return the instructions per cycle that the run's counters say; None where they do not."""
    row = ask(con, "throughput/counters", run_id=run_id).fetchone()
    return None if row is None or row[0] is None else float(row[0])


MOST_SEGMENTS = 2000
_MOST_THREADS = 24


def streamed_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the runs with segments of instruction streams, the latest first."""
    return ask(con, "throughput/runs")


def drawn_segments(
    con: DuckDBPyConnection, run_id: str, most: int = MOST_SEGMENTS
) -> DuckDBPyRelation:
    """Return a run's measured segments with predicted instructions per cycle and tightest bound.

    Of more than `most` segments, `most` spread evenly; column segments says how many there are.
    """
    return ask(con, "throughput/drawn_segments", run_id=run_id, most=most)


def largest_threads(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the threads of a run with the most instructions, and what they could reach."""
    return throughput_threads(con, run_id).limit(_MOST_THREADS)
