-- key: change_id BIGINT
-- scope: app
-- needs: _change_events
-- reads: series, _change_events, runs, run_groups, run_scalars, acknowledgements, change_thresholds,
--   series_fields, default_branches, run_facts, sources, models, metrics, fn_timings, pmu_samples, segments, nodes, workers, tasks,
--   task_inputs, transfers, runtime_intervals, idle_intervals, bottlenecks, scaling_sets,
--   scaling_series, scaling_models, thread_behaviour, worker_slowdown, _task_graphs, _gpu_sums, _worker_sums, gpu_late,
--   event_aliases
-- requires: explanations
-- functions: comparison
--
-- What changed together with a change of the metric that runs are judged by: explain_run of the runs
-- on both sides of each such change.

-- inputs
WITH
  changes AS (
    SELECT
      _number_of(concat_ws(chr(0), app, CAST(fields AS VARCHAR), run_id)) AS change_id,
      app, machine, metric, run_id, version, started_at, direction, runs, against
    FROM _changes
    WHERE app IN (FROM _scope)
  ),

  members AS (
    SELECT change_id, true AS is_after, unnest(runs) AS run_id FROM changes
    UNION ALL
    SELECT change_id, false, unnest(against) FROM changes
  ),

  -- what the runs are made of, and what was found in each and in its set
  verdicts AS (
    SELECT key, string_agg(concat_ws(' ', digest, failed), ',' ORDER BY analysis) AS digest
    FROM analysis_states
    WHERE analysis NOT IN ('_series_parts', 'series', 'change_explanations')
      AND key IN (
        SELECT run_id FROM members
        UNION
        SELECT CAST(set_id AS VARCHAR) FROM run_groups WHERE run_id IN (SELECT run_id FROM members)
      )
    GROUP BY key
  ),

  contents AS (
    SELECT
      m.change_id,
      string_agg(
        concat_ws(' ', m.run_id, g.content, v.digest, s.digest), ','
        ORDER BY m.run_id
      ) AS content
    FROM members AS m
    JOIN run_groups AS g ON m.run_id = g.run_id
    LEFT JOIN verdicts AS v ON m.run_id = v.key
    LEFT JOIN verdicts AS s ON CAST(g.set_id AS VARCHAR) = s.key
    GROUP BY m.change_id
  ),

  -- the noise of what was measured a few times on a side is that of the application's other runs
  scarce AS (
    SELECT DISTINCT change_id
    FROM (
      SELECT m.change_id
      FROM members AS m
      JOIN run_scalars AS v ON m.run_id = v.run_id
      GROUP BY m.change_id, m.is_after, v.metric
      HAVING count(*) <= 3
    )
  ),

  histories AS (
    SELECT app, bit_xor(content) AS history
    FROM run_groups
    WHERE app IN (SELECT app FROM changes JOIN scarce USING (change_id))
    GROUP BY app
  ),

  -- which values of what benchmarks measure are better
  directions AS (
    SELECT app, bit_xor(hash(metric, better)) AS directions
    FROM _stated_directions
    GROUP BY app
  )

SELECT
  CAST(c.change_id AS VARCHAR) AS key, c.app AS scope,
  md5(
    concat_ws(
      chr(0), c.metric, c.direction, CAST(c.runs AS VARCHAR), CAST(c.against AS VARCHAR), n.content,
      CASE WHEN s.change_id IS NOT NULL THEN h.history END,
      d.directions, CAST((SELECT every FROM _threshold_rows) AS VARCHAR)
    )
  ) AS digest,
  c.*
FROM changes AS c
JOIN contents AS n ON c.change_id = n.change_id
LEFT JOIN scarce AS s ON c.change_id = s.change_id
LEFT JOIN histories AS h ON c.app = h.app
LEFT JOIN directions AS d ON c.app = d.app;

-- rows
SELECT
  i.change_id, i.run_id, i.app, i.machine, i.version, i.started_at, i.metric AS main_metric,
  i.direction AS main_direction, i.runs, i.against,
  -- change_points is certain of the main metric itself
  e.* EXCLUDE (id) REPLACE (e.certain OR e.topic = 'metric' AS certain)
FROM _inputs AS i
JOIN _explained((
  SELECT coalesce(flatten(list(_sides(change_id, runs, against, run_id, metric))), []) FROM _inputs
)) AS e
  ON i.change_id = e.id;
