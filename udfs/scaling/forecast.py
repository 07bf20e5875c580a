"""One prediction for each function: a mixture of laws and of the ensemble.

`laws` follows any law with its exponent, and errs where functions are not smooth; `ensemble` is
robust on functions of real programs, and flattens steep laws. Each has the probability that follows
from how well it predicted the last counts from those before (prequential analysis: Dawid, Journal
of the Royal Statistical Society A 147, 1984; stacking of predictive densities: Yao et al., Bayesian
Analysis 13, 2018): the laws' density of these is the ratio of their evidence with and without them,
the ensemble's the mean of its members'. Unless laws alone predict, the prediction is the median of
the mixture; the interval has its quantiles.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.scaling.bases import Basis, Index
from udfs.scaling.ensemble import ROLLED
from udfs.scaling.ensemble import Forecast as EnsembleForecast
from udfs.scaling.ensemble import forecast as ensemble_forecast
from udfs.scaling.evidence import Noise
from udfs.scaling.laws import AHEAD, LawForecast, law_forecast, of_laws
from udfs.scaling.mixture import Mixture, grid_laws, quantiles
from udfs.scaling.series import equal_counts

_RULES: Final = 0.8
"""Probability from which the laws alone predict, so that the formula is the prediction."""
_BROKEN: Final = 0.3
"""Probability of a break, of which too few counts are known, from which nothing follows."""
_JUMP: Final = 0.01
"""The least distance from the law of the counts before, as a logarithm, that is no rounding and no
difference between runs of other days."""
_PLAUSIBLE: Final = 0.1
"""Probability of such a break from which what it would give is in the interval."""
_CARRIED: Final = 5
"""Points that carry a law, and whose distance from it tells something."""
_BY_ROUNDING: Final = 1.5
"""Steps of rounded times by which a time may be off the law of those before it."""
_EQUAL: Final = 1e-6  # relative, of numbers that are equal but for rounding
_ENDS: Final = (0.05, 0.95)
"""Quantiles of the intervals."""
_NORMAL: Final = 1.645  # 95 % quantile of the normal distribution
_UNSHOWN: Final = 1e6
"""Squared logarithms that no law is apart from the prediction."""
_AT_ONCE: Final = 512  # functions, for memory
_HIDDEN_SHARE: Final = 0.03
"""Prior standard deviation of the growing term's share of the largest count's time; the other
terms' is 1."""
_LEAST_NOISE: Final = 1e-6  # relative noise
_FARTHEST_OFF: Final = 2.0  # logarithm beyond which a time is no better known
POOR_FIT: Final = 0.2
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
    rounded where that may be why, else 0. `regime` (n) is the count from which on another law holds
    and predicts, 0 where there is none. `law` is that of the laws, which of a mixture has the law
    nearest to it.
    """

    log_seconds: Floats
    log_low: Floats
    log_high: Floats
    log_ahead: Floats
    error: Floats
    misfit: Floats
    rules: Flags
    departs: Floats
    since: Floats
    rounded: Floats
    regime: Floats
    law: LawForecast

    @property
    def law_ahead(self) -> Floats:
        """The logarithms of the law's times at `AHEAD` times the largest count, n x 3."""
        return self.law.log_seconds[:, : len(AHEAD)]

    def shifted(self, log_ratio: Floats, error: Floats) -> Forecast:
        """Return the forecast of times that are larger by ratios, known up to `error` (n x t)."""
        more = _NORMAL * error
        seconds = self.log_seconds + log_ratio
        return replace(
            self,
            log_seconds=seconds,
            log_low=seconds - np.hypot(self.log_seconds - self.log_low, more),
            log_high=seconds + np.hypot(self.log_high - self.log_seconds, more),
        )

    def interval(self) -> tuple[Floats, Floats]:
        """Return the 90 % interval in s."""
        return np.exp(self.log_low), np.exp(self.log_high)


def forecast(
    basis: Basis, x: Floats, y: Floats, noise: Floats, at: Floats, only: str = ""
) -> Forecast:
    """Predict the times of functions measured at the same number of counts.

    Measured counts have their measured time. Elsewhere the law predicts where it rules; otherwise
    points are joined between counts, and laws and ensemble predict beyond the largest one.

    Args:
        basis: terms of the kind of function.
        x: counts of n functions, ascending, n x m, three at least.
        y: their times, n x m, s, above zero.
        noise: relative noise of a point (n), 0 where unknown.
        at: counts to predict, n x t, the same in every row.
        only: `patent` where the patent's bases alone are to predict.
    """
    # Whether a law predicts is decided at counts of its own, so that every question gets the same.
    places = np.concatenate([x[:, -1:] * np.array(AHEAD), at], axis=1)
    asked, m = slice(len(AHEAD), None), x.shape[1]
    # Arrays of laws x functions that fit the processor's cache are twice as fast.
    parts = [
        (rows, *law_forecast(basis, x[rows[0]], y[rows], noise[rows], places[rows[0]], only))
        for every in equal_counts(np.hstack([x, at]))
        for rows in np.array_split(every, -(-len(every) // _AT_ONCE))
    ]
    order = np.argsort(np.concatenate([rows for rows, *_ in parts]))
    law = LawForecast(
        **{
            name: np.concatenate([getattr(part, name) for _, part, *_ in parts])[order]
            for name in LawForecast.__dataclass_fields__
        }
    )
    robust = ensemble_forecast(basis, x, y, places, law.superlinear)
    missed, share = np.zeros((2, len(y)))
    for rows, part, *_ in parts:
        missed[rows], density = _rolled(basis, x[rows[0]], y[rows], noise[rows], part)
        share[rows] = 1 / (1 + np.exp(np.clip(robust.evidence[rows] - density, -50, 50)))
    if only:
        share[:] = 1.0
    departs = _departures(basis, x, y, noise, law)
    rules = (share > _RULES) & (departs == 0)
    beyond = places > x[:, -1:]
    is_measured = (places[:, :, None] == x[:, None, :]).any(2)
    weight = np.where(beyond, share[:, None], rules[:, None])
    # A growing term that the points hide may be most of the time far away.
    hidden = np.log(_unseen_growth(x, y, law.fitted, law.noise) / x[:, -1]) + law.fitted[:, -1]
    ends, middle = np.zeros((2, *at.shape)), np.zeros(places.shape)
    for rows, part, mixture, early in parts:
        ends[:, rows], middle[rows] = _quantiles(mixture, robust, y, noise, weight, rules, rows)
        # What is shown of a prediction that is no law's is the nearest law: one of all counts,
        # unless it is known that another began.
        level, mixed = np.log(y[rows, -1:]), ~rules[rows]
        off = mixture.values - (middle[rows] - level).T[:, None]
        apart = (off[: len(AHEAD)] ** 2).sum(0)
        apart += np.where((mixture.after > 0) & (part.regime == 0), _UNSHOWN, 0.0)
        nearest = apart.argmin(0)
        for name, values in of_laws(mixture, nearest, x[rows[0]], early, level).items():
            getattr(law, name)[rows[mixed]] = values[mixed]
    # A law that predicts does so at all counts; at measured ones it says how sure they are.
    by_law = rules[:, None] & ~is_measured
    seconds = np.where(by_law, law.log_seconds, np.where(beyond, middle, robust.log_seconds))
    low, high = ends
    more = np.logaddexp(0, hidden[:, None] + np.log(at) - seconds[:, asked])
    more = np.where(beyond[:, asked], more, 0)
    high = seconds[:, asked] + np.hypot(high - seconds[:, asked], more)
    # Where the law misses its own points it cannot be closer elsewhere.
    largest = np.where(rules, np.abs(law.fitted - np.log(y)).max(1), 0.0)
    least = largest[:, None] * ~is_measured[:, asked]
    low = np.minimum(low, seconds[:, asked] - least)
    high = np.maximum(high, seconds[:, asked] + least)
    since = np.arange(len(y)), law.since
    return Forecast(
        log_seconds=seconds[:, asked],
        log_low=low,
        log_high=high,
        log_ahead=seconds[:, : len(AHEAD)],
        error=np.where(rules, missed if m >= _CARRIED else np.nan, robust.error),
        misfit=law.misfit if m >= _CARRIED else np.zeros(len(y)),
        rules=rules,
        departs=departs,
        since=x[since],
        rounded=_rounded(y, y[since], departs),
        regime=np.where(law.regime > 0, x[np.arange(len(y)), law.regime], 0.0),
        law=law,
    )


def _rolled(
    basis: Basis, x: Floats, y: Floats, noise: Floats, law: LawForecast
) -> tuple[Floats, Floats]:
    """Return how far the laws of the first counts were from the last ones (n), as a logarithm.

    And the logarithm of the density with which the laws predicted those.
    """
    kept = len(x) - min(ROLLED, len(x) - 2)
    last = y[:, kept - 1 : kept]
    early = grid_laws(basis, x[:kept], x[kept:], y[:, :kept] / last, Noise.known(noise, kept))
    off = (early.weight * early.values).sum(1) - np.log(y[:, kept:] / last).T
    return np.sqrt((off**2).mean(0)), law.evidence - early.evidence


def _quantiles(
    mixture: Mixture,
    robust: EnsembleForecast,
    y: Floats,
    noise: Floats,
    weight: Floats,
    rules: Flags,
    rows: Index,
) -> tuple[Floats, Floats]:
    """Return the ends of the 90 % intervals of a measurement, 2 x n x t, and the medians.

    As logarithms; the medians at all places, `AHEAD` first, where laws and ensemble predict.
    """
    asked, mixed = slice(len(AHEAD), None), np.flatnonzero(~rules[rows])
    level = np.log(y[rows, -1:])
    by_law = weight[rows].T[:, None]
    values, errors = mixture.values, np.hypot(mixture.errors, mixture.sigma)
    centre = (robust.log_seconds[rows] - level).T[:, None]
    spread = np.hypot(robust.scale[rows], noise[rows, None]).T[:, None]
    shares = np.concatenate([by_law * mixture.weight, 1 - by_law], axis=1)
    every = np.concatenate([values, centre], axis=1)
    spreads = np.concatenate([errors, spread], axis=1)
    middle = np.zeros_like(centre[:, 0])
    middle[:, mixed] = quantiles(every[..., mixed], spreads[..., mixed], shares[..., mixed], (0.5,))
    found = quantiles(every[asked], spreads[asked], shares[asked], _ENDS)
    # What a plausible break would give is within, however probable a law without one is.
    after = np.where(mixture.after > 0, mixture.weight, 0.0)
    broken = np.flatnonzero(after.sum(0) > _PLAUSIBLE)
    if len(broken):
        after = after[:, broken] / after[:, broken].sum(0)
        part, spreads = values[asked][..., broken], errors[asked][..., broken]
        ends = quantiles(part, spreads, np.broadcast_to(after, part.shape), _ENDS)
        beyond = by_law[asked][:, 0, broken] > 0
        for end, own, widest in zip(found, ends, (np.minimum, np.maximum), strict=True):
            end[:, broken] = np.where(beyond, widest(end[:, broken], own), end[:, broken])
    return found.transpose(0, 2, 1) + level, middle.T + level


def _departures(basis: Basis, x: Floats, y: Floats, noise: Floats, law: LawForecast) -> Floats:
    """Return how far the first count of another law is from that before, as a logarithm (n).

    0 where no law breaks so late that nothing follows from the counts after it.
    """
    departs = np.zeros(len(y))
    broken = np.flatnonzero(law.broken > _BROKEN)
    if not len(broken):
        return departs
    for part in equal_counts(np.column_stack([x[broken], law.since[broken]])):
        rows = broken[part]
        counts, kept = x[rows[0]], int(law.since[rows[0]])
        last = y[rows, kept - 1 : kept]
        known = Noise.known(noise[rows], kept)
        first, next_one = counts[:kept], counts[kept : kept + 1]
        early = grid_laws(basis, first, next_one, y[rows, :kept] / last, known)
        expected = (early.weight * early.values[0]).sum(0)
        departs[rows] = np.log(y[rows, kept] / last[:, 0]) - expected
    return np.where(np.abs(departs) > _JUMP, departs, 0.0)


def _rounded(y: Floats, since: Floats, departs: Floats) -> Floats:
    """Return the power of ten to which times are rounded, where they may depart by that (n).

    `since` (n) are the times that depart from the law of those before.
    """
    step = 10.0 ** np.floor(np.log10(since) + _EQUAL)
    steps = y / step[:, None]
    whole = (np.abs(steps - np.round(steps)) < _EQUAL * steps).all(1)
    explains = np.abs(departs) <= _BY_ROUNDING * step / since
    return np.where(whole & explains & (departs != 0), step, 0.0)


def _unseen_growth(x: Floats, y: Floats, fitted: Floats, noise: Floats) -> Floats:
    """Return how large a linear term may be, over the law's time at the largest count (n).

    A term that makes up a few percent of the largest count's time is hidden in the noise of the
    points; at eight times that count it may be most of the time. So the distances of the points
    from the law are regressed on a line in p beside a constant and a decaying term (ridge
    regression: Hoerl and Kennard, Technometrics 12, 1970), and what that leaves possible is in the
    interval.

    Args:
        x: counts of n functions, ascending, n x m.
        y: their times, n x m, s.
        fitted: logarithms of the times by their laws, n x m.
        noise: relative standard deviation of a point, n.
    """
    # Terms over the law: at most 1 each, so that no inverse is lost to rounding.
    over = np.exp(np.minimum(fitted[:, -1:] - fitted, 0))
    p = x / x[:, -1:]
    terms = np.stack([over * p, over, over * x[:, :1] / x, np.ones_like(p)], axis=1)
    off = np.expm1(np.clip(np.log(y) - fitted, -_FARTHEST_OFF, _FARTHEST_OFF))
    variance = np.maximum(noise, _LEAST_NOISE)[:, None, None] ** 2
    precision = np.diag([_HIDDEN_SHARE**-2, 1.0, 1.0, 1.0])
    inverse = np.linalg.inv(terms @ terms.transpose(0, 2, 1) + variance * precision)
    share = (inverse @ (terms @ off[..., None]))[:, 0, 0]
    limit: Floats = np.maximum(share, 0) + np.sqrt(inverse[:, 0, 0] * variance[:, 0, 0])
    return limit
