"""Prediction by laws of scaling, each weighted by how well the points support it.

Laws of the grid (`evidence`), the patent's bases with free exponents (`free`) and laws that break
at a count (`breaks`) are weighted by their posterior probability, and the interval comes from the
quantiles of their predictions (Bayesian model averaging: Hoeting et al., Statistical Science 14,
1999). Where few points leave the law open, laws that differ beyond the points share the weight, and
the interval is wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from udfs.arrays import Flags, Floats
from udfs.scaling.bases import Basis, Index
from udfs.scaling.breaks import ENOUGH, broken_laws
from udfs.scaling.evidence import Noise
from udfs.scaling.free import free_laws
from udfs.scaling.mixture import Mixture, grid_laws, joined, medians

_LIKELY: Final = 0.001
"""How far, as a squared logarithm, a law may be from the median for e times the probability."""
_LEAST: Final = 0.002
"""The least weight of a law that predicts."""
_CERTAIN: Final = 0.7
"""The weight of laws that fall faster than ideal speed-up from which on one of them may predict."""
_KEPT: Final = 40
"""Laws that are looked at further: the rest have one percent of the probability."""
_HOLDS: Final = 0.6
"""The probability of another law from which on it is reported."""
_WIDEST: Final = 1e60  # ratio of times whose square is a number yet
_ROUNDING: Final = 1e-9  # of logarithms that are equal
PATENT: Final = "patent"
"""The bases that are fitted alone where these are asked for."""
AHEAD: Final = (2.0, 4.0, 8.0)
"""Counts over the largest one at which the law is chosen that predicts."""


@dataclass(frozen=True, slots=True)
class LawForecast:
    """Times of n functions at t counts, as one law predicts them, and how sure that is.

    The law is the one nearest to the median of all laws at the a counts ahead, so that prediction
    and formula are the same. `log_seconds` (n x a + t, the counts ahead first) are the logarithms
    of its times, `noise` (n) is the standard deviation of a measurement. `fitted` (n x m) are the
    logarithms of the law's times at the measured counts, `misfit` (n) is their root mean square
    distance from the measured ones. `superlinear` (n) is whether the points show that times fall
    faster than with ideal speed-up: no law that does so predicts without that.

    The law is a sum of three terms, `factors` (n x 3, s at the largest count) times
    p^`exponents` * log2(p)^`logs`, or p/(p + `half` * the largest count), from the count at the
    place `start` (n) on, before which there is another.

    `evidence` (n) is that of all laws. `broken` (n) is the probability that another law begins at a
    count, of which too few were measured to predict by it; `since` (n) is the place of that count.
    `regime` (n) is that of one from which on another law holds and predicts, 0 where there is none.
    """

    log_seconds: Floats
    noise: Floats
    fitted: Floats
    misfit: Floats
    superlinear: Flags
    factors: Floats
    exponents: Floats
    logs: Floats
    half: Floats
    start: Index
    evidence: Floats
    broken: Floats
    since: Index
    regime: Index


def law_forecast(
    basis: Basis, x: Floats, y: Floats, noise: Floats, places: Floats, only: str = ""
) -> tuple[LawForecast, Mixture, dict[int, Floats]]:
    """Predict the times of functions that were measured at the same counts.

    Args:
        basis: terms of the kind of function: those are likelier.
        x: the counts, ascending (m), three at least, the last above 1.
        y: times of n functions, n x m, s, above zero.
        noise: relative noise of a point, n; 0 where unknown.
        places: counts to predict, those at which the law is chosen first.
        only: `patent` where the patent's bases alone are fitted.

    Returns:
        The forecast; the mixture of the likeliest laws at the places, relative to the last count;
        and what law preceded a break, as of `broken_laws`.
    """
    m, ahead = len(x), slice(len(AHEAD))
    level = np.log(y[:, -1:])
    y = np.clip(y / y[:, -1:], 1 / _WIDEST, _WIDEST)  # whose squares are numbers yet
    believed = Noise.known(noise, m)
    parts = [free_laws(basis, x, places, y, believed)]
    early: dict[int, Floats] = {}
    if not only:
        parts.append(grid_laws(basis, x, places, y, believed))
        broken, early = broken_laws(basis, x, places, y, noise)
        parts += broken
    mixture = joined(parts)
    evidence, weight = mixture.evidence, mixture.weight
    shares = np.stack([(weight * (mixture.after == q)).sum(0) for q in range(1, m + 1)])
    mixture = mixture.likeliest(_KEPT)
    weight, values = mixture.weight, mixture.values
    ideal = np.log(mixture.factors.sum(0)) - np.log(np.array(AHEAD))[:, None, None]
    below = (values[ahead] < ideal - _ROUNDING).any(0)
    superlinear = (weight * below).sum(0) > _CERTAIN
    apart = ((values[ahead] - medians(values[ahead], weight)) ** 2).mean(0)
    apart += mixture.left / m
    with np.errstate(divide="ignore"):
        apart -= _LIKELY * np.log(weight)
    allowed = (weight > _LEAST) & (superlinear | ~below)
    # The patent takes the least squares.
    chosen = np.argmin(mixture.left if only else np.where(allowed, apart, np.inf), axis=0)
    everyone = np.arange(len(y))
    described = of_laws(mixture, chosen, x, early, level)
    fitted = described["fitted"] - level
    young, settled = shares[: ENOUGH - 1], shares[ENOUGH - 1 :]
    known = settled.sum(0) > _HOLDS
    forecast = LawForecast(
        **described,
        noise=mixture.sigma[chosen, everyone],
        misfit=np.sqrt(((fitted - np.log(y)) ** 2).mean(1)),
        superlinear=superlinear,
        evidence=evidence,
        broken=young.sum(0),
        since=m - 1 - young.argmax(0),
        regime=np.where(known, m - ENOUGH - settled.argmax(0), 0),
    )
    return forecast, mixture, early


def of_laws(
    mixture: Mixture, chosen: Index, x: Floats, early: dict[int, Floats], level: Floats
) -> dict[str, Any]:
    """Return the fields of `LawForecast` that describe one law of each function, arrays.

    Args:
        mixture: the laws.
        chosen: the law's place (n).
        x: the measured counts (m).
        early: what law preceded a break, as of `broken_laws`.
        level: the logarithms of the times at the last count (n x 1).
    """
    cells = chosen, np.arange(len(chosen))
    fitted, after = mixture.curves(chosen, x, float(x[-1])), mixture.after[cells]
    for q, before in early.items():
        fitted[: len(x) - q] = np.where(after == q, before, fitted[: len(x) - q])
    return {
        "log_seconds": mixture.values[:, *cells].T + level,
        "fitted": fitted.T + level,
        "factors": mixture.factors[:, *cells].T * np.exp(level),
        "exponents": mixture.exponents[:, *cells].T,
        "logs": mixture.logs[:, *cells].T,
        "half": mixture.half[cells],
        "start": np.where(after > 0, len(x) - after, 0),
    }
