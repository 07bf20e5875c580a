"""Questions about the threads of a run: verdicts, groups, phases, control flow, pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from apps.queries.base import Question, ask
from warehouse.errors import UsageError
from warehouse.messages import plain_message

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

_TOO_MANY = "are too many for one matrix"
_LAST = 2**31 - 1


def _launches(launch: int | None) -> dict[str, int]:
    # A range, as a comparison with NULL would keep DuckDB from skipping other launches.
    return {"first": 0, "last": _LAST} if launch is None else {"first": launch, "last": launch}


def thread_verdicts(
    con: DuckDBPyConnection, run_id: str, launch: int | None = None
) -> DuckDBPyRelation:
    """Return the verdict on the threads of each launch, or of one, with its figures."""
    return ask(con, "threads/verdicts", run_id=run_id, **_launches(launch))


def kernel_verdicts(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return the verdict on the threads of a program, then of its kernels, over all launches."""
    return ask(con, "threads/kernels", run_id=run_id)


def thread_launches(con: DuckDBPyConnection, run_id: str) -> list[int]:
    """Return the launches of a run, also those without visits."""
    return [launch for (launch,) in ask(con, "threads/launches", run_id=run_id).fetchall()]


def thread_blocks(
    con: DuckDBPyConnection, run_id: str, launch: int, metric: str, block: int | None = None
) -> DuckDBPyRelation:
    """Return the thread blocks of a launch, or one, those with the most fluctuation first."""
    return ask(con, "threads/blocks", run_id=run_id, launch=launch, metric=metric, block=block)


def thread_groups(
    con: DuckDBPyConnection, run_id: str, launch: int | None = None
) -> DuckDBPyRelation:
    """Return the groups of similar threads, with a representative of each."""
    return ask(con, "threads/groups", run_id=run_id, **_launches(launch))


def thread_warps(
    con: DuckDBPyConnection, run_id: str, launch: int | None = None
) -> DuckDBPyRelation:
    """Return warps, those that lose most to divergence first."""
    return ask(con, "threads/warps", run_id=run_id, **_launches(launch))


def thread_phases(
    con: DuckDBPyConnection, run_id: str, launch: int | None = None
) -> DuckDBPyRelation:
    """Return the phases of each thread, with a representative interval of each and its weight."""
    return ask(con, "threads/phases", run_id=run_id, **_launches(launch))


def thread_imbalance(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return how unevenly the threads of each CPU process share its work, the worst first."""
    return ask(con, "threads/imbalance", run_id=run_id)


def imbalance_functions(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return how unevenly threads share each function, what adds most to the imbalance first."""
    return ask(con, "threads/functions", run_id=run_id)


def thread_work(con: DuckDBPyConnection, run_id: str) -> DuckDBPyRelation:
    """Return what each thread of the CPU processes of a run spent."""
    return ask(con, "threads/work", run_id=run_id)


def group_list(run_id: str, launch: int | None) -> Question:
    """Return the question for the groups of similar threads."""
    return Question("threads/groups", {"run_id": run_id, **_launches(launch)})


def warp_list(run_id: str, launch: int | None) -> Question:
    """Return the question for warps, those that lose most to divergence first."""
    return Question("threads/warps", {"run_id": run_id, **_launches(launch)})


def phase_list(run_id: str, launch: int | None) -> Question:
    """Return the question for the phases of threads over time."""
    return Question("threads/phases", {"run_id": run_id, **_launches(launch)})


def graph_blocks(con: DuckDBPyConnection, run_id: str, launch: int) -> DuckDBPyRelation:
    """Return the basic blocks that a launch visited, the most executed first."""
    return ask(con, "threads/graph_blocks", run_id=run_id, launch=launch)


def graph_edges(con: DuckDBPyConnection, run_id: str, launch: int) -> DuckDBPyRelation:
    """Return the edges of a launch's control-flow graph with their probabilities."""
    return ask(con, "threads/graph_edges", run_id=run_id, launch=launch)


def thread_picture(
    con: DuckDBPyConnection, run_id: str, launch: int, block: int | None, metric: str
) -> list[tuple[Any, bytes]]:
    """Return the picture of a thread block: a thread and its row of pixels, one byte each.

    Raises `UsageError` where its threads are too many.
    """
    import duckdb

    params = {"run_id": run_id, "launch": launch, "block": block, "metric": metric}
    try:
        rows: list[tuple[Any, bytes]] = ask(con, "threads/picture", **params).fetchall()
    except duckdb.Error as error:
        message = plain_message(error)
        if _TOO_MANY not in message:
            raise
        raise UsageError(
            f"no picture of launch {launch}: {message}",
            hint="Choose one with --block; --groups lists groups of similar threads.",
        ) from None
    return rows


def behaviour_thresholds(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the rates over which a behaviour is prominent, and their origin."""
    return ask(con, "threads/thresholds")


_MOST_BLOCKS = 100


def traced_runs(con: DuckDBPyConnection) -> DuckDBPyRelation:
    """Return the runs with traces of basic blocks, the latest first."""
    return ask(con, "threads/runs")


def fluctuating_blocks(
    con: DuckDBPyConnection, run_id: str, launch: int, metric: str
) -> DuckDBPyRelation:
    """Return the hundred thread blocks of a launch with the most fluctuation, the most first."""
    return thread_blocks(con, run_id, launch, metric).limit(_MOST_BLOCKS)
