"""Cost shares: which part of the cycles would go if one component cost nothing.

What an event costs alone, one after the other, is a number of cycles: non-negative least squares,
raised to where the events are hidden least. How much of that is hidden depends on everything else,
which small networks say: share = least(s(x) * (metrics @ cycles), 1 - IPC), with 0 < s(x) < 1.5 a
network's output and IPC over the issue width; more than the slots that stood empty cannot be won.
So no event means no cost, and rates lower than any seen cost in proportion.

The networks learn from measured shares, from blends of samples (`training.blended`), and from
labels alone: on a labelled sample the labelled component should have the largest share, over
LEAST_SHARE. Several networks on resampled data are averaged (bagging; Breiman, Machine Learning
24, 1996).

The bands are quantiles of what was missed on programs held out, by the size of the prediction
(split conformal prediction; Lei et al., JASA 113, 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from udfs.bottleneck.training import (
    BALANCED_IPC,
    CAUSE_OF,
    CAUSES,
    CLASSES,
    LEAST_SHARE,
    WIDTH_METRIC,
    Arrays,
    Floats,
    Singles,
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
MOST_OF_SERIAL = 1.5
COVERED = 0.90
TEMPERATURE = 0.06

_THREADS = 4
_STEPS = 400
_RATE = 0.03
_DECAY = 1e-3
_MEASURED, _BLENDS, _LABELLED = 1500, 2000, 800
_LABEL_WEIGHT = 0.05
# Edges of the sizes of prediction that have bands of their own; exactly nothing is the first.
EDGES = np.array([1e-9, 0.01, 0.03, 0.1, 0.3, 0.6])
_FEWEST = 40
_DEAR = 0.05
# Windows of one run differ by some hundredths of the width: 0.05 from the half is 7 to 1.
_STEEP = 40.0


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
    import torch

    chance = np.random.default_rng(seed)
    found = []
    drawn = []
    for training in trainings:
        arrays = scale(training.names, training.metrics)
        arrays["serial"] = serial_cycles(training)
        arrays["ipc"] = np.array([float(training.names.index(WIDTH_METRIC))])
        found.append(arrays)
        drawn += [_draw(training, arrays, chance) for _ in range(members)]
    batch = [torch.from_numpy(np.stack(column)) for column in zip(*drawn, strict=True)]
    with torch_threads(_THREADS):
        weights = _descend(batch, seed, steps)
    for i, arrays in enumerate(found):
        mine = slice(i * members, (i + 1) * members)
        for name, weight in zip(("w1", "b1", "w2", "b2"), weights, strict=True):
            array = weight[mine].detach().numpy().astype(np.float64)
            arrays[f"cost_{name}"] = array[:, 0] if name.startswith("b") else array
    return found


def shares(metrics: Floats, scaled: Singles, arrays: Arrays) -> Singles:
    """Give the cost shares (n x 4, of the cycles, in the order of CAUSES).

    Args:
        metrics: n x m, per cycle.
        scaled: the same, standardised.
        arrays: a model with the arrays of `train`.
    """
    serial = metrics.astype(np.float32) @ arrays["serial"].astype(np.float32)
    ipc = metrics[:, int(arrays["ipc"][0])].astype(np.float32)
    room = np.maximum(1 - ipc, 1e-3)[:, None]
    total = np.zeros_like(serial)
    names = ("cost_w1", "cost_b1", "cost_w2", "cost_b2")
    for w1, b1, w2, b2 in zip(*(arrays[n].astype(np.float32) for n in names), strict=True):
        out = np.tanh(scaled @ w1 + b1) @ w2 + b2
        lost = serial * (MOST_OF_SERIAL / (1 + np.exp(-out)))
        ratio = lost / room
        ratio *= ratio
        total += lost / np.sqrt(np.sqrt(1 + ratio * ratio))
    return np.asarray(total / len(arrays["cost_w1"]), np.float32)


def bands(predicted: Floats, measured: Floats) -> Arrays:
    """Give `band` (sizes x 2): what to add to a prediction for the ends of its 90 % band.

    Args:
        predicted: n x 4, made by models that did not see the sample's program.
        measured: n x 4.
    """
    size = np.digitize(predicted, EDGES)
    missed = measured - predicted
    ends = np.zeros((len(EDGES) + 1, 2))
    tails = np.array([(1 - COVERED) / 2, (1 + COVERED) / 2])
    for k in range(len(ends)):
        mine = missed[size == k]
        if len(mine) < _FEWEST:
            mine = missed[np.abs(size - k) <= 1]
        if len(mine):
            ends[k] = np.quantile(mine, tails, method="inverted_cdf")
    ends[:, 0] = np.minimum(ends[:, 0], 0)
    ends[:, 1] = np.maximum(ends[:, 1], 0)
    return {"band": ends}


def banded(predicted: Singles, arrays: Arrays) -> tuple[Singles, Singles]:
    """Give the lower and upper ends (n x 4 each, within 0..1) of the shares' bands."""
    size = np.digitize(predicted, EDGES)
    ends = arrays["band"].astype(np.float32)
    low = np.clip(predicted + ends[:, 0].take(size), 0, 1)
    high = np.clip(predicted + ends[:, 1].take(size), 0, 1)
    return low, high


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


def _descend(batch: list[torch.Tensor], seed: int, steps: int) -> list[torch.Tensor]:
    """Train all networks side by side; each has its own weights and samples."""
    import torch

    inputs, serial, room, known, causes = batch
    many, metrics = inputs.shape[0], inputs.shape[2]
    chance = torch.Generator().manual_seed(seed)

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


def cause_odds(share: NDArray[Any], ipc: NDArray[Any]) -> Singles:
    """Give logarithms of the classes' odds (n x 6, in the order of CLASSES) by cost shares.

    Every component competes with the others and with LEAST_SHARE for none of them; none is
    Balance or Other by IPC over the width, where half of it is even odds.
    """
    lean = (np.asarray(ipc, np.float32) - np.float32(BALANCED_IPC)) * np.float32(_STEEP)
    none = np.float32(LEAST_SHARE / TEMPERATURE)
    balance = none - np.logaddexp(0, -lean)
    other = none - np.logaddexp(0, lean)
    return np.column_stack([balance, share / np.float32(TEMPERATURE), other]).astype(np.float32)
