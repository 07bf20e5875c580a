-- Counters of one run over its time: sums over processors and threads, by event and begin, ns.
SELECT
  concat_ws(' ', event, region, 'rank ' || rank) AS series, any_value(unit) AS unit, t_start,
  max(t_end) AS t_end, sum(value) AS value
FROM pmu_samples
WHERE run_id = $run_id AND t_start IS NOT NULL AND value IS NOT NULL
GROUP BY event, region, rank, t_start
ORDER BY event, region, rank, t_start;
