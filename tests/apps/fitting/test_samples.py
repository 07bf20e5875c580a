"""What models of bottlenecks learn from: the rows of a warehouse."""

from __future__ import annotations

import numpy as np
import pytest

from apps.fitting.samples import fit_model, training_samples
from tests.helpers.support import given, settle
from warehouse.errors import NothingToAnalyse

EVENTS = ("TOT_INS", "L3_TCM", "LD_INS", "SR_INS", "TLB_DM", "L2_ICA", "L2_ICM", "BR_MSP")


def counted(con, run, sample, *values):
    """Write one sample with the events of the set papi: 100 cycles and these counts."""
    lines = [f"PAPI_{event} {value}" for event, value in zip(EVENTS, values, strict=False)]
    text = "event value\nPAPI_TOT_CYC 100\n" + "\n".join(lines)
    given(con, "pmu_samples", text, run_id=run, sample=sample)


def test_training_takes_samples_labels_and_measured_costs(warehouse):
    given(warehouse, "runs", "run_id app\na1 a\nb1 b")
    counted(warehouse, "a1", 0, 80, 1, 2, 3, 4, 6, 5, 7)
    counted(warehouse, "a1", 1, 40, 9, 2, 3, 4, 6, 5, 7)
    counted(warehouse, "b1", 0, 20, 0, 0, 0, 0, 0, 0, 0)
    counted(warehouse, "b1", 1, 20, 0)
    labels = "run_id sample class\na1 1 Mem\nb1 NULL Other"
    given(warehouse, "bottleneck_labels", labels, said_at="2026-01-01")
    given(
        warehouse,
        "bottleneck_costs",
        "run_id sample component share\na1 1 Mem 0.5\na1 1 DTB 0\na1 1 ICache 0\na1 1 DMA 0",
    )
    settle(warehouse)
    found = training_samples(warehouse, "papi")
    assert found.names[:3] == ("IPC", "MEMAPC", "GLDPC")
    np.testing.assert_allclose(found.metrics[:, :2], [[0.2, 0.01], [0.1, 0.09], [0.05, 0]])
    assert found.labels.tolist() == [-1, 1, 5]
    assert found.programs.tolist() == ["a", "a", "b"]
    assert found.labelled.tolist() == [False, True, True]
    assert found.costed.tolist() == [False, True, False]
    np.testing.assert_allclose(found.shares[1], [0.5, 0, 0, 0])


def test_too_few_labelled_samples_are_refused(warehouse):
    with pytest.raises(NothingToAnalyse, match="no samples with all metrics of the set 'papi'"):
        training_samples(warehouse, "papi")
    counted(warehouse, "a1", 0, 80, 1, 2, 3, 4, 6, 5, 7)
    settle(warehouse)
    with pytest.raises(NothingToAnalyse, match="labels of at least two classes"):
        fit_model(training_samples(warehouse, "papi"), "papi")
