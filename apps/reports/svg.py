"""Pictures of a report as SVG inside HTML: bars, a timeline. All text is escaped.

Colours are CSS variables of the page, so that pictures follow its light or dark scheme.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from math import ceil, floor, log10

from apps.output.numbers import amount
from apps.output.tables import Row
from apps.output.text import cell, short_names

_WIDTH = 720
_BAR, _GAP = 18, 6
_LABEL = 220
_LANE = 16
_LEFT = 110
_NAME, _WORKER = 30, 16


def bars(names: Sequence[str], shares: Sequence[float], texts: Sequence[str], title: str) -> str:
    """Return horizontal bars, one a name: shares of 0..1, and what is written next to each."""
    room = _WIDTH - _LABEL - 90
    most = max(shares, default=0) or 1
    parts = []
    for place, (name, share, number) in enumerate(
        zip(short_names(names, _NAME), shares, texts, strict=True)
    ):
        top = place * (_BAR + _GAP)
        length = max(1.0, room * share / most)
        middle = top + _BAR * 0.72
        parts += [
            text(_LABEL - 8, middle, name, "end"),
            f'<rect x="{_LABEL}" y="{top}" width="{length:.1f}" height="{_BAR}" rx="2" '
            f'class="bar"><title>{escape(cell(names[place], None))}</title></rect>',
            text(_LABEL + length + 6, middle, number, "start"),
        ]
    return _picture(len(names) * (_BAR + _GAP), title, parts)


def lanes(pieces: Sequence[Row], classes: Mapping[str, str], title: str) -> str:
    """Return what workers did when, a lane each: the rows of `apps.queries.timeline.timeline`.

    `classes` are the CSS classes of causes.
    """
    workers: dict[int, str] = {row["lane"]: row["worker"] for row in pieces}
    place = {lane: number for number, lane in enumerate(sorted(workers))}
    end = max(row["t_end"] for row in pieces) or 1
    scale = (_WIDTH - _LEFT) / end
    names = short_names([cell(workers[lane], None) for lane in place], _WORKER)
    parts = [
        text(_LEFT - 8, (number + 0.75) * _LANE, name, "end") for number, name in enumerate(names)
    ]
    for row in pieces:
        top = (place[row["lane"]] + 0.08 + 0.84 * row["low"]) * _LANE
        height = 0.84 * (row["high"] - row["low"]) * _LANE
        begin, width = row["t_start"] * scale, (row["t_end"] - row["t_start"]) * scale
        what = row["what"] or row["cause"]
        parts.append(
            f'<rect x="{_LEFT + begin:.2f}" y="{top:.2f}" width="{max(width, 0.3):.2f}" '
            f'height="{height:.2f}" class="{classes[row["cause"]]}">'
            f"<title>{escape(cell(what, None))}</title></rect>"
        )
    height = len(place) * _LANE
    for time in ticks(end):
        at = _LEFT + time * scale
        parts.append(f'<path d="M{at:.1f} 0V{height}" class="grid"/>')
        anchor = "end" if at > _WIDTH - 30 else "middle"
        parts.append(text(at, height + 14, amount(time, "s"), anchor))
    return _picture(height + 20, title, parts)


def ticks(most: float, least: float = 0.0) -> list[float]:
    """Return two to five round numbers from `least` to `most`, which is above it."""
    span = most - least
    size = 10.0 ** floor(log10(span))
    step = next(s * size for s in (0.2, 0.5, 1, 2) if span / (s * size) < 5.5)
    first, last = ceil(least / step - 1e-9), floor(most / step + 1e-9)
    return [min(number * step, most) for number in range(first, last + 1)]


def text(x: float, y: float, words: str, anchor: str) -> str:
    """Return words at a place, escaped."""
    shown = escape(cell(words, None))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{shown}</text>'


def _picture(height: float, title: str, parts: Sequence[str]) -> str:
    named = escape(cell(title, None))
    return (
        f'<svg viewBox="0 0 {_WIDTH} {height + 4:.0f}" role="img" aria-label="{named}">'
        f"{''.join(parts)}</svg>"
    )
