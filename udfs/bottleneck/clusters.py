"""Clusters of samples, and the class that each medoid indicates.

A medoid's metrics are standardised over the samples; one is high where it lies half a deviation
above the mean, else low. Of a class with several metrics (ICache: fetches from the level-2 cache
and those that miss there) their mean is what counts. A rule names what has to be high, while all
others used by rules are low. DMA transfers read or write memory, so a high rate of DMA can come
with a high rate of memory accesses.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from udfs.arrays import Floats, Integers
from udfs.bottleneck.training import UNKNOWN, WIDTH_METRIC, Singles
from udfs.clustering.clara import clara
from udfs.clustering.gap import Gap, gap
from udfs.clustering.points import WORKERS

HIGH = 0.5  # deviations above the mean from which a metric is high
MAX_CLUSTERS = 10  # that the gap statistic tries
REFERENCES = 50  # sets of random points of the gap statistic

_MEM, _DMA = "Mem", "DMA"

# How many of the next-best numbers of clusters are tried where a cluster matches no rule.
_NEXT_BEST = 2

Rule = tuple[str, str | None]
Namer = Callable[[Floats], list[str]]


@dataclass(frozen=True, slots=True)
class Clusters:
    """k clusters of n samples, the largest first.

    `medoids` (k) are row numbers, `profiles` (k x m) their standardised metrics, `sizes` (k),
    `classes` (k) names or Unknown, `labels` (n) the cluster of each sample. `gap` is None where k
    was given; `tried` are the numbers of clusters that were tried, the first choice first.
    """

    medoids: Integers
    profiles: Floats
    sizes: Integers
    classes: list[str]
    labels: Integers
    gap: Gap | None
    tried: list[int]

    @property
    def unknown(self) -> int:
        """How many samples are in clusters that match no rule."""
        fits = np.array([name != UNKNOWN for name in self.classes])
        return int(self.sizes[~fits].sum())


def clustered(points: Singles, k: int | None, name: Namer, seed: int) -> Clusters:
    """Cluster samples by CLARA and classify the clusters.

    Without `k` the gap statistic chooses it; where a cluster then matches no rule, the next-best
    numbers (those with the next largest gaps, except one cluster) are tried, and the one with the
    fewest Unknown samples is kept.

    Args:
        points: n x m standardised metrics.
        k: number of clusters; None to choose it.
        name: returns the classes (k) of medoids (k x m); Unknown where no rule matches.
        seed: of all random choices.

    Raises:
        InsufficientData: there are too few distinct samples.
    """
    rows = points.astype(np.float64)
    if k is not None:
        return _named(rows, k, name, seed, None)
    found = gap(rows, MAX_CLUSTERS, REFERENCES, seed, WORKERS)
    best, tried = _named(rows, found.k, name, seed, found), [found.k]
    for other in _next_best(found):
        if not best.unknown:
            break
        tried.append(other)
        candidate = _named(rows, other, name, seed, found)
        best = candidate if candidate.unknown < best.unknown else best
    return replace(best, tried=tried)


def profile_classes(
    profiles: Floats, indicates: Sequence[str | None], rules: Sequence[Rule]
) -> list[str]:
    """Return the classes of medoids by rules; see the module.

    Args:
        profiles: k x m standardised metrics.
        indicates: what a high value of each metric indicates (m); None where rules do not use it.
        rules: classes and what has to be high; None where nothing may be, not even IPC.

    Returns:
        k classes; Unknown where no rule matches, or where the set lacks what the rule names.
    """
    known = [kind for kind in dict.fromkeys(indicates) if kind is not None]
    columns = {kind: [i for i, other in enumerate(indicates) if other == kind] for kind in known}
    classes = []
    for profile in profiles:
        values = {kind: float(profile[columns[kind]].mean()) for kind in known}
        classes.append(next((one for one, need in rules if _matches(values, need)), UNKNOWN))
    return classes


def _matches(values: Mapping[str, float], need: str | None) -> bool:
    """Return whether the indicated values (the mean of each kind) match a rule."""
    high = {kind for kind, value in values.items() if value >= HIGH}
    if need is None:
        return WIDTH_METRIC in values and len(values) > 1 and not high
    if need != WIDTH_METRIC:
        # A high IPC indicates Balance only; with another bottleneck it means nothing.
        high -= {WIDTH_METRIC}
    if need == _DMA and need in high and values.get(_MEM, -np.inf) <= values[need]:
        high -= {_MEM}
    return high == {need}


def _next_best(found: Gap) -> list[int]:
    order = np.argsort(-found.gap, kind="stable") + 1
    others = [int(k) for k in order if k not in (1, found.k) and np.isfinite(found.gap[k - 1])]
    return others[:_NEXT_BEST]


def _named(rows: Floats, k: int, name: Namer, seed: int, found: Gap | None) -> Clusters:
    clusters = clara(rows, k, seed, WORKERS)
    sizes = np.bincount(clusters.labels, minlength=k)
    order = np.lexsort((clusters.medoids, -sizes))
    medoids = clusters.medoids[order]
    profiles = rows[medoids]
    return Clusters(
        medoids=medoids,
        profiles=profiles,
        sizes=sizes[order],
        classes=name(profiles),
        labels=np.argsort(order)[clusters.labels],
        gap=found,
        tried=[k],
    )
