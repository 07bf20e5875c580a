"""Gradient descent of small networks: Adam, and the rates of a one-cycle training.

torch.optim computes the same, to the last bit, but its first step imports torch's compiler, which
takes longer than to train the models of a few programs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import torch

_MOMENTUM, _SECOND, _TINY = 0.9, 0.999, 1e-8  # as Kingma and Ba have them
_WARM_UP, _RISE, _FALL = 0.3, 25.0, 1e4  # share of the steps, factors of the rate
_LEAST_MOMENTUM, _MOST_MOMENTUM = 0.85, 0.95  # at the highest and the lowest rate


class Pace(NamedTuple):
    """How far a step goes: the learning rate, and the decay of the mean of the gradients."""

    rate: float
    momentum: float = _MOMENTUM


class Adam:
    """Adam (Kingma and Ba, 2015), with decoupled decay of weights (Loshchilov and Hutter, 2019)."""

    def __init__(self, weights: Sequence[torch.Tensor], decay: float = 0.0) -> None:
        self._weights = [
            (w, w.detach().new_zeros(w.shape), w.detach().new_zeros(w.shape)) for w in weights
        ]
        self._decay = decay
        self._steps = 0

    def step(self, pace: Pace) -> None:
        """Move the weights, in place, by their gradients, which are None afterwards."""
        import torch

        self._steps += 1
        size = pace.rate / (1 - pace.momentum**self._steps)
        scale = (1 - _SECOND**self._steps) ** 0.5
        with torch.no_grad():
            for weight, mean, square in self._weights:
                gradient, weight.grad = weight.grad, None
                if gradient is None:
                    continue
                if self._decay:
                    weight.mul_(1 - pace.rate * self._decay)
                mean.lerp_(gradient, 1 - pace.momentum)
                square.mul_(_SECOND).addcmul_(gradient, gradient, value=1 - _SECOND)
                weight.addcdiv_(mean, (square.sqrt() / scale).add_(_TINY), value=-size)


def one_cycle(step: int, steps: int, highest: float) -> Pace:
    """Return the pace of one of `steps` steps, from 0 on (Smith and Topin, 2019).

    The rate rises to `highest` over the first 30 % of the steps, then falls to nearly 0, along
    cosines; the momentum falls and rises.
    """
    first = highest / _RISE
    turn = _WARM_UP * steps - 1
    if step <= turn:
        done = step / turn
        return Pace(_between(first, highest, done), _between(_MOST_MOMENTUM, _LEAST_MOMENTUM, done))
    done = (step - turn) / (steps - 1 - turn)
    return Pace(
        _between(highest, first / _FALL, done), _between(_LEAST_MOMENTUM, _MOST_MOMENTUM, done)
    )


def _between(begin: float, end: float, done: float) -> float:
    return end + (begin - end) / 2.0 * (1 + math.cos(math.pi * done))
