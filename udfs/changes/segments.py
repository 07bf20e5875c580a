"""Levels of a series: changes are chosen, then positioned and tested between their neighbours."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from udfs.changes.noise import Noise, estimate_noise, white_noise
from udfs.changes.scan import MIN_SIDE, Sums, choose_changes, significances
from udfs.changes.significance import log_p

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Splits = dict[int, float]  # index of the first point after a change -> log of its p-value

MIN_POINTS = 2 * MIN_SIDE
MIN_LEVEL = 8  # points of a level between two changes
_PRELIMINARY = float(np.log(0.05))
_ROUNDS = 10


def segment_series(values: Floats, log_alpha: float) -> tuple[list[Splits], Floats]:
    """Return the changes of level of each series, and the variance inflation of its noise.

    The first pass assumes white noise and a high error level, so that every possible change is left
    out of the estimate of the autocorrelation. Where there is still a change with that
    autocorrelation, the candidates are tested between their neighbours, and the weakest are removed
    one after the other. A series without a change under white noise has none under autocorrelated
    noise, so most series need no second pass.

    Args:
        values: (series, points), without outliers, at least MIN_POINTS.
        log_alpha: log of the accepted probability of a false alarm in a series without a change.

    Returns:
        the changes of each series; (series,) long-run variance over variance, 1 where there is no
        change.
    """
    count = len(values)
    out: list[Splits] = [{} for _ in range(count)]
    inflation = np.ones(count)
    sums = Sums(values)
    between, within = sums.between()
    p = significances(sums, (between, within), white_noise(count))
    candidates = np.flatnonzero(p.min(axis=1) <= log_alpha)
    if not len(candidates):
        return out, inflation
    values, sums = values[candidates], Sums(values[candidates])
    preliminary = max(log_alpha, _PRELIMINARY)
    marks = choose_changes(sums, p[candidates], white_noise(len(candidates)), preliminary)
    noise = estimate_noise(values, np.cumsum(marks, axis=1))
    p = significances(sums, (between[candidates], within[candidates]), noise)
    marks &= (p.min(axis=1) <= log_alpha)[:, None]
    places = [np.flatnonzero(row).tolist() for row in marks]
    for row, splits in zip(candidates, _place_changes(sums, noise, places, log_alpha), strict=True):
        out[row] = splits
    inflation[candidates] = noise.inflation[:, 0]
    return out, inflation


def _place_changes(
    sums: Sums, noise: Noise, places: list[list[int]], log_alpha: float
) -> list[Splits]:
    """Move each change to the best split between its neighbours; drop insignificant ones."""
    out: list[Splits] = [{} for _ in places]
    todo = [row for row, kept in enumerate(places) if kept]
    for _ in range(_ROUNDS):
        if not todo:
            break
        found = _between_neighbours(sums, noise, [(row, places[row]) for row in todo])
        for row in todo:
            out[row] = found.get(row, {})
        again = []
        for row in todo:
            before, places[row] = places[row], _without_weakest(out[row], log_alpha)
            if places[row] and places[row] != before:
                again.append(row)
        todo = again
    return [{at: p for at, p in splits.items() if p <= log_alpha} for splits in out]


def _without_weakest(splits: Splits, log_alpha: float) -> list[int]:
    """Return the changes that are significant, or more so than a neighbour."""
    ordered = sorted(splits)
    p = [-np.inf, *(splits[at] for at in ordered), -np.inf]
    return [
        at
        for at, left, own, right in zip(ordered, p, p[1:], p[2:], strict=False)
        if own <= log_alpha or own < max(left, right)
    ]


def _between_neighbours(
    sums: Sums, noise: Noise, places: list[tuple[int, list[int]]]
) -> dict[int, Splits]:
    """Return for each series the best split between each change and the next but one."""
    bounds = [(row, [0, *kept, sums.points]) for row, kept in places]
    rows = np.repeat([row for row, _ in bounds], [len(kept) - 2 for _, kept in bounds])
    begins = np.array(list(chain.from_iterable(kept[:-2] for _, kept in bounds)))
    ends = np.array(list(chain.from_iterable(kept[2:] for _, kept in bounds)))
    left = np.where(begins == 0, MIN_SIDE, MIN_LEVEL)
    right = np.where(ends == sums.points, MIN_SIDE, MIN_LEVEL)
    wide = np.flatnonzero(ends - begins >= left + right)
    rows, begins, ends, left, right = (x[wide] for x in (rows, begins, ends, left, right))
    out: dict[int, Splits] = {}
    if not len(wide):
        return out
    at, t_squared = sums.best_splits(rows, begins, ends, (begins + left, ends - right), noise)
    length = (ends - begins).astype(np.float64)[:, None]
    shortest = np.minimum(left, right)[:, None]
    p = log_p(t_squared[:, None], noise.of(rows), length, shortest)
    # Twice as many tests as in a search of the whole series: see scan.seeded_intervals.
    p += np.log(2 * sums.points / length)
    for row, place, value in zip(rows.tolist(), at.tolist(), p[:, 0].tolist(), strict=True):
        out.setdefault(row, {})[place] = value
    return out
