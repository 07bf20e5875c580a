"""k-means: k centres that minimise the squared distances of points to the nearest of them."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from udfs.clustering.clara import count
from udfs.clustering.points import Doubles, Floats, InsufficientData, Points, distinct


@dataclass(frozen=True, slots=True)
class Centres:
    """k centres (k x d), the number of each row's centre, and the sum of squared distances."""

    centres: Doubles
    labels: NDArray[np.int32]
    cost: float


def kmeans(
    rows: Floats,
    k: int,
    seed: int = 0,
    times: NDArray[np.int64] | None = None,
    starts: int = 10,
) -> Centres:
    """Cluster points by scikit-learn's k-means, from several starts of k-means++.

    Clusters are numbered by their first rows.

    Args:
        rows: n x d finite numbers.
        k: number of clusters, at least 1.
        seed: of the starts; the same seed returns the same clusters.
        times: n numbers, how often each row occurs; once unless given.
        starts: number of starts, of which the best counts.

    Raises:
        InsufficientData: there are fewer distinct points than clusters.
    """
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    points = Points.of(rows)
    found = len(distinct(points.x, k))
    if found < k:
        raise InsufficientData(f"{count(found, 'distinct point')} cannot form {k} clusters")
    model = KMeans(k, n_init=starts, random_state=seed)
    # Sums depend on the order in which threads add to them.
    with threadpool_limits(1, user_api="openmp"), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(points.x, sample_weight=times)
    _, first = np.unique(model.labels_, return_index=True)
    if len(first) < k:
        # Differences whose squares are 0 tell no points apart.
        raise InsufficientData(f"the points are too close to each other for {k} clusters")
    order = np.argsort(first)
    centres = model.cluster_centers_[order] + (rows / points.scale).mean(axis=0)
    return Centres(
        centres * points.scale,
        np.argsort(order).astype(np.int32)[model.labels_],
        float(model.inertia_) * points.scale * points.scale,
    )
