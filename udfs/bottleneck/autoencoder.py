"""The stacked sparse autoencoder of the TaihuLight framework (Feng, Liu, He, 2018).

A layer is h = sigmoid(W x + p), y = sigmoid(W' h + q). It is pretrained on unlabelled samples to
reproduce its input, with the sparsity penalty beta * sum_j KL(rho || eta_j) on the mean activation
eta_j of each hidden node (Ng, CS294A lecture notes, 2011), one layer after the other; then the
stack is fine-tuned on labelled samples with a softmax on top, with dropout, until validation no
longer improves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from udfs.arrays import Flags, Integers
from udfs.bottleneck.baselines import softmax
from udfs.bottleneck.descent import Adam, Pace
from udfs.bottleneck.training import CLASSES, Arrays, Singles, one_torch_thread

if TYPE_CHECKING:
    import torch

RHO = 0.1  # mean activation that the sparsity penalty asks for
BETA = 0.05  # weight of that penalty
DROPOUT = 0.1  # share of the nodes left out in a step
LAYERS, NODES = 3, 30  # hidden layers and their nodes; fit --search tries others

# Standardised metrics within this many deviations map to 0..1, the range of a sigmoid.
_REACH = 3.0
_BATCH = 512  # samples of a step of the pretraining
_RATE = 0.01  # of learning
_PRETRAIN_STEPS = 300  # of each layer
_TUNE_EPOCHS = 300  # at most
_PATIENCE = 60  # epochs without fewer errors on the samples held out, until it ends

History = list[tuple[str, int, str, float]]


@dataclass(frozen=True, slots=True)
class Trained:
    """The weights `sae_w0, sae_b0, ...` (the last pair the softmax's), and the training curve."""

    arrays: Arrays
    history: History


def train(
    unlabelled: Singles,
    points: Singles,
    labels: Integers,
    validation: Flags,
    *,
    layers: int = LAYERS,
    nodes: int = NODES,
    seed: int = 0,
) -> Trained:
    """Pretrain on all samples and fine-tune on the labelled ones.

    Args:
        unlabelled: N x m standardised metrics.
        points, labels: n x m and n, positions in CLASSES.
        validation: which of the n choose the number of epochs (n); the final training uses all.
        layers, nodes: hidden layers, and nodes of each.
        seed: of the weights, the batches and the dropout.
    """
    with one_torch_thread():
        stack, history = _train(unlabelled, points, labels, validation, (layers, nodes), seed)
    arrays: Arrays = {}
    for i, (weight, bias) in enumerate(stack):
        arrays[f"sae_w{i}"] = weight.detach().numpy().astype(np.float64)
        arrays[f"sae_b{i}"] = bias.detach().numpy().astype(np.float64)
    seen = np.isin(np.arange(len(CLASSES)), labels)
    arrays[f"sae_b{len(stack) - 1}"][~seen] = -1e3
    return Trained(arrays, history)


def _train(
    unlabelled: Singles,
    points: Singles,
    labels: Integers,
    validation: Flags,
    shape: tuple[int, int],
    seed: int,
) -> tuple[list[tuple[torch.Tensor, torch.Tensor]], History]:
    import torch

    layers, nodes = shape
    rng = torch.Generator().manual_seed(seed)
    inputs = torch.from_numpy(_unit(unlabelled))
    history: History = []
    stack: list[tuple[torch.Tensor, torch.Tensor]] = []
    for depth in range(layers):
        pair, curve = _pretrain(inputs, nodes, rng)
        history += [(f"pretraining layer {depth + 1}", i, "loss", v) for i, v in curve]
        stack.append(pair)
        with torch.no_grad():
            inputs = torch.sigmoid(inputs @ pair[0] + pair[1])
    top = torch.randn(nodes, len(CLASSES), generator=rng) / nodes**0.5
    stack.append((top, torch.zeros(len(CLASSES))))
    known = _unit(points)
    epochs, tuned = _fine_tune(
        [(w.clone(), b.clone()) for w, b in stack], known, labels, validation
    )
    # Validation has chosen the number of epochs; now its samples are learned from, too.
    _fine_tune(stack, known, labels, np.zeros_like(validation), epochs)
    return stack, history + tuned


def class_probabilities(points: Singles, arrays: Arrays) -> Singles:
    """Return probabilities (n x 6) of standardised metrics (n x m)."""
    hidden = _unit(points)
    last = sum(name.startswith("sae_w") for name in arrays) - 1
    for i in range(last):
        before = hidden @ arrays[f"sae_w{i}"].astype("f4") + arrays[f"sae_b{i}"].astype("f4")
        hidden = 1 / (1 + np.exp(-before))
    return softmax(
        hidden @ arrays[f"sae_w{last}"].astype("f4") + arrays[f"sae_b{last}"].astype("f4")
    )


def _unit(points: Singles) -> Singles:
    inside = np.clip(points, -_REACH, _REACH)
    return np.asarray((inside + _REACH) / (2 * _REACH), np.float32)


def _pretrain(
    inputs: torch.Tensor, nodes: int, rng: torch.Generator
) -> tuple[tuple[torch.Tensor, torch.Tensor], list[tuple[int, float]]]:
    """Train one layer to reproduce its input; return its weights and the loss step by step."""
    import torch

    wide = inputs.shape[1]
    encode = torch.randn(wide, nodes, generator=rng) * (2 / (wide + nodes)) ** 0.5
    decode = torch.randn(nodes, wide, generator=rng) * (2 / (wide + nodes)) ** 0.5
    parts = [encode, torch.zeros(nodes), decode, torch.zeros(wide)]
    w, p, w2, q = (part.requires_grad_() for part in parts)
    descent = Adam([w, p, w2, q])
    curve = []
    for step in range(_PRETRAIN_STEPS):
        rows = torch.randint(0, len(inputs), (min(_BATCH, len(inputs)),), generator=rng)
        batch = inputs[rows]
        hidden = torch.sigmoid(batch @ w + p)
        back = torch.sigmoid(hidden @ w2 + q)
        eta = hidden.mean(dim=0).clamp(1e-4, 1 - 1e-4)
        sparsity = RHO * torch.log(RHO / eta) + (1 - RHO) * torch.log((1 - RHO) / (1 - eta))
        # The penalty is divided by the nodes, so that one beta suits every width.
        loss = ((back - batch) ** 2).mean() + BETA * sparsity.sum() / nodes
        loss.backward()
        descent.step(Pace(_RATE))
        if step % 20 == 0 or step == _PRETRAIN_STEPS - 1:
            curve.append((step, float(loss.detach())))
    return (w.detach(), p.detach()), curve


def _fine_tune(
    stack: list[tuple[torch.Tensor, torch.Tensor]],
    points: Singles,
    labels: Integers,
    validation: Flags,
    epochs: int = _TUNE_EPOCHS,
) -> tuple[int, History]:
    """Train the whole stack on labels, in place; return the epochs that validated best."""
    import torch

    rng = torch.Generator().manual_seed(0)
    weights = [w.requires_grad_() for pair in stack for w in pair]
    known, truth = torch.from_numpy(points), torch.from_numpy(labels.astype(np.int64))
    validating = torch.from_numpy(validation)
    descent = Adam(weights)
    history: History = []
    best, after = np.inf, 0
    for epoch in range(epochs):
        loss = torch.nn.functional.cross_entropy(
            _forward(stack, known[~validating], rng), truth[~validating]
        )
        loss.backward()
        descent.step(Pace(_RATE))
        if not validation.any():
            continue
        with torch.no_grad():
            scores = _forward(stack, known[validating])
            missed = float(torch.nn.functional.cross_entropy(scores, truth[validating]))
            right = float((scores.argmax(dim=1) == truth[validating]).float().mean())
        history += [
            ("fine-tuning", epoch, "loss", float(loss.detach())),
            ("fine-tuning", epoch, "validation loss", missed),
            ("fine-tuning", epoch, "validation accuracy", right),
        ]
        if missed < best - 1e-4:
            best, after = missed, epoch + 1
        if epoch + 1 - after > _PATIENCE:
            break
    return after, history


def _forward(
    stack: Sequence[tuple[torch.Tensor, torch.Tensor]],
    inputs: torch.Tensor,
    rng: torch.Generator | None = None,
) -> torch.Tensor:
    """Return the scores of the classes; with `rng`, with dropout of hidden nodes."""
    import torch

    hidden = inputs
    for weight, bias in stack[:-1]:
        hidden = torch.sigmoid(hidden @ weight + bias)
        if rng is not None:
            keep = torch.rand(hidden.shape, generator=rng) >= DROPOUT
            hidden = hidden * keep / (1 - DROPOUT)
    weight, bias = stack[-1]
    return hidden @ weight + bias
