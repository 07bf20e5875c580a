-- key: run_id VARCHAR
-- scope: run_id
-- reads: idle_intervals, nodes, tasks, transfers, workers
-- requires: run_contents, workers, clock_skew, idle
-- functions:
--
-- Idle attribution added up by worker, in each reading.

-- inputs
SELECT run_id AS key, run_id AS scope, digest
FROM _run_contents
WHERE run_id IN (FROM _scope) AND (rows['tasks'] > 0 OR rows['workers'] > 0);

-- rows
WITH
  sums AS (
    SELECT
      run_id, mode, latency_rule, worker,
      count(*) FILTER (kind <> 'tail') AS intervals,
      CAST(sum(t_end - t_start) AS BIGINT) AS idle,
      CAST(sum(starvation) FILTER (kind <> 'tail') AS BIGINT) AS starvation,
      CAST(sum(latency) AS BIGINT) AS latency,
      CAST(sum(overhead) AS BIGINT) AS overhead,
      CAST(sum(ov_unsubmitted) AS BIGINT) AS unsubmitted,
      CAST(sum(not_recorded) AS BIGINT) AS not_recorded,
      CAST(sum(not_recorded) FILTER (last_data IS NOT NULL OR len(flags) > 0) AS BIGINT) AS unfollowed,
      CAST(sum(t_end - t_start) FILTER (kind = 'tail') AS BIGINT) AS tail
    FROM idle_attribution
    GROUP BY run_id, mode, latency_rule, worker
  )

SELECT
  w.run_id, r.mode, r.latency_rule, w.worker, w.node,
  coalesce(s.intervals, 0) AS intervals,
  w.t_end - w.t_begin AS wall,
  w.t_end - w.t_begin - coalesce(s.idle, 0) AS busy,
  coalesce(s.starvation, 0) AS starvation,
  coalesce(s.latency, 0) AS latency,
  coalesce(s.overhead, 0) AS overhead,
  coalesce(s.unsubmitted, 0) AS unsubmitted,
  coalesce(s.not_recorded, 0) AS not_recorded,
  coalesce(s.unfollowed, 0) AS unfollowed,
  coalesce(s.tail, 0) AS tail,
  k.kind, k.kind <> 'runtime' AND (k.is_declared OR 100 * CAST(busy AS HUGEINT) >= wall) AS is_judged,
  d.doubt
FROM _worker_windows AS w
CROSS JOIN _idle_readings AS r
JOIN _worker_kinds AS k ON w.run_id = k.run_id AND w.worker = k.worker
LEFT JOIN sums AS s
  ON w.run_id = s.run_id AND w.worker = s.worker AND r.mode = s.mode
  AND r.latency_rule = s.latency_rule
LEFT JOIN _clock_doubts AS d ON w.run_id = d.run_id;
