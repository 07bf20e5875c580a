"""How often `pwh bisect` finds the commit, and with how many runs, simulated.

128 commits after a good one, of which one, any, changes the level by 5 % at 3 % noise of a run;
levels and noise unknown at the start. The search ends when a commit has a probability of 95 %, or
after 40 runs. Also with two runs of a hundred that take up to twice as long.

    python -m tests.bench.bench_bisect [--trials 300] [--commits 128] [--runs 40]
"""

from __future__ import annotations

import argparse
import random

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
