"""Public profiles at several counts, with the largest counts left out, for bench_scaling."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import warehouse
from tests.helpers.support import keep

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

LAND = """
    CREATE TABLE tidy AS
    SELECT *, dataset || '/' || config AS app, app || '|' || p || '|' || rep AS run
    FROM read_csv($file);
    CREATE TABLE limits AS
    SELECT app, list(DISTINCT p ORDER BY p DESC) AS counts FROM tidy GROUP BY app;
    INSERT INTO runs (run_id, app, version, ranks)
    SELECT DISTINCT run, app, 'all', p FROM tidy;
    INSERT INTO fn_timings (run_id, source_id, function, kind, seconds)
    SELECT run, 1, function, cls, time_s FROM tidy;
"""
LEAVE_OUT = """
    INSERT INTO runs (run_id, app, version, ranks)
    SELECT DISTINCT run || '-' || $out, app, 'out' || $out, p
    FROM tidy JOIN limits USING (app)
    WHERE p < counts[$out];
    INSERT INTO fn_timings (run_id, source_id, function, kind, seconds)
    SELECT run || '-' || $out, 1, function, cls, time_s
    FROM tidy JOIN limits USING (app)
    WHERE p < counts[$out];
"""
# Functions are chosen from training points only.
CASES = """
    WITH trained AS (
      SELECT
        s.app, s.function, s.kind, s.x, s.y, s.in_program, s.y[-1] AS last,
        s.y[-1] / sum(s.y[-1]) FILTER (s.in_program) OVER (PARTITION BY s.app) AS share
      FROM scaling_series AS s
      WHERE s.version = 'out' || $out AND s.seen_last AND len(s.x) >= 3
    ),
    fine AS (SELECT app, function, max(resolution) AS resolution FROM tidy GROUP BY ALL)
    SELECT
      t.app, t.function, t.kind, t.x, t.y, l.counts[1] AS target, w.seconds AS truth,
      f.predicted, f.low, f.high, flag_codes(f.flags), t.in_program,
      coalesce(
        t.kind <> 'total' AND t.share >= $share AND list_min(t.y) >= 20 * fine.resolution, false
      ) AS chosen,
      $out AS steps
    FROM trained AS t
    JOIN limits AS l USING (app)
    JOIN fine USING (app, function)
    JOIN scaling_points AS w
      ON w.app = t.app AND w.version = 'all' AND w.function = t.function
      AND w.parallelism = l.counts[1]
    JOIN scaling_predict((SELECT list(DISTINCT counts[1]) FROM limits)) AS f
      ON f.app = t.app AND f.version = 'out' || $out AND f.function = t.function
      AND f.parallelism = l.counts[1]
    WHERE w.seconds > 0
    ORDER BY ALL
"""


@dataclass(slots=True)
class Case:
    """One function of one set with the largest counts left out."""

    app: str
    function: str
    kind: str
    x: list[float]
    y: list[float]
    target: float
    truth: float
    predicted: float
    low: float
    high: float
    flags: list[str]
    in_program: bool
    chosen: bool
    steps: int
    extrap: float = field(default=float("nan"))
    extrap_best: float = field(default=float("nan"))

    @property
    def dataset(self) -> str:
        """The data set that the set of runs is of."""
        return self.app.split("/", 1)[0]


def landed(folder: Path) -> DuckDBPyConnection:
    """Return a warehouse that holds the public sets."""
    con = warehouse.connect(":memory:")
    for statement in LAND.replace("$file", f"'{folder / 'tidy_scaling.csv'}'").split(";")[:-1]:
        con.execute(statement)
    for out in (1, 2):
        for statement in LEAVE_OUT.split(";")[:-1]:
            con.execute(statement, {"out": out})
    keep(con)
    return con


def cases(con: DuckDBPyConnection, out: int, share: float) -> list[Case]:
    """Return all functions with the largest `out` counts left out, and what is predicted there."""
    return [Case(*row) for row in con.execute(CASES, {"out": out, "share": share}).fetchall()]


def arrays(some: list[Case], *names: str) -> list[np.ndarray]:
    """Return columns of cases."""
    return [np.array([getattr(case, name) for case in some], float) for name in names]
