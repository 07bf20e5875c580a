-- Store the costs of functions of the runs in _keep (run_id, source_id), from fn_timings, narrowed to
-- these files of these runs, and pmu_samples, narrowed to the events in _cost_candidate, too: of
-- profiles of events, of runs without function times. And about how many samples each rests on.

-- What folded stacks weigh is samples nearly always; else it is so much that nobody sees it.
CREATE TEMP TABLE _sampled AS
SELECT run_id, max(samples) AS samples
FROM (
  SELECT run_id, event, sum(value) AS samples
  FROM pmu_samples
  WHERE (_is_samples(event) OR event = 'weight') AND region IS NOT NULL
  GROUP BY run_id, event
)
GROUP BY run_id;

INSERT INTO run_scalars BY NAME
SELECT
  run_id,
  CASE WHEN grouping(function) = 0 THEN 'cost:' || function ELSE 'functions:cost' END AS metric,
  sum(cost) AS value,
  any_value(unit) AS unit,
  sum(share) * any_value(samples) AS measurements,
  CASE WHEN any_value(samples) IS NULL AND bool_and(_is_exact_event(event)) THEN 0 END AS deviation
FROM function_costs
LEFT JOIN _sampled USING (run_id)
GROUP BY GROUPING SETS ((run_id, function), (run_id));

-- Of the times of functions in a profile that was sampled.
UPDATE run_scalars AS s
SET measurements = s.value / t.value * p.samples
FROM run_scalars AS t
JOIN _sampled AS p ON t.run_id = p.run_id
WHERE s.run_id = t.run_id AND t.metric = 'functions:seconds' AND t.value > 0
  AND (s.metric = 'functions:seconds' OR starts_with(s.metric, 'seconds:'));

DROP TABLE _sampled;
