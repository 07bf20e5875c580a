-- Inconsistencies in the recording of one run in one reading, within [$t0, $t1) where that is not NULL.
SELECT flag, count(*) AS intervals
FROM (
  SELECT unnest(flags) AS flag FROM _idle_within($run_id, $mode, $latency_rule, $t0, $t1)
)
GROUP BY flag
ORDER BY intervals DESC, flag;
