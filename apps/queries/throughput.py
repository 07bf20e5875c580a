"""Questions about what instruction streams could sustain, and what limits them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import Question, ask

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation


def throughput_threads(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the threads of a run: predicted, bounds and measured, the most instructions first."""
    return ask(con, "throughput/threads", run_id=run_id)


def throughput_segments(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the segments of a run, those with most cycles to gain first."""
    return ask(con, "throughput/segments", run_id=run_id)


def throughput_block(
    con: DuckDBPyConnection, code: str, core: str | None, isa: str | None
) -> DuckDBPyRelation:
    """Return the one row of a block of machine code in hexadecimal, for a core."""
    return ask(con, "throughput/block", hex=code, core=core, isa=isa)


def throughput_cores(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the cores of the bounds of what is not predicted, and their sources."""
    return ask(con, "throughput/cores", run_id=run_id)


def thread_list(run_id: str) -> Question:
    """Return the question for the threads of a run, the most instructions first."""
    return Question("throughput/threads", {"run_id": run_id})


def segment_list(run_id: str) -> Question:
    """Return the question for the segments of a run, those with most cycles to gain first."""
    return Question("throughput/segments", {"run_id": run_id})


def throughput_limits(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return what limits the predicted cycles of a run."""
    return ask(con, "throughput/limits", run_id=run_id)


def throughput_effects(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return feature contributions to a run's cycles by group of features, the largest first.

    Of many segments some are used, spread evenly; the column segments contains how many.
    """
    return ask(con, "throughput/effects", run_id=run_id)


def throughput_flags(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the flags of a run's segments, and the number of segments of each."""
    return ask(con, "throughput/flags", run_id=run_id)


def throughput_model(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the models that predicted for a run."""
    return ask(con, "throughput/model", run_id=run_id)


def counted_ipc(con: DuckDBPyConnection, run_id: str) -> float | None:
    """Return the instructions per cycle by the run's counters; None where not counted."""
    row = ask(con, "throughput/counters", run_id=run_id).fetchone()
    return None if row is None or row[0] is None else float(row[0])


MOST_SEGMENTS = 2000
_MOST_THREADS = 24


def streamed_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the runs with segments of instruction streams, the latest first."""
    return ask(con, "throughput/runs")


def plotted_segments(
    con: DuckDBPyConnection, run_id: str, most: int = MOST_SEGMENTS
) -> DuckDBPyRelation:
    """Return a run's measured segments with predicted instructions per cycle and tightest bound.

    Of more than `most` segments, `most` spread evenly; the column segments contains the total.
    """
    return ask(con, "throughput/plotted_segments", run_id=run_id, most=most)


def largest_threads(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the threads of a run with the most instructions, and what they could reach."""
    return throughput_threads(con, run_id).limit(_MOST_THREADS)
