-- requires: change_points, functions, idle_sums
--
-- Repetitions: the values that comparisons of runs are based on, and which runs are comparable.

CREATE OR REPLACE VIEW run_configurations AS
WITH
  parallelisms AS (
    SELECT run_id, any_value(parallelism) AS parallelism
    FROM fn_timings
    GROUP BY run_id
    HAVING min(parallelism) = max(parallelism)
  )

SELECT
  r.run_id, r.app, r.version, r.machine, r.started_at, r.tags, f.fields,
  p.parallelism,
  CASE
    WHEN p.parallelism IS NULL THEN f.fields
    ELSE map_concat(f.fields, MAP {'parallelism': CAST(p.parallelism AS VARCHAR)})
  END AS configuration
FROM runs AS r
JOIN _series_of_runs AS f ON r.run_id = f.run_id
LEFT JOIN parallelisms AS p ON r.run_id = p.run_id;

COMMENT ON VIEW run_configurations IS 'One row is a run and what it has in common with the runs that it can be compared with.';
COMMENT ON COLUMN run_configurations.run_id IS 'Run (runs.run_id).';
COMMENT ON COLUMN run_configurations.app IS 'Application.';
COMMENT ON COLUMN run_configurations.version IS 'Version of the application.';
COMMENT ON COLUMN run_configurations.machine IS 'Machine.';
COMMENT ON COLUMN run_configurations.started_at IS 'When it started.';
COMMENT ON COLUMN run_configurations.tags IS 'Anything else that is known of it.';
COMMENT ON COLUMN run_configurations.fields IS 'Its values of the fields of series_fields; unknown ones are left out.';
COMMENT ON COLUMN run_configurations.parallelism IS 'fn_timings.parallelism, where the run has one.';
COMMENT ON COLUMN run_configurations.configuration IS 'fields, and the parallelism where the run has one.';

-- Every scalar of some runs: functions by repetition, in seconds per rank.
CREATE OR REPLACE MACRO _repetitions(selected) AS TABLE
WITH
  timings AS (
    SELECT run_id, parallelism, coalesce(repetition, 0) AS repetition, rank, function, seconds
    FROM fn_timings
    WHERE list_contains(selected, run_id)
  ),

  ranks AS (
    SELECT run_id, parallelism, repetition, count(DISTINCT coalesce(rank, -1)) AS ranks
    FROM timings
    GROUP BY run_id, parallelism, repetition
  ),

  functions AS (
    SELECT
      t.run_id, t.parallelism, t.repetition, t.function,
      sum(t.seconds) / any_value(r.ranks) AS seconds
    FROM timings AS t
    JOIN ranks AS r
      ON t.run_id = r.run_id AND t.repetition = r.repetition
      AND t.parallelism IS NOT DISTINCT FROM r.parallelism
    GROUP BY t.run_id, t.parallelism, t.repetition, t.function
  )

SELECT
  run_id, parallelism, repetition, 'seconds:' || function AS metric, function,
  seconds AS value, 's' AS unit
FROM functions
UNION ALL BY NAME
SELECT
  run_id, parallelism, repetition, 'functions:seconds' AS metric, sum(seconds) AS value,
  's' AS unit
FROM functions
GROUP BY run_id, parallelism, repetition
UNION ALL BY NAME
SELECT run_id, 0 AS repetition, metric, value, unit
FROM run_metrics
WHERE list_contains(selected, run_id)
  AND metric <> 'functions:seconds' AND NOT starts_with(metric, 'seconds:')
UNION ALL BY NAME
SELECT run_id, 0 AS repetition, 'idle:' || cause AS metric, per_cent AS value, '%' AS unit
FROM (
  UNPIVOT (
    SELECT
      run_id, starvation_percent AS starvation, latency_percent AS latency,
      overhead_percent AS overhead
    FROM slo_by_run
    WHERE list_contains(selected, run_id) AND mode = 'direct' AND latency_rule = 'union'
  )
  ON starvation, latency, overhead
  INTO NAME cause VALUE per_cent
);
