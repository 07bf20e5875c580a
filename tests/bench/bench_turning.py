"""How often the intervals of turning points contain the truth, and how wide they are.

python -m tests.bench.bench_turning [--seed 1] [--programs 100]

Programs are e + a/p^d + b*p^c with log-normal noise, measured at 3 to 7 counts once or three times;
their fastest count is from twice the smallest to eight times the largest. Prints for each plan of
counts and noise the share of intervals that contain it, the median width in octaves (to the end of
the search where there is no upper end) and the share without an upper end.
"""

from __future__ import annotations

import argparse

import numpy as np
import pyarrow as pa

from udfs.scaling import scaling_turning_point
from udfs.scaling.turning import REACH

PLANS = (
    (1, 2, 4),
    (1, 2, 4, 8),
    (1, 4, 16, 64),
    (1, 2, 4, 8, 16),
    (2, 4, 8, 16, 32, 64),
    (16, 32, 48, 64, 96, 128),
    (1, 2, 4, 8, 16, 32, 64),
)
NOISES = (0.01, 0.05, 0.15)
FARTHEST = 8


def turning_points(
    rng: np.random.Generator, counts: tuple[int, ...], noise: float, programs: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the true turning points of programs, and the ends of their intervals."""
    p = np.array(counts, float)
    truth = np.exp(rng.uniform(np.log(2 * p[0]), np.log(FARTHEST * p[-1]), programs))
    times, scatter = [], []
    for place in truth:
        growth, decay = rng.uniform(0.3, 2.5), rng.choice([0.7, 1.0, 1.0])
        curve = (p / place) ** -decay / decay + (p / place) ** growth / growth
        curve += rng.choice([0.0, rng.uniform(0, 2)])
        repetitions = rng.choice([1, 3])
        sample = curve[:, None] * np.exp(noise * rng.standard_normal((len(p), repetitions)))
        times.append(np.median(sample, axis=1))
        each = sample.std(1, ddof=1) / sample.mean(1) if repetitions > 1 else np.zeros(1)
        scatter.append(np.median(each))
    lists = [pa.array(list(one), pa.list_(pa.float64())) for one in ([p] * programs, times)]
    found = scaling_turning_point(*lists, pa.array(scatter))
    low, high = (
        found.field(name).to_numpy(zero_copy_only=False).astype(float) for name in ("low", "high")
    )
    return truth, low, high


def main() -> None:
    """Print a line for each plan and noise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--programs", type=int, default=100)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    print("counts                            noise  contain  octaves  no upper end  unknown")
    for counts in PLANS:
        for noise in NOISES:
            truth, low, high = turning_points(rng, counts, noise, asked.programs)
            known = np.isfinite(low)
            end = np.where(np.isnan(high), np.inf, high)
            contain = np.mean((low <= truth)[known] & (truth <= end)[known])
            width = np.log2(np.minimum(end, counts[-1] * REACH) / low)[known]
            print(
                f"{counts!s:32} {noise:6.2f} {contain:8.2f} {np.median(width):8.1f} "
                f"{np.isinf(end[known]).mean():13.2f} {1 - known.mean():8.2f}"
            )


if __name__ == "__main__":
    main()
