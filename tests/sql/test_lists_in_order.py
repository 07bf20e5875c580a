"""Lists in an order, of very many groups: the memory is that of their rows.

DuckDB's `list(x ORDER BY y)` allocates 2048 rows for each group of 17 or more.
"""

from __future__ import annotations

import json

import pytest

import warehouse as pwh
from tests.helpers.support import rows

GROUPS, LENGTH = 4000, 20
RUNS = """
    INSERT INTO runs BY NAME
    SELECT
      'run' || r AS run_id, 'app' AS app,
      TIMESTAMPTZ '2026-01-01 00:00:00Z' - to_days(r) AS started_at
    FROM range($length) AS t (r)
"""
OF_RUNS = """
    INSERT INTO run_scalars BY NAME
    SELECT 'run' || r AS run_id, 'metric:' || g AS metric, CAST(r AS DOUBLE) AS value
    FROM range($length) AS t (r) CROSS JOIN range($groups) AS u (g)
"""
OF_THREADS = """
    INSERT INTO bb_visits BY NAME
    SELECT
      'run0' AS run_id, 1 AS source_id, 0 AS launch, 'k' AS kernel, 0 AS block, 0 AS warp,
      g AS thread, $length - r AS bb, r AS visits, 2 * r AS instructions
    FROM range($length) AS t (r) CROSS JOIN range(3 * $groups) AS u (g)
"""
GROUPED = """
    INSERT INTO run_groups BY NAME
    SELECT run_id, app, 1 AS configuration_id, MAP {} AS fields FROM runs
"""


@pytest.mark.parametrize(
    ("fill", "query", "found"),
    [
        (
            OF_RUNS,
            "SELECT DISTINCT list_transform(series, lambda point: point.value) FROM metric_series",
            [(list(map(float, reversed(range(LENGTH)))),)],
        ),
        (
            OF_THREADS,
            "SELECT DISTINCT bbs, visits, instructions FROM bb_vectors",
            [
                (
                    list(range(1, LENGTH + 1)),
                    list(reversed(range(LENGTH))),
                    list(reversed(range(0, 2 * LENGTH, 2))),
                )
            ],
        ),
    ],
    ids=["metric_series", "bb_vectors"],
)
def test_lists_take_the_memory_of_their_rows(
    new_warehouses_are_copies, tmp_path, fill, query, found
):
    with pwh.connect(tmp_path / "w.duckdb") as con:
        con.execute(RUNS, {"length": LENGTH})
        con.execute(GROUPED)
        con.execute(fill, {"length": LENGTH, "groups": GROUPS})
        ((_, plan),) = rows(con, f"EXPLAIN (ANALYZE, FORMAT json) {query}")
        assert json.loads(plan)["system_peak_buffer_memory"] < 150e6
        assert rows(con, query) == found
