"""Training the stacked sparse autoencoder: pretraining without labels, then fine-tuning.

python -m tests.bench.bench_autoencoder [--unlabelled 100000] [--labelled 1000] [--runs 3]

Samples are six classes of twelve standardised metrics, spread around centres of their own; a
tenth of the labelled ones says how long to fine-tune. The target is a minute on four cores.
"""

from __future__ import annotations

import argparse
import statistics
import time

import numpy as np

from udfs.bottleneck.autoencoder import LAYERS, NODES, class_probabilities, train
from udfs.bottleneck.training import CLASSES

METRICS = 12
SPREAD = 0.8


def main() -> None:
    """Print the time of training, and how well samples that it has not seen are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unlabelled", type=int, default=100_000)
    parser.add_argument("--labelled", type=int, default=1_000)
    parser.add_argument("--runs", type=int, default=3)
    asked = parser.parse_args()
    chance = np.random.default_rng(0)
    centres = chance.normal(size=(len(CLASSES), METRICS))

    def drawn(n: int) -> tuple[np.ndarray, np.ndarray]:
        labels = chance.integers(len(CLASSES), size=n)
        points = centres[labels] + SPREAD * chance.normal(size=(n, METRICS))
        return points.astype(np.float32), labels

    unlabelled, _ = drawn(asked.unlabelled)
    points, labels = drawn(asked.labelled)
    unseen, truth = drawn(10_000)
    validation = np.arange(len(labels)) % 10 == 0
    took = []
    for seed in range(asked.runs):
        began = time.perf_counter()
        trained = train(unlabelled, points, labels, validation, seed=seed)
        took.append(time.perf_counter() - began)
    right = (class_probabilities(unseen, trained.arrays).argmax(1) == truth).mean()
    best = (((unseen[:, None] - centres) ** 2).sum(2).argmin(1) == truth).mean()
    print(
        f"{asked.unlabelled} unlabelled and {asked.labelled} labelled samples, {LAYERS} layers of "
        f"{NODES} nodes: median {statistics.median(took):.1f} s of {asked.runs} (target 60 s); "
        f"{right:.1%} of 10000 others right (the nearest true centre: {best:.1%})"
    )


if __name__ == "__main__":
    main()
