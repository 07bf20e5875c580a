-- requires: change_points, clock_skew, functions, gpu_lanes, idle_sums, sides
--
-- Values of runs: what comparisons are based on, and which runs are comparable.

CREATE OR REPLACE VIEW run_configurations AS -- One row is a run and what it has in common with the runs that it can be compared with.
WITH
  parallelisms AS (
    SELECT run_id, any_value(parallelism) AS parallelism
    FROM fn_timings
    WHERE parallelism IS NOT NULL
    GROUP BY run_id
    HAVING min(parallelism) = max(parallelism)
  )

SELECT
  r.run_id, r.app, r.version, r.machine, r.started_at,
  r.tags, -- Anything else that is known of it.
  f.fields, -- Its values of the fields of series_fields; unknown ones are left out.
  p.parallelism, -- fn_timings.parallelism, where the run has one.
  CASE
    WHEN p.parallelism IS NULL THEN f.fields
    ELSE map_concat(f.fields, MAP {'parallelism': CAST(p.parallelism AS VARCHAR)})
  END AS configuration -- fields, and the parallelism where the run has one.
FROM runs AS r
JOIN _series_of_runs AS f ON r.run_id = f.run_id
LEFT JOIN parallelisms AS p ON r.run_id = p.run_id;

-- Every scalar of some runs. A run is one value: repetitions within it are averaged. Functions of
-- runs with several parallelisms are taken apart. Where the clocks of nodes are apart, why
-- workers idled is unknown. Streams and threads of a device are no workers that wait for tasks: of
-- devices there are their time from the first work to the last, which is that of their work by kind of
-- operation and of their idle time by part: means over the devices of a run.
CREATE OR REPLACE MACRO _run_values(selected) AS TABLE
WITH
  devices AS (
    SELECT
      run_id, busy, idle, parts, operations,
      list_sum(list_transform(operations, lambda o: o.ns)) AS works,
      count(*) OVER (PARTITION BY run_id) * 1e9 AS parts_of_a_second
    FROM _gpu_sums
    WHERE _is_of(run_id, selected) AND stream IS NULL AND NOT is_step
  ),

  timings AS (
    SELECT run_id, parallelism, coalesce(repetition, 0) AS repetition, rank, function, seconds
    FROM fn_timings
    WHERE _is_of(run_id, selected)
    WINDOW run AS (PARTITION BY run_id)
    QUALIFY min(parallelism) OVER run <> max(parallelism) OVER run
  ),

  places AS (
    SELECT
      run_id, parallelism,
      count(DISTINCT coalesce(rank, -1)) * count(DISTINCT repetition) AS places
    FROM timings
    GROUP BY run_id, parallelism
  ),

  functions AS (
    SELECT t.run_id, t.parallelism, t.function, sum(t.seconds) / any_value(p.places) AS seconds
    FROM timings AS t
    JOIN places AS p
      ON t.run_id = p.run_id AND t.parallelism IS NOT DISTINCT FROM p.parallelism
    GROUP BY t.run_id, t.parallelism, t.function
  )

SELECT run_id, parallelism, 'seconds:' || function AS metric, seconds AS value, 's' AS unit
FROM functions
UNION ALL BY NAME
SELECT run_id, parallelism, 'functions:seconds' AS metric, sum(seconds) AS value, 's' AS unit
FROM functions
GROUP BY run_id, parallelism
UNION ALL BY NAME
SELECT m.run_id, m.metric, m.value, m.unit, m.measurements, m.deviation
FROM run_metrics AS m
WHERE _is_of(m.run_id, selected)
  AND NOT (
    (m.metric = 'functions:seconds' OR starts_with(m.metric, 'seconds:'))
    AND m.run_id IN (SELECT run_id FROM places)
  )
UNION ALL BY NAME
SELECT
  run_id, 'idle:' || idle.cause AS metric, _percent(idle.ns, wall) AS value, '%' AS unit
FROM (
  SELECT
    run_id, wall,
    unnest([
      {'cause': 'starvation', 'ns': starvation}, {'cause': 'latency', 'ns': latency},
      {'cause': 'overhead', 'ns': overhead - not_recorded},
      {'cause': 'not_recorded', 'ns': not_recorded}, {'cause': 'tail', 'ns': tail}
    ]) AS idle
  FROM _kind_sums
  WHERE _is_of(run_id, selected) AND is_whole AND mode = 'transitive' AND latency_rule = 'union'
    AND wall > 0
    AND run_id NOT IN (SELECT run_id FROM _clocks_apart WHERE _is_of(run_id, selected))
    AND run_id NOT IN (SELECT run_id FROM devices)
)
UNION ALL BY NAME
SELECT run_id, 'device:window' AS metric, sum((busy + idle) / parts_of_a_second) AS value, 's' AS unit
FROM devices
GROUP BY run_id
UNION ALL BY NAME
-- work that overlaps shares the time in which the device was busy
SELECT
  run_id, 'device:work:' || o.operation AS metric,
  sum(o.ns * busy / nullif(works, 0) / parts_of_a_second) AS value, 's' AS unit
FROM (SELECT *, unnest(operations) AS o FROM devices)
GROUP BY run_id, o.operation
UNION ALL BY NAME
SELECT
  run_id, 'device:idle:' || part.key AS metric, sum(part.value / parts_of_a_second) AS value,
  's' AS unit
FROM (SELECT *, unnest(_gpu_parts(parts)) AS part FROM devices)
WHERE part.value > 0
GROUP BY run_id, part.key;
