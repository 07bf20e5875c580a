"""Turning points: the counts beyond which more processes make a program slower.

A curve with its minimum at q is e + f*((p/q)^-d/d + (p/q)^c/c) with factors of zero or more: work
that is divided, work that grows, and a rest; one without a minimum is e + f*p^-d. For fixed q, d
and c it is linear in e and f, so the least squares of relative errors over a grid of d and c are
the profile likelihood of q. The 90 % interval has the q whose squares exceed the least ones by no
more than the F distribution allows (likelihood intervals: Bates and Watts, Nonlinear Regression
Analysis and Its Applications, 1988, chapter 6). The noise is that of the repetitions and of the
best curve together. So growth that hides under the noise keeps the interval open, however well a
law without growth fits.

`tests.bench.bench_turning` prints how often the intervals contain the truth.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats
from udfs.arrow import contiguous
from udfs.flags import flag_lists
from udfs.scaling.bases import Index
from udfs.scaling.columns import doubles, flat, numbers, structs
from udfs.scaling.evidence import REPEATED
from udfs.scaling.forecast import POOR_FIT, forecast
from udfs.scaling.models import flag_doubts
from udfs.scaling.series import Series
from udfs.student import t_quantile

REACH: Final = 64
"""Turning points are searched up to this many times the largest count."""
_BEFORE: Final = 16
"""And down to the smallest count over this: a program that only grows has one before it."""
_STEPS: Final = 8
"""Steps of an octave: the interval is not narrower than one to each side."""
_DECAYS: Final = np.array((*np.arange(6, 25) / 20, *np.arange(13, 21) / 10))
"""As fine as times without noise tell them apart."""
_FALLS: Final = np.array((*np.arange(1, 6) / 20, *_DECAYS, 2.5, 3.0))
"""Decays of curves that only fall, whose minimum is beyond all places."""
_GROWTHS: Final = np.array((1e-3, *np.arange(1, 33) / 10))
"""The least of these is log(p)."""
_FURTHER: Final = 2.0 ** (np.arange(2 * int(np.log2(REACH)) + 1) / 2)
"""Counts over the largest for which predictions are looked at."""
_LAST: Final = len(_FURTHER) - 1
_LETTERS: Final = 3
"""Degrees of freedom that a curve takes: factor, place and growth; others hardly help."""
_NOISE_WEIGHT, _NOISE, _EXACT = 1.0, 0.02, 1e-3
"""Prior of the relative noise: worth so many degrees of freedom, around this or the noise of the
best curve, if that is less and known, but no less than the last of these."""
_TELLING: Final = 3
"""Degrees of freedom from which the noise of the best curve can be less than that."""
_SAME: Final = (2.0, 0.01)
"""Noise of a point, the second at least, up to which a time is as short as the shortest."""
_PREDICTED: Final = (5, 0.12)
"""Counts from which the last is predicted from the others, and the error up to which it is."""
_WIDEST: Final = 1e60  # ratio of times whose square is a number yet
_AT_ONCE: Final = 8  # programs, for memory


def scaling_turning_point(
    counts: pa.ListArray, seconds: pa.ListArray, noise: pa.DoubleArray
) -> pa.StructArray:
    """Return between which counts the times of programs are least.

    Args:
        counts: the counts of each program, ascending and distinct.
        seconds: times at these counts; those that are NULL, NaN or not positive are left out.
        noise: relative noise of a point, 0 where unknown.

    Returns:
        Structs: low and high, the ends of the 90 % interval of the count at which the program is
        fastest; low is the smallest count where it may get slower at once, high is NULL where it
        may get faster up to `REACH` times the largest count, or is measured and predicted to. Both
        are NULL where no smooth law fits the times, or the law may change, for the reason in flags.
    """
    size = len(counts)
    series = Series(["computation"] * size, flat(contiguous(counts))[0], *flat(seconds))
    scatter = numbers(noise)
    low, high = np.full(size, np.nan), np.full(size, np.nan)
    for basis, p, times, rows in series.groups():
        known = forecast(basis, p, times, scatter[rows], p[:, -1:] * _FURTHER)
        flag_doubts(series, rows, known)
        is_known = (known.misfit <= POOR_FIT) & (known.regime == 0)
        # After a break nothing is known of, the fastest may be any; unless times grow from there.
        is_known &= (known.departs == 0) | (times.argmin(1) < times.shape[1] - 1)
        for part in _equal_counts(p, np.flatnonzero(is_known)):
            found = interval(p[part[0]], times[part], scatter[rows[part]])
            low[rows[part]], high[rows[part]] = found
        # A count that is as fast as the fastest may be it: of a plateau no curve knows.
        longest = times.min(1) * (1 + _SAME[0] * scatter[rows].clip(_SAME[1]))
        alike = times <= longest[:, None]
        alike &= alike.sum(1)[:, None] > 1
        several = rows[alike.any(1)]
        first = np.where(alike, p, np.inf).min(1)[alike.any(1)]
        last = np.where(alike, p, 0).max(1)[alike.any(1)]
        new = np.isnan(low[several])
        low[several] = np.where(new, first, np.minimum(low[several], first))
        high[several] = np.where(new, last, np.maximum(high[several], last))
        # One slower count that the others do not predict may be beyond a threshold, as the number
        # of cores: then the fastest is any from the fastest measured one on.
        once = times.argmin(1) == p.shape[1] - 2
        if p.shape[1] >= _PREDICTED[0]:
            missed = (known.error > _PREDICTED[1]) & ~known.rules
            once &= (known.departs != 0) | missed
        for end, widest, count in ((low, np.minimum, p[:, -2]), (high, np.maximum, p[:, -1])):
            end[rows[once]] = widest(end[rows[once]], count[once])
        # No measured time grows: that it does beyond is no better known than the predictions.
        falls = (times.argmin(1) == p.shape[1] - 1) & (known.log_seconds.argmin(1) == _LAST)
        high[rows[falls]] = np.nan
    return structs({"low": doubles(low), "high": doubles(high), "flags": flag_lists(series.flags)})


def interval(x: Floats, y: Floats, noise: Floats) -> tuple[Floats, Floats]:
    """Return the ends of the intervals of n programs that were measured at the same counts.

    Args:
        x: the counts, ascending (m).
        y: times of n programs, n x m, s, above zero.
        noise: relative noise of a point (n), 0 where unknown.

    Returns:
        The least and the greatest count that may be the fastest (n each): the first no less than
        the smallest count, the second NaN where there is no upper end.
    """
    places = np.append(_places(float(x[0]), float(x[-1])), np.inf)
    left = _left(tuple(x.tolist()), y)
    least, left_over = left.min(0), max(len(x) - _LETTERS, 0)
    # Times of a simulator or a formula have hardly any noise; few noisy ones may look so.
    usual = np.clip(np.sqrt(least / left_over), _EXACT, _NOISE) if left_over >= _TELLING else _NOISE
    repeated = np.where(noise > 0, len(x) * REPEATED, 0.0)
    freedom = _NOISE_WEIGHT + repeated + left_over
    variance = _NOISE_WEIGHT * usual**2 + repeated * noise**2 + least
    reach = np.array([t_quantile(float(one), 0.95) for one in freedom])
    near = left - least <= variance / freedom * reach**2
    first = near.argmax(0)
    last = len(places) - 1 - near[::-1].argmax(0)
    low = np.maximum(places[np.maximum(first - 1, 0)], x[0])
    high = np.maximum(places[np.minimum(last + 1, len(places) - 1)], x[0])
    return low, np.where(last + 1 >= len(places) - 1, np.nan, high)


def _equal_counts(x: Floats, rows: Index) -> Iterator[Index]:
    """Yield the rows, those of equal counts together, `_AT_ONCE` at most."""
    if not len(rows):
        return
    _, group = np.unique(x[rows], axis=0, return_inverse=True)
    for number in range(group.max() + 1):
        every = rows[group == number]
        yield from np.array_split(every, -(-len(every) // _AT_ONCE))


def _places(smallest: float, largest: float) -> Floats:
    """Return the counts that are tried as turning points."""
    steps = int(np.ceil(_STEPS * np.log2(_BEFORE * largest * REACH / smallest)))
    places: Floats = smallest / _BEFORE * 2 ** (np.arange(steps + 1) / _STEPS)
    return places


def _left(x: tuple[float, ...], y: Floats) -> Floats:
    """Return the least sum of squared relative errors for each place and program: places x n.

    The last place is that of curves that only fall.
    """
    curves, squares = _curves(x)
    m, inverse = len(x), np.clip(y[:, -1:] / y, 1 / _WIDEST, _WIDEST).T
    a, b, c = squares @ inverse**2, curves @ inverse**2, (inverse**2).sum(0)
    r1, r2 = curves @ inverse, inverse.sum(0)
    # either part alone: a curve without a rest, or no curve at all, whose minimum is anywhere
    left = m - np.maximum(r1**2 / a, r2**2 / c)
    with np.errstate(all="ignore"):
        det = a * c - b * b
        one, two = (c * r1 - b * r2) / det, (a * r2 - b * r1) / det
        both = m - one * r1 - two * r2
        left = np.where((one > 0) & (two > 0) & (det > 1e-9 * a * c), both, left)
    at_places = left[: -len(_FALLS)].reshape(len(_places(x[0], x[-1])), -1, y.shape[0]).min(1)
    least: Floats = np.maximum(np.vstack([at_places, left[-len(_FALLS) :].min(0)]), 0.0)
    return least


@lru_cache(maxsize=16)
def _curves(x: tuple[float, ...]) -> tuple[Floats, Floats]:
    """Return the curves of all places, decays and growths at counts, and their squares.

    (places * decays * growths + falls) x m; each is 1 at the last count.
    """
    away = np.log(np.array(x) / _places(x[0], x[-1])[:, None])[:, None, None, :]
    decay, growth = _DECAYS[None, :, None, None], _GROWTHS[None, None, :, None]
    curves = np.exp(-decay * away) / decay + np.exp(growth * away) / growth
    curves = (curves / curves[..., -1:]).reshape(-1, len(x))
    falls = (np.array(x) / x[-1]) ** -_FALLS[:, None]
    curves = np.vstack([curves, falls])
    return curves, curves**2
