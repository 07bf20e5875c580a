"""Bars on stderr for what takes long, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

from apps.output.streams import note

if TYPE_CHECKING:
    from rich.progress import Progress

T = TypeVar("T")


def bar() -> Progress:
    """Return a bar on stderr that shows the time passed and the time to go."""
    from rich import progress
    from rich.console import Console

    return progress.Progress(
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TimeElapsedColumn(),
        progress.TimeRemainingColumn(),
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


class Countdown:
    """Prints now and then how far a sequence of steps is, where each of them writes to stdout.

    On a terminal only, from the second second on, and then every ten.
    """

    _FIRST, _EVERY = 2.0, 10.0

    def __init__(self, total: int, steps: str) -> None:
        """Begin to count `total` steps, which are so called."""
        self._total = total
        self._steps = steps
        self._began = time.monotonic()
        self._next = self._began + self._FIRST

    def after(self, done: int) -> str | None:
        """Return how much is left after a number of steps; None before it is time to print it."""
        now = time.monotonic()
        if now < self._next or not 0 < done < self._total or not sys.stderr.isatty():
            return None
        self._next = now + self._EVERY
        left = (now - self._began) / done * (self._total - done)
        return f"{done:,} of {self._total:,} {self._steps}, {time_to_go(left)}"


def time_to_go(seconds: float) -> str:
    """Return in words how much time is left, in minutes and seconds."""
    return "{}:{:02} to go".format(*divmod(round(seconds), 60))


def note_progress(step: str, left: float | None = None) -> None:
    """Note a step of long work on stderr, with the seconds left where they are known."""
    note(step if left is None else f"{step}; about {time_to_go(left)}")
