"""Bars on stderr for what takes long, on a terminal only."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")


def bar() -> Progress:
    """Return a bar on stderr that shows the time passed and the time to go."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def watched(steps: Iterable[tuple[float, T]], title: str) -> Iterator[T]:
    """Yield what each step returns; a bar shows the share of the work that is done after it."""
    if not sys.stderr.isatty():
        yield from (result for _, result in steps)
        return
    with bar() as shown:
        task = shown.add_task(title, total=1.0)
        for share, result in steps:
            shown.update(task, completed=share)
            yield result
