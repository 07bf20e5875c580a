"""Programs with nearly equal counters and different bottlenecks: no sure verdict near them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.helpers.flags import said
from tests.udfs.kernels import NAMES, cost_networks, kernels
from udfs.bottleneck import build, contested
from udfs.bottleneck.judging import COSTS, judge
from udfs.bottleneck.training import CLASSES, Training, scale


@pytest.fixture(scope="module")
def shared():
    """Return kernels; one program more has the counters of an ICache one, but costs nothing."""
    plain = kernels()
    mine = plain.only(plain.programs == "ICache1")
    twin = replace(
        mine,
        metrics=mine.metrics * 1.05,
        labels=np.full(len(mine.labels), CLASSES.index("Other")),
        programs=np.repeat("twin", len(mine.labels)),
        runs=np.repeat("twin", len(mine.labels)),
        shares=np.zeros(mine.shares.shape),
    )
    return plain, joined(plain, twin), mine.metrics[0]


def joined(one, other):
    fields = ("metrics", "labels", "programs", "families", "runs", "shares")
    return Training(
        one.names, *(np.concatenate([getattr(one, f), getattr(other, f)]) for f in fields)
    )


def test_where_programs_share_counters_but_not_classes_no_class_is_sure(shared):
    plain, both, window = shared
    arrays, twins = (
        build.model(data, COSTS, cost_networks(data), (1, 10), seed=0)[0] for data in (plain, both)
    )
    assert "contested_points" not in arrays
    alike, other = (judge(window[None] * factor, twins) for factor in (1.02, 3.0))
    assert alike.names().tolist() == ["Unknown"]
    (reason,) = alike.reasons
    assert said(reason).startswith(
        "no class is 60 % likely: programs of the training with nearly equal"
    )
    assert said(reason).endswith(("were ICache or Other", "were Other or ICache"))
    assert other.names().tolist() == ["ICache"]


def test_shares_count_programs_and_not_samples(shared):
    _, both, window = shared
    twins = np.flatnonzero(both.programs == "twin")
    both = both.only(np.concatenate([np.arange(len(both.labels)), twins]))
    arrays = scale(NAMES, both.metrics)
    found = contested.find(both, arrays)
    shares = contested.shares_of_classes(window[None], arrays | found)[0]
    assert shares[CLASSES.index("Balance")] == shares[CLASSES.index("ICache")] == 0.5
    assert shares.sum() == pytest.approx(1)


def test_classes_that_ipc_alone_decides_are_not_contested_where_costs_are_known(shared):
    plain, _, _ = shared
    near = plain.only(np.isin(plain.programs, ["Balance1", "Other1"]))
    metrics = near.metrics.copy()
    metrics[:, NAMES.index("IPC")] = np.where(near.programs == "Balance1", 0.51, 0.49)
    metrics[:, 1:] = 0
    near = replace(near, metrics=metrics)
    arrays = scale(NAMES, metrics)
    assert contested.find(near, arrays) == {}
    labelled = replace(near, shares=np.full(near.shares.shape, np.nan))
    assert len(contested.find(labelled, arrays)["contested_points"]) == 2
