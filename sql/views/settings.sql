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
  SELECT 'models of ' || kind, concat_ws(' ', subject, version) FROM models_in_force
)
GROUP BY name;

CREATE OR REPLACE MACRO _settings(names) AS (
  SELECT string_agg(digest, ',' ORDER BY name) FROM _setting_digests WHERE list_contains(names, name)
);

-- The inputs of what is computed of these sets of runs: a row a set with function times.
CREATE OR REPLACE MACRO _set_contents(set_ids) AS TABLE
SELECT
  CAST(g.set_id AS VARCHAR) AS key, CAST(g.set_id AS VARCHAR) AS scope,
  md5(
    concat_ws(
      chr(0), _settings(['function_kinds']),
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
