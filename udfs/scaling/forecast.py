"""One prediction for each function: by a law where the points carry it, else by the ensemble.

`laws` follows any law with its exponent, and errs where functions are not smooth; `ensemble` is
robust on functions of real programs, and flattens steep laws. Their weights are those of their
variances (inverse variance weighting). The variance of a law grows where it did not predict the
last count from the earlier ones (rolling-origin evaluation: Tashman, Int. J. Forecasting 16, 2000),
and where so few points were measured that they fit many laws.

The constants were chosen on generated laws of other seeds than those that judge them, and on public
profiles (tests.bench.bench_scaling).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from udfs.scaling.bases import Array, Basis, Index, Truth
from udfs.scaling.ensemble import Forecast as EnsembleForecast
from udfs.scaling.ensemble import forecast as ensemble_forecast
from udfs.scaling.laws import AHEAD, LawForecast, law_forecast

_CARRIED = 5
"""Points from which a law is believed as far as it predicted the last of them."""
_SURPRISE = (0.8, 4.0)
"""Error of the last count, in standard errors, from which a law is doubted, and how much."""
_CLOSE = (0.1, 300.0)
"""Doubt about a law through four points, and how it grows with its distance from them."""
_ENSEMBLE = (1.0, 0.08)
"""Weight of the ensemble's inverse variance at four points, and at more."""
_RULES = 0.5
"""Weight from which a law alone predicts, so that its formula is the prediction."""
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
    `error` (n) is the error on the last counts, predicted from the earlier ones, as a logarithm.
    `rules` (n) is whether the law alone predicts; `misfit` (n) is the distance of the points from
    it, 0 where they are too few to tell. `law` and `ensemble` are the two forecasts.
    """

    log_seconds: Array
    log_low: Array
    log_high: Array
    log_ahead: Array
    error: Array
    misfit: Array
    rules: Truth
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


def forecast(basis: Basis, x: Array, y: Array, noise: Array, at: Array, mpi: Truth) -> Forecast:
    """Predict the times of functions measured at the same number of counts.

    Measured counts have their measured time. Elsewhere the law predicts where it rules; otherwise
    points are joined between counts, and law and ensemble predict beyond the largest one.

    Args:
        basis: terms of the kind of function.
        x: counts of n functions, ascending, n x m, three at least.
        y: their times, n x m, s, above zero.
        noise: relative scatter of the repetitions (n), 0 where unknown.
        at: counts to predict, n x t, the same in every row.
        mpi: whether each function is a call of MPI (n).
    """
    # Whether a law predicts is decided at counts of its own, so that every question gets the same.
    at = np.concatenate([x[:, -1:] * np.array(AHEAD), at], axis=1)
    robust = ensemble_forecast(basis, x, y, at)
    law, missed, doubt = _laws(x, y, noise, at, mpi)
    low, high = (np.log(one) for one in robust.interval(noise))
    m = x.shape[1]
    if m < _CARRIED:
        doubt = (
            np.minimum(_CLOSE[0] + _CLOSE[1] * law.misfit, 9.0) if m > 3 else np.full(len(y), 99)
        )
    law_variance = ((law.log_high - law.log_low) / (2 * _NORMAL)) ** 2 + doubt[:, None] ** 2
    variance = ((high - low) / (2 * _NORMAL)) ** 2
    share = _ENSEMBLE[m >= _CARRIED]
    weight = 1 / (1 + share * law_variance / np.maximum(variance, 1e-12))
    outside = (at > x[:, -1:]) & (m > 3)
    weight = np.where(outside, weight, 0.0)
    rules = weight[:, : len(AHEAD)].min(1) > _RULES
    is_measured = (at[:, :, None] == x[:, None, :]).any(2)
    # A law that predicts does so at all counts; at measured ones it says how sure they are.
    ruled = rules[:, None] & ~is_measured
    used = np.where(ruled, 1.0, weight)
    weight = np.where(rules[:, None] & ~outside, 1.0, weight)
    seconds = used * law.log_seconds + (1 - used) * robust.log_seconds
    apart = weight * (1 - weight) * (law.log_seconds - robust.log_seconds) ** 2
    half = [
        np.sqrt(
            weight * (law.log_seconds - law.log_low) ** 2
            + (1 - weight) * (robust.log_seconds - low) ** 2
            + _NORMAL**2 * apart
        ),
        np.sqrt(
            weight * (law.log_high - law.log_seconds) ** 2
            + (1 - weight) * (high - robust.log_seconds) ** 2
            + _NORMAL**2 * apart
        ),
    ]
    # Where the law misses its own points it cannot be surer elsewhere.
    misfit = law.misfit if m >= _CARRIED else np.zeros(len(y))
    largest = np.where(rules, np.abs(law.fitted - np.log(y)).max(1), 0.0)[:, None] * ~is_measured
    low, high = seconds - np.maximum(half[0], largest), seconds + np.maximum(half[1], largest)
    if m < _CARRIED:
        # So few points leave many laws open, whichever the ensemble is sure of.
        beyond = at > x[:, -1:]
        low = np.where(beyond, np.minimum(low, law.log_low), low)
        high = np.where(beyond, np.maximum(high, law.log_high), high)
    return Forecast(
        log_seconds=seconds[:, len(AHEAD) :],
        log_low=low[:, len(AHEAD) :],
        log_high=high[:, len(AHEAD) :],
        log_ahead=seconds[:, : len(AHEAD)],
        error=np.where(rules, missed, robust.error),
        misfit=misfit,
        rules=rules,
        law=law,
        ensemble=robust,
    )


def _laws(
    x: Array, y: Array, noise: Array, at: Array, mpi: Truth
) -> tuple[LawForecast, Array, Array]:
    """Return the laws' forecast, its error on the last count, and the doubt that follows (n).

    The first counts of `at` are those at which a law is chosen.
    """
    keys = np.concatenate([x, mpi[:, None]], axis=1)
    _, group = np.unique(keys, axis=0, return_inverse=True)
    parts: list[tuple[Index, LawForecast]] = []
    missed, doubt = np.zeros(len(y)), np.zeros(len(y))
    # Arrays of laws x functions that fit the processor's cache are twice as fast.
    for rows in (
        part
        for number in range(group.max(initial=-1) + 1)
        for every in [np.flatnonzero(group == number)]
        for part in np.array_split(every, -(-len(every) // _AT_ONCE))
    ):
        counts, times, collective = x[rows[0]], y[rows], bool(mpi[rows[0]])
        ahead, further = np.split(at[rows[0]], [len(AHEAD)])
        found = law_forecast(counts, times, noise[rows], ahead, further, collective=collective)
        parts.append((rows, found))
        if len(counts) >= _CARRIED:
            early = law_forecast(
                counts[:-1], times[:, :-1], noise[rows], counts[-1:], _NONE, collective=collective
            )
            off = early.log_seconds[:, 0] - np.log(times[:, -1])
            half = (early.log_high - early.log_low)[:, 0] / (2 * _NORMAL)
            missed[rows] = np.abs(off)
            beyond = np.maximum(off**2 - (_SURPRISE[0] * half) ** 2, 0)
            doubt[rows] = np.hypot(0.02, _SURPRISE[1] * np.sqrt(beyond))
    names = LawForecast.__slots__
    order = np.argsort(np.concatenate([rows for rows, _ in parts]))
    together = {
        name: np.concatenate([getattr(part, name) for _, part in parts])[order] for name in names
    }
    return LawForecast(**together), missed, doubt
