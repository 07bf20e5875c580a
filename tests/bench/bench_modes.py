"""Two levels that alternate, and random walks, told from steps: pwh beside an ideal observer.

python -m tests.bench.bench_modes [--series 400] [--points 60] [--gap 5]

A series of two levels has no changes; one of steps, which are often taken back, has. With one or
two switches nobody can tell both apart. The ideal observer knows how either is made, all parameters
included, and goes by the ratio of the likelihoods (Neyman and Pearson, On the problem of the most
efficient tests of statistical hypotheses, 1933); it says steps of as many series with steps as pwh
finds changes in. What it gets wrong of those without is the limit. Random walks with noise it tells
apart nearly always, as it knows the noise, and how far apart steps are.
"""

from __future__ import annotations

import argparse
from itertools import combinations, product

import numpy as np
import pyarrow as pa

from tests.bench.change_cases import Floats, level_and_noise
from udfs.changes import detect_changes

SWITCHES = (0.5, 0.3, 0.2)  # shares of series with one, two, three steps
TAKEN_BACK = 0.5  # of the steps after the first
SHORTEST, AT_END = 8, 5  # points of a level inside a series, and at its ends


def main() -> None:
    """Print a line for each mean stay."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", type=int, default=400)
    parser.add_argument("--points", type=int, default=60)
    parser.add_argument("--gap", type=float, default=5)
    asked = parser.parse_args()
    draw = np.random.default_rng(1)
    stepped = steps(draw, asked.series, asked.points, asked.gap)
    seen = found(stepped)
    print(
        f"{asked.points} points, {asked.gap:g} deviations apart; changes in {seen:.0%} with steps"
    )
    print(f"{'shortest':>10}{'mean stay':>10}{'pwh':>8}{'ideal':>8}{'ratio':>8}")
    for shortest, mean in (
        (1, 10),
        (1, 20),
        (1, 40),
        (SHORTEST, 15),
        (SHORTEST, 20),
        (SHORTEST, 40),
    ):
        values = turns(draw, asked.series, asked.points, mean, asked.gap, shortest)
        odds = [
            log_steps(of, asked.gap) - log_turns(of, mean, asked.gap, shortest)
            for of in (stepped, values)
        ]
        print(f"{shortest:10}{mean:10}" + _beside(values, odds, seen))
    print(f"{'variance of a walk':>20}")
    for share in (0.02, 0.05, 0.2, 1):
        values = level_and_noise(share)(draw, asked.series, asked.points)
        odds = [log_steps(of, asked.gap) - log_walk(of, share) for of in (stepped, values)]
        print(f"{share:20}" + _beside(values, odds, seen))


def _beside(values: Floats, odds: list[Floats], seen: float) -> str:
    """Return the shares with a change, by pwh and the limit, and their ratio."""
    limit = float((odds[1] > np.quantile(odds[0], 1 - seen)).mean())
    wrong = found(values)
    return f"{wrong:8.1%}{limit:8.1%}{wrong / max(limit, 0.001):8.2f}"


def found(values: Floats) -> float:
    """Return the share of series with a change."""
    return float(np.mean([bool(row) for row in detect_changes(pa.array(list(values))).to_pylist()]))


def steps(draw: np.random.Generator, count: int, points: int, gap: float) -> Floats:
    """Return series with one to three steps, (count, points), in deviations of their noise."""
    out = draw.standard_normal((count, points))
    for i in range(count):
        switches = draw.choice(len(SWITCHES), p=SWITCHES) + 1
        places = _places(points, switches)
        at = [0, *places[draw.integers(len(places))], points]
        # the first step is between the same two levels
        levels = [gap * is_high for is_high in draw.permutation(2)]
        for step in range(1, switches):
            back = draw.random() < TAKEN_BACK
            levels.append(levels[step - 1] if back else levels[step] + draw.normal(0, gap))
        out[i] += np.repeat(levels, np.diff(at))
    return out


def _places(points: int, switches: int) -> list[tuple[int, ...]]:
    every = combinations(range(AT_END, points - AT_END + 1), switches)
    return [at for at in every if min(np.diff(at), default=SHORTEST) >= SHORTEST]


def log_steps(values: Floats, gap: float) -> Floats:
    """Return the log-likelihood of series as `steps` makes them, (count), less that of noise."""
    points = values.shape[1]
    sums = np.pad(np.cumsum(values, axis=1), ((0, 0), (1, 0)))
    every = []
    for switches, share in enumerate(SWITCHES, 1):
        places = np.array(_places(points, switches))
        at = np.pad(places, ((0, 0), (1, 1)), constant_values=((0, 0), (0, points)))
        lengths = np.diff(at)
        totals = sums[:, at[:, 1:]] - sums[:, at[:, :-1]]
        for first, back in product((0.0, gap), range(2 ** (switches - 1))):
            # each level: a known one, and the free steps that it is the sum of
            known, free = [first, gap - first], [np.zeros(switches - 1)] * 2
            for i in range(1, switches):
                is_back = back >> (i - 1) & 1
                known.append(known[i - is_back])
                free.append(free[i - is_back] + (not is_back) * np.eye(switches - 1)[i - 1])
            level, of = np.array(known), np.array(free)
            fixed = totals @ level - lengths @ level**2 / 2
            precision = np.eye(switches - 1) / gap**2
            precision = precision + np.einsum("pl,li,lj->pij", lengths, of, of)
            moments = np.einsum("cpl,li->cpi", totals - lengths * level, of)
            solved = np.einsum("cpi,pij,cpj->cp", moments, np.linalg.inv(precision), moments)
            size = np.linalg.slogdet(precision * gap**2)[1]
            prior = share / len(places) / 2**switches
            every.append(fixed + solved / 2 - size / 2 + np.log(prior))
    return np.logaddexp.reduce(np.concatenate(every, axis=1), axis=1)


def log_walk(values: Floats, share: float) -> Floats:
    """Return the log-likelihood of walks as `level_and_noise` makes them, less that of noise."""
    at = np.arange(1, values.shape[1] + 1)
    root = np.linalg.cholesky(np.eye(len(at)) + share * np.minimum(at[:, None], at))
    apart = np.linalg.solve(root, values.T)
    squares = np.square(values).sum(axis=1) - np.square(apart).sum(axis=0)
    out: Floats = squares / 2 - np.log(np.diag(root)).sum()
    return out


def turns(
    draw: np.random.Generator, count: int, points: int, mean: float, gap: float, shortest: int
) -> Floats:
    """Return series that go from one level to the other, (count, points)."""
    out = draw.standard_normal((count, points))
    for row in out:
        at, is_high = 0, draw.integers(2)
        while at < points:
            least = (min(shortest, AT_END) if at == 0 else shortest) - 1
            until = at + least + draw.geometric(1 / (mean - shortest + 1))
            if points - min(shortest, AT_END) < until < points:
                until = points
            row[at:until] += gap * is_high
            at, is_high = until, 1 - is_high
    return out


def log_turns(values: Floats, mean: float, gap: float, shortest: int) -> Floats:
    """Return the log-likelihood of series as `turns` makes them, (count), less that of noise."""
    points, at_end = values.shape[1], min(shortest, AT_END)
    likely = np.stack([np.zeros_like(values), gap * values - gap**2 / 2])
    sums = np.pad(np.cumsum(likely, axis=2), ((0, 0), (0, 0), (1, 0)))
    free = mean - shortest + 1
    # by place, where a visit to each level begins
    begun = np.full((points + 1, 2, len(values)), -np.inf)
    begun[0] = np.log(0.5)
    for at in range(at_end, points - at_end + 1):
        since = np.arange(at)
        more = at - since - np.where(since == 0, at_end, shortest)
        stay = np.where(more >= 0, np.log1p(-1 / free) * more - np.log(free), -np.inf)
        visits = begun[:at] + (sums[:, :, [at]] - sums[:, :, :at]).transpose(2, 0, 1)
        begun[at] = np.logaddexp.reduce(visits + stay[:, None, None], axis=0)[::-1]
    since = np.arange(points)
    # the last visit ends no earlier than so near to the end
    more = points - at_end - since - np.where(since == 0, at_end, shortest) + 1
    stay = np.log1p(-1 / free) * np.maximum(more, 0)
    last = begun[:-1] + (sums[:, :, [points]] - sums[:, :, :points]).transpose(2, 0, 1)
    out: Floats = np.logaddexp.reduce(last + stay[:, None, None], axis=(0, 1))
    return out


if __name__ == "__main__":
    main()
