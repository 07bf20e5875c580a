"""Second-order methods over all samples at once that train the throughput network.

`lbfgs` is limited-memory BFGS (Liu & Nocedal 1989; SciPy's L-BFGS-B), `scg` scaled conjugate
gradients (Møller 1993), `lm` Levenberg-Marquardt (Hagan & Menhaj 1994), which solves a system of
equations of all weights in each iteration. All minimise the same loss, and end where an iteration
makes it smaller by no more than the precision.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from udfs.arrays import Floats

# Møller's figures: the step of differences of gradients, and the damping at the start.
_SIGMA, _LAMBDA = 5e-5, 5e-7
# Damping of Levenberg-Marquardt at the start, its factor, and where no step is small enough.
_DAMPING, _FACTOR, _MOST_DAMPING = 1e-3, 10.0, 1e10


class Problem(Protocol):
    """Objective: a sum of squares, by weights (p)."""

    def loss(self, flat: Floats) -> tuple[float, Floats]:
        """Return the loss and its gradient (p)."""

    def normal(self, flat: Floats) -> Floats:
        """Return half the second derivative by Gauss-Newton (p x p)."""


def lbfgs(problem: Problem, start: Floats, iterations: int, precision: float) -> Floats:
    """Return weights that minimise the loss, by SciPy's L-BFGS-B."""
    # Imported here, as to predict does without, and it takes as long as all else to start.
    from scipy.optimize import minimize

    options = {"maxiter": iterations, "maxcor": 20, "ftol": precision}
    done = minimize(problem.loss, start, method="L-BFGS-B", jac=True, options=options)
    return np.asarray(done.x)


def scaled_conjugate_gradients(
    problem: Problem, start: Floats, iterations: int, precision: float
) -> Floats:
    """Return weights that minimise the loss; names of figures are Møller's."""
    weights = start
    loss, gradient = problem.loss(weights)
    r = -gradient
    p, lam, lam_bar, curvature, is_success = r, _LAMBDA, 0.0, 0.0, True
    for k in range(1, iterations + 1):
        length = float(p @ p)
        if not length:
            break
        if is_success:
            sigma = _SIGMA / np.sqrt(length)
            ahead = problem.loss(weights + sigma * p)[1]
            curvature = float(p @ (ahead + r)) / sigma
        delta = curvature + (lam - lam_bar) * length
        if delta <= 0:
            lam_bar = 2 * (lam - delta / length)
            delta, lam = -delta + lam * length, lam_bar
        mu = float(p @ r)
        trial = weights + mu / delta * p
        smaller, gradient = problem.loss(trial)
        comparison = 2 * delta * (loss - smaller) / mu**2
        is_success = comparison >= 0
        if is_success:
            gain, loss, weights, before = loss - smaller, smaller, trial, r
            r, lam_bar = -gradient, 0.0
            p = r if k % len(r) == 0 else r + float(r @ r - r @ before) / mu * p
            if p @ r <= 0:
                p = r
            lam = lam / 4 if comparison >= 0.75 else lam
            if gain <= precision * max(loss, 1.0):
                break
        else:
            # The damping so far is part of the curvature of the next try.
            curvature, lam_bar = delta, lam
        if comparison < 0.25:
            lam += delta * (1 - comparison) / length
    return weights


def levenberg_marquardt(
    problem: Problem, start: Floats, iterations: int, precision: float
) -> Floats:
    """Return weights that minimise the loss by damped steps of Gauss-Newton."""
    from scipy.linalg import LinAlgError, solve

    weights, damping = start, _DAMPING
    loss, gradient = problem.loss(weights)
    for _ in range(iterations):
        normal = problem.normal(weights)
        diagonal = normal.diagonal().copy()
        while damping <= _MOST_DAMPING:
            np.fill_diagonal(normal, diagonal + damping)
            try:
                trial = weights - solve(normal, gradient / 2, assume_a="pos")
            except LinAlgError:
                smaller = np.inf
            else:
                smaller, ahead = problem.loss(trial)
            if smaller < loss:
                break
            damping *= _FACTOR
        else:
            break
        gain, loss, weights, gradient = loss - smaller, smaller, trial, ahead
        damping /= _FACTOR
        if gain <= precision * max(loss, 1.0):
            break
    return weights


OPTIMISERS = {"lbfgs": lbfgs, "scg": scaled_conjugate_gradients, "lm": levenberg_marquardt}
