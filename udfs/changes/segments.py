"""Levels of a series: changes are chosen, then positioned and tested between their neighbours."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.changes.modes import MIN_LEVEL
from udfs.changes.noise import Noise, estimate_noise, white_noise
from udfs.changes.scan import MIN_SIDE, Sums, choose_changes, significances
from udfs.changes.significance import JUMP, log_p, log_p_jump
from udfs.changes.wandering import evident_steps

Splits = dict[int, float]  # index of the first point after a change -> log of its p-value

MIN_POINTS = 2 * MIN_SIDE
LARGEST_P = 0.1  # of a change
_LARGEST_LOG_P = float(np.log(LARGEST_P))
_ROUNDS = 10  # of removing and placing, at most


def segment_series(values: Floats, scale: Floats) -> tuple[list[Splits], Noise]:
    """Return the changes of level of each series with their p-values, and the noise around them.

    The candidates are all changes under white noise, so that every possible change is left out of
    the estimate of the autocorrelation. With that they are tested between their neighbours, and the
    weakest are removed one after the other until all have a p-value of at most `LARGEST_P`. That of
    the t statistic is at least that of the series having any change; that of a jump from one point
    to the next does not depend on the autocorrelation, and the smaller one counts. The model is the
    same whatever significance is asked for, so a change that is reported at one significance is
    reported at every larger one, with the same p-value.

    Args:
        values: (series, points), without outliers, at least MIN_POINTS.
        scale: (series, 1), rough standard deviation of the noise.

    Returns:
        the changes of each series whose p-value is at most `LARGEST_P`; the noise of each series.
    """
    sums = Sums(values)
    white = white_noise(*values.shape)
    squares = sums.between()
    p = significances(sums, squares, white)
    rough = replace(white, variance=scale**2)
    marks = choose_changes(sums, p, rough, _LARGEST_LOG_P)
    _add_between(sums, marks, rough)
    noise = estimate_noise(values, np.cumsum(marks, axis=1), scale)
    rows = np.flatnonzero(marks.any(axis=1))
    out: list[Splits] = [{} for _ in values]
    if not len(rows):
        return out, noise
    places = {nth: np.flatnonzero(row).tolist() for nth, row in enumerate(marks[rows])}
    sums, near = Sums(values[rows]), noise.of(rows)
    p = significances(sums, (squares[0][rows], squares[1][rows]), near)
    for nth, splits in _place_changes(sums, near, places, p.min(axis=1)).items():
        out[rows[nth]] = splits
    return _evident(values, scale, out, noise)


def _evident(
    values: Floats, scale: Floats, splits: list[Splits], noise: Noise
) -> tuple[list[Splits], Noise]:
    """Return the changes that no wandering level explains as well, and the noise around them.

    Those that are significant as jumps are so in any noise.
    """
    out, fewer = list(splits), []
    for row, found in enumerate(splits):
        if not found:
            continue
        places = sorted(found)
        jumps = Sums(values[row : row + 1]).jumps(
            np.zeros(len(places), np.int64), np.array(places), JUMP
        )
        own = noise.of(np.array([row]))
        sudden = log_p_jump(jumps / np.sqrt(own.around[0, places]), own, values.shape[1])[0]
        kept = [at for at, p in zip(places, sudden, strict=True) if p <= _LARGEST_LOG_P]
        evident = evident_steps(values[row], places, kept)
        if len(evident) < len(found):
            out[row] = {at: found[at] for at in evident}
            fewer.append(row)
    if not fewer:
        return out, noise
    rows = np.array(fewer)
    marks = np.zeros((len(rows), values.shape[1]), bool)
    for mark, row in zip(marks, fewer, strict=True):
        mark[list(out[row])] = True
    wider = estimate_noise(values[rows], np.cumsum(marks, axis=1), scale[rows])
    return out, noise.replaced(rows, wider)


def _add_between(sums: Sums, marks: Flags, noise: Noise) -> None:
    """Mark the changes between those that are marked, until there are none.

    The seeded intervals that contain one level and a part of the next are few where levels are
    short; those that contain a third level are done with the first change.
    """
    rows = np.flatnonzero(marks.any(axis=1))
    while len(rows):
        bounds = [[0, *np.flatnonzero(marks[row]).tolist(), sums.points] for row in rows]
        row = np.repeat(rows, [len(one) - 1 for one in bounds])
        begins = np.array(list(chain.from_iterable(one[:-1] for one in bounds)))
        ends = np.array(list(chain.from_iterable(one[1:] for one in bounds)))
        wide = np.flatnonzero(ends - begins >= MIN_POINTS)
        row, begins, ends = row[wide], begins[wide], ends[wide]
        if not len(row):
            return
        at, t_squared = sums.best_splits(
            row, begins, ends, (begins + MIN_SIDE, ends - MIN_SIDE), noise
        )
        length = (ends - begins).astype(np.float64)[:, None]
        p = log_p(t_squared[:, None], noise.of(row), length, MIN_SIDE)
        found = np.flatnonzero((p + np.log(2 * sums.points / length))[:, 0] <= _LARGEST_LOG_P)
        marks[row[found], at[found]] = True
        rows = np.unique(row[found])


def _place_changes(
    sums: Sums, noise: Noise, places: dict[int, list[int]], least: Floats
) -> dict[int, Splits]:
    """Place the changes of series, without those that others explain better.

    Of two as near to each other as levels may be, one may be all there is: a level between them is
    shorter then, and moves both away from where they are. least is the smallest log p-value of a t
    statistic of each series.
    """
    out = _placed(sums, noise, places, least)
    for row, splits in out.items():
        kept = sorted(splits)
        pairs = [pair for pair in pairwise(kept) if pair[1] - pair[0] <= MIN_LEVEL]
        for one in dict.fromkeys(chain.from_iterable(pairs)):
            fewer = _placed(sums, noise, {row: [at for at in kept if at != one]}, least)[row]
            out[row] = min(out[row], fewer, key=lambda of: sum(of.values()))
    return out


def _placed(
    sums: Sums, noise: Noise, places: dict[int, list[int]], least: Floats
) -> dict[int, Splits]:
    """Move each change to the best split between its neighbours; drop insignificant ones.

    Neighbours move one after the other: at once they may swap between two places for ever. In the
    first round they only move: a candidate at a wrong place makes its neighbours uncertain.
    """
    out: dict[int, Splits] = {row: {} for row in places}
    kept = {row: of_row for row, of_row in places.items() if of_row}
    for first in (True, *[False] * _ROUNDS):
        moved = {row: [(at, 0.0) for at in of_row] for row, of_row in kept.items()}
        for turn in (0, 1):
            found = _between_neighbours(sums, noise, moved, least, turn)
            for row, splits in moved.items():
                moved[row] = [found.get((row, at), (at, p)) for at, p in splits]
        before, kept = kept, {}
        for row in before:
            out[row] = {at: p for at, p in moved[row] if p < np.inf}
            left = sorted(out[row]) if first else _without_weakest(out[row])
            if left and (first or left != before[row]):
                kept[row] = left
        if not kept:
            break
    return {
        row: {at: p for at, p in splits.items() if p <= _LARGEST_LOG_P}
        for row, splits in out.items()
    }


def _without_weakest(splits: Splits) -> list[int]:
    """Return the changes that are significant, or more so than a neighbour; the first of equals."""
    ordered = sorted(splits)
    p = [-np.inf, *(splits[at] for at in ordered), -np.inf]
    return [
        at
        for at, left, own, right in zip(ordered, p, p[1:], p[2:], strict=False)
        if own <= _LARGEST_LOG_P or own < left or own <= right
    ]


def _between_neighbours(
    sums: Sums, noise: Noise, splits: dict[int, list[tuple[int, float]]], least: Floats, turn: int
) -> dict[tuple[int, int], tuple[int, float]]:
    """Return of every second change of each series the best split between the next to it.

    By series and place the new place and its log p-value, infinite where there is no room for one.
    """
    asked = []
    for row, of_row in splits.items():
        bounds = [0, *(at for at, _ in of_row), sums.points]
        asked += [(row, *bounds[i : i + 3]) for i in range(turn, len(of_row), 2)]
    out: dict[tuple[int, int], tuple[int, float]] = {
        (row, at): (at, np.inf) for row, _, at, _ in asked
    }
    rows, begins, old, ends = np.array(asked, np.int64).reshape(-1, 4).T
    left = np.where(begins == 0, MIN_SIDE, MIN_LEVEL)
    right = np.where(ends == sums.points, MIN_SIDE, MIN_LEVEL)
    wide = np.flatnonzero(ends - begins >= left + right)
    rows, begins, old, ends, left, right = (x[wide] for x in (rows, begins, old, ends, left, right))
    if not len(wide):
        return out
    at, t_squared = sums.best_splits(rows, begins, ends, (begins + left, ends - right), noise)
    length = (ends - begins).astype(np.float64)[:, None]
    shortest = np.minimum(left, right)[:, None]
    p = log_p(t_squared[:, None], noise.of(rows), length, shortest)
    # Twice as many tests as in a search of the whole series: see scan.seeded_intervals.
    p += np.log(2 * sums.points / length)
    # Where neighbours differ more than elsewhere, so do the points on both sides of a split.
    jumps = (sums.jumps(rows, at, JUMP) / np.sqrt(noise.around[rows, at]))[:, None]
    p = np.minimum(
        np.maximum(p, least[rows][:, None]), log_p_jump(jumps, noise.of(rows), sums.points)
    )
    moved = zip(rows.tolist(), old.tolist(), at.tolist(), p[:, 0].tolist(), strict=True)
    out |= {(row, was): (place, value) for row, was, place, value in moved}
    return out


def log_p_alone(t_squared: Floats, noise: Noise, points: Floats) -> Floats:
    """Return the log p-value of the only change of a series for its largest squared t statistic.

    Args:
        t_squared: (series, statistics).
        noise: noise of each series.
        points: points of each series, broadcast against t_squared.
    """
    out: Floats = log_p(t_squared, noise, points, MIN_SIDE) + np.log(2)
    return out
