"""Findings in one series, as the functions for SQL return it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import stdtr

from udfs.arrays import Floats, Integers
from udfs.arrow import returned
from udfs.changes.levels import Levels
from udfs.changes.modes import least_shift
from udfs.changes.noise import Noise
from udfs.changes.provisional import provisional_levels
from udfs.changes.segments import MIN_POINTS, log_p_alone
from udfs.changes.sides import without_spikes
from udfs.changes.significance import JUMP, log_p_jump
from udfs.changes.wandering import least_evident
from udfs.samples import Samples, resolutions
from udfs.student import t_quantile

_T_SQUARED = np.geomspace(2, 2e4, 120)
_JUMPS = np.geomspace(1, 1e3, 120)  # in root mean square steps
_POWER = 0.8416  # quantile of the normal distribution: found in four of five cases


def smallest_changes(noise: Noise, points: int, log_alpha: Floats) -> Floats:
    """Return the smallest lasting change that would be found in four of five such series.

    The change is in the middle of the series, or of one of `MIN_POINTS` where it is shorter. Of
    autocorrelated series in fewer, half to three quarters at .3 and .4: a change makes the values
    look more so.

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


_LEVEL = 0.95  # of the interval of a step
_FEW = 5  # runs of a side whose noise is that of both sides
_EXACT = np.finfo(np.float64).eps  # of a value: no number is stored more exactly


def step_between(before: Floats, after: Floats, inflation: float) -> dict[str, float | None]:
    """Return both levels, an interval of their ratio, and how likely noise makes such a step here.

    Levels are geometric means where all values are positive, else means; the interval is Welch's
    with a probability of 95 %, none for means.

    Args:
        before: values of the level before, any unit, without bursts.
        after: values of the level after.
        inflation: long-run variance of the noise over its variance, 1 or more.

    Returns:
        before and after (unit of the values), low and high (of after / before), p_here.
    """
    positive = bool(before.min() > 0 and after.min() > 0)
    # Around the first value: the mean of equal ones is their value.
    sides = [np.log(side / side[0]) if positive else side - side[0] for side in (before, after)]
    means = [float(side.mean()) for side in sides]
    if positive:
        levels = [before[0] * np.exp(means[0]), after[0] * np.exp(means[1])]
        gap, size = float(np.log(levels[1] / levels[0])), 1.0
    else:
        levels = [before[0] + means[0], after[0] + means[1]]
        gap, size = float(levels[1] - levels[0]), max(map(abs, levels))
    counts = np.array([len(before), len(after)])
    free = counts - 1.0
    squares = np.array([np.square(side - side.mean()).sum() for side in sides])
    if counts.min() < _FEW:
        free[:] = max(free.sum(), 1)
        squares[:] = squares.sum()
    variances = np.maximum(squares / free, (_EXACT * size) ** 2)
    parts = inflation * variances / counts
    error, freedom = float(np.sqrt(parts.sum())), float(free[0])
    if counts.min() >= _FEW:
        freedom = float(parts.sum() ** 2 / (parts**2 / free).sum())
    freedom = max(freedom / inflation, 1.0)
    p = float(2 * stdtr(freedom, -abs(gap) / error)) if error > 0 else 1.0
    reach = t_quantile(freedom, (1 + _LEVEL) / 2) * error
    return {
        "before": float(levels[0]),
        "after": float(levels[1]),
        "low": float(np.exp(gap - reach)) if positive else None,
        "high": float(np.exp(gap + reach)) if positive else None,
        "p_here": p,
    }


def _clipped(before: Floats, after: Floats) -> list[Floats]:
    """Return both sides of a step, any unit, with their outliers clipped as in `compare_runs`."""
    raw = [Samples(side, np.zeros(len(side), np.int64), 1) for side in (before, after)]
    positive = np.array([min(before.min(), after.min()) > 0])
    logs = [side.logs(positive) for side in raw]
    means = [float(side.means()[0]) for side in logs]
    size = 1.0 if positive[0] else max(map(abs, means))
    unit = float(np.exp(min(means))) if positive[0] else 1.0
    least = max(float(resolutions(raw)[0]) / unit, _EXACT * size) ** 2 / 12
    clipped, *_ = without_spikes(logs, np.full((2, 1), least))
    back = np.exp if positive[0] else np.asarray
    return [
        np.where(inner.values == log.values, side.values, back(inner.values))
        for side, log, inner in zip(raw, logs, clipped, strict=True)
    ]


Row = dict[str, Any]

_SHORTEST = 2  # points of a burst; a single one is an outlier
# Points from which a series shows its noise: its last ones may be another level, and of fewer than
# five before these the differences happen to be small.
_KNOWN = 9
_DISTURBED = 0.2  # share of points in bursts from which a series is disturbed
_NOISY = 0.25  # smallest visible change, relative to the level, from which a series is noisy
_NEAR = 4  # half the shortest level: two changes less than that far off are not at one place
_EXPECTED = float(np.log(20))  # odds of a change where a version begins to one within a version
_WANDERING = 0.6  # autocorrelation from which the level wanders

FINDINGS = returned("series_findings")
TOO_SHORT: Row = {"changes": [], "provisional": [], "disturbances": [], "state": "short"}


@dataclass(frozen=True, slots=True)
class Series:
    """The series `row` of `levels`; `smallest` is the smallest change that would be found in it.

    at and ends are the positions of the known points, of the first and the last of their values,
    and values those; begins are the points at which a version begins.
    """

    levels: Levels
    row: int
    at: Integers
    ends: Integers
    values: Floats
    log_alpha: float
    begins: Integers
    smallest: float

    def changes(self) -> list[Row]:
        """Return the changes that are certain."""
        splits = self.levels.splits[self.row]
        certain = [at for at in sorted(splits) if splits[at] <= self.log_alpha]
        bounds = [0, *certain, len(self.at)]
        placed = [
            self._placed(since, at, until)
            for since, at, until in zip(bounds, certain, bounds[2:], strict=False)
        ]
        bounds = [0, *placed, len(self.at)]
        return [
            self._change(since, at, until, splits[found])
            for since, at, until, found in zip(bounds, placed, bounds[2:], certain, strict=False)
        ]

    def provisional(self) -> list[Row]:
        """Return the levels at the end that are not certain yet.

        After two levels that alternate, the change is the least that explains them.
        """
        found = []
        for one in provisional_levels(self.levels, self.row, self.log_alpha):
            first = self._placed(one.before, one.first, len(self.at))
            change = self._change(one.before, first, len(self.at), one.log_p, is_young=True)
            shift = least_shift(self.values[one.before : first], self.values[first:])
            if shift == 0:
                continue
            if shift is not None:
                change |= {"before": change["after"] - shift, "low": None, "high": None}
            since = int(self.at[one.before])
            found.append(change | {"begins": since, "more_runs": one.more_runs})
        return found

    def _placed(self, since: int, at: int, until: int) -> int:
        """Return where a change of level is: where a version begins, if that is as likely.

        The likelihood of a place is that of the points between, on the one level or the other.
        """
        begins = self.begins
        near = begins[(np.abs(begins - at) < _NEAR) & (since < begins) & (begins < until)]
        if not len(near) or at in near:
            return at
        clean = self.levels.clean[self.row]
        before, after = _median(clean[since:at]), _median(clean[at:until])
        variance = max(float(self.levels.noise.variance[self.row, 0]), 1e-24)
        # how much likelier each point is on the level after, in logarithms
        later = (np.square(clean - before) - np.square(clean - after)) / (2 * variance)
        less = [
            float(later[at:begin].sum() if begin > at else -later[begin:at].sum()) for begin in near
        ]
        best = int(np.argmin(less))
        return int(near[best]) if less[best] <= _EXPECTED else at

    def disturbances(self) -> list[Row]:
        """Return the bursts of two points or more that do not reach the end.

        Points between the levels on both sides of a change are a part of it.
        """
        marks = np.concatenate([[False], self.levels.bursts[self.row], [False]])
        edges = np.flatnonzero(marks[1:] != marks[:-1]).tolist()
        steady = self.levels.steady[self.row]
        bursts = zip(edges[::2], edges[1::2], strict=True)
        found: list[Row] = [
            {
                "first": int(self.at[first]),
                "last": int(self.ends[end - 1]),
                "usual": self._unscaled(_median(steady[first:end])),
                "disturbed": _median(self.values[first:end]),
            }
            for first, end in bursts
            if end - first >= _SHORTEST and end < len(self.at)
        ]
        changes = self.changes() if found else []
        return [
            burst
            for burst in found
            if not any(
                burst["first"] - 1 <= change["index"] <= burst["last"] + 1
                and min(change["before"], change["after"])
                < burst["disturbed"]
                < max(change["before"], change["after"])
                for change in changes
            )
        ]

    def findings(self) -> Row:
        """Return all of these, and what is found in the series."""
        levels, row = self.levels, self.row
        drift = float(self._drift[-1] - self._drift[0])
        smallest = self.smallest
        found: Row = {
            "changes": self.changes(),
            "provisional": self.provisional(),
            "disturbances": self.disturbances(),
            "drift": drift or None,
            "smallest_change": smallest
            if np.isfinite(smallest) and len(self.at) >= _KNOWN
            else None,
        }
        if levels.modes.alternate[row]:
            found["modes"] = {
                "low": self._unscaled(levels.modes.low[row]),
                "high": self._unscaled(levels.modes.high[row]),
                "high_share": float(levels.modes.high_share[row]),
            }
        return found | {"state": self._state(found)}

    def _state(self, found: Row) -> str:
        if len(self.values) < MIN_POINTS:
            return "short"
        if "modes" in found:
            return "alternating"
        if self.levels.bursts[self.row].mean() > _DISTURBED:
            return "disturbed"
        if self.levels.noise.rho[self.row, 0] > _WANDERING:
            return "wandering"
        smallest = found["smallest_change"]
        if smallest is None or smallest > _NOISY * abs(_median(self.values)) > 0:
            return "noisy"
        return "steady" if found["drift"] is None else "drifting"

    def _change(
        self, since: int, at: int, until: int, log_p: float, *, is_young: bool = False
    ) -> Row:
        """Return a change; in a series that drifts, as it is where the change is.

        Its size is that of the runs on both sides that are in no burst; of a level that is not
        certain yet that of all, as of `compare_runs`: what is a burst is not certain, either.
        """
        levels = self.levels
        values = self.values - self._drift + self._drift[at]
        kept = ~levels.bursts[self.row] | is_young
        before, after = (
            values[part][kept[part]] if kept[part].any() else values[part]
            for part in (slice(since, at), slice(at, until))
        )
        if is_young:
            before, after = _clipped(before, after)
        step = step_between(before, after, float(levels.noise.inflation[self.row, 0]))
        if log_p <= self.log_alpha and step["low"] is not None and step["high"] is not None:
            # What is certain is no interval around no change.
            is_rise = after.mean() > before.mean()
            end, of = ("low", max) if is_rise else ("high", min)
            step[end] = of(step[end] or 1.0, 1.0)
        return {"index": int(self.at[at]), "p_value": float(np.exp(log_p)), **step}

    @property
    def _drift(self) -> Floats:
        """The drift around the middle of the series, in its unit; 0 where there is none."""
        levels = self.levels
        out: Floats = levels.lines[self.row] * levels.unit[self.row, 0]
        return out

    def _unscaled(self, value: float) -> float:
        """Return a value of the levels in the unit of the series."""
        levels, row = self.levels, self.row
        return float(levels.middle[row, 0] + levels.unit[row, 0] * value)


def _median(values: Floats) -> float:
    """Return the median; np.median takes ten times as long for few values."""
    ordered = np.sort(values)
    return float((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)
