"""When to stop measuring two sides in pairs: a truncated sequential test with stated errors.

The boundaries are those of Pampallona and Tsiatis (1994) for two-sided tests that may stop for
either hypothesis, power family, which narrow towards the pair at which a test of fixed size with
the same errors ends. There the test ends, too, decided or not. Where no history states the noise,
that test has to see it first: its size is that of Stein (1945), by the first pairs.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from scipy.special import chdtrc, ndtri, stdtr, stdtrit

_POWER = 0.2  # shape of the boundaries; 0 is that of O'Brien and Fleming (bench_until_decided)
_WIDER = 0.32  # what many looks add to the quantiles of one look (bench_until_decided)
_WIDER_ALONE = 0.45  # the same, of a noise that no history states (bench_until_decided)
_PILOT = 10  # pairs by which a test of fixed size then sees the noise (bench_until_decided)
_MOST = 1000  # pairs
_LEAST = 3  # pairs, of which one may be an outlier
_LEAST_ALONE = 6  # the same, of a noise that has to be seen first
_MOST_FREEDOM = 20.0  # of a history: its runs were measured at other times than these
# Deviations of a pair from the median that are no noise, where a history states the deviation and
# where the pairs themselves do, which few of them show too small (bench_until_decided).
_OUTLIER = 4.0
_OUTLIER_ALONE = 5.0  # the same where no earlier runs show the noise
_SEEN = 8  # pairs from which on their own noise shows outliers
_SURE = 0.001  # chance of calling a quiet machine busy, or a steady one drifting
_TO_SIGMA = 1.4826  # of a normal distribution: deviation over median absolute deviation

Verdict = Literal["worse", "better", "same", "undecided"]


@dataclass(frozen=True, slots=True)
class Noise:
    """The variance of the logarithm of one run, and the degrees of freedom that it is known with.

    Without any it is unknown.
    """

    variance: float = 0.0
    freedom: float = 0.0


@dataclass(frozen=True, slots=True)
class Design:
    """A test: the smallest change that matters, as a share, and its two probabilities of error.

    `false_alarm`: of calling equal sides different. `miss`: of calling sides equal that differ by
    the smallest change.
    """

    smallest: float = 0.05
    false_alarm: float = 0.05
    miss: float = 0.05
    history: Noise = Noise()


@dataclass(frozen=True, slots=True)
class State:
    """How far a test is: `verdict` is None while it goes on.

    `change` is that of the second side as a share of the first, `low` and `high` are its limits at
    the stated error, which hold at every look. `pairs` count, of `most` that a test of fixed size
    would need; `disturbed` are those left out. `noise` is the deviation of a run as a share.
    """

    verdict: Verdict | None
    change: float
    low: float
    high: float
    pairs: int
    most: int
    disturbed: Sequence[int]
    noise: float
    busy: float | None
    drift: float | None


def look(pairs: Sequence[tuple[float, float]], design: Design) -> State:
    """Return how far a test of pairs of positive values is, larger ones being worse.

    Args:
        pairs: values of the first and the second side, in order of time, measured by turns.
        design: what is tested, and how surely.
    """
    prior = Noise(
        2 * design.history.variance, min(design.history.freedom, _MOST_FREEDOM)
    )  # of a difference of two runs
    every = [math.log(second / first) for first, second in pairs]
    disturbed = _outliers(every, prior)
    kept = [value for at, value in enumerate(every) if at not in disturbed]
    count = len(kept)
    mean = statistics.fmean(kept) if kept else 0.0
    squares = sum((value - mean) ** 2 for value in kept)
    freedom = prior.freedom + max(count - 1, 0)
    variance = (prior.freedom * prior.variance + squares) / freedom if freedom else 0.0
    step = math.log1p(design.smallest)
    worst, missed = ndtri(1 - design.false_alarm / 2), ndtri(1 - design.miss)
    is_known = prior.freedom >= _MOST_FREEDOM
    wider = _WIDER if is_known else _WIDER_ALONE
    most = _fixed_size(kept[:_PILOT], prior, design) if kept else _LEAST_ALONE
    share = min(count / most, 1.0) if count else 1.0
    outer = (worst + wider) * share ** (_POWER - 0.5)
    inner = (missed + wider) * share ** (_POWER - 0.5)
    error = math.sqrt(variance / count) if count else math.inf
    score = _normal(mean / error, freedom) if error > 0 else math.inf * mean if mean else 0.0
    verdict: Verdict | None = None
    if count >= (_LEAST if prior.freedom else _LEAST_ALONE):
        if abs(score) >= outer:
            verdict = "worse" if mean > 0 else "better"
        elif error == 0 or _normal((step - abs(mean)) / error, freedom) >= inner:
            verdict = "same"
        elif count >= most:
            verdict = "undecided"
    reach = outer * error * _wider(freedom)
    return State(
        verdict,
        math.expm1(mean),
        math.expm1(mean - reach),
        math.expm1(mean + reach),
        count,
        most,
        sorted(disturbed),
        math.sqrt(variance / 2),
        _busy(squares, count, prior),
        _drift([math.log(first * second) / 2 for first, second in pairs], step),
    )


def _fixed_size(pilot: Sequence[float], prior: Noise, design: Design) -> int:
    """Return the pairs that a test of fixed size needs, by the noise of its first ones.

    These do not matter where the noise is known.
    """
    errors = 1 - design.false_alarm / 2, 1 - design.miss
    if prior.freedom >= _MOST_FREEDOM:
        least, variance, reach = _LEAST, prior.variance, sum(map(ndtri, errors))
    else:
        mean = statistics.fmean(pilot)
        squares = sum((value - mean) ** 2 for value in pilot)
        freedom = max(prior.freedom + len(pilot) - 1, 1)
        least, variance = _PILOT, (prior.freedom * prior.variance + squares) / freedom
        reach = sum(stdtrit(freedom, error) for error in errors)
    size = float(reach**2 * variance) / math.log1p(design.smallest) ** 2
    return min(max(math.ceil(size), least), _MOST)


def _normal(value: float, freedom: float) -> float:
    """Return the normal deviate that is as improbable as a value of Student's distribution."""
    below = float(stdtr(freedom, -abs(value)))
    deviate = -float(ndtri(max(below, 1e-300)))
    return math.copysign(deviate, value)


def _wider(freedom: float) -> float:
    """Return by how much an interval of Student's distribution is wider than the normal one."""
    return 1.0 if freedom > 200 else 1 + 1.2 / max(freedom - 1, 1)


def _outliers(values: Sequence[float], prior: Noise) -> set[int]:
    if len(values) < (3 if prior.freedom else _SEEN):
        return set()
    middle = statistics.median(values)
    own = _TO_SIGMA * statistics.median(abs(value - middle) for value in values)
    scale = max(own, math.sqrt(prior.variance) if prior.freedom else 0.0)
    most = (_OUTLIER if prior.freedom else _OUTLIER_ALONE) * scale
    return {at for at, value in enumerate(values) if abs(value - middle) > most > 0}


def _busy(squares: float, count: int, prior: Noise) -> float | None:
    """Return how many times as noisy as the history these pairs are, where that is certain."""
    if not prior.freedom or count < 3 or prior.variance <= 0:
        return None
    ratio = squares / (count - 1) / prior.variance
    is_sure = float(chdtrc(count - 1, squares / prior.variance)) < _SURE
    return math.sqrt(ratio) if is_sure and ratio > 2.25 else None


def _drift(levels: Sequence[float], step: float) -> float | None:
    """Return by how much both sides became slower from the first to the last third of the pairs.

    None where that is not certain, or less than what matters.
    """
    third = len(levels) // 3
    if third < 3:
        return None
    first, last = levels[:third], levels[-third:]
    difference = statistics.fmean(last) - statistics.fmean(first)
    error = math.sqrt((statistics.variance(first) + statistics.variance(last)) / third)
    if abs(difference) <= step:
        return None
    is_sure = error == 0 or 2 * float(stdtr(2 * third - 2, -abs(difference) / error)) < _SURE
    return math.expm1(difference) if is_sure else None
