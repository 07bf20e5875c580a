"""Star glyphs: one small star for each run, process, region or sample, one ray a metric.

A ray is as long as log10 of the metric over its smallest value among the stars that are drawn
(Chambers, Cleveland, Kleiner, Tukey 1983, Graphical Methods for Data Analysis, section 5.4, on a
log scale), so that one decade has the same length in every ray of a picture.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape

from apps.output.colours import CLASSES
from apps.output.tables import Row
from apps.output.text import cell
from apps.queries.base import ask_dicts
from warehouse.errors import NothingToAnalyse
from warehouse.session import Connection

# The smallest value of a metric has a ray of this share of the longest, so that zero is shorter.
_CORE = 0.15
# Smaller differences are not stretched to the whole radius: noise would look like structure.
_LEAST_DECADES = 0.5
_LEVELS = ("run", "rank", "region", "sample")
_COLUMNS = 6
_CELL, _ROW, _RADIUS, _TOP = 150, 168, 56, 224
_NAME = 22


@dataclass(frozen=True, slots=True)
class Star:
    """One star: `rays` are 0..1 of the radius, one a metric, NULL where it was not measured."""

    label: str
    kind: str
    samples: int
    values: tuple[float | None, ...]
    rays: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class Stars:
    """Stars on one scale: a ray of the whole radius is `decades` over the metric's smallest.

    `names` are the long names of the `metrics`, one a ray.
    """

    metrics: tuple[str, ...]
    names: tuple[str, ...]
    decades: float
    places: int
    stars: tuple[Star, ...]


def read_stars(con: Connection, runs: Sequence[str], by: str | None = None) -> tuple[str, Stars]:
    """Return the stars of runs by run, rank, region or sample, and by which of these.

    Without `by` it is the first of these that has two places, as a single star shows nothing.
    Raises `NothingToAnalyse` where no metric can be made of the runs' counters.
    """
    for level in _LEVELS if by is None else (by,):
        glyphs = stars(ask_dicts(con, "bottlenecks/glyphs", runs=runs, by=level, most=48))
        if glyphs.places > 1 or level in (by, _LEVELS[-1]):
            break
    if not glyphs.stars:
        raise NothingToAnalyse(
            "no metric can be computed from the counters, so there are no stars to draw",
            hint="A metric needs the counter and cycles: pwh diagnose shows what is missing.",
        )
    return level, glyphs


def stars(rows: Sequence[Row]) -> Stars:
    """Return the stars of the rows of `queries.bottleneck_glyphs`; without rows none."""
    if not rows:
        return Stars((), (), _LEAST_DECADES, 0, ())
    table = [row["values"] for row in rows]
    least = [
        min((value for value in column if value is not None and value > 0), default=None)
        for column in zip(*table, strict=True)
    ]
    over = [
        [
            math.log10(value / low) if value and value > 0 and low is not None else None
            for value, low in zip(values, least, strict=True)
        ]
        for values in table
    ]
    longest = max((d for line in over for d in line if d is not None), default=0.0)
    decades = max(longest, _LEAST_DECADES)
    labels = _labels(rows)
    glyphs = [
        Star(
            label,
            row["class"] or "Unknown",
            row["samples"] or 0,
            tuple(values),
            tuple(map(_ray, values, line, [decades] * len(line))),
        )
        for label, row, values, line in zip(labels, rows, table, over, strict=True)
    ]
    metrics, names = tuple(rows[0]["metrics"]), tuple(rows[0]["names"])
    return Stars(metrics, names, decades, rows[0]["places"], tuple(glyphs))


def _ray(value: float | None, over: float | None, decades: float) -> float | None:
    if over is None:
        return None if value is None else 0.0
    return _CORE + (1 - _CORE) * over / decades


def _labels(rows: Sequence[Row]) -> list[str]:
    """Return a label for each place: what distinguishes it from the others."""
    version_of = {row["run_id"]: row["version"] for row in rows}
    versions = set(version_of.values())
    by_version = None not in versions and len(versions) == len(version_of)
    labels = []
    for row in rows:
        parts = [] if row["region"] is None else [cell(row["region"], None)]
        parts += [
            f"{name} {row[name]}" for name in ("rank", "thread", "sample") if row[name] is not None
        ]
        if len(version_of) > 1 or not parts:
            run = f"version {row['version']}" if by_version else row["run_id"]
            parts.insert(0, cell(run, None))
        labels.append(", ".join(parts))
    return labels


def corners(rays: Sequence[float | None]) -> list[tuple[float, float]]:
    """Return the ends of rays, the first upwards, clockwise; x to the right and y upwards."""
    step = 2 * math.pi / max(len(rays), 1)
    return [
        ((ray or 0) * math.sin(i * step), (ray or 0) * math.cos(i * step))
        for i, ray in enumerate(rays)
    ]


def scale_sentence(glyphs: Stars) -> str:
    """Return what a ray means, and what is not drawn."""
    text = (
        "A ray is log10 of a metric over its smallest value here: the circle is "
        f"{glyphs.decades:.1f} decades above it, zero is the centre."
    )
    if glyphs.places > len(glyphs.stars):
        text += f" {len(glyphs.stars)} of {glyphs.places} are drawn, spread evenly."
    return text


def stars_svg(glyphs: Stars, title: str) -> str:
    """Return the picture as SVG 1.1, with a legend of the rays and the classes."""
    rows = math.ceil(len(glyphs.stars) / _COLUMNS)
    width, height = _COLUMNS * _CELL, _TOP + rows * _ROW
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif" '
        'font-size="12" fill="#222">',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        _text(16, 26, title, 'font-size="16" font-weight="bold"'),
        _text(16, 46, scale_sentence(glyphs)),
        *_legend(glyphs),
    ]
    for i, star in enumerate(glyphs.stars):
        row, column = divmod(i, _COLUMNS)
        lines += _star(star, (column + 0.5) * _CELL, _TOP + row * _ROW + _RADIUS + 8, glyphs)
    return "\n".join([*lines, "</svg>"]) + "\n"


def _legend(glyphs: Stars) -> Iterator[str]:
    x, y, radius = 160.0, 136.0, 48.0
    yield _circle(x, y, radius)
    for name, (dx, dy) in zip(glyphs.metrics, corners([1.0] * len(glyphs.metrics)), strict=True):
        yield _line(x, y, x + radius * dx, y - radius * dy)
        side = "middle" if abs(dx) < 0.1 else "start" if dx > 0 else "end"
        place = f'text-anchor="{side}" font-size="10" dominant-baseline="middle"'
        yield _text(x + (radius + 9) * dx, y - (radius + 9) * dy, cell(name, _NAME), place)
    step = min(12, 150 / max(len(glyphs.names), 1))
    for i, name in enumerate(glyphs.names):
        yield _text(540, 68 + step * i, cell(name, None), 'font-size="10"')
    seen = {star.kind for star in glyphs.stars}
    for i, kind in enumerate(kind for kind in CLASSES if kind in seen):
        column, row = divmod(i, 4)
        left, top = 300 + 110 * column, 92 + 22 * row
        yield f'<rect x="{left}" y="{top}" width="14" height="14" fill="{CLASSES[kind]}"/>'
        yield _text(left + 22, top + 11, kind)


def _star(star: Star, x: float, y: float, glyphs: Stars) -> Iterator[str]:
    colour = CLASSES.get(star.kind, CLASSES["Unknown"])
    ends = [(x + _RADIUS * dx, y - _RADIUS * dy) for dx, dy in corners(star.rays)]
    points = " ".join(f"{px:.1f},{py:.1f}" for px, py in ends)
    values = ", ".join(
        f"{cell(name)} {cell(value)}"
        for name, value in zip(glyphs.metrics, star.values, strict=True)
    )
    yield f"<g><title>{escape(f'{star.label}: {star.kind}; {values}')}</title>"
    yield _circle(x, y, _RADIUS)
    for (px, py), ray in zip(ends, star.rays, strict=True):
        if ray is not None:
            yield _line(x, y, px, py)
    yield (
        f'<polygon points="{points}" fill="{colour}" fill-opacity="0.45" stroke="{colour}" '
        'stroke-width="1.5" stroke-linejoin="round"/>'
    )
    below = 'text-anchor="middle"'
    yield _text(x, y + _RADIUS + 18, cell(star.label, _NAME), below)
    yield _text(x, y + _RADIUS + 34, star.kind, f'{below} font-size="11" fill="#666"') + "</g>"


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{escape(text)}</text>'


def _line(x: float, y: float, x2: float, y2: float) -> str:
    return f'<path d="M{x:.1f} {y:.1f}L{x2:.1f} {y2:.1f}" stroke="#aaa" stroke-width="0.7"/>'


def _circle(x: float, y: float, radius: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}" fill="none" stroke="#ddd"/>'
