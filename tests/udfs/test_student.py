"""Quantiles of Student's t distribution."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import stdtrit

from udfs.student import t_quantile


@pytest.mark.parametrize("freedom", [0.7, 1.0, 2.0, 2.5, 7.3, 30.0, 199.5, 1e4, 1e7])
def test_quantiles_are_those_of_scipy(freedom):
    for probability in (0.501, 0.75, 0.95, 0.975, 0.9999, 1 - 1e-7):
        wanted = stdtrit(freedom, probability)
        assert t_quantile(freedom, probability) == pytest.approx(wanted, rel=1e-7), probability


def test_quantiles_of_one_degree_of_freedom_are_those_of_cauchy():
    for probability in np.linspace(0.55, 0.99, 9):
        wanted = np.tan(np.pi * (probability - 0.5))
        assert t_quantile(1.0, float(probability)) == pytest.approx(wanted, rel=1e-12)
