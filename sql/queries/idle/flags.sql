-- Inconsistencies in the recording of one run, in one reading.
SELECT flag, count(*) AS intervals
FROM (
  SELECT unnest(flags) AS flag
  FROM idle_attribution
  WHERE run_id = $run_id AND mode = $mode AND latency_rule = $latency_rule
)
GROUP BY flag
ORDER BY intervals DESC, flag;
