-- Results of benchmarks of one run, in the order of their file: means over their repetitions, and
-- their standard deviation in per cent of it.
SELECT
  metric, avg(value) AS mean, any_value(unit) AS unit, any_value(better) AS better,
  count(value) AS measurements, min(value) AS smallest, max(value) AS largest,
  100 * CASE
    WHEN count(value) > 1 THEN stddev_samp(value) / nullif(abs(avg(value)), 0)
    ELSE any_value(deviation)
  END AS deviation_percent
FROM metrics
WHERE run_id = $run_id
GROUP BY metric
ORDER BY min(rowid);
