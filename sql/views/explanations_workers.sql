-- requires: flags, explanations_sides, slow_workers
--
-- Whether a worker became slow between two groups of runs. Rows are as in explanations_causes.sql.

-- Workers have other names in other runs, so the slowest of each run are compared: 1 where none is
-- slow.
CREATE OR REPLACE MACRO _explain_workers(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  slowest AS (
    SELECT
      run_id, coalesce(max(factor) FILTER (is_slow), 1) AS factor,
      arg_max(worker, factor) FILTER (is_slow) AS worker
    FROM worker_slowdown
    WHERE _is_of(run_id, _run_ids(pairs))
    GROUP BY run_id
  ),

  sides AS (
    SELECT
      s.id,
      list(w.factor ORDER BY s.place) FILTER (NOT s.is_after) AS b,
      list(w.factor ORDER BY s.place) FILTER (s.is_after) AS a,
      mode(w.worker) FILTER (NOT s.is_after) AS before_label,
      mode(w.worker) FILTER (s.is_after) AS after_label,
      list(DISTINCT s.run_id ORDER BY s.run_id) AS ids
    FROM side AS s
    JOIN slowest AS w ON s.run_id = w.run_id
    GROUP BY s.id
    HAVING count(*) FILTER (s.is_after) > 0 AND count(*) FILTER (NOT s.is_after) > 0
  )

SELECT
  id, 'idle' AS topic, 'slowest worker' AS subject, 'slowdown' AS metric, '1' AS unit, b, a,
  before_label, after_label, CAST(NULL AS DOUBLE) AS share,
  -- the interval of each run's own factor has shown it
  CASE
    WHEN list_max(b) = 1 AND list_min(a) > 1 OR list_min(b) > 1 AND list_max(a) = 1 THEN true
  END AS sure,
  abs(ln(list_median(a) / list_median(b))) >= 0.1 AS relevant,
  relevant AS notable,
  _flags([]) AS flags,
  'SELECT run_id, worker, factor, low, high FROM worker_slowdown WHERE is_slow AND ' AS query,
  ids
FROM sides;
