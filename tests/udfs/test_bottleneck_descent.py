"""Adam and one-cycle training: figures that torch.optim computes for the same descent."""

from __future__ import annotations

import pytest

from udfs.bottleneck.descent import Adam, Pace, one_cycle


@pytest.fixture
def torch():
    # Imported here, so that only a test process that runs these tests takes seconds for it.
    return pytest.importorskip("torch")


def descended(torch, descent_of, paces):
    """Return two weights after steps towards the lowest point of a quadratic function."""
    weights = torch.tensor([1.0, -2.0]).requires_grad_()
    descent = descent_of([weights])
    for pace in paces:
        (weights**2 * torch.tensor([1.0, 3.0])).sum().backward()
        descent.step(pace)
    assert weights.grad is None
    return weights.tolist()


def test_weights_are_those_of_torch(torch):
    found = descended(torch, Adam, [Pace(0.1)] * 5)
    assert found == pytest.approx([0.5079637169837952, -1.5029557943344116], abs=1e-7)


def test_weights_with_decay_and_one_cycle_are_those_of_torch(torch):
    paces = [one_cycle(step, 10, 0.1) for step in range(10)]
    found = descended(torch, lambda weights: Adam(weights, decay=0.01), paces)
    assert found == pytest.approx([0.5989171862602234, -1.588683009147644], abs=1e-7)


def test_a_cycle_rises_and_falls_as_that_of_torch():
    paces = [one_cycle(step, 10, 0.1) for step in range(10)]
    assert [pace.rate for pace in paces[:4]] == pytest.approx([0.004, 0.052, 0.1, 0.0950484632])
    assert [pace.momentum for pace in paces[:4]] == pytest.approx([0.95, 0.9, 0.85, 0.8549515566])
    assert paces[-1] == pytest.approx((4e-7, 0.95))


def test_a_weight_without_a_gradient_stays(torch):
    used, unused = (torch.ones(1).requires_grad_() for _ in range(2))
    descent = Adam([used, unused], decay=0.5)
    used.sum().backward()
    descent.step(Pace(0.1))
    assert (used.item() < 1, unused.item()) == (True, 1)
