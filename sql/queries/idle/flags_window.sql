-- As idle/flags, of the idle intervals within [$t0, $t1).
SELECT flag, count(*) AS intervals
FROM (
  SELECT unnest(flags) AS flag
  FROM idle_window($run_id, $t0, $t1)
  WHERE mode = $mode AND latency_rule = $latency_rule
)
GROUP BY flag
ORDER BY intervals DESC, flag;
