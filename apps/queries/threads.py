"""Questions about the threads of a run: verdicts, groups, phases, control flow, pictures."""

from __future__ import annotations

from typing import Any

from apps.queries.base import ask
from warehouse.errors import UsageError
from warehouse.messages import plain_message
from warehouse.session import Connection


def thread_picture(
    con: Connection, run_id: str, launch: int, block: int | None, metric: str, vectors: str
) -> list[tuple[Any, bytes]]:
    """Return the picture of a thread block: a thread and its row of pixels, one byte each.

    `vectors` are those of visits or of barriers: none where these are not known. Raises
    `UsageError` where its threads are too many.
    """
    import duckdb

    params = {"run_id": run_id, "launch": launch, "block": block, "metric": metric}
    params["vectors"] = vectors
    try:
        rows: list[tuple[Any, bytes]] = ask(con, "threads/picture", **params).fetchall()
    except duckdb.InvalidInputException as error:
        # Of these arguments the function refuses only too many threads.
        raise UsageError(
            f"no picture of launch {launch}: {plain_message(error)}",
            hint="Choose one with --block; --groups lists groups of similar threads.",
        ) from None
    return rows
