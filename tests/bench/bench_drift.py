"""How often runs in blocks on a drifting machine differ for certain, and what seeing a drift costs.

Pairs of equal sides of 5, 10 and 20 runs, one side after the other, with 1 % noise between runs and
a machine that changes meanwhile: in a line (by 1, 3 and 10 times the noise over both sides), as a
random walk, with autocorrelation, in a wave. Then sides of which the second is slower.
`udfs.comparison.drift._BENT` is chosen by this.

    python -m tests.bench.bench_drift [--pairs 400]
"""

from __future__ import annotations

import argparse

import numpy as np

from tests.udfs.test_comparison import compared

NOISE = 0.01
DRIFTS = ("none", "line 1", "line 3", "line 10", "walk .3", "walk 1", "waves", "autocorrelated")
STEPS = (1.5, 3.0)


def main() -> None:
    """Print the share of pairs that differ for certain, of drifts and of steps."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=400)
    pairs = parser.parse_args().pairs
    random = np.random.default_rng(1)
    for runs in (5, 10, 20):
        for order in (0, 1):
            shares = [_certain(_drifting(random, kind, pairs, runs), order) for kind in DRIFTS]
            equal = _drifting(random, "none", pairs, runs)
            shares += [_certain(equal, order, size) for size in STEPS]
            names = [*DRIFTS, *(f"step of {size:g}" for size in STEPS)]
            told = "; ".join(
                f"{name} {share:.3f}" for name, share in zip(names, shares, strict=True)
            )
            print(f"{runs} runs a side, {'in blocks' if order else 'by turns'}: {told}")


def _drifting(random: np.random.Generator, kind: str, pairs: int, runs: int) -> np.ndarray:
    name, _, size = kind.partition(" ")
    at = np.arange(2 * runs)
    drift = np.zeros((pairs, 2 * runs))
    if name == "line":
        drift += NOISE * float(size) * at / (2 * runs)
    elif name == "walk":
        drift = random.normal(0, NOISE * float(size), drift.shape).cumsum(axis=1)
    elif name == "waves":
        drift = 3 * NOISE * np.sin(2 * np.pi * (at / (3 * runs) + random.random((pairs, 1))))
    elif name == "autocorrelated":
        drift = random.normal(0, NOISE, drift.shape)
        for i in at[1:]:
            drift[:, i] += 0.7 * drift[:, i - 1]
    return 10 * np.exp(drift + random.normal(0, NOISE, drift.shape))


def _certain(values: np.ndarray, order: int, step: float = 0.0) -> float:
    """Return the share of pairs (pairs, runs of both sides) that differ for certain.

    The sides are halves of the runs where they have an order, else every other one.
    """
    sides = np.stack(np.split(values, 2, axis=1) if order else [values[:, ::2], values[:, 1::2]])
    sides[1] *= 1 + NOISE * step
    found = [
        compared([one], [other], order=order)[0]["p_value"] < 0.05
        for one, other in zip(*sides.tolist(), strict=True)
    ]
    return sum(found) / len(found)


if __name__ == "__main__":
    main()
