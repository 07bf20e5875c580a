"""Principal components: the directions in which points vary most."""

from __future__ import annotations

from dataclasses import dataclass

from udfs.clustering.points import Doubles, Floats, InsufficientData, Points


@dataclass(frozen=True, slots=True)
class Components:
    """c components (c x d, each of length 1), their variances (c), shares of all variance (c).

    `mean` (d) is subtracted first; `scores` (n x c) are the points along the components.
    """

    mean: Doubles
    components: Doubles
    variances: Doubles
    shares: Doubles
    scores: Doubles


def principal_components(rows: Floats, number: int) -> Components:
    """Return principal components, by scikit-learn's singular value decomposition.

    Metrics are centred but not scaled: standardise those of different units first. Of a
    component's two directions it is the one in which its largest weight is positive.

    Args:
        rows: n x d finite numbers.
        number: components wanted, at least 1; there are at most d, and n - 1.

    Raises:
        InsufficientData: all points are the same.
    """
    from sklearn.decomposition import PCA

    points = Points.of(rows)
    if not points.norms.any():
        raise InsufficientData("all rows are the same point" if len(rows) > 1 else "there is 1 row")
    kept = min(number, len(rows) - 1, rows.shape[1])
    model = PCA(kept, svd_solver="full")
    scores = model.fit_transform(points.x)
    return Components(
        mean=(rows / points.scale).mean(axis=0) * points.scale,
        components=model.components_,
        variances=model.explained_variance_ * points.scale * points.scale,
        shares=model.explained_variance_ratio_,
        scores=scores * points.scale,
    )
