-- Flags of a run's segments, and on how many.
SELECT flag, count(*) AS segments
FROM (SELECT unnest(flags) AS flag FROM throughput_predictions WHERE run_id = $run_id)
GROUP BY flag
ORDER BY segments DESC, flag;
