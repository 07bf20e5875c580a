"""Levels of a series: changes are chosen, then placed and tested between their neighbours."""

from __future__ import annotations

from itertools import chain

import numpy as np
from numpy.typing import NDArray

from udfs.changes.noise import Noise, noise_of, white_noise
from udfs.changes.scan import SHORTEST, Sums, chosen, significances
from udfs.changes.significance import log_p

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Splits = dict[int, float]  # index of the first point after a change -> log of its p-value

LEAST_POINTS = 2 * SHORTEST
LASTING = 8  # points of a level between others: what ends sooner is no change for good
_PRELIMINARY = float(np.log(0.05))
_ROUNDS = 10


def segmented(values: Floats, log_alpha: float) -> tuple[list[Splits], Floats]:
    """Give the changes of level of each series, and the memory of its noise.

    First without autocorrelation and with a high level of error, so that all that may be a change
    can be left out of the estimate of the autocorrelation. Where there is a change with it too,
    those that may be are tested between their neighbours, and the weakest leave one after the
    other. What white noise explains, autocorrelated noise explains too, so most series need no
    second look.

    Args:
        values: (series, points), without outliers, at least LEAST_POINTS.
        log_alpha: log of the probability with which a series without a change may show one.

    Returns:
        of each series the changes; (series,) long-run variance over variance, 1 where there is
        no change.
    """
    count = len(values)
    out: list[Splits] = [{} for _ in range(count)]
    memory = np.ones(count)
    sums = Sums(values)
    between, within = sums.between()
    p = significances(sums, (between, within), white_noise(count))
    maybe = np.flatnonzero(p.min(axis=1) <= log_alpha)
    if not len(maybe):
        return out, memory
    values, sums = values[maybe], Sums(values[maybe])
    preliminary = max(log_alpha, _PRELIMINARY)
    marks = chosen(sums, p[maybe], white_noise(len(maybe)), preliminary)
    noise = noise_of(values, np.cumsum(marks, axis=1))
    p = significances(sums, (between[maybe], within[maybe]), noise)
    marks &= (p.min(axis=1) <= log_alpha)[:, None]
    places = [np.flatnonzero(row).tolist() for row in marks]
    for row, splits in zip(maybe, _settled(sums, noise, places, log_alpha), strict=True):
        out[row] = splits
    memory[maybe] = noise.memory[:, 0]
    return out, memory


def _settled(sums: Sums, noise: Noise, places: list[list[int]], log_alpha: float) -> list[Splits]:
    """Move each change to the best place between its neighbours; drop those that do not hold."""
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
    """Give the changes that are significant, or more so than one beside them."""
    ordered = sorted(splits)
    p = [-np.inf, *(splits[at] for at in ordered), -np.inf]
    return [
        at
        for at, left, here, right in zip(ordered, p, p[1:], p[2:], strict=False)
        if here <= log_alpha or here < max(left, right)
    ]


def _between_neighbours(
    sums: Sums, noise: Noise, places: list[tuple[int, list[int]]]
) -> dict[int, Splits]:
    """Give for each series the best split of each stretch from one change to the next but one."""
    bounds = [(row, [0, *kept, sums.points]) for row, kept in places]
    rows = np.repeat([row for row, _ in bounds], [len(kept) - 2 for _, kept in bounds])
    begins = np.array(list(chain.from_iterable(kept[:-2] for _, kept in bounds)))
    ends = np.array(list(chain.from_iterable(kept[2:] for _, kept in bounds)))
    left = np.where(begins == 0, SHORTEST, LASTING)
    right = np.where(ends == sums.points, SHORTEST, LASTING)
    wide = np.flatnonzero(ends - begins >= left + right)
    rows, begins, ends, left, right = (x[wide] for x in (rows, begins, ends, left, right))
    out: dict[int, Splits] = {}
    if not len(wide):
        return out
    at, t_squared = sums.best_splits(rows, begins, ends, (begins + left, ends - right), noise)
    length = (ends - begins).astype(np.float64)[:, None]
    shortest = np.minimum(left, right)[:, None]
    p = log_p(t_squared[:, None], noise.of(rows), length, shortest)
    # As many tests as if all of the series were searched, and twice: see scan.seeded.
    p += np.log(2 * sums.points / length)
    for row, place, value in zip(rows.tolist(), at.tolist(), p[:, 0].tolist(), strict=True):
        out.setdefault(row, {})[place] = value
    return out
