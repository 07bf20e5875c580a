"""Charts of rows as SVG: lines, bars or points over numbers, times or names. All text is escaped.

They look like those that the app draws of the same rows, without a script.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from html import escape
from math import floor, isfinite, log10
from typing import Any, NamedTuple

from apps.output.colours import PALETTE
from apps.output.numbers import prefixed
from apps.output.tables import Row
from apps.output.text import cell, short_name, short_names
from apps.reports.html import keys
from apps.reports.svg import text, ticks

_WIDTH, _HEIGHT = 720, 280
_LEFT, _RIGHT, _TOP, _BOTTOM = 110, 14, 22, 44
_DAY = 86400.0
_NAMES = 24  # labels of an axis of names at most
_LETTERS, _TITLE = 16, 60
# Points of a line beyond which only the line is drawn.
_DOTS = 400
_ROW = 14
_COLOURS = 30  # that a legend has at most
_FILE_STYLE = "text{font:12px sans-serif} .grid{fill:none;stroke:#dfe3e8}"
_ROOM = 0.03  # of an axis beside its first and last value


class Mark(NamedTuple):
    """A line across a chart at a value of its horizontal axis: its label and colour."""

    at: Any
    label: str
    colour: str


def series_plot(
    points: Sequence[Row], metric: str, unit: str | None, marks: Sequence[Mark] = ()
) -> str:
    """Return the points of a series, over the starts of their runs."""
    known = [point for point in points if point["value"] is not None]
    size, unit = prefixed([point["value"] for point in known], unit)
    rows = [
        (point["started_at"], point["value"] / size, None, point["version"] or point["run_id"])
        for point in known
    ]
    what = short_name(metric, _TITLE)
    named = f"{what} ({unit})" if unit else what
    return plot("Line", rows, ("start of the run", named), marks, zero=False)


def as_file(picture: str) -> str:
    """Return a picture with the colours that it has from a page, as a file of its own."""
    begin = f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" '
    return picture.replace("<svg ", begin, 1).replace(">", f"><style>{_FILE_STYLE}</style>", 1)


class _Axis:
    """Where values are along an axis, 0 to 1: numbers and times by size, others in order."""

    def __init__(self, values: Iterable[Any], *, zero: bool = False, named: bool = False) -> None:
        known = [value for value in values if value is not None]
        numbers = [_number(value) for value in known]
        self.is_time = bool(known) and all(isinstance(value, date) for value in known)
        self.names: dict[str, int] | None = None
        if named or None in numbers or not numbers:
            texts = dict.fromkeys(cell(value, None) for value in known)
            self.names = {text: place for place, text in enumerate(texts)}
            return
        finite = [number for number in numbers if number is not None and isfinite(number)]
        finite += [0.0] if (zero and not self.is_time) or not finite else []
        self.low, self.high = min(finite), max(finite)
        if self.low == self.high:
            room = _DAY / 2 if self.is_time else abs(self.low) / 10 or 1.0
            self.low, self.high = self.low - room, self.high + room
        else:
            room = (self.high - self.low) * _ROOM
            self.low -= 0 if zero and self.low == 0 else room
            self.high += 0 if zero and self.high == 0 else room

    def place(self, value: Any) -> float | None:
        """Return where a value is; None where it is unknown or not finite."""
        if self.names is not None:
            found = self.names.get(cell(value, None))
            return None if found is None else (found + 0.5) / len(self.names)
        number = None if value is None else _number(value)
        if number is None or not isfinite(number):
            return None
        return (number - self.low) / (self.high - self.low)

    def labels(self) -> list[tuple[float, str]]:
        """Return the places that have a label, and these."""
        if self.names is not None:
            step = max(1, -(-len(self.names) // _NAMES))
            shown = short_names(list(self.names)[::step], _LETTERS)
            return [
                ((place * step + 0.5) / len(self.names), name) for place, name in enumerate(shown)
            ]
        if self.is_time:
            edge = _ROOM / (1 + 2 * _ROOM)  # the first time is beside the end of the axis
            places = [edge + (1 - 2 * edge) * part / 4 for part in range(5)]
            span = self.high - self.low
            style = "%Y-%m-%d" if span > 2 * _DAY else "%m-%d %H:%M"
            return [
                (place, f"{datetime.fromtimestamp(self.low + span * place, UTC):{style}}")
                for place in places
            ]
        found = ticks(self.high, self.low)
        size = found[1] - found[0] if len(found) > 1 else 1.0
        return [((one - self.low) / (self.high - self.low), _tick(one, size)) for one in found]


def plot(
    kind: str,
    rows: Sequence[tuple[Any, ...]],
    names: tuple[str, str],
    marks: Sequence[Mark] = (),
    *,
    zero: bool = True,
) -> str:
    """Return rows as Line, Bars or Points; `names` are of the axes.

    A row is x, y, what its colour is of, and what else is to be seen of it. Axes of numbers have 0,
    unless `zero` is false.
    """
    groups = list(dict.fromkeys(cell(row[2], None) for row in rows))
    colours = {group: PALETTE[place % len(PALETTE)] for place, group in enumerate(groups)}
    if kind == "Bars":
        x, y, parts = _bars(rows, colours)
    else:
        # Upwards from the last one: names are read from the top.
        x = _Axis((row[0] for row in rows), zero=zero)
        y = _Axis((row[1] for row in reversed(rows)), zero=zero)
        parts = _points(rows, x, y, colours, is_line=kind == "Line")
    legend = f"<figcaption>{keys(colours)}</figcaption>" if 1 < len(groups) <= _COLOURS else ""
    title = escape(cell(f"{names[1]} by {names[0]}", None))
    return (
        f'{legend}<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{title}">'
        f"{''.join([*_grid(x, y, names), *_marks(marks, x), *parts])}</svg>"
    )


def _points(
    rows: Sequence[tuple[Any, ...]],
    x: _Axis,
    y: _Axis,
    colours: dict[str, str],
    *,
    is_line: bool,
) -> list[str]:
    """Return the points of rows, and the line through those of a colour."""
    parts = []
    for group, colour in colours.items():
        placed = [
            (_right(across), _down(up), row)
            for row in rows
            if cell(row[2], None) == group
            and (across := x.place(row[0])) is not None
            and (up := y.place(row[1])) is not None
        ]
        if is_line:
            placed.sort(key=lambda one: one[0])
            line = " ".join(f"{across:.1f},{up:.1f}" for across, up, _ in placed)
            parts.append(
                f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
            )
        if not is_line or len(placed) <= _DOTS:
            parts += [
                f'<circle cx="{across:.1f}" cy="{up:.1f}" r="3" fill="{colour}">{_title(row)}'
                "</circle>"
                for across, up, row in placed
            ]
    return parts


def _bars(
    rows: Sequence[tuple[Any, ...]], colours: dict[str, str]
) -> tuple[_Axis, _Axis, list[str]]:
    """Return axes and bars of rows, stacked at equal places; lying where only x has sizes."""
    is_lying = any(
        isinstance(row[1], date) or (row[1] is not None and _number(row[1]) is None) for row in rows
    )
    along, of = (1, 0) if is_lying else (0, 1)
    ends: dict[tuple[str, bool], float] = {}
    pieces = []
    for row in rows:
        size = _size(row[of])
        if size is None or row[along] is None:
            continue
        key = (cell(row[along], None), size < 0)
        begin = ends.get(key, 0.0)
        ends[key] = begin + size
        pieces.append((row, begin, begin + size))
    in_order = reversed(rows) if is_lying else rows
    places = _Axis((row[along] for row in in_order), named=True)
    sizes = _Axis(ends.values(), zero=True)
    thick = 0.8 / max(len(places.names or ()), 1)
    parts = []
    for row, begin, end in pieces:
        middle = places.place(row[along])
        low, high = sorted((sizes.place(begin), sizes.place(end)))  # type: ignore[type-var]
        if middle is None or low is None or high is None:
            continue
        box = (
            (_right(low), _down(middle + thick / 2), _right(high), _down(middle - thick / 2))
            if is_lying
            else (_right(middle - thick / 2), _down(high), _right(middle + thick / 2), _down(low))
        )
        parts.append(
            f'<rect x="{box[0]:.1f}" y="{box[1]:.1f}" width="{max(box[2] - box[0], 0.3):.1f}" '
            f'height="{max(box[3] - box[1], 0.3):.1f}" fill="{colours[cell(row[2], None)]}">'
            f"{_title(row)}</rect>"
        )
    return (sizes, places, parts) if is_lying else (places, sizes, parts)


def _grid(x: _Axis, y: _Axis, names: tuple[str, str]) -> list[str]:
    """Return the lines and labels of the axes."""
    bottom = _HEIGHT - _BOTTOM
    parts = [
        text(_LEFT, _TOP - 10, short_name(names[1], _TITLE), "start"),
        text((_LEFT + _WIDTH) / 2, _HEIGHT - 4, short_name(names[0], _TITLE), "middle"),
    ]
    for place, label in y.labels():
        at = _down(place)
        if y.names is None:
            parts.append(f'<path d="M{_LEFT} {at:.1f}H{_WIDTH - _RIGHT}" class="grid"/>')
        parts.append(text(_LEFT - 6, at + 4, label, "end"))
    labels = x.labels()
    # Of labels that have no room side by side, fewer are written.
    room = max((len(label) for _, label in labels), default=0) * 7 * len(labels)
    step = max(1, -(-room // (_WIDTH - _LEFT)))
    for place, label in labels[::step]:
        at = _right(place)
        anchor = "end" if at > _WIDTH - 40 else "middle"
        parts.append(f'<path d="M{at:.1f} {bottom}v4" class="grid"/>')
        parts.append(text(at, bottom + 17, label, anchor))
    return [*parts, f'<path d="M{_LEFT} {_TOP}V{bottom}H{_WIDTH - _RIGHT}" class="grid"/>']


def _marks(marks: Sequence[Mark], x: _Axis) -> list[str]:
    parts = []
    for number, mark in enumerate(marks):
        place = x.place(mark.at)
        if place is None:
            continue
        at = _right(place)
        anchor = "end" if place > 0.8 else "start"
        parts.append(
            f'<path d="M{at:.1f} {_TOP}V{_HEIGHT - _BOTTOM}" stroke="{mark.colour}" '
            'stroke-dasharray="5 4"/>'
        )
        parts.append(
            text(
                at + (-4 if anchor == "end" else 4),
                _TOP + 10 + number % 3 * _ROW,
                mark.label,
                anchor,
            )
        )
    return parts


def _number(value: Any) -> float | None:
    """Return a number or a time (s since 1970) as such; None for all else."""
    match value:
        case bool():
            return None
        case int() | float() | Decimal():
            return float(value)
        case datetime():
            return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
        case date():
            return datetime(value.year, value.month, value.day, tzinfo=UTC).timestamp()
    return None


def _size(value: Any) -> float | None:
    """Return how long the bar of a value is; None where it has no size."""
    number = None if isinstance(value, date) else _number(value)
    return number if number is not None and isfinite(number) else None


def _tick(value: float, step: float) -> str:
    if not 1e-6 <= step < 1e12:
        return f"{value:.3g}"
    return f"{value:,.{max(0, -floor(log10(step) + 1e-9))}f}"


def _right(place: float) -> float:
    return _LEFT + place * (_WIDTH - _LEFT - _RIGHT)


def _down(place: float) -> float:
    """Return the pixel of a place on the vertical axis."""
    return _HEIGHT - _BOTTOM - place * (_HEIGHT - _TOP - _BOTTOM)


def _title(row: Sequence[Any]) -> str:
    words = ", ".join(cell(value, None) for value in row if value is not None)
    return f"<title>{escape(words)}</title>"
