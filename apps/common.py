"""What the commands share: options, and opening the warehouse."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from apps.output import Format, note
from apps.queries.base import Held, holding

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

FormatOption = Annotated[Format, typer.Option("--format", "-f", help="How to write the rows.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to this file, not to stdout.")
]
WaitOption = Annotated[
    float, typer.Option("--wait", min=0, help="Seconds to wait while another process writes.")
]


@contextmanager
def reading(context: typer.Context, wait: float = 60.0) -> Iterator[DuckDBPyConnection]:
    """Open the warehouse for reading, briefly."""
    import warehouse

    con = warehouse.connect(context.obj, read_only=True, wait=wait, on_wait=note)
    try:
        with holding(Held()):
            yield con
    finally:
        con.close()


@contextmanager
def writing(
    context: typer.Context, wait: float = 60.0, *, create: bool = False
) -> Iterator[DuckDBPyConnection]:
    """Open the warehouse for writing; `create` makes it where it is not there."""
    import warehouse

    con = warehouse.connect(context.obj, create=create, wait=wait, on_wait=note)
    try:
        yield con
    finally:
        con.close()
