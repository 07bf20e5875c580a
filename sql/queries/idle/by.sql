-- Idle time of one run in one reading, within [$t0, $t1) where that is not NULL, added up by worker, node,
-- type of task or blamed type.
WITH
  idle AS (
    SELECT
      i.*,
      CASE $by
        WHEN 'worker' THEN i.worker
        WHEN 'node' THEN w.node
        WHEN 'type' THEN coalesce(t.name, t.task)
        WHEN 'blamed' THEN coalesce(b.name, b.task)
      END AS what
    FROM _idle_within($run_id, $mode, $latency_rule, $t0, $t1) AS i
    LEFT JOIN workers AS w ON i.run_id = w.run_id AND i.worker = w.worker
    LEFT JOIN tasks AS t ON i.run_id = t.run_id AND i.task = t.task
    LEFT JOIN tasks AS b ON i.run_id = b.run_id AND i.blamed_task = b.task
  )
SELECT
  what AS "by",
  count(*) AS intervals,
  coalesce(sum(t_end - t_start) FILTER (kind <> 'tail'), 0) / 1e9 AS idle_seconds,
  coalesce(sum(starvation) FILTER (kind <> 'tail'), 0) / 1e9 AS starvation_seconds,
  sum(latency) / 1e9 AS latency_seconds,
  (sum(overhead) - sum(not_recorded)) / 1e9 AS overhead_seconds,
  sum(not_recorded) / 1e9 AS not_recorded_seconds,
  sum(ov_unsubmitted) / 1e9 AS unsubmitted_seconds,
  coalesce(sum(t_end - t_start) FILTER (kind = 'tail'), 0) / 1e9 AS tail_seconds
FROM idle
GROUP BY what
ORDER BY idle_seconds + tail_seconds DESC, what;
