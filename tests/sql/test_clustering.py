"""`cluster_clara` and `gap_statistic` in SQL."""

from __future__ import annotations

import duckdb
import numpy as np
import pyarrow as pa
import pytest

from tests.helpers.support import rows

NONE = {"medoids": None, "labels": None, "cost": None, "left_out": None}


def answer(con, call: str):
    ((found,),) = rows(con, f"SELECT {call}")
    return found


def test_clusters_by_group(warehouse):
    assert rows(
        warehouse,
        """
        SELECT job, c.medoids, c.labels, round(c.cost, 9), c.left_out, c.reason
        FROM (
          SELECT job, cluster_clara(list([x, y] ORDER BY i), any_value(k)) AS c
          FROM (VALUES
            ('a', 1, 0, 0, 2), ('a', 2, 0, 1, 2), ('a', 3, 0, 2, 2), ('a', 4, 9, 9, 2),
            ('b', 1, 5, 5, 1), ('b', 2, NULL, 3, 1), ('b', 3, 5, 8, 1), ('b', 4, 5, 6, 1)
          ) AS t(job, i, x, y, k)
          GROUP BY job
        )
        ORDER BY job
        """,
    ) == [
        ("a", [1, 3], [0, 0, 0, 1], 2.0, 0, None),
        ("b", [3], [0, None, 0, 0], 3.0, 1, None),
    ]


@pytest.mark.parametrize(
    "points",
    [
        "[[0, 1], [1, 1], [2, 1], [9, 9]]",
        "[[0.0, 1.0], [1.0, 1.0], [2.0, 1.0], [9.0, 9.0]]",
        "[[0, 1]::FLOAT[2], [1, 1]::FLOAT[2], [2, 1]::FLOAT[2], [9, 9]::FLOAT[2]]",
        "[[0, 1], [1, 1], [2, 1], [9, 9]]::DOUBLE[2][4]",
    ],
)
def test_numbers_of_any_type(warehouse, points):
    assert answer(warehouse, f"cluster_clara({points}, 2)") == {
        "medoids": [1, 3],
        "labels": [0, 0, 0, 1],
        "cost": 2,
        "left_out": 0,
        "reason": None,
    }


def test_rows_that_are_not_known_have_no_label(warehouse):
    points = "[[1, 1], NULL, [1, NULL], [2, 'nan'::DOUBLE], ['-inf'::DOUBLE, 0], [5, 5]]"
    assert answer(warehouse, f"cluster_clara({points}, 2)") == {
        "medoids": [0, 5],
        "labels": [0, None, None, None, None, 1],
        "cost": 0,
        "left_out": 4,
        "reason": None,
    }


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("[[1], [1]], 2", "1 distinct point cannot form 2 clusters"),
        ("[[1], [2]], 0", "k must be at least 1, not 0"),
        ("[[1], [2]], 1, -1", "seed must be at least 0, not -1"),
        ("[[1], [2, 3]], 1", "rows have different numbers of metrics, from 1 to 2"),
        (
            "[[NULL], ['nan'::DOUBLE]], 1",
            "every row contains NULL, NaN or an infinity",
        ),
        ("[[], []], 1", "the rows have no metrics"),
        ("[NULL]::DOUBLE[][], 1", "there are no rows"),
        ("[], 1", "there are no rows"),
    ],
)
def test_clara_abstains_with_the_reason(warehouse, arguments, reason):
    assert answer(warehouse, f"cluster_clara({arguments})") == {**NONE, "reason": reason}


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ("[[1], [2], [3]], 1", "k_max must be at least 2, not 1"),
        ("[[1], [2], [3]], 2, 1", "references must be at least 2, not 1"),
        ("[[1, 2]], 5", "the gap statistic needs 3 rows, found 1 row"),
        ("[[1], [1], [1]], 5", "all rows are the same point"),
    ],
)
def test_gap_abstains_with_the_reason(warehouse, arguments, reason):
    found = answer(warehouse, f"gap_statistic({arguments})")
    assert (found["k"], found["gap"], found["reason"]) == (None, None, reason)


@pytest.mark.parametrize(
    "call",
    [
        "cluster_clara(NULL, 2)",
        "cluster_clara([[1]], NULL)",
        "cluster_clara([[1]], 1, NULL)",
        "gap_statistic([[1], [2], [3]], 2, NULL)",
        "gap_statistic((SELECT list([1.0]) WHERE false), 2)",
    ],
)
def test_null_gives_null(warehouse, call):
    assert answer(warehouse, call) is None


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("cluster_clara([['a']], 1)", "points must be DOUBLE"),
        ("cluster_clara([1.5, 2.5], 1)", "points must be DOUBLE"),
        ("cluster_clara([[1.5]], 'few')", "a whole number is expected"),
        ("cluster_clara([[1.5]])", "has 2 to 3 arguments, not 1"),
        ("gap_statistic([[1.5]], 2, 3, 4, 5)", "has 2 to 4 arguments, not 5"),
    ],
)
def test_wrong_types_are_told(warehouse, call, message):
    with pytest.raises(duckdb.Error, match=message):
        answer(warehouse, call)


def test_gap_and_clusters_together(warehouse):
    rng = np.random.default_rng(1)
    points = np.repeat([[0.0, 0.0], [30.0, 0.0], [0.0, 30.0]], 40, axis=0)
    points += rng.normal(size=points.shape)
    warehouse.register("points", pa.table({"x": points[:, 0], "y": points[:, 1]}))
    assert rows(
        warehouse,
        """
        WITH
          of AS (SELECT list([x, y]) AS points FROM points),
          found AS (SELECT points, gap_statistic(points, 5, 20, 1) AS g FROM of)
        SELECT g.k, len(g.gap), len(g.s), len(g.log_w), len(g.expected), g.rows, g.reason,
          list_sort(map_values(histogram(label)))
        FROM found, unnest(cluster_clara(points, g.k).labels) AS t(label)
        GROUP BY ALL
        """,
    ) == [(3, 5, 5, 5, 5, 120, None, [40, 40, 40])]
