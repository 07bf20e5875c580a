-- requires: models, run_contents
--
-- Digests of settings, which the rows of analyses depend on beside those of runs, and of sets of runs.

CREATE OR REPLACE VIEW _setting_digests AS
SELECT name, md5(string_agg(written, ',' ORDER BY written)) AS digest
FROM (
  SELECT 'metric_sets' AS name, CAST(t AS VARCHAR) AS written FROM metric_sets AS t
  UNION ALL
  SELECT 'metric_definitions', CAST(t AS VARCHAR) FROM metric_definitions AS t
  UNION ALL
  SELECT 'metric_formulas', CAST(t AS VARCHAR) FROM metric_formulas AS t
  UNION ALL
  SELECT 'slot_categories', CAST(t AS VARCHAR) FROM slot_categories AS t
  UNION ALL
  SELECT 'event_aliases', CAST(t AS VARCHAR) FROM event_aliases AS t
  UNION ALL
  SELECT 'machine_settings', CAST(t AS VARCHAR) FROM machine_settings AS t
  UNION ALL
  SELECT 'bottleneck_rules', CAST(t AS VARCHAR) FROM bottleneck_rules AS t
  UNION ALL
  SELECT 'function_kinds', CAST(t AS VARCHAR) FROM function_kinds AS t
  UNION ALL
  SELECT 'throughput_settings', CAST(t AS VARCHAR) FROM throughput_settings AS t
  UNION ALL
  SELECT 'core_units', CAST(t AS VARCHAR) FROM core_units AS t
  UNION ALL
  SELECT 'cores', CAST(t AS VARCHAR) FROM cores AS t
  UNION ALL
  SELECT 'core_names', CAST(t AS VARCHAR) FROM core_names AS t
  UNION ALL
  SELECT 'instruction_costs', CAST(t AS VARCHAR) FROM instruction_costs AS t
  UNION ALL
  SELECT 'models of bottlenecks', concat_ws(' ', subject, version)
  FROM models_in_force
  WHERE kind = 'bottlenecks'
  UNION ALL
  SELECT 'models of throughput', concat_ws(' ', subject, version)
  FROM models_in_force
  WHERE kind = 'throughput'
)
GROUP BY name;

-- Of the settings that a topic depends on.
CREATE OR REPLACE MACRO _settings(topic) AS (
  SELECT string_agg(digest, ',' ORDER BY name)
  FROM _setting_digests
  WHERE list_contains(
    CASE topic
      WHEN 'counting'
        THEN [
          'metric_sets', 'metric_definitions', 'metric_formulas', 'event_aliases', 'machine_settings'
        ]
      WHEN 'bottlenecks'
        THEN [
          'metric_sets', 'metric_definitions', 'metric_formulas', 'event_aliases',
          'machine_settings', 'slot_categories', 'bottleneck_rules', 'models of bottlenecks'
        ]
      WHEN 'throughput'
        THEN [
          'throughput_settings', 'core_units', 'cores', 'core_names', 'instruction_costs',
          'machine_settings', 'models of throughput'
        ]
      WHEN 'scaling' THEN ['function_kinds']
    END,
    name
  )
);

-- The inputs of what is computed of these runs by their rows of a landing table and the settings of a
-- topic: a row a run with such rows.
CREATE OR REPLACE MACRO _run_inputs(run_ids, landing_table, topic) AS TABLE
SELECT
  r.run_id AS key, r.run_id AS scope,
  md5(
    concat_ws(chr(0), c.digest, r.machine, CAST(r.tags AS VARCHAR), _settings(topic))
  ) AS digest
FROM _run_contents AS c
JOIN runs AS r ON c.run_id = r.run_id
WHERE c.run_id IN (SELECT unnest(run_ids)) AND c.rows[landing_table] > 0;

-- The inputs of what is computed of these sets of runs: a row a set with function times.
CREATE OR REPLACE MACRO _set_inputs(set_ids) AS TABLE
SELECT
  CAST(g.set_id AS VARCHAR) AS key, CAST(g.set_id AS VARCHAR) AS scope,
  md5(
    concat_ws(
      chr(0), _settings('scaling'),
      string_agg(
        concat_ws(
          ' ', r.run_id, c.digest, r.ranks, r.threads, r.nodes, r.problem_size, r.wall_seconds,
          CAST(r.tags AS VARCHAR)
        ),
        ',' ORDER BY r.run_id
      )
    )
  ) AS digest
FROM run_groups AS g
JOIN runs AS r ON g.run_id = r.run_id
JOIN _run_contents AS c ON g.run_id = c.run_id
WHERE CAST(g.set_id AS VARCHAR) IN (SELECT unnest(set_ids)) AND c.rows['fn_timings'] > 0
GROUP BY g.set_id;
