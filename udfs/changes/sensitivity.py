"""The smallest change that would be found in a series of such noise."""

from __future__ import annotations

import numpy as np

from udfs.arrays import Floats
from udfs.changes.noise import Noise
from udfs.changes.segments import MIN_POINTS, log_p_alone
from udfs.changes.significance import JUMP, log_p_jump
from udfs.changes.wandering import least_evident

_T_SQUARED = np.geomspace(2, 2e4, 120)
_JUMPS = np.geomspace(1, 1e3, 120)  # in root mean square steps
_POWER = 0.8416  # quantile of the normal distribution: found in four of five cases


def smallest_changes(noise: Noise, points: int, log_alpha: Floats) -> Floats:
    """Return the smallest lasting change that would be found in four of five such series.

    The change is in the middle of the series, or of one of `MIN_POINTS` where it is shorter.

    Args:
        noise: noise of the series.
        points: points of each series.
        log_alpha: (series,), log of the significance.

    Returns:
        (series,), in the unit of the noise; NaN where none would be found, however large.
    """
    length = float(max(points, MIN_POINTS))
    t_squared = np.broadcast_to(_T_SQUARED, (len(log_alpha), len(_T_SQUARED)))
    found = log_p_alone(t_squared, noise, np.full((1, 1), length)) <= log_alpha[:, None]
    needed = np.where(found.any(axis=1), _T_SQUARED[found.argmax(axis=1)], np.nan)
    error = np.sqrt(noise.inflation * noise.variance * 4 / length)[:, 0]
    rhos = np.round(noise.rho[:, 0], 1)
    evident = np.array([least_evident(int(length), float(rho)) for rho in rhos])
    least = np.maximum(np.sqrt(needed) * error, evident * np.sqrt(noise.variance[:, 0]))
    out: Floats = np.fmin(least + _POWER * error, _smallest_jump(noise, length, log_alpha))
    return out


def _smallest_jump(noise: Noise, length: float, log_alpha: Floats) -> Floats:
    """Return the smallest change that is certain because it is so sudden, (series,)."""
    jumps = np.sqrt(noise.step) * _JUMPS
    found = log_p_jump(jumps, noise, length) <= log_alpha[:, None]
    needed = np.where(found.any(axis=1), _JUMPS[found.argmax(axis=1)], np.nan)
    error = np.sqrt(2 / JUMP * noise.variance)[:, 0]
    out: Floats = needed * np.sqrt(noise.step)[:, 0] + _POWER * error
    return out
