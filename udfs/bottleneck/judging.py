"""A stored model applied to samples: class, probabilities, drivers, cost shares, or Unknown."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Flags, Floats, Integers
from udfs.bottleneck import autoencoder, baselines, calibration, contested, costs
from udfs.bottleneck.training import (
    CAUSE_OF,
    CAUSES,
    CLASSES,
    LEAST_SHARE,
    UNKNOWN,
    Arrays,
    Singles,
    decode_names,
    memory_misses,
    standardised,
)
from udfs.flags import Flag, flag

# 90 % of normal errors are within so many standard deviations.
_DEVIATIONS = 1.645
# Share of the time of a rate as large as its offset (`training.scale`): what an event costs in
# models that have not measured it.
_SHARE_AT_OFFSET = 0.03


def least_cycles(metrics: Floats, arrays: Arrays) -> Floats:
    """Return the fewest cycles (n x 4, in the order of CAUSES) whose counts tell the classes apart.

    A count of N events has a standard error of sqrt(N + 1), that of a Poisson variable whose rate
    is not known before (its posterior variance after a flat prior). Times the cycles that an event
    costs alone, over the cycles of the sample, it is an error of a cost share. Where the 90 % band
    of that error is as wide as the share that makes a component the bottleneck (LEAST_SHARE),
    chance in the counts alone can make or hide one.

    Args:
        metrics: n x m, per cycle.
        arrays: a model with `names` and `log_offset`; cycles that events cost are its `serial`
            (m x 4), where it has learned them.
    """
    cycles = _cycles_of_events(arrays)
    factor = (_DEVIATIONS / LEAST_SHARE / np.maximum(metrics @ cycles, 1)) ** 2
    # The shortest sample of c cycles of which the error, (metrics * c + 1) @ cycles^2 / c^2 in
    # squares, is not too large: a root of a quadratic equation.
    half = factor * (metrics @ cycles**2) / 2
    return np.asarray(half + np.sqrt(half**2 + factor * (cycles**2).sum(axis=0)))


def _cycles_of_events(arrays: Arrays) -> Floats:
    """Return the cycles (m x 4) that one event of each metric costs each component, alone."""
    if "serial" in arrays:
        return arrays["serial"]
    cycles = np.zeros((len(arrays["log_offset"]), len(CAUSES)))
    for i, name in enumerate(decode_names(arrays["names"])):
        if name in CAUSE_OF:
            cycles[i, CAUSES.index(CAUSE_OF[name])] = _SHARE_AT_OFFSET / arrays["log_offset"][i]
    return cycles


COSTS = "cost networks"
PROBABILITIES: dict[str, Callable[[Singles, Arrays], Singles]] = {
    "stacked autoencoder": autoencoder.class_probabilities,
    "decision tree": baselines.tree_probabilities,
    "k nearest neighbours": baselines.neighbours_probabilities,
    "logistic regression": baselines.logistic_probabilities,
    "random forest": baselines.tree_probabilities,
    "gradient boosting": baselines.boosting_probabilities,
}
ALGORITHMS = (*PROBABILITIES, COSTS)
DRIVERS = 3  # metrics named with a verdict
# What the classes are called in reasons.
_COMPONENTS = {
    "Mem": "main memory",
    "DTB": "data-TLB misses",
    "ICache": "instruction-cache misses",
    "DMA": "DMA",
}


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts on n samples.

    `classes` (n) are positions in CLASSES, len(CLASSES) for Unknown; `probability` (n) that of the
    likeliest class, `probabilities` (n x 6) of all, calibrated. `drivers` (n x 3) are positions of
    metrics, the strongest first, and `contributions` (n x 3) what each adds to the logarithm of the
    likeliest class's odds against the average class, by logistic regression; `deviations` (n x 3)
    are their standardised values. `cost`, `cost_low` and `cost_high` (n x 4) are shares of the
    cycles in the order of CAUSES, None without a model of them; `hidden` (n x 4) is where events
    that would be the bottleneck if each waited for the last cost too little to be it. `familiar`
    (n) is False where a metric is missing, or the sample is too short or unlike those of the
    training: then no number means anything. `reasons` are flags, and `reason` (n) the position of
    the sample's among them, -1 where its class is known.
    """

    classes: Integers
    probability: Floats
    probabilities: Singles
    drivers: NDArray[np.intp]
    contributions: Singles
    deviations: Singles
    cost: Singles | None
    cost_low: Singles | None
    cost_high: Singles | None
    hidden: Flags
    familiar: Flags
    reason: Integers
    reasons: list[Flag]

    def names(self) -> NDArray[np.str_]:
        """Return the classes by name (n)."""
        return np.array([*CLASSES, UNKNOWN])[self.classes]


@dataclass(frozen=True, slots=True)
class Estimates:
    """Verdicts of a model before it is calibrated, of n samples.

    `probabilities` (n x 6) are the algorithm's own, `by_analogy` (n x 6) the shares of the classes
    among programs of the training with nearly equal counters, NaN where these agree
    (`contested.shares_of_classes`); `cost` (n x 4, of the cycles) and `ipc` (n, of the issue width)
    are None without a model of costs.
    """

    probabilities: Singles
    by_analogy: Singles
    cost: Singles | None
    ipc: Floats | None

    def calibrated(self, arrays: Arrays, temperature: float | None = None) -> Singles:
        """Return the probabilities (n x 6) by the model's temperature, or by another.

        A component whose band ends below LEAST_SHARE is the bottleneck with the probability beyond
        that end at most; the rest of it is moved to Balance and Other, by IPC. Where programs with
        nearly equal counters had several classes, no class is likelier than the share of these.
        """
        if temperature is None:
            temperature = float(arrays["temperature"][0])
        stated = calibration.apply_temperature(self.probabilities, temperature)
        by_analogy = self.by_analogy
        if self.cost is not None and self.ipc is not None:
            costless = costs.apply_bands(self.cost, arrays)[1] < LEAST_SHARE
            most = np.where(costless, np.float32((1 - costs.COVERED) / 2), np.float32(1))
            components = np.minimum(stated[:, 1:-1], most)
            freed = (stated[:, 1:-1] - components).sum(axis=1)
            stated = _with_rest(components, stated[:, 0], stated[:, -1], freed, self.ipc)
            none = np.zeros(len(by_analogy), np.float32)
            by_analogy = _with_rest(
                by_analogy[:, 1:-1], none, none, by_analogy[:, 0] + by_analogy[:, -1], self.ipc
            )
        # NaN compares as false.
        more_confident = stated.max(axis=1) > self.by_analogy.max(axis=1)
        return np.where(more_confident[:, None], np.maximum(by_analogy, calibration.FLOOR), stated)


def _with_rest(
    components: Singles, balance: Singles, other: Singles, rest: Singles, ipc: Floats
) -> Singles:
    """Return probabilities (n x 6) with what no component has (`rest`, n) shared out by IPC."""
    to_balance, to_other = costs.balance_log_odds(ipc)
    ends = balance + rest * np.exp(to_balance), other + rest * np.exp(to_other)
    return np.column_stack([ends[0], components, ends[1]]).astype(np.float32)


def estimate(metrics: Floats, scaled: Singles, arrays: Arrays) -> Estimates:
    """Apply a model to metrics (n x m, per cycle, measured) and the same, standardised."""
    algorithm = ALGORITHMS[int(arrays["algorithm"][0])]
    by_analogy = contested.shares_of_classes(metrics, arrays)
    if "serial" not in arrays:
        return Estimates(PROBABILITIES[algorithm](scaled, arrays), by_analogy, None, None)
    cost, ipc = costs.shares(metrics, scaled, arrays), metrics[:, int(arrays["ipc"][0])]
    if algorithm == COSTS:
        return Estimates(baselines.softmax(costs.class_log_odds(cost, ipc)), by_analogy, cost, ipc)
    return Estimates(PROBABILITIES[algorithm](scaled, arrays), by_analogy, cost, ipc)


def judge(metrics: Floats, arrays: Arrays, cycles: Floats | None = None) -> Judged:
    """Apply a model to metrics (n x m, per cycle, in the model's order; NaN where not measured).

    A sample is Unknown where a metric is missing, where only events of one component were counted,
    where it has too few `cycles` (n; NaN where unknown) for its counts to tell the classes apart
    (`least_cycles`), where a metric or a predicted cost is outside the range of the
    training samples, where the likeliest class is a component that by its band may cost nothing,
    and where no class is as likely as the model's `confidence`. A component whose whole band is
    below LEAST_SHARE is no bottleneck, whatever its rate.
    """
    metrics = np.where(np.isfinite(metrics) & (metrics >= 0), metrics, np.nan)
    missing = np.isnan(metrics)
    counted = np.where(missing, 0, metrics)
    filled = memory_misses(counted, decode_names(arrays["names"]))
    scaled = standardised(filled, arrays)
    estimates = estimate(filled, scaled, arrays)
    probabilities = estimates.calibrated(arrays)
    cost, low, high = estimates.cost, None, None
    hidden = np.zeros((len(metrics), len(CAUSES)), bool)
    if cost is not None:
        low, high = costs.apply_bands(cost, arrays)
        hidden = (high < LEAST_SHARE) & (filled @ arrays["serial"] >= LEAST_SHARE)
    likeliest = probabilities.argmax(axis=1)
    probability = probabilities.max(axis=1).astype(float)
    short, needed = _short_for(filled, cycles, arrays)
    doubts = _Doubts(
        missing=missing,
        short=short,
        needed=needed,
        alone=_only_component(filled, arrays),
        outside=_outside(filled, cost, arrays),
        band_includes_zero=_band_includes_zero(likeliest, low),
        unsure=probability < arrays["confidence"][0],
        contested=np.isfinite(estimates.by_analogy[:, 0]),
        order=np.argsort(-probabilities, axis=1, kind="stable")[:, :2],
    )
    drivers, contributions = _drivers(scaled, likeliest, arrays)
    # Those of the counts themselves, which the view pmu_standardised shows.
    shown = scaled if filled is counted else standardised(counted, arrays)
    deviations = np.take_along_axis(shown, drivers, axis=1)
    reason, reasons = doubts.reasons(arrays)
    return Judged(
        classes=np.where(reason >= 0, len(CLASSES), likeliest),
        probability=probability,
        probabilities=probabilities,
        drivers=drivers,
        contributions=contributions,
        deviations=deviations,
        cost=cost,
        cost_low=low,
        cost_high=high,
        hidden=hidden,
        familiar=doubts.familiar,
        reason=reason,
        reasons=reasons,
    )


def _short_for(metrics: Floats, cycles: Floats | None, arrays: Arrays) -> tuple[Integers, Integers]:
    """Return for which component (n, its number from 1) samples are too short, and what it needs.

    Of several it is that which needs most cycles (n, rounded up to two digits); both are 0 where
    the sample is long enough.
    """
    none = np.zeros(len(metrics), np.int64)
    if cycles is None:
        return none, none
    least = least_cycles(metrics, arrays)
    most = np.maximum(least.max(axis=1), 1)
    digit = 10 ** (np.floor(np.log10(most)) - 1)
    short = cycles < most
    needed = (np.ceil(most / digit) * digit).astype(np.int64)
    return np.where(short, 1 + least.argmax(axis=1), 0), np.where(short, needed, 0)


def _only_component(metrics: Floats, arrays: Arrays) -> Integers:
    """Return by sample (n) which component alone has events: its number from 1, 0 for several.

    -1 where no event was counted at all.
    """
    cause_of = [CAUSE_OF.get(name) for name in decode_names(arrays["names"])]
    counted = metrics > 0
    alone = np.where(counted.any(axis=1), 0, -1)
    for number, cause in enumerate(CAUSES, 1):
        mine = np.array([other == cause for other in cause_of])
        alone[counted[:, mine].any(axis=1) & ~counted[:, ~mine].any(axis=1)] = number
    return alone


def _outside(metrics: Floats, cost: Singles | None, arrays: Arrays) -> Flags:
    """Return which metrics, then which costs (n x (m + 4)), no training sample came near."""
    beyond = (metrics > arrays["upper"]) | (metrics < arrays["lower"])
    if cost is None:
        return np.column_stack([beyond, np.zeros((len(metrics), len(CAUSES)), bool)])
    return np.column_stack([beyond, cost > arrays["largest_cost"]])


def _band_includes_zero(likeliest: NDArray[np.intp], low: Singles | None) -> Flags:
    """Return where (n) the likeliest class is a component whose band begins at 0."""
    component = (likeliest > 0) & (likeliest < len(CLASSES) - 1)
    if low is None:
        return np.zeros(len(likeliest), bool)
    place = np.where(component, likeliest - 1, 0)
    return component & (low[np.arange(len(low)), place] <= 0)


def _drivers(
    scaled: Singles, likeliest: NDArray[np.intp], arrays: Arrays
) -> tuple[NDArray[np.intp], Singles]:
    weight = arrays["softmax_w"].astype(np.float32)
    against = (weight - weight.mean(axis=1, keepdims=True)).T
    contributions = scaled * against[likeliest]
    order = np.argsort(-contributions, axis=1)[:, :DRIVERS]
    return order, np.take_along_axis(contributions, order, axis=1)


@dataclass(frozen=True, slots=True)
class _Doubts:
    """Reasons why samples are Unknown, the weightiest first.

    `missing` (n x m) metrics; the component that the sample is too `short` for, and the cycles
    `needed` (n, see `_short_for`); the component that is `alone` (n, see `_only_component`);
    `outside` (n x (m + 4)) metrics and costs; `band_includes_zero`, `unsure` and `contested` (n);
    `order` (n x 2) are the two likeliest classes.
    """

    missing: Flags
    short: Integers
    needed: Integers
    alone: Integers
    outside: Flags
    band_includes_zero: Flags
    unsure: Flags
    contested: Flags
    order: NDArray[np.intp]

    @property
    def familiar(self) -> Flags:
        """Whether samples (n) have all metrics, within the range of the training samples."""
        strange = self.missing.any(axis=1) | self.outside.any(axis=1)
        return np.asarray(~strange & (self.alone == 0) & (self.short == 0))

    def reasons(self, arrays: Arrays) -> tuple[Integers, list[Flag]]:
        """Return the position of each sample's reason (n), -1 for none, and the reasons."""
        bits = 1 << np.arange(self.outside.shape[1], dtype=np.int64)
        lacking = self.missing @ bits[: self.missing.shape[1]]
        short = np.where(lacking > 0, 0, self.short)
        alone = np.where((lacking > 0) | (short > 0), 0, self.alone)
        outside = np.where((lacking > 0) | (short > 0) | (alone != 0), 0, self.outside @ bits)
        judged = (lacking == 0) & (short == 0) & (alone == 0) & (outside == 0)
        nothing = judged & self.band_includes_zero
        unsure = judged & self.unsure & ~nothing
        first, second = np.where((nothing | unsure)[:, None], self.order, 0).T
        by_analogy = unsure & self.contested
        needed = np.where(short > 0, self.needed, 0)
        keys = np.column_stack(
            [lacking, short, alone, outside, nothing, unsure, needed, by_analogy, first, second]
        )
        keys[~unsure, -1] = 0
        reason = np.full(len(keys), -1)
        rows = np.flatnonzero(keys[:, :6].any(axis=1))
        if not len(rows):
            return reason, []
        kinds, reason[rows] = np.unique(keys[rows], axis=0, return_inverse=True)
        return reason, [_reason(kind.tolist(), arrays) for kind in kinds]


def _reason(kind: list[int], arrays: Arrays) -> Flag:
    """Return the flag for a row of `_Doubts.reasons`' keys."""
    lacking, short, alone, outside, nothing, _, needed, by_analogy, first, second = kind
    names = decode_names(arrays["names"])
    if lacking:
        return flag("not_measured", metrics=_names_of(names, lacking))
    if short:
        component = _COMPONENTS[CAUSES[short - 1]]
        return flag("few_cycles", component=component, needed=f"{needed:,}")
    if alone:
        return (
            flag("cycles_alone")
            if alone < 0
            else flag("component_alone", component=_COMPONENTS[CAUSES[alone - 1]])
        )
    if outside:
        both = [*names, *(f"the cost of {_COMPONENTS[cause]}" for cause in CAUSES)]
        return flag("outside_range", metrics=_names_of(both, outside))
    if nothing:
        component = _COMPONENTS[CLASSES[first]]
        return flag("may_cost_nothing", first=CLASSES[first], component=component)
    confidence = f"{100 * arrays['confidence'][0]:.0f} %"
    return flag(
        "contested_class" if by_analogy else "no_likely_class",
        confidence=confidence,
        first=CLASSES[first],
        second=CLASSES[second],
    )


def _names_of(names: list[str], mask: int) -> str:
    return ", ".join(name for i, name in enumerate(names) if int(mask) >> i & 1)
