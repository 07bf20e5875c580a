"""How many cycles a sample needs for its counts to tell the classes apart."""

from __future__ import annotations

import numpy as np
import pytest

from udfs.bottleneck.judging import least_cycles
from udfs.bottleneck.training import CAUSES, LEAST_SHARE, encode_names

NAMES = ("IPC", "L3MPC", "DTBMPC")
MEM, DTB = CAUSES.index("Mem"), CAUSES.index("DTB")


def model(mem=180.0, dtb=60.0):
    """Return what a model knows of the cycles that an event costs."""
    serial = np.zeros((3, 4))
    serial[1, MEM], serial[2, DTB] = mem, dtb
    return {"serial": serial, "names": encode_names(NAMES), "log_offset": np.array([1, 3e-4, 3e-4])}


@pytest.mark.parametrize("rate", [0.0, 0.0002, 0.002])
def test_the_error_of_a_share_from_so_many_cycles_is_what_makes_a_bottleneck(rate):
    least = least_cycles(np.array([[0.5, rate, 0.0]]), model())[0, MEM]
    chance = np.random.default_rng(0)
    counts = chance.gamma(rate * least + 1, size=200_000)
    assert 1.645 * 180 * counts.std() / least == pytest.approx(LEAST_SHARE, rel=0.02)


def test_events_that_cost_more_need_more_cycles_and_what_is_not_counted_none():
    least = least_cycles(np.zeros((1, 3)), model())[0]
    assert least[MEM] == pytest.approx(3 * least[DTB])
    assert least[[CAUSES.index("ICache"), CAUSES.index("DMA")]].tolist() == [0, 0]


def test_events_that_overlap_do_not_need_ever_more():
    rates = np.array([[0.1, 0.006, 0], [0.1, 0.06, 0], [0.1, 0.6, 0]])
    least = least_cycles(rates, model())[:, MEM]
    assert least[0] > least[1] > least[2]


def test_a_model_without_costs_takes_a_hundred_cycles_an_event():
    arrays = model()
    known = least_cycles(np.zeros((1, 3)), model(100.0, 100.0))
    del arrays["serial"]
    np.testing.assert_allclose(least_cycles(np.zeros((1, 3)), arrays), known)
