"""The command demo: a warehouse filled from recordings that pwh carries."""

from __future__ import annotations

import typer


def demo(context: typer.Context) -> None:
    """Fill a fresh warehouse from small traces that pwh carries, and show what it answers."""
    from apps.demo import tour

    tour(context.obj)
