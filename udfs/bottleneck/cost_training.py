"""Training of the networks that say how much of an event's cost is hidden.

What an event costs alone is found by non-negative least squares, raised to where the events are
hidden least. The networks learn from measured shares, from blends of samples
(`training.blended`), and from labels alone: on a labelled sample the labelled component should have
the largest share, over LEAST_SHARE. Several networks on resampled data are averaged (bagging;
Breiman, Machine Learning 24, 1996).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck.costs import MOST_OF_SERIAL, TEMPERATURE
from udfs.bottleneck.training import (
    CAUSE_OF,
    CAUSES,
    CLASSES,
    LEAST_SHARE,
    WIDTH_METRIC,
    Arrays,
    Floats,
    Training,
    blended,
    jittered,
    scale,
    standardised,
    torch_threads,
)

if TYPE_CHECKING:
    import torch

HIDDEN = 24

_THREADS = 4
# Networks trained side by side in one thread.
_AT_ONCE = 4
_STEPS = 400
_RATE = 0.03
_DECAY = 1e-3
# Samples that a network learns from: with measured shares, blends of them, with labels.
_MEASURED, _BLENDS, _LABELLED = 1500, 2000, 800
_LABEL_WEIGHT = 0.05
_FEWEST = 40
# Shares from here on tell what an event costs alone.
_DEAR = 0.05


def can_learn(training: Training) -> bool:
    """Say whether there are measured shares and the metric that bounds them."""
    return WIDTH_METRIC in training.names and int(training.costed.sum()) >= _FEWEST


def train(
    trainings: Sequence[Training], *, members: int, seed: int, steps: int = _STEPS
) -> list[Arrays]:
    """Train `members` networks on each of several sets of samples, all at once.

    Returns:
        For each set the scaling (`training.scale`), `serial` (m x 4, cycles), `ipc` (1, position of
        the metric), and the networks' `cost_w1` (K x m x h), `cost_b1` (K x h), `cost_w2`
        (K x h x 4), `cost_b2` (K x 4).
    """
    chance = np.random.default_rng(seed)
    found = []
    drawn = []
    for training in trainings:
        arrays = scale(training.names, training.metrics)
        arrays["serial"] = serial_cycles(training)
        arrays["ipc"] = np.array([float(training.names.index(WIDTH_METRIC))])
        found.append(arrays)
        drawn += [_draw(training, arrays, chance) for _ in range(members)]
    weights = _side_by_side(drawn, seed, steps)
    for i, arrays in enumerate(found):
        mine = slice(i * members, (i + 1) * members)
        for name, weight in zip(("w1", "b1", "w2", "b2"), weights, strict=True):
            array = weight[mine].astype(np.float64)
            arrays[f"cost_{name}"] = array[:, 0] if name.startswith("b") else array
    return found


def serial_cycles(training: Training) -> Floats:
    """Give the cycles (m x 4) that one event of each metric costs each component, alone."""
    from scipy.optimize import nnls

    rows = training.costed
    cycles = np.zeros((len(training.names), len(CAUSES)))
    for k, cause in enumerate(CAUSES):
        mine = [i for i, name in enumerate(training.names) if CAUSE_OF.get(name) == cause]
        if mine:
            shares = np.maximum(training.shares[rows, k], 0)
            found = nnls(training.metrics[rows][:, mine], shares)[0]
            cycles[mine, k] = found * _unhidden(shares, training.metrics[rows][:, mine] @ found)
    return cycles


def _unhidden(shares: Floats, fitted: Floats) -> float:
    """Give the factor between the mean cost of an event, often hidden, and its cost alone."""
    dear = (shares >= _DEAR) & (fitted > 0)
    return float(np.quantile(shares[dear] / fitted[dear], 0.95)) if dear.any() else 1.0


def _draw(training: Training, arrays: Arrays, chance: np.random.Generator) -> tuple[Any, ...]:
    """Draw one network's samples: inputs, serial costs, room, shares, and the labelled causes."""
    rows = np.flatnonzero(training.costed)
    named = np.flatnonzero(training.labelled)
    picked = chance.choice(rows, _MEASURED)
    mixed, mixed_shares = blended(training, _BLENDS, chance)
    told = chance.choice(named, _LABELLED) if len(named) else np.array([], int)
    metrics = np.concatenate([training.metrics[picked], mixed, training.metrics[told]])
    ipc = int(arrays["ipc"][0])
    metrics = jittered(metrics, training.names, chance)
    cause_of_class = np.array(
        [1 + CAUSES.index(c) if c in CAUSES else 0 for c in CLASSES], np.int64
    )
    return (
        standardised(metrics, arrays),
        (metrics @ arrays["serial"]).astype(np.float32),
        np.maximum(1 - metrics[:, ipc], 1e-3).astype(np.float32)[:, None],
        np.maximum(np.concatenate([training.shares[picked], mixed_shares]), 0).astype(np.float32),
        cause_of_class[training.labels[told]],
    )


def _side_by_side(drawn: list[tuple[Any, ...]], seed: int, steps: int) -> list[NDArray[np.float32]]:
    """Train the networks a few at a time in threads of their own: the same on any machine."""
    import torch

    groups = [drawn[i : i + _AT_ONCE] for i in range(0, len(drawn), _AT_ONCE)]

    def train_group(number: int) -> list[NDArray[np.float32]]:
        columns = zip(*groups[number], strict=True)
        batch = [torch.from_numpy(np.stack(column)) for column in columns]
        chance = torch.Generator().manual_seed(seed + number)
        return [w.detach().numpy() for w in _descend(batch, chance, steps)]

    with torch_threads(1), ThreadPoolExecutor(min(_THREADS, len(groups))) as pool:
        trained = list(pool.map(train_group, range(len(groups))))
    return [np.concatenate(parts) for parts in zip(*trained, strict=True)]


def _descend(batch: list[torch.Tensor], chance: torch.Generator, steps: int) -> list[torch.Tensor]:
    """Train all networks side by side; each has its own weights and samples."""
    import torch

    inputs, serial, room, known, causes = batch
    many, metrics = inputs.shape[0], inputs.shape[2]

    def start(*shape: int) -> torch.Tensor:
        return torch.randn(many, *shape, generator=chance)

    w1, b1 = start(metrics, HIDDEN) / metrics**0.5, torch.zeros(many, 1, HIDDEN)
    w2, b2 = start(HIDDEN, 4) * 0.3 / HIDDEN**0.5, torch.full((many, 1, 4), 0.5)
    weights = [w.requires_grad_() for w in (w1, b1, w2, b2)]
    descent = torch.optim.AdamW(weights, lr=_RATE, weight_decay=_DECAY)
    pace = torch.optim.lr_scheduler.OneCycleLR(descent, _RATE, total_steps=steps)
    measured = known.shape[1]
    for _ in range(steps):
        descent.zero_grad()
        out = torch.baddbmm(b2, torch.tanh(torch.baddbmm(b1, inputs, w1)), w2)
        lost = serial * MOST_OF_SERIAL * torch.sigmoid(out)
        share = lost / (1 + (lost / room) ** 4) ** 0.25
        # Between absolute and squared error: a few odd kernels do not bend the rest.
        loss = ((share[:, :measured] - known).abs() ** 1.5).mean(dim=(1, 2)).sum()
        if causes.shape[1]:
            told = share[:, measured:]
            rivals = torch.cat([torch.full_like(told[..., :1], LEAST_SHARE), told], dim=2)
            entropy = torch.nn.functional.cross_entropy(
                rivals.flatten(0, 1) / TEMPERATURE, causes.flatten(), reduction="sum"
            )
            loss = loss + _LABEL_WEIGHT * entropy / causes.shape[1]
        loss.backward()
        descent.step()
        pace.step()
    return weights
