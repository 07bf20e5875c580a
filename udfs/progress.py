"""How long work reports how far it is."""

from __future__ import annotations

from typing import Protocol


class Progress(Protocol):
    """Called with each step of long work."""

    def __call__(self, step: str, left: float | None = None) -> None:
        """Report a step in words, and about how many seconds all that follows takes yet."""


def silent(step: str, left: float | None = None) -> None:
    """Report nothing."""
