"""How often `pwh bisect` finds the commit, and with how many runs, simulated.

128 commits after a good one, of which one, any, changes the level by 5 % at 3 % noise of a run;
levels and noise unknown at the start. The search ends when a commit has a probability of 95 %, or
after 40 runs. Also with two runs of a hundred that take up to twice as long. Beside it the limit: a
search that knows the noise, and how large changes are, and keeps the exact probability of each
commit and size of the change; and the same search, with both levels known.

    python -m tests.bench.bench_bisect [--trials 300] [--commits 128] [--runs 40]
"""

from __future__ import annotations

import argparse
import random
from typing import TYPE_CHECKING

import numpy as np

from udfs.measuring.bisection import belief, next_measurement

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_WIDTH = 2.0  # of the changes that the limit takes for probable, in deviations of a run


def main() -> None:
    """Print how many searches end at the right commit, and their runs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--commits", type=int, default=128)
    parser.add_argument("--runs", type=int, default=40)
    options = parser.parse_args()
    for title, spikes in (("quiet", 0.0), ("two of a hundred disturbed", 0.02)):
        rng = random.Random(1)
        ends = [
            search(rng, options.commits, options.runs, spikes=spikes) for _ in range(options.trials)
        ]
        right = sum(is_right for is_right, _, _ in ends) / len(ends)
        within = sum(is_in for _, is_in, _ in ends) / len(ends)
        runs = sorted(count for *_, count in ends)
        print(
            f"{title}: right {right:.1%}, among those named {within:.1%}, "
            f"{sum(runs) / len(runs):.1f} runs, nine of ten within {runs[len(runs) * 9 // 10]}"
        )
    for title, enough, known in (
        ("limit, noise known", 0.95, False),
        ("limit, noise known, never stopped early", 2.0, False),
        ("levels and noise known", 0.95, True),
    ):
        right, mean = ideal(
            options.trials, options.commits, options.runs, enough, levels_known=known
        )
        print(f"{title}: right {right:.1%}, {mean:.1f} runs")


def ideal(
    trials: int,
    commits: int,
    most: int,
    enough: float,
    change: float = 0.05 / 0.03,
    *,
    levels_known: bool = False,
    seed: int = 1,
) -> tuple[float, float]:
    """Return the share of searches by exact probabilities that are right, and their mean runs.

    All trials at once. The noise is 1 and known; the good level is flat and integrated out, the
    change is one of a grid with half a normal distribution as wide as `_WIDTH` times the noise.
    Each run is where the entropy of the commit is expected to fall most, which is computed for each
    commit from the density of the next value on a grid.
    """
    rng = np.random.default_rng(seed)
    culprit = rng.integers(1, commits + 1, trials)
    size = (np.arange(16) + 0.5) * 3 * _WIDTH / 16
    prior = -((size / _WIDTH) ** 2) / 2
    if levels_known:
        size, prior = np.array([change]), np.zeros(1)
    count, total = np.zeros((2, trials, commits + 1))
    squares, runs, right = np.zeros((3, trials))
    live = np.arange(trials)
    for run in range(most + 1):
        at = np.full(len(live), 0 if run == 0 else commits)
        if run > 1:
            bad, sum_ = (_after(of[live]) for of in (count, total))
            residual = total[live].sum(1)[:, None, None] - size * bad
            log = prior - (squares[live, None, None] - 2 * size * sum_ + size**2 * bad) / 2
            level = np.zeros_like(log) if levels_known else residual / run
            log += 0 if levels_known else residual**2 / run / 2
            weight = np.exp(log - log.max((1, 2), keepdims=True))
            weight /= weight.sum((1, 2), keepdims=True)
            chances = weight.sum(2)
            runs[live] = run
            right[live] = chances.argmax(1) + 1 == culprit[live]
            going = chances.max(1) < enough
            live, weight, level = live[going], weight[going], level[going]
            if run == most or not len(live):
                break
            width = 1.0 if levels_known else (1 + 1 / run) ** 0.5
            gains = [_gain(*one, size, width) for one in zip(weight, level, strict=True)]
            at = np.array([gain.argmax() for gain in gains])
        value = change * (at >= culprit[live]) + rng.normal(0, 1, len(live))
        count[live, at] += 1
        total[live, at] += value
        squares[live] += value**2
    return float(right.mean()), float(runs.mean())


def _after(values: Floats) -> Floats:
    """Return the sums of what commits have from each but the first on, with an axis for sizes."""
    sums: Floats = values[:, ::-1].cumsum(1)[:, -2::-1, None]
    return sums


def _gain(weight: Floats, level: Floats, size: Floats, width: float) -> Floats:
    """Return the information on the commit that a run of each commit is expected to have."""
    near = weight.sum(1) > 1e-5
    grid = np.linspace(level[near].min() - 4, (level[near] + size).max() + 4, 90)
    step = grid[1] - grid[0]
    with_, without = (
        np.where(
            near[:, None],
            np.einsum("cs,csg->cg", weight, np.exp(-(((grid - mean) / width) ** 2) / 2)),
            0.0,
        )
        / (width * (2 * np.pi) ** 0.5)
        for mean in ((level + size)[:, :, None], level[:, :, None])
    )
    own = weight.sum(1)[:, None] + 1e-300
    density = _both_sides(with_, without)
    left = _both_sides(*(one * np.log(one / own + 1e-300) for one in (with_, without)))
    gain: Floats = (left - density * np.log(density + 1e-300)).sum(1) * step
    return gain


def _both_sides(with_: Floats, without: Floats) -> Floats:
    """Return for each place the sum over commits up to it of the one and after it of the other."""
    none = np.zeros_like(with_[:1])
    upto: Floats = np.concatenate([none, with_.cumsum(0)])
    upto += np.concatenate([without[::-1].cumsum(0)[::-1], none])
    return upto


def search(
    rng: random.Random,
    commits: int,
    most: int,
    change: float = 0.05,
    deviation: float = 0.03,
    spikes: float = 0.0,
) -> tuple[bool, bool, int]:
    """Return whether the commit found is right, is among those named, and the number of runs."""
    culprit = rng.randint(1, commits)
    places: list[int] = []
    values: list[float] = []
    while True:
        known = belief(commits + 1, places, values)
        if len(places) >= most or known.at.max() >= 0.95:
            break
        one, often = next_measurement(commits + 1, places, values)
        for _ in range(often):
            places.append(one)
            spike = rng.random() * (rng.random() < spikes)
            values.append(rng.gauss(change if one >= culprit else 0.0, deviation) + spike)
    named = known.not_told_apart(0.95)
    return known.culprit == culprit, culprit in named, len(places)


if __name__ == "__main__":
    main()
