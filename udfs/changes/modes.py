"""Two levels that alternate, as on two kinds of machine: their noise is that of both together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from scipy.special import entr

from udfs.arrays import Flags, Floats, Integers
from udfs.changes.noise import inflation_of
from udfs.changes.wandering import NEEDED, PRIOR

MIN_LEVEL = 8  # points of a level between two changes
LEAST_SHARE = 1 / 8  # of the points, in the rarer level
_LEAST_SWITCHES = 6  # between the levels: fewer may be steps
_RETURNS = 2  # coincidences that make levels modes: one may be a change that was taken back
_CLEAR = 2.0  # deviations within the levels between them: nearer ones are one mode of all values
_APART = 5.0  # deviations within the levels by which they are apart,
_APART_SHORT = 20.0  # and this over the points: few points of one level often look like two
_SMOOTH = 5  # points of a running median
_ROUNDS = 8  # in which two levels and the path between them are found
_ALIKE = 0.1  # of their distance, that the level of a visit may be off
_FAR = 2.5  # deviations within a level at which a point is no longer of it


@dataclass(frozen=True, slots=True)
class Modes:
    """The two most distinct levels of each series, and whether they alternate; all (series,).

    low and high are their means, in the unit of the values; high_share is the share of the points
    in the upper one; deviation is the standard deviation of all points.
    """

    low: Floats
    high: Floats
    high_share: Floats
    deviation: Floats
    alternate: Flags


def find_modes(values: Floats) -> Modes:
    """Return the two levels of each series between which the variance is largest.

    The threshold is that of Otsu (A threshold selection method from gray-level histograms, IEEE
    Transactions on Systems, Man and Cybernetics 9, 1979). Levels alternate where they are far
    apart, both have more than a few points, and the mean stay in one is shorter than the shortest
    level that counts as one.

    Args:
        values: (series, points), at least two points, around 0.
    """
    points = values.shape[1]
    ordered, low, high, between = _divided(values)
    split = between.argmax(axis=1)
    rows = np.arange(len(values))
    spread = np.square(ordered - ordered.mean(axis=1, keepdims=True)).sum(axis=1)
    within = np.maximum(spread - between[rows, split], 0) / points
    is_high = values > ordered[rows, split][:, None]
    share = is_high.mean(axis=1)
    switches = (is_high[:, 1:] != is_high[:, :-1]).sum(axis=1)
    gap = high[rows, split] - low[rows, split]
    are_modes = (gap > (_APART + _APART_SHORT / points) * np.sqrt(within)) & (
        np.minimum(share, 1 - share) >= LEAST_SHARE
    )
    often = switches >= np.maximum(_LEAST_SWITCHES, points / MIN_LEVEL)
    return Modes(
        low=low[rows, split],
        high=high[rows, split],
        high_share=share,
        deviation=np.sqrt(spread / points),
        alternate=are_modes & often,
    )


def _divided(values: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return sorted values, and of each division the means and the variance between them."""
    points = values.shape[1]
    ordered = np.sort(values, axis=1)
    below = np.arange(1, points)
    sums = np.cumsum(ordered, axis=1)
    low = sums[:, :-1] / below
    high = (sums[:, -1:] - sums[:, :-1]) / (points - below)
    return ordered, low, high, (high - low) ** 2 * (below * (points - below) / points)


def _threshold(values: Floats) -> Floats:
    """Return the value up to which points are of the lower level, (series,)."""
    ordered, _, _, between = _divided(values)
    out: Floats = ordered[np.arange(len(values)), between.argmax(axis=1)]
    return out


def keep_returning(values: Floats, raw: Floats, steps: list[list[int]]) -> Flags:
    """Return whether series go by turns to one of the same two levels and stay there, (series,).

    They come back twice to a level that they left (`_coincidences`), and these two levels explain
    them about as well as the steps, which have a level each: then each looks like a change, and
    none is one. Turns cost their entropy, and the second level and how often it turns a parameter
    each (Schwarz 1978); steps cost what they do in `wandering`, and are as rare.

    Args:
        values: (series, points), without bursts and outliers.
        raw: (series, points), with them.
        steps: first points of the levels of each series, without the first level.
    """
    out = np.zeros(len(values), np.bool_)
    for row, of_row in enumerate(values):
        points = len(of_row)
        levels, left, turns = _by_turns(of_row)
        rest, gap = max(float(left @ left) / points, 1e-300), float(levels[1] - levels[0])
        if gap <= _CLEAR * rest**0.5:
            continue
        least, most = levels + max(_FAR * rest**0.5, _ALIKE * gap) * np.array([-1, 1])
        near = raw[row][(raw[row] >= least) & (raw[row] <= most)]
        visits = _visits(_path(near, levels, rest, turns))
        if _coincidences(visits) < _RETURNS:
            continue
        parts = np.split(of_row, steps[row])
        means = np.array([part.mean() for part in parts])
        # of a size that could be a turn
        large = int((np.abs(np.diff(means)) > _ALIKE * gap).sum())
        apart = of_row - np.repeat(means, [len(part) for part in parts])
        of_steps = max(float(np.square(apart).mean()), (_ALIKE * gap) ** 2, 1e-300)
        worse = points * float(np.log(rest / of_steps))
        # Parts of an autoregression look like turns, too, but what these leave remembers.
        rho = max(float(left[1:] @ left[:-1]) / (points * rest), 0.0)
        worse = max(worse, worse / float(inflation_of(np.array(rho))))
        cost = 2 * points * float(entr([turns, 1 - turns]).sum()) + 2 * np.log(points)
        worth = PRIOR + NEEDED * np.log(points) * large
        out[row] = worse + cost <= worth
    return out


def _by_turns(values: Floats) -> tuple[Floats, Floats, float]:
    """Return two levels, low and high, what they leave of each value, and how often they switch.

    The hidden Markov model of two levels by Viterbi training (Juang and Rabiner, The segmental
    k-means algorithm for estimating parameters of hidden Markov models, IEEE Transactions on
    Acoustics, Speech, and Signal Processing 38, 1990).

    Args:
        values: (points,).
    """
    around = np.pad(values, _SMOOTH // 2, mode="edge")
    smooth = np.median(sliding_window_view(around, _SMOOTH), axis=1)
    is_high = smooth > _threshold(smooth[None])
    levels, left, turns = np.zeros(2), values, 0.5
    for _ in range(_ROUNDS):
        if is_high.all() or not is_high.any():
            break
        levels = np.array([values[~is_high].mean(), values[is_high].mean()])
        left = values - levels[is_high.astype(int)]
        turns = min(max(int((is_high[1:] != is_high[:-1]).sum()), 1) / len(values), 0.5)
        before, is_high = is_high, _path(values, levels, float(left @ left) / len(left), turns)
        if (before == is_high).all():
            break
    return levels, left, turns


def _path(values: Floats, levels: Floats, rest: float, turns: float) -> Flags:
    """Return which points are of the higher level, by the likeliest path, (points,).

    Args:
        values: (points,).
        levels: low and high.
        rest: variance within the levels.
        turns: probability of a switch at a point, up to .5.
    """
    cost = float(np.log1p(-turns) - np.log(turns))
    apart = np.square(values - levels[:, None]) / (2 * max(rest, 1e-24))
    # by how much the best path to the higher level is better than that to the lower one
    lead, stays = 0.0, []
    for gain in (apart[0] - apart[1]).tolist():
        stays.append((lead >= -cost, lead <= cost))
        lead = min(max(lead, -cost), cost) + gain
    is_high, out = lead > 0, []
    for stays_high, stays_low in reversed(stays):
        out.append(is_high)
        is_high = stays_high if is_high else not stays_low
    return np.array(out[::-1])


def _visits(is_high: Flags) -> Integers:
    """Return the lengths of the visits to two levels; single points are none."""
    edges = np.flatnonzero(np.diff(is_high)) + 1
    parts = [part for part in np.split(is_high, edges) if len(part) > 1]
    kept = np.concatenate([*parts, is_high[:0]])
    return np.diff([0, *np.flatnonzero(np.diff(kept)) + 1, len(kept)])


def _coincidences(visits: Integers) -> int:
    """Return how many visits to two levels found again what was seen before, by chance or not.

    Of levels that stay these are the third and later ones. A burst is back where it began anyhow;
    that it was at the other level is one, too.
    """
    return len(visits) - 2 - int((visits[1:-1] < MIN_LEVEL).sum())


def least_shift(before: Floats, after: Floats) -> float | None:
    """Return by how much the levels moved that alternated before; None where none did.

    Few points can all be of one of the two levels, and which one is not known: of the shifts that
    explain the points about as well as any, the result is the smallest. It is 0 where they are as
    those before.

    Args:
        before: (points,), the values up to the change.
        after: (points,), those from it on.
    """
    middle = np.median(before)
    modes = find_modes((before - middle)[None])
    if not modes.alternate[0]:
        return None
    low, high = modes.low[0] + middle, modes.high[0] + middle
    apart = np.minimum(np.abs(before - low), np.abs(before - high))
    noise = _FAR * float(np.sqrt(np.mean(apart**2)))
    # The lowest points are of the lower level, how many is not known.
    ordered = np.sort(after)
    in_high = np.arange(len(after))[None, :] >= np.arange(len(after) + 1)[:, None]
    moved = ordered - np.where(in_high, high, low)
    shifts = moved.mean(axis=1)
    left = np.sqrt(np.square(moved - shifts[:, None]).mean(axis=1))
    likely = shifts[left <= max(noise, float(left.min()))]
    least = float(likely[np.abs(likely).argmin()])
    return 0.0 if abs(least) <= noise else least
