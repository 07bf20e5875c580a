"""Scaling models on times whose law is known: the patent's bases, breaks, smooth laws.

python -m tests.bench.bench_scaling_laws [--functions 300] [--seed 1]

The patent's bases have free exponents, are measured at 5 to 12 counts, exactly and with noise, and
are predicted at 2, 4 and 8 times the largest count, by their own basis alone and by all candidates.
As many letters as counts fit any times, so that of exact data all that can be told are those of
more counts than letters.
Breaks are a congested network, hyper-threads, the border of a node and data that begin to fit a
cache, at the third measured count or later. A prediction is sure and wrong if it has no flag that
says not to trust it, is more than 30 % off, and its interval excludes the law.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa

from udfs.scaling import scaling_forecast, scaling_patent
from udfs.scaling.bases import KINDS
from udfs.scaling.fit import noise_of_medians
from udfs.scaling.free import letters

AHEAD: Final = np.array([2.0, 4.0, 8.0])
REPETITIONS: Final = (1, 3, 5)
EXACT: Final = 0.01
ROUNDING: Final = 1e-9
FAR: Final = 0.3
DOUBTS: Final = {"break_not_extrapolatable", "times_rounded", "poor_fit", "last_counts_off"}

Curve = Callable[[np.ndarray], np.ndarray]
Draw = Callable[[np.random.Generator, np.ndarray], Curve]


@dataclass(slots=True)
class Case:
    """A function with its kind, counts, median times, their noise, and the law's times ahead."""

    kind: str
    x: np.ndarray
    y: np.ndarray
    noise: float
    truth: np.ndarray


def shares(rng: np.random.Generator, terms: list[Curve], last: float) -> Curve:
    """Return a sum of terms, each with a share of 10 to 60 % or so of the largest count's time."""
    share = rng.dirichlet(np.full(len(terms), 2.0)) / [
        float(term(np.array(last))) for term in terms
    ]
    return lambda p: sum(a * term(p) for a, term in zip(share, terms, strict=True))


def one(p: np.ndarray) -> np.ndarray:
    """Return the constant term."""
    return 1.0 + 0 * p


def blocking(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw a*x^b + c*log2(x) + d."""
    b = rng.uniform(0.2, 1.5)
    return shares(rng, [lambda p: p**b, np.log2, one], x[-1])


def spread(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw a*x^-b + c*x^d + e."""
    b, d = rng.uniform(0.3, 1.2), rng.uniform(0.2, 1.5)
    return shares(rng, [lambda p: p**-b, lambda p: p**d, one], x[-1])


def collective(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw a*log_k(x) + f*(b*x^c + d) + e."""
    c = rng.uniform(0.2, 1.5)
    return shares(rng, [np.log2, lambda p: p**c, one], x[-1])


def rooted(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw (a*x^b + c)*log_k(x) + d."""
    b = rng.uniform(0.2, 1.2)
    return shares(rng, [lambda p: p**b * np.log2(p), np.log2, one], x[-1])


FORMS: Final[dict[str, Draw]] = {
    "blocking point-to-point": blocking,
    "non-blocking point-to-point": spread,
    "n-to-n collective": collective,
    "n-to-1 and 1-to-n collective": rooted,
}


def smooth(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw a law that goes on: work that is divided, a rest, and often something that grows."""
    growing: list[Curve] = [np.log2, np.sqrt, lambda p: p, lambda p: p * np.log2(p)]
    divided: Curve = lambda p: 1 / p  # noqa: E731
    terms: list[list[Curve]] = [[divided, one], [one, growing[rng.integers(4)]], [divided]]
    chosen = terms[rng.integers(3)] + ([growing[rng.integers(4)]] if rng.uniform() < 0.3 else [])
    return shares(rng, chosen, x[-1])


def congested(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw a law to which a network adds a power of the count over a threshold."""
    law, c = smooth(rng, x), rng.uniform(0.7, 2)
    first = rng.integers(2, len(x))
    start = rng.uniform(x[first - 1], x[first])
    size = law(x[first]) * rng.uniform(0.5, 3) / (x[first] / start) ** c
    return lambda p: law(p) + np.where(p > start, size * (p / start) ** c, 0)


def hyper_threads(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw divided work and a rest, of which all threads beyond the cores do little more."""
    cores, gain = x[rng.integers(1, len(x) - 1)], rng.uniform(1.0, 1.3)
    rest = rng.uniform(0.005, 0.1)

    def curve(p: np.ndarray) -> np.ndarray:
        useful = np.where(p <= cores, p, cores * (1 + (gain - 1) * np.minimum(p / cores - 1, 1)))
        return 1 / useful + rest

    return curve


def node_border(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw a law to which a network adds time, ever more with more nodes, from the second on."""
    law, cores = smooth(rng, x), x[rng.integers(1, len(x) - 1)]
    size, c = law(cores) * rng.uniform(0.5, 5), rng.uniform(0, 0.5)
    return lambda p: law(p) + np.where(p > cores, size * (p / cores) ** c, 0)


def cached(rng: np.random.Generator, x: np.ndarray) -> Curve:
    """Draw divided work that gets faster by a factor where its data fit a cache."""
    law, fits = smooth(rng, x), x[rng.integers(2, len(x))]
    factor = rng.uniform(0.2, 0.7)
    return lambda p: law(p) * np.where(p >= fits, factor, 1)


BREAKS: Final[dict[str, Draw]] = {
    "congested network": congested,
    "hyper-threads": hyper_threads,
    "border of a node": node_border,
    "data fit a cache": cached,
}


def draw(rng: np.random.Generator, kind: str, law: Draw, noise: float, counts: int) -> Case:
    """Measure a drawn law at so many counts, repeated one, three or five times."""
    x = 2.0 ** np.arange(counts) * rng.choice([1, 2, 4, 12])
    curve, repeated = law(rng, x), int(rng.choice(REPETITIONS)) if noise else 1
    times = curve(x)[:, None] * rng.lognormal(0, noise, (counts, repeated))
    return Case(kind, x, np.median(times, axis=1), noise_of_medians(times), curve(x[-1] * AHEAD))


def predict(some: list[Case], patent: bool = False) -> tuple[np.ndarray, ...]:
    """Return seconds, low, high (n x 3) of cases, and whether a flag says not to trust them."""
    values, doubted = np.full((3, len(some), len(AHEAD)), np.nan), np.zeros(len(some), bool)
    for x in {tuple(case.x) for case in some}:
        rows = [i for i, case in enumerate(some) if tuple(case.x) == x]
        columns = (
            pa.array([some[i].kind for i in rows]),
            pa.array([list(x)] * len(rows)),
            pa.array([some[i].y.tolist() for i in rows]),
            pa.array([some[i].noise for i in rows]),
            pa.array([(x[-1] * AHEAD).tolist()] * len(rows)),
        )
        capacity = pa.array(np.zeros(len(rows)))
        found = scaling_patent(*columns) if patent else scaling_forecast(*columns, capacity)
        for i, row in zip(rows, found.to_pylist(), strict=True):
            values[:, i] = [row[name] for name in ("seconds", "low", "high")]
            doubted[i] = any(flag["code"] in DOUBTS for flag in row["flags"])
    return *values, doubted


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--functions", type=int, default=300)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    rng = np.random.default_rng(asked.seed)
    print("the patent's bases: exact data recovered, errors, truth in the 90 % interval, its width")
    for patent in (True, False):
        print("by their own bases alone" if patent else "by all candidates")
        for kind, law in FORMS.items():
            for noise in (0.0, 0.01, 0.05):
                some = [
                    draw(rng, kind, law, noise, int(rng.integers(5, 13)))
                    for _ in range(asked.functions)
                ]
                form_line(kind, noise, some, patent)
    print("breaks at up to 5 % noise: sure and wrong, and with a flag")
    every: list[np.ndarray] = []
    for name, law in {**BREAKS, "smooth laws": smooth}.items():
        some = [
            draw(rng, "computation", law, rng.choice([0.01, 0.02, 0.05]), int(rng.integers(5, 10)))
            for _ in range(asked.functions)
        ]
        every.append(break_line(name, some))
    wrong, trusted = np.sum(every[:-1], axis=0)
    print(f"all breaks: {wrong:.0f} of {trusted:.0f} without a flag ({wrong / trusted:.1%})")


def form_line(kind: str, noise: float, some: list[Case], patent: bool) -> None:
    """Print how functions of one form were predicted."""
    seconds, low, high, _ = predict(some, patent)
    truth = np.array([case.truth for case in some])
    error = np.abs(seconds / truth - 1)
    text = f"{kind:28} {noise:4.0%}  median error " + " ".join(
        f"{value:.4f}" for value in np.median(error, axis=0)
    )
    within = ((low <= truth * (1 + ROUNDING)) & (truth * (1 - ROUNDING) <= high)).mean(0)
    print(f"{text}  within {' '.join(f'{v:.3f}' for v in within)}", end="  ")
    if not noise:
        found = error[:, -1] < EXACT
        told = np.array([len(case.x) > letters(KINDS[kind][0]) for case in some])
        print(f"recovered at 8 times {found.mean():.3f}", end=", ")
        print(f"of more counts than letters {found[told].mean():.3f} ({told.mean():.3f} of all)")
        return
    width = np.median(high / low, axis=0)
    print(f"width {' '.join(f'{v:.2f}' for v in width)}")


def break_line(name: str, some: list[Case]) -> np.ndarray:
    """Print how many predictions were sure and wrong; return those, and those without a flag."""
    seconds, low, high, doubted = predict(some)
    truth = np.array([case.truth for case in some])
    wrong = (np.abs(seconds / truth - 1) > FAR) & ((truth < low) | (truth > high))
    wrong &= ~doubted[:, None]
    counts = np.array([wrong.sum(), (~doubted).sum() * len(AHEAD)])
    print(
        f"{name:20} sure and wrong {counts[0]:4} of {counts[1]:4} ({counts[0] / counts[1]:.1%}), "
        f"with a flag {doubted.mean():.1%}, off by (median) "
        + " ".join(f"{v:.3f}" for v in np.median(np.abs(seconds / truth - 1), axis=0))
    )
    return counts


if __name__ == "__main__":
    main()
