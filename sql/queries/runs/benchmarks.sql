-- Results of benchmarks of one run, in the order of their file: means over their repetitions.
SELECT
  metric, avg(value) AS mean, any_value(unit) AS unit, any_value(better) AS better,
  count(value) AS measurements, min(value) AS smallest, max(value) AS largest,
  CASE
    WHEN count(value) > 1 THEN stddev_samp(value) / nullif(abs(avg(value)), 0)
    ELSE any_value(deviation)
  END AS deviation
FROM metrics
WHERE run_id = $run_id
GROUP BY metric
ORDER BY min(rowid);
