"""Laws of speed-up: exact on exact times, intervals with the truth on noisy ones."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from udfs.scaling import scaling_speedup_laws

COUNTS = np.array([2.0, 4, 8, 16, 32, 64])
R = COUNTS / 2


def laws(seconds, noise=0.0, weak=False):
    (found,) = scaling_speedup_laws(
        pa.array([COUNTS.tolist()]), pa.array([list(seconds)]), pa.array([noise]), pa.array([weak])
    ).to_pylist()
    return {row["law"]: row for row in found}


def test_amdahl_is_exact():
    found = laws(10 * (0.05 + 0.95 / R))
    assert found["Amdahl"]["serial"] == pytest.approx(0.05)
    assert found["Amdahl"]["most"] == pytest.approx(20)
    assert found["USL"]["coherence"] == pytest.approx(0, abs=1e-9)


def test_universal_scalability_is_exact():
    found = laws(10 * (1 + 0.02 * (R - 1) + 0.001 * R * (R - 1)) / R)["USL"]
    assert (found["serial"], found["coherence"]) == pytest.approx((0.02, 0.001))
    assert found["peak"] == pytest.approx(2 * np.sqrt(0.98 / 0.001))


def test_gustafson_is_exact_on_weak_scaling():
    found = laws(10 * R / (R - 0.1 * (R - 1)), weak=True)["Gustafson"]
    assert (found["serial"], found["most"]) == (pytest.approx(0.1), None)


def test_intervals_contain_the_serial_part():
    random, held = np.random.default_rng(7), 0
    for _ in range(200):
        noisy = 10 * (0.05 + 0.95 / R) * random.lognormal(0, 0.03, len(R))
        found = laws(noisy)["Amdahl"]
        held += found["serial_low"] <= 0.05 <= found["serial_high"]
    assert 165 <= held <= 195


def test_two_counts_have_no_laws():
    assert scaling_speedup_laws(
        pa.array([[1.0, 2.0]]), pa.array([[2.0, 1.0]]), pa.array([0.0]), pa.array([False])
    ).to_pylist() == [[]]
