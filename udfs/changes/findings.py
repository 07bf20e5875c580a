"""What is found in one series, as the functions for SQL return it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from udfs.arrays import Floats, Integers
from udfs.arrow import returned
from udfs.changes.levels import find_levels
from udfs.changes.modes import least_shift
from udfs.changes.provisional import provisional_levels
from udfs.changes.segments import MIN_POINTS
from udfs.changes.sensitivity import smallest_changes
from udfs.changes.steps import step_between

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

CHANGES = returned("detect_changes")
FINDINGS = returned("series_findings")


class Group:
    """Series of the same length, searched together.

    places are the positions of the known points of each, of the first and the last of their
    values; values are those, (series, points); log_alpha is (series,), the log of the significance;
    begins are the points of each at which a version begins.
    """

    def __init__(
        self,
        places: list[tuple[Integers, Integers]],
        values: Floats,
        log_alpha: Floats,
        begins: list[Integers],
    ) -> None:
        self.places, self.values, self.log_alpha = places, values, log_alpha
        self.begins = begins
        self.levels = find_levels(values)

    @cached_property
    def smallest(self) -> Floats:
        """The smallest change that would be found in each series, in its unit."""
        levels = self.levels
        found = smallest_changes(levels.noise, self.values.shape[1], self.log_alpha)
        with np.errstate(over="ignore"):
            return found * levels.unit[:, 0]


@dataclass(frozen=True, slots=True)
class Series:
    """One series of a group."""

    group: Group
    row: int

    @property
    def at(self) -> Integers:
        """Positions of the known points."""
        return self.group.places[self.row][0]

    @property
    def values(self) -> Floats:
        """Known values."""
        out: Floats = self.group.values[self.row]
        return out

    @property
    def log_alpha(self) -> float:
        """Log of the significance."""
        return float(self.group.log_alpha[self.row])

    @staticmethod
    def nothing(kind: pa.DataType) -> Any:
        """Return what is found in a series that is too short for anything."""
        if pa.types.is_list(kind):
            return []
        return {"changes": [], "provisional": [], "disturbances": [], "state": "short"}

    def changes(self) -> list[Row]:
        """Return the changes that are certain."""
        splits = self.group.levels.splits[self.row]
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
        for one in provisional_levels(self.group.levels, self.row, self.log_alpha):
            first = self._placed(one.before, one.first, len(self.at))
            change = self._change(one.before, first, len(self.at), one.log_p)
            shift = least_shift(self.values[one.before : first], self.values[first:])
            if shift == 0:
                continue
            if shift is not None:
                change |= {"before": change["after"] - shift, "low": None, "high": None}
            found.append(change | {"more_runs": one.more_runs})
        return found

    def _placed(self, since: int, at: int, until: int) -> int:
        """Return where a change of level is: where a version begins, if that is as likely.

        The likelihood of a place is that of the points between, on the one level or the other.
        """
        begins = self.group.begins[self.row]
        near = begins[(np.abs(begins - at) < _NEAR) & (since < begins) & (begins < until)]
        if not len(near) or at in near:
            return at
        clean = self.group.levels.clean[self.row]
        before, after = _median(clean[since:at]), _median(clean[at:until])
        variance = max(float(self.group.levels.noise.variance[self.row, 0]), 1e-24)
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
        marks = np.concatenate([[False], self.group.levels.bursts[self.row], [False]])
        edges = np.flatnonzero(marks[1:] != marks[:-1]).tolist()
        steady = self.group.levels.steady[self.row]
        bursts = zip(edges[::2], edges[1::2], strict=True)
        found: list[Row] = [
            {
                "first": int(self.at[first]),
                "last": int(self.group.places[self.row][1][end - 1]),
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
        levels, row = self.group.levels, self.row
        drift = float(self._drift[-1] - self._drift[0])
        smallest = float(self.group.smallest[row])
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
        if self.group.levels.bursts[self.row].mean() > _DISTURBED:
            return "disturbed"
        if self.group.levels.noise.rho[self.row, 0] > _WANDERING:
            return "wandering"
        smallest = found["smallest_change"]
        if smallest is None or smallest > _NOISY * abs(_median(self.values)) > 0:
            return "noisy"
        return "steady" if found["drift"] is None else "drifting"

    def _change(self, since: int, at: int, until: int, log_p: float) -> Row:
        """Return a change; in a series that drifts, as it is where the change is.

        Its size is that of `compare_runs`, of the runs on both sides that are in no burst.
        """
        levels = self.group.levels
        values = self.values - self._drift + self._drift[at]
        kept = ~levels.bursts[self.row]
        before, after = (
            values[part][kept[part]] if kept[part].any() else values[part]
            for part in (slice(since, at), slice(at, until))
        )
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
        levels = self.group.levels
        out: Floats = levels.lines[self.row] * levels.unit[self.row, 0]
        return out

    def _unscaled(self, value: float) -> float:
        """Return a value of the levels in the unit of the series."""
        levels, row = self.group.levels, self.row
        return float(levels.middle[row, 0] + levels.unit[row, 0] * value)


def _median(values: Floats) -> float:
    """Return the median; np.median takes ten times as long for few values."""
    ordered = np.sort(values)
    return float((ordered[(len(values) - 1) // 2] + ordered[len(values) // 2]) / 2)
