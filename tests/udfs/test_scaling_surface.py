"""Models of two parameters: parallelism and problem size."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from tests.helpers.flags import in_words
from udfs.scaling import scaling_forecast_at, scaling_surface

P, N = (axis.ravel() for axis in np.meshgrid([4.0, 8, 16, 32, 64], [1000.0, 2000, 4000]))
ORDER = np.lexsort((P, N))
P, N = P[ORDER], N[ORDER]


def surface(y):
    return scaling_surface(*(pa.array([one.tolist()]) for one in (P, N, y)))[0].as_py()


@pytest.mark.parametrize(
    ("law", "formula"),
    [
        (lambda p, n: 0.5 * n / p, "0.5*p^-1*n"),
        (lambda p, n: 3 + 1e-6 * n**2 / p, "3 + 1e-06*p^-1*n^2"),
        (lambda p, n: 2e-3 * n / p + 0.5 * np.log2(p), "0.002*p^-1*n + 0.5*log2(p)"),
        (lambda p, n: 1e-7 * n**1.7 / p + 0.01, "1e-07*p^-1*n^1.7 + 0.01"),
    ],
)
def test_products_and_sums_are_recovered(law, formula):
    found = surface(law(P, N))
    assert sorted(found["formula"].split(" + ")) == sorted(formula.split(" + "))
    assert found["r2"] == pytest.approx(1)
    assert found["cv_error"] < 1e-6


def test_terms_can_be_computed_with():
    found = surface(2e-3 * N / P + 0.5 * np.log2(P))
    value = sum(
        term["factor"]
        * 64 ** term["p_exponent"]
        * 6 ** term["p_log"]
        * 4000 ** term["n_exponent"]
        * np.log2(4000) ** term["n_log"]
        for term in found["terms"]
    )
    assert value == pytest.approx(2e-3 * 4000 / 64 + 3)


def at(y, count, size, own=4000.0):
    lists = [pa.array([one.tolist()]) for one in (P, N, y)]
    answer = scaling_forecast_at(
        pa.array(["computation"]),
        *lists,
        *(pa.array([one]) for one in (0.0, own)),
        pa.array([[count]]),
        pa.array([size]),
    )
    return answer[0].as_py()


def test_another_size_is_predicted():
    found = at(2e-3 * N / P + 1, 128.0, 8000.0)
    assert found["seconds"][0] == pytest.approx(2e-3 * 8000 / 128 + 1, rel=0.05)
    assert found["low"][0] < found["seconds"][0] < found["high"][0]
    assert found["flags"] == []


def test_too_few_points_are_flagged():
    lists = [pa.array([one]) for one in ([4.0, 8.0, 4.0], [1.0, 1.0, 2.0], [1.0, 2.0, 3.0])]
    found = in_words(scaling_surface(*lists)[0].as_py())
    assert found["formula"] is None
    assert found["flags"] == ["no model of the problem size: fewer than five points or two sizes"]


@pytest.mark.parametrize(("noise", "least"), [(0.0, 0.85), (0.01, 0.8)])
def test_intervals_at_four_times_the_size_hold_laws_of_any_exponents(noise, least):
    # 40 sums of two products and a constant, at the largest measured count.
    rng, held, off = np.random.default_rng(3), [], []
    for _ in range(40):
        share = rng.dirichlet([1, 1, 1])
        n_powers, p_powers = (
            rng.uniform([0.5, 0.0], [3.0, 1.0]),
            rng.uniform([-1.1, 0.2], [-0.5, 1.0]),
        )

        def law(p, n, share=share, p_powers=p_powers, n_powers=n_powers):
            products = (p[:, None] / 64) ** p_powers * (n[:, None] / 4000) ** n_powers
            return products @ share[:2] + share[2]

        truth = law(np.array([64.0]), np.array([16000.0]))[0]
        found = at(law(P, N) * np.exp(noise * rng.normal(size=len(P))), 64.0, 16000.0)
        held.append(
            found["low"][0] <= truth * (1 + 1e-9) and truth * (1 - 1e-9) <= found["high"][0]
        )
        off.append(abs(found["seconds"][0] / truth - 1))
    assert np.mean(held) >= least
    assert np.median(off) < (1e-3 if noise == 0 else 0.05)


@pytest.mark.parametrize(
    ("sizes", "counts", "formula"),
    [
        ([0.1, 0.2, 0.4], [1, 2, 4], "3*p^-1*n^1.3"),  # whose logarithms are 0
        ([1e9, 2e9, 8e9], [1, 1024], "3*p^-1*n^1.3"),  # as many points as two products have letters
    ],
)
def test_one_product_has_no_double(sizes, counts, formula):
    p, n = (axis.ravel() for axis in np.meshgrid(np.array(counts, float), sizes))
    lists = [pa.array([one.tolist()]) for one in (p, n, 3 * n**1.3 / p)]
    assert scaling_surface(*lists)[0].as_py()["formula"] == formula
