-- Gaps of the devices of a run in [$t0, $t1), the $most longest, times in s from $origin: the work that
-- ended each, and the call that launched it: when it began, on which lane, and who was late before.
SELECT
  d.lane, (g.t_start - $origin) / 1e9 AS p, (g.t_end - $origin) / 1e9 AS q, g.task,
  t.name AS type, t.task AS blamed, coalesce(g.late, 'its launch') AS blamed_type,
  t.submitter AS blamed_worker, s.lane AS blamed_lane, (t.t_submit - $origin) / 1e9 AS until,
  (g.t_end - g.t_start - g.device_ns - g.unknown_ns) / 1e9 AS waited
FROM gpu_gaps AS g
JOIN _gpu_rows AS d ON g.run_id = d.run_id AND g.device = d.worker AND d.kind = 0
JOIN tasks AS t ON g.run_id = t.run_id AND g.task = t.task
LEFT JOIN _gpu_rows AS s ON t.run_id = s.run_id AND t.submitter = s.worker AND s.kind = 2
WHERE g.run_id = $run_id AND g.stream IS NULL AND g.t_end > $t0 AND g.t_start < $t1
  AND d.lane < $lanes
ORDER BY g.t_end - g.t_start DESC
LIMIT $most;
