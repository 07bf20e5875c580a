"""Errors and runs of `pwh record --until-decided`, simulated.

Pairs of runs with normal noise of their logarithm, no change and changes of 2, 5, 10 and 20 %, the
smallest that matters being 2 %. What a test of fixed size with the same errors needs is the
number that the usual formula has for this noise. Of a noise that no history states a test of fixed
size has to see it first, too: it needs what Stein's two-stage test does, by the first ten pairs of
each trial (Annals of Mathematical Statistics 16, 1945). Also with one run of 25 that takes up to
twice as long.

    python -m tests.bench.bench_until_decided [--trials 1000] [--noise 0.03] [--seed 2]
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections import Counter

from scipy.special import stdtrit

from udfs.measuring.sequential import Design, Noise, State, look

CHANGES = (0.0, 0.02, 0.05, 0.1, 0.2)
PILOT = 10


def main() -> None:
    """Print errors and runs of each kind of noise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--noise", type=float, default=0.03)
    parser.add_argument("--seed", type=int, default=2)  # constants were chosen with 1
    options = parser.parse_args()
    known = Noise(options.noise**2, 1000)
    for title, history, spikes in (
        ("noise known from the history", known, 0.0),
        ("noise unknown at the start", Noise(), 0.0),
        ("one run of 25 disturbed", known, 0.04),
    ):
        print(f"{title}:")
        print("\n".join(table(options.trials, options.noise, history, spikes, options.seed)))


def table(trials: int, noise: float, history: Noise, spikes: float, seed: int = 1) -> list[str]:
    """Return a line for each change: verdicts, mean and largest share of the fixed size."""
    design = Design(smallest=0.02, history=history)
    lines, shares = [], []
    rng = random.Random(seed)
    for change in CHANGES:
        ends, sizes = zip(
            *(trial(rng, change, noise, design, spikes) for _ in range(trials)), strict=True
        )
        counts = Counter(end.verdict for end in ends)
        fixed = sum(sizes) / trials
        shares.append(sum(end.pairs for end in ends) / sum(sizes))
        over = sum(end.pairs > size for end, size in zip(ends, sizes, strict=True))
        said = ", ".join(
            f"{name} {counts[name] / trials:.1%}"
            for name in ("worse", "better", "same", "undecided")
        )
        lines.append(
            f"  {change:4.0%}: {said}; {shares[-1]:.0%} of {fixed:.0f} pairs, more in {over} trials"
        )
    return [*lines, f"  all: {sum(shares) / len(shares):.1%} of the fixed size"]


def trial(
    rng: random.Random, change: float, noise: float, design: Design, spikes: float
) -> tuple[State, int]:
    """Return how one simulated test ends, and the pairs that one of fixed size needs."""
    pairs: list[tuple[float, float]] = []
    end = None
    while end is None or len(pairs) < PILOT:
        first, second = (
            math.exp(rng.gauss(0, noise)) * (1 + rng.random() * (rng.random() < spikes))
            for _ in range(2)
        )
        pairs.append((first, second * (1 + change)))
        if end is None and (now := look(pairs, design)).verdict is not None:
            end = now
    reach, variance = 1.959964 + 1.644854, 2 * noise**2
    if not design.history.freedom:
        reach = sum(stdtrit(PILOT - 1, error) for error in (0.975, 0.95))
        variance = statistics.variance(math.log(second / first) for first, second in pairs[:PILOT])
    size = math.ceil(reach**2 * variance / math.log1p(design.smallest) ** 2)
    return end, max(size, PILOT)


if __name__ == "__main__":
    main()
