-- Tasks of one run whose name or type contains $text, the first $most by their start: lane (from 1)
-- and times in s from $origin, with how many there are.
SELECT
  l.lane, (t.t_start - l.ahead - $origin) / 1e9 AS t_start,
  (t.t_end - l.ahead - $origin) / 1e9 AS t_end, t.task, coalesce(t.name, t.task) AS type,
  count(*) OVER (PARTITION BY 1) AS found
FROM tasks AS t
JOIN _worker_lanes AS l ON t.run_id = l.run_id AND t.worker = l.worker
WHERE t.run_id = $run_id
  AND (contains(lower(t.task), lower($text)) OR contains(lower(t.name), lower($text)))
ORDER BY t_start, l.lane, t.task
LIMIT $most;
