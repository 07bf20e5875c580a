"""One prediction for each function: by a law where the points carry it, else by the ensemble.

`laws` follows any law with its exponent, and errs where functions are not smooth; `ensemble` is
robust on functions of real programs, and flattens steep laws. Their weights are those of their
variances (inverse variance weighting). The variance of a law grows where it did not predict the
last count from the earlier ones (rolling-origin evaluation: Tashman, Int. J. Forecasting 16, 2000),
where it misses the points by more than their repetitions explain (lack of fit: Draper and Smith,
Applied Regression Analysis, 1998, chapter 2), and where so few points were measured that they fit
many laws. Times of real programs that fall go on falling where a law levels off, and without
repetitions a law cannot be tested on them: there the ensemble weighs most.

The constants were chosen on generated laws of other seeds than those that judge them, and on public
profiles (tests.bench.bench_scaling).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from udfs.scaling.bases import Array, Basis, Index, Truth
from udfs.scaling.ensemble import Forecast as EnsembleForecast
from udfs.scaling.ensemble import forecast as ensemble_forecast
from udfs.scaling.evidence import MEDIAN_VARIANCE
from udfs.scaling.laws import AHEAD, LawForecast, law_forecast
from udfs.scaling.series import equal_counts
from udfs.scaling.unseen import unseen_growth

_CARRIED = 5
"""Points from which a law is believed as far as it predicted the last of them."""
_OPEN = {3: 0.2, 4: 0.07}
"""How far from the predicted exponent the 90 % interval goes at least, by the number of points, if
they are fewer: times that are rounded or noisy lie on a law by chance."""
_SURPRISE = (0.8, 4.0)
"""Error of the last count, in standard errors, from which a law is doubted, and how much."""
_CLOSE = (0.05, 25.0)
"""Doubt about a law through four points, and how it grows with its distance from them."""
_EXPECTED, _NEW = 0.02, 0.1
"""Doubt about a law that predicted the last count, and from which that shows something new."""
_CHANGED = (3.5, 0.12)
"""Standard errors, and logarithm of the ratio, from which on a count departs from a law."""
_BEFORE = 3
"""Points before it that carry a law from which a count can depart."""
_BY_ROUNDING = 1.5
"""Steps of rounded times by which a time may be off the law of those before it."""
_EQUAL = 1e-6
_EXPLAINED = 3.0
"""Distance of the points from a law, in their standard errors, that their repetitions explain."""
_LACKING = 2.0
"""Doubt about a law over the distance that they do not explain."""
_GROWING = 0.05
"""Weight of the ensemble's inverse variance where times grow: it flattens steep laws."""
_FLATTENING = (0.3, 2.0)
"""And where they do not: with repetitions or no noise, and where the noise is unknown."""
_EXACT = 1e-3
"""Relative distance of the points from a law below which they have no noise."""
_FAR, _FLAT = 1, 0.2
"""Growth up to which times do not grow, as a logarithm, at this one of the counts `AHEAD`."""
_RULES = (0.8, 0.5)
"""Weight from which a law alone predicts, so that its formula is the prediction: flat, growing."""
_NORMAL = 1.645
_AT_ONCE = 256
_NONE = np.zeros(0)
POOR_FIT = 0.2
"""Relative distance of the points from the prediction, from which no smooth law fits them."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """Predicted times of n functions at t counts.

    `log_seconds`, `log_low` and `log_high` (n x t) are the logarithms of the times and of their
    90 % intervals, `log_ahead` (n x 3) those of the times at `AHEAD` times the largest count;
    `error` (n) is the error on the last counts, predicted from the earlier ones, as a logarithm;
    NaN where a law predicts of which too few points were measured to try that.
    `rules` (n) is whether the law alone predicts; `misfit` (n) is the distance of the points from
    it, 0 where they are too few to tell. `departs` (n) is how far one of the last two counts,
    `since` (n), is from the law of those before it, as a logarithm: from there on the law may be
    another; 0 where it is not; `rounded` (n) is the power of ten, in s, to which all times are
    rounded where that may be why, else 0. `law` and `ensemble` are the two forecasts.
    """

    log_seconds: Array
    log_low: Array
    log_high: Array
    log_ahead: Array
    error: Array
    misfit: Array
    rules: Truth
    departs: Array
    since: Array
    rounded: Array
    law: LawForecast
    ensemble: EnsembleForecast

    @property
    def law_ahead(self) -> Array:
        """The logarithms of the law's times at `AHEAD` times the largest count, n x 3."""
        return self.law.log_seconds[:, : len(AHEAD)]

    def shifted(self, log_ratio: Array, error: Array) -> Forecast:
        """Return the forecast of times that are larger by n x t ratios, known up to `error` (n)."""
        more = _NORMAL * error[:, None]
        seconds = self.log_seconds + log_ratio
        return replace(
            self,
            log_seconds=seconds,
            log_low=seconds - np.hypot(self.log_seconds - self.log_low, more),
            log_high=seconds + np.hypot(self.log_high - self.log_seconds, more),
        )

    def interval(self) -> tuple[Array, Array]:
        """Return the 90 % interval in s."""
        return np.exp(self.log_low), np.exp(self.log_high)


def forecast(basis: Basis, x: Array, y: Array, noise: Array, at: Array) -> Forecast:
    """Predict the times of functions measured at the same number of counts.

    Measured counts have their measured time. Elsewhere the law predicts where it rules; otherwise
    points are joined between counts, and law and ensemble predict beyond the largest one.

    Args:
        basis: terms of the kind of function.
        x: counts of n functions, ascending, n x m, three at least.
        y: their times, n x m, s, above zero.
        noise: relative scatter of the repetitions (n), 0 where unknown.
        at: counts to predict, n x t, the same in every row.
    """
    # Whether a law predicts is decided at counts of its own, so that every question gets the same.
    places = np.concatenate([x[:, -1:] * np.array(AHEAD), at], axis=1)
    law, missed, doubt, departs, kept = _laws(basis, x, y, noise, places)
    robust = ensemble_forecast(basis, x, y, places, law.superlinear)
    beyond = places > x[:, -1:]
    weight = np.where(beyond, _weights(x, y, noise, law, robust, doubt), 0.0)
    rules = weight[:, : len(AHEAD)].min(1) > np.where(_is_flat(y, law), *_RULES)
    rules &= departs == 0
    is_measured = (places[:, :, None] == x[:, None, :]).any(2)
    # A law that predicts does so at all counts; at measured ones it says how sure they are.
    used = np.where(rules[:, None] & ~is_measured, 1.0, weight)
    seconds = used * law.log_seconds + (1 - used) * robust.log_seconds
    asked = slice(len(AHEAD), None)
    weight = np.where(rules[:, None] & ~beyond, 1.0, weight)[:, asked]
    by_law, by_ensemble = law.log_seconds[:, asked], robust.log_seconds[:, asked]
    apart = _NORMAL**2 * weight * (1 - weight) * (by_law - by_ensemble) ** 2
    # Where the law misses its own points it cannot be surer elsewhere.
    largest = np.where(rules, np.abs(law.fitted - np.log(y)).max(1), 0.0)
    least = largest[:, None] * ~is_measured[:, asked]
    low, high = (
        np.sqrt(
            weight * (by_law - end_of_law) ** 2
            + (1 - weight) * (by_ensemble - np.log(end[:, asked])) ** 2
            + apart
        ).clip(least)
        for end_of_law, end in zip((law.log_low, law.log_high), robust.interval(noise), strict=True)
    )
    low, high = seconds[:, asked] - low, seconds[:, asked] + high
    m = x.shape[1]
    if m < _CARRIED:
        # So few points leave many laws open, whichever the ensemble is sure of.
        further, centre = beyond[:, asked], seconds[:, asked]
        apart = _OPEN[m] * np.log(at / x[:, -1:])
        low = np.where(further, np.minimum.reduce([low, law.log_low, centre - apart]), low)
        high = np.where(further, np.maximum.reduce([high, law.log_high, centre + apart]), high)
    else:
        # Of a term that only the last count shows the ensemble knows nothing, and is no less sure.
        anew = beyond[:, asked] & (doubt > _NEW)[:, None]
        low = np.where(anew, np.minimum(low, law.log_low), low)
        high = np.where(anew, np.maximum(high, law.log_high), high)
    # A growing term that the points hide may be most of the time far away.
    hidden = np.log(unseen_growth(x, y, law.fitted, law.noise) / x[:, -1]) + law.fitted[:, -1]
    more = np.logaddexp(0, hidden[:, None] + np.log(at) - seconds[:, asked])
    widened = seconds[:, asked] + np.hypot(high - seconds[:, asked], more)
    high = np.where(beyond[:, asked], widened, high)
    changed = np.flatnonzero(departs)
    if len(changed):
        # The law of before may go on at another level, or that of all counts; or neither.
        onward, least, most = _onward(
            basis, x[changed], y[changed], noise[changed], places[changed], kept[changed]
        )
        seconds[changed] = np.where(beyond[changed], onward, seconds[changed])
        # Far away the law that predicts may be beyond nine of ten others.
        for end, widest, other in ((low, np.minimum, least), (high, np.maximum, most)):
            wide = widest.reduce([end[changed], other[:, asked], onward[:, asked]])
            end[changed] = np.where(beyond[changed, asked], wide, end[changed])
    since = np.arange(len(y)), np.minimum(kept, m - 1)
    return Forecast(
        log_seconds=seconds[:, asked],
        log_low=low,
        log_high=high,
        log_ahead=seconds[:, : len(AHEAD)],
        error=np.where(rules, missed, robust.error),
        misfit=law.misfit if m >= _CARRIED else np.zeros(len(y)),
        rules=rules,
        departs=departs,
        since=x[since],
        rounded=_rounded(y, y[since], departs),
        law=law,
        ensemble=robust,
    )


def _onward(
    basis: Basis, x: Array, y: Array, noise: Array, at: Array, kept: Index
) -> tuple[Array, Array, Array]:
    """Return laws of the first `kept` counts, scaled through the last point, and their intervals.

    The three are logarithms, n x t.
    """
    out = np.zeros((3, *at.shape))
    for rows in equal_counts(np.column_stack([x, kept])):
        counts, number = x[rows[0]], int(kept[rows[0]])
        early = law_forecast(
            basis, counts[:number], y[rows, :number], noise[rows], counts[-1:], at[rows[0]]
        )
        level = np.log(y[rows, -1:]) - early.log_seconds[:, :1]
        for place, one in enumerate((early.log_seconds[:, 1:], early.log_low, early.log_high)):
            out[place, rows] = one + level
    return out[0], out[1], out[2]


def _may_change(y: Array, back: int) -> Truth:
    """Return whether the law of n times, n x m, may change at the last counts: where times fell.

    Times that grow, then or before, may do so by a term that could not be seen before.
    """
    before = y[:, -back - 1]
    falls = np.log(y[:, -back - 2] / before) > _CHANGED[1]
    stays: Truth = falls & (np.log(y[:, -1] / before) < _CHANGED[1])
    return stays


def _departs(y: Array, off: Array, expected: Array) -> Truth:
    """Return whether the last counts of n functions follow another law than those before.

    One count alone that is off may be noise where the next is not.

    Args:
        y: their times, n x m.
        off: logarithms of the last times over those of the law of the counts before, n x counts.
        expected: the variance of the first of these (n).
    """
    lasting = (off * np.sign(off[:, :1]) > _CHANGED[1]).all(1)
    certain = np.abs(off[:, 0]) > _CHANGED[0] * np.sqrt(expected)
    found: Truth = _may_change(y, off.shape[1]) & lasting & certain
    return found


def _rounded(y: Array, since: Array, departs: Array) -> Array:
    """Return the power of ten to which times are rounded, where they may depart by that (n).

    `since` (n) are the times that depart from the law of those before.
    """
    step = 10.0 ** np.floor(np.log10(since) + _EQUAL)
    steps = y / step[:, None]
    whole = (np.abs(steps - np.round(steps)) < _EQUAL * steps).all(1)
    explains = np.abs(departs) <= _BY_ROUNDING * step / since
    return np.where(whole & explains & (departs != 0), step, 0.0)


def _weights(
    x: Array, y: Array, noise: Array, law: LawForecast, robust: EnsembleForecast, doubt: Array
) -> Array:
    """Return the weights of the laws at counts beyond the largest one: n x counts."""
    m = x.shape[1]
    if m < _CARRIED:
        doubt = np.minimum(_CLOSE[0] + _CLOSE[1] * law.misfit, 9.0)
        # Times that grow faster from each of four counts to the next carry a law; with three counts
        # noise looks like that too often.
        share = np.where(_accelerates(x, y), 0.0, 1.0) if m > 3 else np.full(len(y), np.inf)
    else:
        lack = _lack_of_fit(noise, law)
        share = np.where(_is_flat(y, law), np.where(lack < _EXACT, *_FLATTENING), _GROWING)
        doubt = np.hypot(doubt, _LACKING * lack)
    variance = law.spread**2 + doubt[:, None] ** 2
    weight: Array = 1 / (1 + share[:, None] * variance / robust.scale**2)
    return weight


def _lack_of_fit(noise: Array, law: LawForecast) -> Array:
    """Return the distance of the points from a law that their repetitions do not explain (n)."""
    explained = (_EXPLAINED * noise) ** 2 * MEDIAN_VARIANCE
    lack: Array = np.sqrt(np.maximum(law.misfit**2 - explained, 0))
    return lack


def _accelerates(x: Array, y: Array) -> Truth:
    """Return whether times grow from count to count, each time by a larger exponent (n)."""
    exponents = np.diff(np.log(y)) / np.diff(np.log(x))
    faster: Truth = (exponents[:, 0] > 0) & (np.diff(exponents) > 0).all(1)
    return faster


def _is_flat(y: Array, law: LawForecast) -> Truth:
    """Return whether a law with enough points hardly grows (n)."""
    if y.shape[1] < _CARRIED:
        return np.zeros(len(y), bool)
    flat: Truth = law.log_seconds[:, _FAR] - np.log(y[:, -1]) < _FLAT
    return flat


def _laws(
    basis: Basis, x: Array, y: Array, noise: Array, at: Array
) -> tuple[LawForecast, Array, Array, Array, Index]:
    """Return the laws' forecast, its error on the last count, and the doubt that follows (n).

    The first counts of `at` are those at which a law is chosen. The last two results (n) are how
    far the first count of another law departs from that before, as a logarithm, and the number of
    counts before it; 0 and all where there is none.
    """
    parts: list[tuple[Index, LawForecast]] = []
    missed, (doubt, departs) = np.full(len(y), np.nan), np.zeros((2, len(y)))
    kept = np.full(len(y), x.shape[1])
    # Arrays of laws x functions that fit the processor's cache are twice as fast.
    for rows in (
        part
        for every in equal_counts(x)
        for part in np.array_split(every, -(-len(every) // _AT_ONCE))
    ):
        counts, times = x[rows[0]], y[rows]
        ahead, further = np.split(at[rows[0]], [len(AHEAD)])
        found = law_forecast(basis, counts, times, noise[rows], ahead, further)
        parts.append((rows, found))
        for back in (1, 2):
            number = len(counts) - back
            if number < _BEFORE:
                continue
            is_last = back == 1 and len(counts) >= _CARRIED
            tried = rows if is_last else rows[_may_change(times, back)]
            if not len(tried):
                continue
            early = law_forecast(
                basis, counts[:number], y[tried, :number], noise[tried], counts[number:], _NONE
            )
            off = np.log(y[tried, number:]) - early.log_seconds
            expected = early.spread[:, 0] ** 2 + early.noise**2
            if is_last:
                missed[rows] = np.abs(off[:, 0])
                beyond = np.maximum(off[:, 0] ** 2 - _SURPRISE[0] ** 2 * expected, 0)
                doubt[rows] = np.hypot(_EXPECTED, _SURPRISE[1] * np.sqrt(beyond))
            doubtful = tried[_departs(y[tried], off, expected)]
            # Repetitions in a row scatter less than runs of other days: without them it has to be
            # as certain.
            if len(doubtful):
                early = law_forecast(
                    basis,
                    counts[:number],
                    y[doubtful, :number],
                    np.zeros(len(doubtful)),
                    counts[number:],
                    _NONE,
                )
                off = np.log(y[doubtful, number:]) - early.log_seconds
                expected = early.spread[:, 0] ** 2 + early.noise**2
                other = _departs(y[doubtful], off, expected)
                departs[doubtful[other]], kept[doubtful[other]] = off[other, 0], number
    names = LawForecast.__slots__
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    together = {
        name: np.concatenate([getattr(part, name) for _, part in parts])[order] for name in names
    }
    return LawForecast(**together), missed, doubt, departs, kept
