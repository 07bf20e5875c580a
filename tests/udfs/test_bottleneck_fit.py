"""Fitting bottleneck models: scores on held-out programs, the choice, insufficient samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.helpers.short_training import shorten_training
from tests.udfs.kernels import kernels
from udfs.bottleneck import autoencoder, build, calibration, costs
from udfs.bottleneck.baselines import SIMPLE_RULES
from udfs.bottleneck.clusters import profile_classes
from udfs.bottleneck.fit import fit
from udfs.bottleneck.judging import ALGORITHMS, COSTS, judge
from udfs.bottleneck.training import CLASSES, measured_classes, scale, standardised
from udfs.bottleneck.validation import LABELLED, assign_folds


@pytest.fixture(scope="module")
def training():
    return kernels(programs=6, windows=3)


@pytest.fixture(scope="module")
def fitted(training):
    with pytest.MonkeyPatch.context() as patch:
        shorten_training(patch)
        return fit(training, folds=2, shapes=((1, 10), (2, 10)))


def test_every_algorithm_is_scored_on_the_same_programs(fitted):
    scored = {
        a for a, split, measure, _ in fitted.scores if (split, measure) == (LABELLED, "accuracy")
    }
    assert scored == {*ALGORITHMS, *SIMPLE_RULES}
    assert all(0 <= v <= 1 for *_, m, v in fitted.scores if not m.endswith(": samples"))


def test_the_chosen_one_is_right_on_programs_held_out(fitted):
    right = {
        a: v for a, split, measure, v in fitted.scores if (split, measure) == (LABELLED, "accuracy")
    }
    assert right[fitted.algorithm] > 0.9


def test_the_reliability_of_the_chosen_one_is_kept_tenth_by_tenth(fitted):
    table = [row for row in fitted.scores if row[2].startswith(calibration.TENTH)]
    interval = [row for row in fitted.scores if row[2] == calibration.MOST_IF_EXACT]
    assert {algorithm for algorithm, *_ in table + interval} == {fitted.algorithm}
    samples = [v for _, split, m, v in table if split == LABELLED and m.endswith(": samples")]
    assert sum(samples) == 72
    (error,) = (
        v
        for a, split, m, v in fitted.scores
        if (a, split, m) == (fitted.algorithm, LABELLED, "expected calibration error")
    )
    assert 0 <= error < 0.2


def test_the_search_and_the_training_curve_are_kept(fitted):
    assert [row[:3] for row in fitted.search] == [(1, 10, "accuracy"), (2, 10, "accuracy")]
    assert {stage for stage, *_ in fitted.history} >= {"pretraining layer 1", "fine-tuning"}


def test_bands_contain_the_measured_shares(training, fitted):
    judged = judge(training.metrics, fitted.arrays)
    covered = (judged.cost_low - 1e-6 <= training.shares) & (
        training.shares <= judged.cost_high + 1e-6
    )
    assert covered.mean() > 0.85
    assert judged.cost_low.min() >= 0
    assert judged.cost_high.max() <= 1


def test_without_cost_shares_there_are_classes_only(training):
    without_shares = replace(training, shares=np.full(training.shares.shape, np.nan))
    assert build.train_cost_networks([without_shares], 1, seed=0) == [None]
    assert COSTS not in build.candidates([without_shares])
    arrays, _ = build.model(without_shares, "logistic regression", None, (1, 10), seed=0)
    judged = judge(training.metrics, arrays)
    assert judged.cost is None
    assert (judged.classes == training.labels)[training.labelled].mean() > 0.9


def test_no_program_is_on_both_sides(training):
    fold = assign_folds(training, 3)
    assert all(len(set(fold[training.programs == p])) == 1 for p in set(training.programs))


def test_programs_named_in_the_order_of_their_classes_are_held_out_from_every_class(training):
    # five classes, whose programs take turns in the order of names
    order = {label: [f"p{5 * k + label:02}" for k in range(6)] for label in range(5)}
    programs = np.array([order[label][i] for label in range(5) for i in range(6)])
    labels = np.repeat(np.arange(5), 6)
    some = replace(
        training.only(np.arange(len(training.labels)) < 30),
        programs=programs, labels=labels, families=programs,
    )  # fmt: skip
    fold = assign_folds(some, 5)
    assert all(set(labels[fold != k]) == set(range(5)) for k in range(5))
    assert all(set(labels[fold == k]) == set(range(5)) for k in range(5))


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (lambda t: np.full(len(t.labels), -1), "two classes"),
        (lambda t: np.where(t.labels == 0, 0, -1), "two classes"),
        (lambda t: np.where(np.isin(t.programs, ["Mem1", "DTB1"]), t.labels, -1), "three programs"),
    ],
)
def test_insufficient_training_data(training, labels, message):
    with pytest.raises(ValueError, match=message):
        fit(replace(training, labels=labels(training)))


def test_metrics_that_were_not_measured_are_not_learned_from(training):
    metrics = training.metrics.copy()
    metrics[3, 1] = np.nan
    with pytest.raises(ValueError, match="not measured"):
        fit(replace(training, metrics=metrics))


def test_a_metric_that_was_constant_in_training_is_not_scaled_up(training):
    constant = training.metrics.copy()
    constant[:, -1] = 0.0
    arrays = scale(training.names, constant)
    assert np.abs(standardised(constant, arrays)[:, -1]).max() < 1e-6
    assert np.abs(standardised(training.metrics, arrays)[:, -1]).max() < 3


def test_pretraining_reproduces_its_input(training):
    points = standardised(training.metrics, scale(training.names, training.metrics))
    known = training.labelled
    trained = autoencoder.train(
        points,
        points[known],
        training.labels[known],
        build.stopping_samples(training),
        layers=1,
        nodes=8,
    )
    loss = [value for stage, _, _, value in trained.history if stage == "pretraining layer 1"]
    assert loss[-1] < loss[0] / 2


def test_bands_cover_nine_of_ten():
    chance = np.random.default_rng(0)
    predicted = chance.uniform(0, 1, (2000, 4))
    measured = predicted + chance.normal(0, 0.05, predicted.shape)
    low, high = costs.apply_bands(predicted, costs.bands(predicted, measured, np.ones(2000)))
    share = np.clip(measured, 0, 1)
    covered = (low - costs.TOLERANCE <= share) & (share <= high + costs.TOLERANCE)
    assert 0.88 < covered.mean() < 0.93


@pytest.mark.parametrize("ipc", [0.35, 0.5, 0.56])
def test_runs_scatter_around_their_windows_as_much_as_verdicts_allow_for(ipc):
    runs = costs.draw_run_ipc(np.full(20_000, ipc), np.random.default_rng(0))
    balance, other = np.exp(costs.balance_log_odds(np.array([ipc])))
    assert (runs >= 0.5).mean() == pytest.approx(balance[0], abs=0.01)
    assert balance + other == pytest.approx(1)


def test_shares_of_a_run_make_one_class_of_all_its_samples(training):
    ipc = training.names.index("IPC")
    rows = np.flatnonzero(training.programs == "Balance1")
    metrics = training.metrics.copy()
    metrics[rows, ipc] = [0.45, 0.5, 0.7]
    classes = measured_classes(replace(training, metrics=metrics))
    assert set(classes[rows]) == {CLASSES.index("Balance")}
    own = replace(training, metrics=metrics, runs=np.arange(len(training.runs)).astype(str))
    assert CLASSES.index("Other") in measured_classes(own)[rows]


def test_a_sample_without_events_of_a_component_has_none_of_its_cost(training):
    metrics = training.metrics.copy()
    idle = np.flatnonzero(training.programs == "DMA1")[0]
    metrics[idle, training.names.index("DMAGPC")] = 0
    own = replace(training, metrics=metrics).own_shares
    assert own[idle].tolist() == [0, 0, 0, 0]
    assert np.delete(own, idle, axis=0).tolist() == np.delete(training.shares, idle, 0).tolist()


@pytest.mark.parametrize(
    ("fetches", "misses", "expected"),
    [(2.0, 2.0, "ICache"), (2.0, -1.5, "Unknown"), (-1.5, 2.0, "Unknown"), (0.2, 1.0, "ICache")],
)
def test_icache_is_by_fetches_and_misses_together(fetches, misses, expected):
    indicates = ["IPC", "Mem", "ICache", "ICache"]
    rules = [("Mem", "Mem"), ("ICache", "ICache")]
    profiles = np.array([[-1.0, -1.0, fetches, misses]])
    assert profile_classes(profiles, indicates, rules) == [expected]
