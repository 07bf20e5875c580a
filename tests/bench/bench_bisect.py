"""How often `pwh bisect` finds the commit, and with how many runs, simulated.

128 commits after a good one, of which one, any, changes the level by 5 % at 3 % noise of a run;
levels and noise unknown at the start. The search ends when a commit has a probability of 95 %, or
after 40 runs. Also with two runs of a hundred that take up to twice as long. Beside it two searches
that know what `pwh bisect` does not: both levels and the noise (Horstein's median), or only the
noise, with the information of each further run computed exactly: what so many runs can tell.

    python -m tests.bench.bench_bisect [--trials 300] [--commits 128] [--runs 40]
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable

import numpy as np

from udfs.measuring.bisection import belief, next_measurement


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
    for title, choose in (("levels and noise known", median), ("noise known", most_informed)):
        draw = np.random.default_rng(1)
        found = [informed(draw, choose, options.commits, options.runs) for _ in range(200)]
        right, runs_ = (sum(values) / len(found) for values in zip(*found, strict=True))
        print(f"{title}: right {right:.1%}, {runs_:.1f} runs")


def informed(
    draw: np.random.Generator,
    choose: Callable[[np.ndarray, np.ndarray, int], tuple[np.ndarray, int]],
    commits: int,
    most: int,
    change: float = 0.05 / 0.03,
) -> tuple[bool, int]:
    """Return whether a search that knows the noise (1) is right, and its number of runs."""
    culprit = int(draw.integers(1, commits + 1))
    places, values = [0, commits], [draw.normal(0, 1), draw.normal(change, 1)]
    while True:
        chances, following = choose(np.array(places), np.array(values), commits)
        if len(places) >= most or chances.max() >= 0.95:
            return int(chances.argmax()) + 1 == culprit, len(places)
        places.append(following)
        values.append(draw.normal(change if following >= culprit else 0, 1))


def median(
    places: np.ndarray, values: np.ndarray, commits: int, change: float = 0.05 / 0.03
) -> tuple[np.ndarray, int]:
    """Return the probability of each commit, of known levels, and the commit in the middle."""
    slower = places[None] >= np.arange(1, commits + 1)[:, None]
    chances = _shares(-((values - change * slower) ** 2).sum(1) / 2)
    return chances, int(abs(np.cumsum(chances) - 0.5).argmin()) + 1


def most_informed(
    places: np.ndarray, values: np.ndarray, commits: int, prior: float = 4.0
) -> tuple[np.ndarray, int]:
    """Return the same for flat levels whose step has a normal prior, and the best commit to try."""
    at = np.arange(1, commits + 1)
    slower = (places[None] >= at[:, None]).astype(float)
    number = slower.sum(1)
    count, total = np.stack([len(places) - number, number]), slower @ values
    total = np.stack([values.sum() - total, total])
    mean = total / np.maximum(count, 1)
    weight = prior * count[0] * count[1] / len(places)
    explained = (mean[1] - mean[0]) ** 2 * weight**2 / (1 + weight) / prior / 2
    chances = _shares(explained - np.log1p(weight) / 2)
    shares = np.cumsum(chances)
    tried = np.searchsorted(shares, np.linspace(0.05, 0.95, 13))
    best, most = 0, -np.inf
    for one in {0, commits, *tried.tolist(), *(tried + 1).tolist()}:
        own = (one >= at).astype(int)
        known = count[own, at - 1] + 1 / prior
        middle = (total[own, at - 1] + mean[1 - own, at - 1] / prior) / known
        variance = 1 + 1 / known
        x = np.linspace(middle.min() - 4, middle.max() + 4, 60)
        density = chances @ (
            np.exp(-((x - middle[:, None]) ** 2) / variance[:, None] / 2)
            / np.sqrt(2 * np.pi * variance)[:, None]
        )
        entropy = -(density * np.log(density + 1e-300)).sum() * (x[1] - x[0])
        gain = entropy - chances @ np.log(2 * np.pi * np.e * variance) / 2
        if gain > most:
            best, most = one, gain
    return chances, min(best, commits)


def _shares(logs: np.ndarray) -> np.ndarray:
    shares = np.exp(logs - logs.max())
    return shares / shares.sum()


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
