"""What the history of metrics says of the noise of a single run."""

from __future__ import annotations

import numpy as np

from udfs.changes.noise import noise_of, without_outliers
from udfs.comparison.samples import Floats, Samples

LEAST_HISTORY = 6
_NOTABLE = 0.1  # variance by outliers, in that of the noise, from which tails are heavy
_HEAVY_TAILS = 4.0


def scatter(history: Samples) -> tuple[Floats, Floats]:
    """Give the variance of single values of each series, and its degrees of freedom.

    Changes of level are no noise. Outliers are: what they add at the mean of the family is added
    to each, because a single run may be one; where that is notable, the degrees of freedom are at
    most four, the tails of Student's t that suit data with outliers (Lange, Little and Taylor,
    Robust statistical modeling using the t distribution, 1989).

    Args:
        history: m metrics of one family, other runs in order of time.

    Returns:
        Two arrays (metrics); NaN where a series has fewer than `LEAST_HISTORY` values.
    """
    variance = np.full(history.metrics, np.nan)
    outlying = np.full(history.metrics, np.nan)
    counts = history.counts
    for points in np.unique(counts[counts >= LEAST_HISTORY]):
        at = np.flatnonzero(counts == points)
        values = history.part(at).values.reshape(len(at), points)
        inner = without_outliers(values)
        noise = noise_of(inner, np.zeros(values.shape, np.int64)).variance[:, 0]
        variance[at] = noise
        beyond = ((values - inner) ** 2).mean(axis=1)
        outlying[at] = beyond / np.where(noise > 0, noise, np.inf)
    known = np.isfinite(outlying)
    added = float(outlying[known].mean()) if known.any() else 0.0
    freedom = np.where(known, (counts - 1) / 2, np.nan)
    if added > _NOTABLE:
        freedom = np.minimum(freedom, _HEAVY_TAILS)
    return variance * (1 + added), freedom
