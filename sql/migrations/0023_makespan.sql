-- Runs of task runtimes without a wall time have the makespan of their tasks as wall time, as runs
-- that land from now on (sql/derived/runs.sql).

UPDATE runs
SET wall_seconds = span.seconds
FROM (
  SELECT t.run_id, CAST(nullif(
    max(CAST(t.t_end AS HUGEINT) - coalesce(clock.ahead, 0))
      - min(CAST(least(t.t_submit, t.t_start) AS HUGEINT) - coalesce(clock.ahead, 0)),
    0
  ) AS DOUBLE) / 1e9 AS seconds
  FROM tasks AS t
  LEFT JOIN (
    SELECT run_id, worker, min(node) AS node FROM workers GROUP BY run_id, worker
  ) AS host ON t.run_id = host.run_id AND t.worker = host.worker
  LEFT JOIN (
    SELECT run_id, node, max(clock_offset_ns) AS ahead FROM nodes GROUP BY run_id, node
  ) AS clock ON t.run_id = clock.run_id AND host.node = clock.node
  GROUP BY t.run_id
) AS span
WHERE runs.run_id = span.run_id AND runs.wall_seconds IS NULL;

COMMENT ON COLUMN runs.wall_seconds IS 'Elapsed time of the run, s. Where no file or option states it, the makespan of its tasks: from the first submission or start to the last end.';
