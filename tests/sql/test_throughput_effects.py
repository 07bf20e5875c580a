"""What groups of features add to predictions, through SQL."""

from __future__ import annotations

import numpy as np

from tests.helpers.support import given, land, rows
from tests.sql.test_throughput import RUN, SEGMENT, network
from udfs.throughput.inputs import TRACE


def test_effects_are_factors_against_a_typical_segment(warehouse):
    given(warehouse, "runs", RUN)
    at = {name: i for i, name in enumerate(TRACE.names)}
    typical = np.zeros(len(TRACE.names))
    typical[at["width"]], typical[at["drain"]], typical[at["critical_path"]] = 0.25, 0.25, 0.2
    typical[at["log_bound"]], typical[at["log_uops"]] = np.log(0.25), np.log(1000)
    network(warehouse, typical=typical)
    given(
        warehouse,
        "segments",
        """
        segment  cycles  instructions  uops  n_int  front_end         flow_64  rob   serialising
        0        1500    3000          4000  4000   [200,0,0,0,1000]  800      64    0
        1        1500    3000          4000  4000   [200,0,0,0,1000]  2400     64    0
        2        NULL    0             NULL  NULL   NULL              NULL     NULL  NULL
        """,
    )
    # The network knows the tightest bound alone: 0.25 cycles of the width, as the typical segment;
    # then 0.6 of chains.
    assert rows(
        warehouse,
        "SELECT segment, feature_group, round(factor, 4), instructions FROM throughput_effects "
        "WHERE abs(factor - 1) > 1e-5 ORDER BY ALL",
    ) == [
        (1, "dependence chains", 2.4, 3000),
    ]
    assert rows(warehouse, "SELECT segment, count(*) FROM throughput_effects GROUP BY ALL") == [
        (0, 6),
        (1, 6),
    ]


def test_effects_need_a_model_that_knows_a_typical_segment(warehouse):
    given(warehouse, "runs", RUN)
    network(warehouse)
    given(warehouse, "segments", SEGMENT)
    assert rows(warehouse, "SELECT predicted IS NOT NULL FROM throughput_predictions") == [(True,)]
    assert rows(warehouse, "FROM throughput_effects") == []


def test_effects_of_some_segments(warehouse, tmp_path):
    path = tmp_path / "blocks.csv"
    path.write_text("hex\n" + "4801d8\n" * 2500)
    land(warehouse, path)
    query = "SELECT count(DISTINCT segment), max(segment % 2) FROM throughput_effects"
    assert rows(warehouse, query) == [(1250, 0)]
