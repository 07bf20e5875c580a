"""Training of the networks that predict how much of an event's cost is hidden.

The cost of an event alone is found by non-negative least squares, raised to that of samples in
which events are hidden least. The networks learn from measured shares, from blends of samples
(`training.blend`), and from labels alone: on a labelled sample the labelled component should have
the largest share, over LEAST_SHARE. Several networks are averaged, each of which learns from the
samples of other programs (bagging; Breiman, Machine Learning 24, 1996), as the next program is one
that none of them has seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from udfs.arrays import Floats
from udfs.bottleneck.costs import MAX_SERIAL_FACTOR
from udfs.bottleneck.descent import Adam, one_cycle
from udfs.bottleneck.training import (
    CAUSE_OF,
    CAUSES,
    CLASSES,
    LEAST_SHARE,
    WIDTH_METRIC,
    Arrays,
    Training,
    blend,
    jitter,
    one_torch_thread,
    scale,
    standardised,
)

if TYPE_CHECKING:
    import torch

HIDDEN = 24  # nodes of the hidden layer

_THREADS = 4  # groups of networks trained at a time
# Networks trained together in one thread.
_GROUP = 6
_STEPS = 400  # of the descent
# Share of the samples that a step is computed from.
_BATCH = 0.15
_RATE = 0.03  # of learning, at its highest
_DECAY = 1e-3  # of the weights
# Samples that a network learns from: with measured shares, blends of those, with labels.
_MEASURED, _BLENDS, _LABELLED = 1500, 2000, 800
_LABEL_WEIGHT = 0.05  # of the labels in the loss, beside the shares
# Difference of shares that counts as odds of e to 1 between the labelled component and a rival.
_LABEL_SCALE = 0.06
_MIN_SAMPLES = 40  # with measured shares
# Share of the programs that a network learns from.
_KEPT = 0.8
# Shares above this are used to estimate the cost of an event alone.
_LARGE_SHARE = 0.05


def can_learn(training: Training) -> bool:
    """Return whether there are measured shares and the metric that bounds them."""
    return WIDTH_METRIC in training.names and int(training.costed.sum()) >= _MIN_SAMPLES


def train(
    trainings: Sequence[Training], *, members: int, seed: int, steps: int = _STEPS
) -> list[Arrays]:
    """Train `members` networks on each of several sets of samples, all at once.

    Returns:
        For each set the scaling (`training.scale`), `serial` (m x 4, cycles), `ipc` (1, position of
        the metric), and the networks' `cost_w1` (K x m x h), `cost_b1` (K x h), `cost_w2`
        (K x h x 4), `cost_b2` (K x 4).
    """
    rng = np.random.default_rng(seed)
    found = []
    drawn = []
    for training in trainings:
        arrays = scale(training.names, training.metrics)
        arrays["serial"] = serial_cycles(training)
        arrays["ipc"] = np.array([float(training.names.index(WIDTH_METRIC))])
        found.append(arrays)
        drawn += [_draw(_some_programs(training, rng), arrays, rng) for _ in range(members)]
    weights = _train_in_groups(drawn, seed, steps)
    for i, arrays in enumerate(found):
        mine = slice(i * members, (i + 1) * members)
        for name, weight in zip(("w1", "b1", "w2", "b2"), weights, strict=True):
            array = weight[mine].astype(np.float64)
            arrays[f"cost_{name}"] = array[:, 0] if name.startswith("b") else array
    return found


def serial_cycles(training: Training) -> Floats:
    """Return the cycles (m x 4) that one event of each metric costs each component, alone."""
    from scipy.optimize import nnls

    rows = training.costed
    cycles = np.zeros((len(training.names), len(CAUSES)))
    for k, cause in enumerate(CAUSES):
        mine = [i for i, name in enumerate(training.names) if CAUSE_OF.get(name) == cause]
        if mine:
            shares = np.maximum(training.own_shares[rows, k], 0)
            found = nnls(training.metrics[rows][:, mine], shares)[0]
            cycles[mine, k] = found * _unhidden(shares, training.metrics[rows][:, mine] @ found)
    return cycles


def _unhidden(shares: Floats, fitted: Floats) -> float:
    """Return the factor between the mean cost of an event, often hidden, and its cost alone."""
    large = (shares >= _LARGE_SHARE) & (fitted > 0)
    return float(np.quantile(shares[large] / fitted[large], 0.95)) if large.any() else 1.0


def _some_programs(training: Training, rng: np.random.Generator) -> Training:
    """Return the samples of a random part of the programs, some with measured shares and labels."""
    names = np.unique(training.programs)
    kept = [rng.choice(names, round(_KEPT * len(names)), replace=False)]
    kept += [
        rng.choice(np.unique(training.programs[rows]), 1)
        for rows in (training.costed, training.labelled)
        if rows.any()
    ]
    return training.only(np.isin(training.programs, np.concatenate(kept)))


def _draw(training: Training, arrays: Arrays, rng: np.random.Generator) -> tuple[Any, ...]:
    """Draw one network's samples: inputs, serial costs, empty slots, shares, labelled causes."""
    rows = np.flatnonzero(training.costed)
    named = np.flatnonzero(training.labelled)
    picked = rng.choice(rows, _MEASURED)
    mixed, mixed_shares = blend(training, _BLENDS, rng)
    labelled = rng.choice(named, _LABELLED) if len(named) else np.array([], int)
    metrics = np.concatenate([training.metrics[picked], mixed, training.metrics[labelled]])
    ipc = int(arrays["ipc"][0])
    metrics = jitter(metrics, training.names, rng)
    cause_of_class = np.array(
        [1 + CAUSES.index(c) if c in CAUSES else 0 for c in CLASSES], np.int64
    )
    shares = np.concatenate([training.own_shares[picked], mixed_shares])
    return (
        standardised(metrics, arrays),
        (metrics @ arrays["serial"]).astype(np.float32),
        np.maximum(1 - metrics[:, ipc], 1e-3).astype(np.float32)[:, None],
        np.maximum(shares, 0).astype(np.float32),
        cause_of_class[training.labels[labelled]],
    )


def _train_in_groups(
    drawn: list[tuple[Any, ...]], seed: int, steps: int
) -> list[NDArray[np.float32]]:
    """Train the networks in groups, one thread a group: the same result on any machine."""
    import torch

    groups = [drawn[i : i + _GROUP] for i in range(0, len(drawn), _GROUP)]

    def train_group(number: int) -> list[NDArray[np.float32]]:
        columns = zip(*groups[number], strict=True)
        batch = [torch.from_numpy(np.stack(column)) for column in columns]
        rng = torch.Generator().manual_seed(seed + number)
        return [w.detach().numpy() for w in _descend(batch, rng, steps)]

    with one_torch_thread(), ThreadPoolExecutor(min(_THREADS, len(groups))) as pool:
        trained = list(pool.map(train_group, range(len(groups))))
    return [np.concatenate(parts) for parts in zip(*trained, strict=True)]


def _descend(batch: list[torch.Tensor], rng: torch.Generator, steps: int) -> list[torch.Tensor]:
    """Train all networks at once; each has its own weights and samples."""
    import torch

    inputs, serial, empty, known, causes = batch
    many, metrics = inputs.shape[0], inputs.shape[2]

    def start(*shape: int) -> torch.Tensor:
        return torch.randn(many, *shape, generator=rng)

    w1, b1 = start(metrics, HIDDEN) / metrics**0.5, torch.zeros(many, 1, HIDDEN)
    w2, b2 = start(HIDDEN, 4) * 0.3 / HIDDEN**0.5, torch.full((many, 1, 4), 0.5)
    weights = [w.requires_grad_() for w in (w1, b1, w2, b2)]
    descent = Adam(weights, decay=_DECAY)
    measured, named = known.shape[1], causes.shape[1]
    for step in range(steps):
        some = torch.randint(measured, (round(_BATCH * measured),), generator=rng)
        some_named = torch.randint(max(named, 1), (round(_BATCH * named),), generator=rng)
        rows = torch.cat([some, measured + some_named])
        out = torch.baddbmm(b2, torch.tanh(torch.baddbmm(b1, inputs[:, rows], w1)), w2)
        lost = serial[:, rows] * MAX_SERIAL_FACTOR * torch.sigmoid(out)
        share = lost / (1 + (lost / empty[:, rows]) ** 4) ** 0.25
        # Between absolute and squared error, so that a few outliers do not dominate.
        loss = ((share[:, : len(some)] - known[:, some]).abs() ** 1.5).mean(dim=(1, 2)).sum()
        if named:
            labelled = share[:, len(some) :]
            rivals = torch.cat([torch.full_like(labelled[..., :1], LEAST_SHARE), labelled], dim=2)
            entropy = torch.nn.functional.cross_entropy(
                rivals.flatten(0, 1) / _LABEL_SCALE,
                causes[:, some_named].flatten(),
                reduction="sum",
            )
            loss = loss + _LABEL_WEIGHT * entropy / len(some_named)
        loss.backward()
        descent.step(one_cycle(step, steps, _RATE))
    return weights
