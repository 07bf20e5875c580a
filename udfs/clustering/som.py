"""Self-organising map: a grid of prototypes in which neighbours are alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.clustering.components import principal_components
from udfs.clustering.points import Doubles, Floats, Points

_EPOCHS = 60  # passes over the points
_NARROWEST = 0.5  # cells, of the last neighbourhood


@dataclass(frozen=True, slots=True)
class Map:
    """Prototypes of the cells (height * width x d), row by row, and the cell of each point.

    `quantisation_error` is the mean distance of points to their prototype, `topographic_error`
    the share of points whose two nearest prototypes are not neighbours (also diagonally).
    """

    prototypes: Doubles
    cells: NDArray[np.int32]
    quantisation_error: float
    topographic_error: float


def self_organising_map(rows: Floats, height: int, width: int) -> Map:
    """Train a map by the batch algorithm (Kohonen 2013, "Essentials of the self-organizing map").

    The map begins as a plane along the two first principal components; each epoch replaces every
    prototype by the mean of all points, weighted by a Gaussian of the distance on the grid between
    their cells and its own, which narrows from half the grid's longer side to half a cell. There
    is no chance in it: equal points make equal maps.

    Args:
        rows: n x d finite numbers.
        height, width: cells of the grid, at least 1.

    Raises:
        InsufficientData: all points are the same.
    """
    points = Points.of(rows)
    x = np.asarray(points.x, np.float64)
    grid = np.stack(np.divmod(np.arange(height * width), width), axis=1).astype(np.float64)
    apart = ((grid[:, None] - grid[None]) ** 2).sum(axis=2)
    prototypes = _plane(x, grid)
    widest = max(height, width) / 2
    for epoch in range(_EPOCHS):
        sigma = max(_NARROWEST, widest * (_NARROWEST / widest) ** (epoch / (_EPOCHS - 1)))
        cells, _ = _nearest(x, prototypes)
        size = np.bincount(cells, minlength=len(grid))
        sums = np.stack([np.bincount(cells, column, len(grid)) for column in x.T], axis=1)
        pull = np.exp(-apart / (2 * sigma**2))
        weight = pull @ size
        reached = weight > np.finfo(float).tiny
        prototypes[reached] = (pull @ sums)[reached] / weight[reached, None]
    cells, squared = _nearest(x, prototypes)
    mean = (rows / points.scale).mean(axis=0)
    return Map(
        prototypes=(prototypes + mean) * points.scale,
        cells=cells.astype(np.int32),
        quantisation_error=float(np.sqrt(squared).mean()) * points.scale,
        topographic_error=_torn(x, prototypes, cells, apart),
    )


def _nearest(x: Doubles, prototypes: Doubles) -> tuple[NDArray[np.int64], Doubles]:
    """Return the nearest prototype of each row, and the squared distance."""
    from sklearn.metrics import pairwise_distances_argmin

    cells = pairwise_distances_argmin(x, prototypes)
    apart = x - prototypes[cells]
    return cells, np.einsum("ij,ij->i", apart, apart)


def _plane(x: Doubles, grid: Doubles) -> Doubles:
    """Return prototypes on the plane of the two first components, two deviations to each side."""
    found = principal_components(x, 2)
    spread = np.sqrt(found.variances)[:, None] * found.components
    middle = grid.max(axis=0) / 2
    place = (grid - middle) / np.maximum(middle, 0.5)
    # The longer side of the grid lies along the component of more variance.
    if middle[1] >= middle[0]:
        place = place[:, ::-1]
    plane: Doubles = found.mean + 2 * place[:, : len(spread)] @ spread
    return plane


def _torn(x: Doubles, prototypes: Doubles, cells: NDArray[np.int64], apart: Doubles) -> float:
    if len(prototypes) < 2:
        return 0.0
    second = np.empty_like(cells)
    for cell in np.unique(cells):
        own = cells == cell
        others = np.delete(np.arange(len(prototypes)), cell)
        second[own] = others[_nearest(x[own], prototypes[others])[0]]
    return float((apart[cells, second] > 2).mean())
