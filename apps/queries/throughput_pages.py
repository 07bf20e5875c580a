"""Questions about throughput that only the app asks: segments and threads to be drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from apps.queries.base import ask
from apps.queries.throughput import of_run, throughput_threads

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

MOST_SEGMENTS = 2000
_MOST_THREADS = 24


def streamed_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Give the runs with segments of instruction streams, the latest first."""
    return ask(con, "ui_throughput_runs")


def drawn_segments(
    con: DuckDBPyConnection, run_id: str, most: int = MOST_SEGMENTS
) -> DuckDBPyRelation:
    """Give a run's measured segments with predicted instructions per cycle and tightest bound.

    Of more than `most` segments, `most` spread evenly; column segments says how many there are.
    """
    return ask(con, "ui_throughput_segments", **of_run(con, run_id), most=most)


def largest_threads(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Give the threads of a run with the most instructions, and what they could reach."""
    return throughput_threads(con, run_id).limit(_MOST_THREADS)
