"""The network, the reduction, and training data of poorer traces."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from udfs.throughput.algorithms import Samples, algorithms, train_combination
from udfs.throughput.combination import predict_combination
from udfs.throughput.fitting import fit_throughput, reduce_points
from udfs.throughput.inputs import TRACE, Inputs, feature_range, is_outside, network_inputs, start
from udfs.throughput.network import LAYERS, Training, fit_network, predict_network
from udfs.throughput.predict import predicted
from udfs.throughput.traces import BOUNDS, TRACE_FEATURES, poorer_traces

RANDOM = np.random.default_rng(0)
POINTS = RANDOM.normal(size=(400, 4))
CURVE = np.tanh(POINTS[:, 0]) + 0.3 * POINTS[:, 1] * POINTS[:, 2]


def test_the_network_has_the_layers_of_the_patent_and_learns_a_curve():
    arrays = fit_network(POINTS, CURVE, training=Training(300, 1, 1e-6))
    assert LAYERS == (30, 15, 15)
    assert [arrays[f"w{i}"].shape for i in range(4)] == [
        (1, 4, 30),
        (1, 30, 15),
        (1, 15, 15),
        (1, 15, 1),
    ]
    unseen = np.random.default_rng(1).normal(size=(200, 4))
    expected = np.tanh(unseen[:, 0]) + 0.3 * unseen[:, 1] * unseen[:, 2]
    error = predict_network(unseen, arrays) - expected
    assert np.median(np.abs(error)) < 0.1


@pytest.mark.parametrize(("optimiser", "iterations"), [("lbfgs", 60), ("scg", 300), ("lm", 10)])
def test_every_optimiser_learns_the_curve_until_the_precision(optimiser, iterations):
    def loss(**training):
        return fit_network(POINTS, CURVE, training=Training(members=1, decay=1e-6, **training))[
            "loss"
        ]

    start = loss(optimiser=optimiser, iterations=1)
    assert loss(optimiser=optimiser, iterations=iterations) < 0.3 * start
    early = loss(optimiser=optimiser, iterations=iterations, precision=1.0)
    assert early == loss(optimiser=optimiser, iterations=1, precision=0)


def test_a_network_with_distributions_is_stored_where_it_is_asked_for():
    samples = traces()
    lengths = TRACE_FEATURES.index("chain_1") + np.arange(40)
    samples.x[:, lengths] = 0
    longest = RANDOM.integers(0, 40, 120)
    samples.x[np.arange(120), lengths[longest]] = 1
    # what no other feature has
    cycles = samples.cycles * np.where(longest < 20, 1.0, 3.0)
    fitted = fit_throughput(replace(samples, cycles=cycles), optimiser="scg", iterations=100)
    assert fitted.algorithm == "network with distributions"
    assert len(fitted.arrays["used"]) == len(TRACE_FEATURES) - 1
    error = predicted(samples.x, fitted.arrays)[:, 0] / cycles - 1
    assert np.median(np.abs(error)) < 0.1


def test_the_same_seed_gives_the_same_network():
    training = Training(20, 1, 1e-4)
    first, second, other = (
        fit_network(POINTS, CURVE, seed=seed, training=training)["w0"] for seed in (3, 3, 4)
    )
    assert np.array_equal(first, second)
    assert not np.array_equal(first, other)


def test_unknown_and_constant_features_do_no_harm():
    x = np.column_stack([POINTS, np.full(400, 7.0), np.full(400, np.nan)])
    x[::5, 1] = np.nan
    arrays = fit_network(x, CURVE, training=Training(50, 1, 1e-4))
    assert np.isfinite(predict_network(x, arrays)).all()


def test_samples_count_by_their_weights():
    y = np.where(np.arange(400) < 200, 0.0, 1.0)
    x = np.zeros((400, 1))
    weights = np.where(np.arange(400) < 200, 1.0, 99.0)
    arrays = fit_network(x, y, weights, training=Training(50, 1, 1e-4))
    assert predict_network(x[:1], arrays)[0] > 0.9


def test_counts_are_inputs_per_instruction():
    inputs = Inputs(("log", "n", "loads"), offset=(0,), counts=(2,), per=1)
    x = np.array([[0.5, 4.0, 2.0]])
    assert network_inputs(x, inputs.arrays()).tolist() == [[0.5, pytest.approx(np.log(4)), 0.5]]
    assert start(x, inputs.arrays()).tolist() == [0.5]
    assert x.tolist() == [[0.5, 4.0, 2.0]]


def test_the_reduction_keeps_its_share_and_the_spread():
    clouds = np.concatenate([RANDOM.normal(k, 0.1, (100, 2)) for k in (0, 5, 10)])
    done = reduce_points(clouds, classes=9, share=0.1, seed=0)
    assert done.represents.sum() == 300
    assert 30 <= len(done.chosen) <= 40
    assert len(np.unique(done.chosen)) == len(done.chosen)
    assert {int(k) // 100 for k in done.chosen} == {0, 1, 2}


def test_one_class_and_equal_points_can_be_reduced():
    done = reduce_points(np.ones((20, 3)), classes=4, share=0.5, seed=0)
    assert (len(done.chosen), done.represents.tolist()) == (1, [20])


def traces(n=120, programs=6):
    x = np.full((n, len(TRACE_FEATURES)), np.nan)
    at = {name: i for i, name in enumerate(TRACE_FEATURES)}
    x[:, at["front_end"]] = RANDOM.uniform(0.25, 0.4, n)
    x[:, at["critical_path"]] = RANDOM.uniform(0.05, 0.6, n)
    x[:, at["chain_latency"]] = RANDOM.uniform(0.1, 0.5, n)
    x[:, at["chain_length"]] = x[:, at["chain_latency"]] / 1.4
    x[:, at["unit"]] = 0.1
    x[:, at["rob"]] = 1.28
    x[:, at["log_uops"]] = np.log(4000)
    x[:, [at["width"], at["drain"]]] = 0.25
    bounds = 4000 * x[:, [at[name] for name in BOUNDS]]
    tightest = bounds.max(axis=1)
    x[:, at["log_bound"]] = np.log(tightest / 4000)
    cycles = 1.1 * tightest
    groups = np.array([f"p{i % programs}" for i in range(n)])
    return Samples(x, cycles, bounds, np.full(n, 3000.0), groups, np.full(n, 4.0), TRACE, False)


def test_poorer_traces_have_consistent_bounds():
    samples = traces()
    at = [TRACE_FEATURES.index(name) for name in BOUNDS]
    for variant in poorer_traces(samples.x):
        assert np.allclose(np.exp(variant[:, 0]), np.nanmax(variant[:, at], axis=1))


def test_every_algorithm_is_scored_on_the_same_segments():
    samples = traces()
    found = algorithms(samples, np.ones(120), seed=0)
    assert list(found) == [
        *("constant", "tightest bound", "linear regression", "network"),
        *("network with distributions", "combined bounds", "boosting"),
    ]
    assert all(predict(samples).shape == (120,) for predict in found.values())


def test_measurements_count_by_their_weights():
    samples = traces(n=60, programs=4)
    wrong = np.arange(60) % 3 == 0
    cycles = np.where(wrong, 5 * samples.cycles, samples.cycles)
    weights = np.where(wrong, 1e-3, 1.0)
    fitted = fit_throughput(replace(samples, cycles=cycles, weights=weights))
    found = predicted(samples.x, fitted.arrays)[:, 0]
    assert np.median(np.abs(found / samples.cycles - 1)) < 0.1
    assert samples.at(np.arange(3)).trust.tolist() == [1, 1, 1]


def test_a_fit_scores_stores_and_bands():
    samples = traces()
    left = []
    fitted = fit_throughput(samples, (4, 0.5), 0, lambda _, seconds=None: left.append(seconds))
    known = [seconds for seconds in left if seconds is not None]
    assert len(known) > 1 and min(known) > 0
    # by the error of what was held out, in which processors differ in the last digit
    assert fitted.algorithm in ("network", "network with distributions", "combined bounds")
    splits = {(name, split) for name, split, what, _ in fitted.scores if what == "mean error"}
    assert len(splits) == 2 * 7
    assert fitted.thinned is not None
    assert fitted.thinned.kept < fitted.thinned.segments
    cycles, low, high = predicted(samples.x, fitted.arrays).T
    assert (low <= cycles).all()
    assert (cycles <= high).all()
    assert np.median(np.abs(cycles / samples.cycles - 1)) < 0.1
    assert fitted.arrays["typical"].shape == (len(TRACE_FEATURES),)


def test_combined_bounds_exceed_and_grow_with_each_bound():
    samples = traces()
    fitted = train_combination(samples, np.ones(120))
    found = np.exp(predict_combination(samples.x, fitted))
    assert (found >= samples.bounds.max(axis=1)).all()
    for name in BOUNDS:
        more = samples.x.copy()
        at = TRACE_FEATURES.index(name)
        if name == "width":
            # Drains come on top of it.
            more[:, TRACE_FEATURES.index("drain")] += 0.5 * more[:, at]
        more[:, at] *= 1.5
        assert (np.exp(predict_combination(more, fitted)) >= found).all()


def test_segments_unlike_training_are_outside():
    x = traces().x
    arrays = TRACE.arrays()
    arrays["range"] = feature_range(x, arrays)
    assert not is_outside(x, arrays).any()
    x[0, TRACE_FEATURES.index("front_end")] = 3.0
    assert np.flatnonzero(is_outside(x, arrays)).tolist() == [0]
