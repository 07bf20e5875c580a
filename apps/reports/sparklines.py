"""A history as a picture in a cell of a table: straight lines, and where the level changed."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from urllib.parse import quote

from apps.output.colours import BLUE, RED

_WIDTH, _HEIGHT, _MARGIN = 120, 26, 3


def sparkline(values: Sequence[float | None], change_at: int | None) -> str | None:
    """Return values in their order as the address of a picture; None of fewer than two.

    `change_at` is the place, from 1, of the first value after a change: a line stands before it.
    """
    known = [
        (place, value)
        for place, value in enumerate(values)
        if value is not None and isfinite(value)
    ]
    if len(known) < 2:
        return None
    low, high = min(value for _, value in known), max(value for _, value in known)
    step = (_WIDTH - 2 * _MARGIN) / (len(values) - 1)
    room = (_HEIGHT - 2 * _MARGIN) / ((high - low) or 1)
    line = " ".join(
        f"{_MARGIN + place * step:.1f},{_HEIGHT - _MARGIN - (value - low) * room:.1f}"
        for place, value in known
    )
    mark = ""
    if change_at is not None:
        x = _MARGIN + (change_at - 1.5) * step
        mark = f'<path d="M{x:.1f} 0V{_HEIGHT}" stroke="{RED}" stroke-dasharray="3 2"/>'
    picture = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}">{mark}'
        f'<polyline points="{line}" fill="none" stroke="{BLUE}" stroke-width="1.5"/></svg>'
    )
    return f"data:image/svg+xml,{quote(picture)}"
