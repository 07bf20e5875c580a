"""Classes by stored bottleneck models, in Python and through SQL."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.helpers.flags import said
from tests.helpers.support import rows
from tests.udfs.kernels import NAMES, cost_networks, kernels
from udfs.bottleneck import build
from udfs.bottleneck.judging import ALGORITHMS, COSTS, judge
from udfs.bottleneck.training import (
    CLASSES,
    blend,
    causal_class,
    decode_names,
    encode_names,
    memory_misses,
    scale,
    standardised,
)


@pytest.fixture(scope="module")
def training():
    return kernels()


@pytest.fixture(scope="module")
def networks(training):
    return cost_networks(training)


@pytest.fixture(scope="module")
def model(training, networks):
    return build.model(training, COSTS, networks, (1, 10), seed=0)[0]


def sample(**metrics):
    """Return one window; metrics that are not given are 0."""
    return np.array([[metrics.get(name, 0.0) for name in NAMES]])


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        ({"IPC": 0.85}, "Balance"),
        ({"IPC": 0.2, "BRMPC": 0.004}, "Other"),
        ({"IPC": 0.2, "L3MPC": 0.6 / 180}, "Mem"),
        ({"IPC": 0.2, "DTBMPC": 0.6 / 60}, "DTB"),
        ({"IPC": 0.2, "L2ICAPC": 0.6 / 12}, "ICache"),
        ({"IPC": 0.2, "DMAGPC": 0.6 / 250}, "DMA"),
        ({"IPC": 0.2, "L3MPC": 1.0}, "Unknown"),
        ({"IPC": 3.1}, "Unknown"),
        ({"IPC": math.nan}, "Unknown"),
    ],
)
def test_verdicts(model, window, expected):
    assert judge(sample(**window), model).names().tolist() == [expected]


@pytest.mark.parametrize(
    ("window", "reason"),
    [
        ({"IPC": 0.5, "DTBMPC": math.nan, "L3MPC": math.nan}, "not measured: DTBMPC, L3MPC"),
        ({"IPC": 0.5, "DTBMPC": -0.01}, "not measured: DTBMPC"),
        ({"IPC": 0.5, "DTBMPC": math.inf}, "not measured: DTBMPC"),
        ({"IPC": 3.1}, "outside the range of the training samples: IPC"),
    ],
)
def test_unknown_has_a_reason(model, window, reason):
    judged = judge(sample(**window), model)
    assert [said(judged.reasons[i]) for i in judged.reason] == [reason]


def test_a_sample_of_few_cycles_is_unknown_and_says_how_many_are_needed(model):
    windows = np.repeat(sample(IPC=0.85), 3, axis=0)
    judged = judge(windows, model, np.array([1.0, 100_000.0, np.nan]))
    assert judged.names().tolist() == ["Unknown", "Balance", "Balance"]
    assert judged.familiar.tolist() == [False, True, True]
    (reason,) = judged.reasons
    assert said(reason).startswith(
        "too few cycles to tell a bottleneck of DMA from chance: about 2,"
    )


def test_too_low_a_probability_is_unknown(model):
    picky = {**model, "confidence": np.array([1.1])}
    judged = judge(sample(IPC=0.85), picky)
    assert judged.names().tolist() == ["Unknown"]
    assert list(map(said, judged.reasons)) == ["no class is 110 % likely: Balance or Mem"]


def test_cost_shares_are_near_what_was_measured(model, training):
    judged = judge(training.metrics, model)
    assert np.abs(judged.cost - training.shares).mean() < 0.04


def test_no_events_cost_nothing_and_no_more_than_empty_slots_is_gained(model):
    judged = judge(sample(IPC=0.9, L3MPC=0.003), model)
    mem, *others = judged.cost[0]
    assert 0 < mem <= 0.1 + 1e-6
    assert others == [0, 0, 0]


def test_a_driver_is_the_metric_that_stands_out(model):
    judged = judge(sample(IPC=0.2, DTBMPC=0.01), model)
    assert NAMES[judged.drivers[0, 0]] == "DTBMPC"


def test_no_samples(model):
    assert judge(np.empty((0, len(NAMES))), model).classes.shape == (0,)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_fits_and_applies_without_its_library(training, networks, algorithm):
    arrays, _ = build.model(training, algorithm, networks, (1, 20), seed=0)
    known = training.labelled
    judged = judge(training.metrics[known], arrays)
    assert (judged.classes == training.labels[known]).mean() > 0.9
    np.testing.assert_allclose(judged.probabilities.sum(axis=1), 1, atol=1e-5)


def test_the_same_seed_gives_the_same_model(training):
    once, again = (
        build.model(training, COSTS, cost_networks(training, seed=4), (1, 10), seed=4)[0]
        for _ in range(2)
    )
    assert once.keys() == again.keys()
    assert all(np.array_equal(once[name], again[name]) for name in once)


def test_a_class_without_labels_is_left_to_the_cost_shares(training):
    without = training.only(training.families != "Other")
    arrays, _ = build.model(without, COSTS, cost_networks(without), (1, 10), seed=0)
    assert judge(sample(IPC=0.2), arrays).names().tolist() == ["Other"]


def test_a_family_never_seen_is_unknown(training):
    without = training.only(training.families != "DTB")
    arrays, _ = build.model(without, COSTS, cost_networks(without), (1, 10), seed=0)
    judged = judge(training.metrics[training.families == "DTB"], arrays)
    assert set(judged.names()) == {"Unknown"}


def test_blends_of_two_windows_lie_between_them(training):
    stream, chase = 24, 48
    pair = training.only(np.array([stream, chase]))
    metrics, shares = blend(pair, 50, np.random.default_rng(0))
    mem, dtb = NAMES.index("L3MPC"), NAMES.index("DTBMPC")
    np.testing.assert_allclose(
        metrics[:, mem] / pair.metrics[0, mem] + metrics[:, dtb] / pair.metrics[1, dtb], 1
    )
    np.testing.assert_allclose(
        shares[:, 0], metrics[:, mem] / pair.metrics[0, mem] * pair.shares[0, 0]
    )


@pytest.mark.parametrize(
    ("shares", "ipc", "expected"),
    [
        ([0.2, 0.1, 0, 0], 0.9, "Mem"),
        ([0.3, 0.4, 0, 0], 0.1, "DTB"),
        ([0.19, 0.19, 0.19, 0.19], 0.5, "Balance"),
        ([0, 0, 0, 0], 0.49, "Other"),
    ],
)
def test_causal_class(shares, ipc, expected):
    assert CLASSES[causal_class(np.array([shares]), np.array([ipc]))[0]] == expected


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("L2DMPC", "L3MPC", "MEMRPC"), [[0.01, 0.01, 0.03], [0.02, 0.05, 0.06], [0, 0, 0]]),
        (("L2DMPC", "MEMRPC"), [[0.02, 0.03], [0.02, 0.06], [0, 0]]),
        (("L2DMPC",), [[0.02], [0.02], [0.04]]),
        (("L3MPC", "MEMRPC"), [[0.01, 0.03], [0.05, 0.06], [0, 0]]),
    ],
)
def test_misses_that_level_3_serves_wait_for_no_memory(names, expected):
    all_metrics = {
        "L2DMPC": [0.02, 0.02, 0.04],
        "L3MPC": [0.01, 0.05, 0],
        "MEMRPC": [0.03, 0.06, 0],
    }
    metrics = np.array([all_metrics[name] for name in names], float).T
    before = metrics.copy()
    assert memory_misses(metrics, names).tolist() == expected
    np.testing.assert_array_equal(metrics, before)


def test_standardised_metrics_have_mean_0_and_variance_1(training):
    scaled = standardised(training.metrics, scale(NAMES, training.metrics))
    np.testing.assert_allclose(scaled.mean(axis=0), 0, atol=1e-4)
    np.testing.assert_allclose(scaled.std(axis=0), 1, atol=1e-3)


def test_names_survive_as_numbers():
    assert decode_names(encode_names(NAMES)) == list(NAMES)


def test_through_sql(warehouse, model):
    warehouse.execute(
        """
        CREATE TABLE weights AS SELECT load_model(map_from_entries(list(
            {'k': name, 'v': {'shape': shape, 'values': "values"}}))) AS model
        FROM (SELECT unnest($arrays, max_depth := 2))
        """,
        {
            "arrays": [
                {"name": n, "shape": list(a.shape), "values": a.ravel().tolist()}
                for n, a in model.items()
            ]
        },
    )
    assert rows(
        warehouse,
        """
        SELECT
            id, v.class, len(v.probabilities), abs(v.cost[2] - 0.6) < 0.1, len(v.drivers),
            flag_text(v.reason)
        FROM (
            SELECT id, classify_bottleneck(metrics, cycles, model) AS v
            FROM weights, (VALUES
                (1, [0.2, 0, 0.01, 0, 0, 0], 1e6),
                (2, [0.9, 0, 0, 0, 0, 0], 'NaN'),
                (3, [0.9, NULL, 0, 0, 0, 0], 1e6),
                (4, [0.9, 0.1], 1e6),
                (5, NULL, 1e6)) t(id, metrics, cycles)
        ) ORDER BY id
        """,
    ) == [
        (1, "DTB", 6, True, 3, None),
        (2, "Balance", 6, False, 3, None),
        (3, "Unknown", None, None, None, "not measured: L2ICAPC"),
        (4, "Unknown", None, None, None, f"not measured: {', '.join(NAMES)}"),
        (5, None, None, None, None, None),
    ]
