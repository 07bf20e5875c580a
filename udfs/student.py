"""Quantiles of Student's t distribution.

scipy has them, too; to import its special functions takes longer than most questions.
"""

from __future__ import annotations

import math
from functools import lru_cache

_TINY = 1e-300  # in place of 0 in a denominator


@lru_cache(maxsize=4096)
def t_quantile(freedom: float, probability: float) -> float:
    """Return the value that a t-distributed one is below with a probability.

    Newton's method on the logarithms of value and tail, which comes from one side after the first
    step.

    Args:
        freedom: degrees of freedom, above 0, need not be whole.
        probability: 0.5 < probability < 1.
    """
    tail = 1 - probability
    value = 1.0
    for _ in range(100):
        found = _upper_tail(freedom, value)
        slope = value * _density(freedom, value) / found
        step = max(-1.0, min(1.0, math.log(found / tail) / slope))
        value *= math.exp(step)
        if abs(step) < 1e-14:
            break
    return value


def _density(freedom: float, value: float) -> float:
    half = freedom / 2
    log = math.lgamma(half + 0.5) - math.lgamma(half) - math.log(freedom * math.pi) / 2
    return math.exp(log - (half + 0.5) * math.log1p(value * value / freedom))


def _upper_tail(freedom: float, value: float) -> float:
    """Return the probability of a larger value, by the incomplete beta function."""
    square = value * value
    below = square / (freedom + square)
    a = freedom / 2
    if 1 - below < (a + 1) / (a + 2.5):
        return _beta_share(a, 0.5, freedom / (freedom + square)) / 2
    return 0.5 - _beta_share(0.5, a, below) / 2


def _beta_share(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function for x below (a + 1) / (a + b + 2).

    The continued fraction of Press et al., Numerical Recipes (2007), section 6.4.
    """
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    front = math.exp(log + a * math.log(x) + b * math.log1p(-x)) / a
    c, d = 1.0, 1 / _nonzero(1 - (a + b) * x / (a + 1))
    fraction = d
    for m in range(1, 10_000):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _nonzero(1 + factor * d)
            c = _nonzero(1 + factor / c)
            fraction *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return front * fraction


def _nonzero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
