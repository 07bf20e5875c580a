"""The command demo: a warehouse filled from recordings that pwh carries."""

from __future__ import annotations

from typing import Annotated

import typer


def demo(
    context: typer.Context,
    sunway: Annotated[
        bool,
        typer.Option(
            "--sunway",
            help="Instead, generated counters of a Sunway TaihuLight, a model fitted to such, and "
            "pictures of their metrics: sunway.svg.",
        ),
    ] = False,
) -> None:
    """Fill a fresh warehouse from small traces that pwh carries, and show what it answers."""
    from apps.demo import sunway_tour, tour

    (sunway_tour if sunway else tour)(context.obj)
