"""Bounds of another core's table: learned or withheld where measured blocks break them."""

from __future__ import annotations

import numpy as np
import pytest

from udfs.throughput.algorithms import Samples
from udfs.throughput.fitting import bound_factors
from udfs.throughput.inputs import CODE


def samples(cycles, bounds):
    n = len(cycles)
    groups = np.arange(n).astype(np.str_)
    return Samples(np.zeros((n, 1)), cycles, bounds, np.ones(n), groups, np.ones(n), CODE, True)


def test_a_narrower_core_has_a_larger_bound_and_a_broken_one_is_withheld():
    rng = np.random.default_rng(1)
    width = rng.uniform(1, 5, 2000)
    # four wide instead of six; chains of additions that cost nothing; units that hold
    cycles = 1.5 * width * rng.uniform(1, 1.5, 2000)
    bounds = np.stack([width, cycles * rng.uniform(0.2, 4, 2000), cycles * 0.98], axis=1)
    assert bound_factors(samples(cycles, bounds)) == pytest.approx([1.5, 0, 1], abs=0.02)


def test_few_blocks_raise_no_bound():
    width = np.ones(60)
    bounds = np.stack([width, width, np.full(60, np.nan)], axis=1)
    assert bound_factors(samples(3 * width, bounds)).tolist() == [1, 1, 1]
