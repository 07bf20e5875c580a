"""Growth that measured times do not show: how large a term that grows with the parallelism may be.

A term that makes up a few percent of the largest count's time is hidden in the noise of the points;
at eight times that count it may be most of the time. So the distances of the points from the law
that predicts are regressed on a line in p beside a constant and a decaying term (ridge regression:
Hoerl and Kennard, Technometrics 12, 1970), and what that leaves possible is in the interval.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from udfs.arrays import Floats

_SHARE: Final = 0.03
"""Prior standard deviation of the growing term's share of the largest count's time; the other
terms' is 1."""
_LEAST: Final = 1e-6  # relative noise
_FARTHEST: Final = 2.0  # logarithm beyond which a time is no better known


def unseen_growth(x: Floats, y: Floats, fitted: Floats, noise: Floats) -> Floats:
    """Return how large a linear term may be, over the law's time at the largest count (n).

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
    off = np.expm1(np.clip(np.log(y) - fitted, -_FARTHEST, _FARTHEST))
    variance = np.maximum(noise, _LEAST)[:, None, None] ** 2
    precision = np.diag([_SHARE**-2, 1.0, 1.0, 1.0])
    inverse = np.linalg.inv(terms @ terms.transpose(0, 2, 1) + variance * precision)
    share = (inverse @ (terms @ off[..., None]))[:, 0, 0]
    limit: Floats = np.maximum(share, 0) + np.sqrt(inverse[:, 0, 0] * variance[:, 0, 0])
    return limit
