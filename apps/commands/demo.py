"""The command demo: a warehouse filled from recordings that pwh carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer


def demo(context: typer.Context) -> None:
    """Fill a fresh warehouse from small traces that pwh carries, and show what it answers."""
    from apps.demo import tour

    tour(context.obj)


COMMANDS: tuple[Callable[..., Any], ...] = (demo,)
