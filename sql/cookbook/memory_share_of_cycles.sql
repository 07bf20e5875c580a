-- What share of a program's cycles would curing memory stalls bring at most, version by version?
--
-- All samples of a run, weighted by their cycles; low and high are the mean ends of their 90 %
-- bands.
SELECT
  app, version,
  round(100 * sum(cycles * frac_mem) / sum(cycles), 1) AS percent,
  round(100 * sum(cycles * frac_mem_low) / sum(cycles), 1) AS low,
  round(100 * sum(cycles * frac_mem_high) / sum(cycles), 1) AS high
FROM bottlenecks
JOIN runs USING (run_id)
WHERE frac_mem IS NOT NULL
GROUP BY app, version, run_id, started_at
ORDER BY app, started_at;
