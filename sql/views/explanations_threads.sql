-- requires: flags, explanations_sides, thread_behaviour
--
-- What changed between two groups of runs in what their threads do, and in what was set. Rows are as
-- in explanations_causes.sql.

CREATE OR REPLACE MACRO _explain_threads(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  launches AS (
    SELECT
      s.id, s.is_after, t.run_id, t.kernel, t.fluctuation, t.simt_efficiency, t.sync_rate,
      CASE
        WHEN t.divergent AND t.synchronising THEN 'both'
        WHEN t.divergent THEN 'divergent'
        WHEN t.synchronising THEN 'synchronising'
        WHEN t.divergent IS NULL AND t.synchronising IS NULL THEN NULL
        ELSE 'neither'
      END AS verdict
    FROM side AS s
    JOIN thread_behaviour AS t ON s.run_id = t.run_id
    WHERE _is_of(t.run_id, _run_ids(pairs))
  ),

  kernels AS (
    SELECT
      id, kernel,
      mode(verdict) FILTER (NOT is_after) AS before_label,
      mode(verdict) FILTER (is_after) AS after_label,
      count(DISTINCT verdict) FILTER (NOT is_after) = 1
        AND count(DISTINCT verdict) FILTER (is_after) = 1 AS agreed,
      count(DISTINCT run_id) FILTER (NOT is_after) AS runs_before,
      count(DISTINCT run_id) FILTER (is_after) AS runs_after,
      {
        'fluctuation': list(fluctuation) FILTER (NOT is_after AND fluctuation IS NOT NULL),
        'simt': list(simt_efficiency) FILTER (NOT is_after AND simt_efficiency IS NOT NULL),
        'sync_rate': list(sync_rate) FILTER (NOT is_after AND sync_rate IS NOT NULL)
      } AS b,
      {
        'fluctuation': list(fluctuation) FILTER (is_after AND fluctuation IS NOT NULL),
        'simt': list(simt_efficiency) FILTER (is_after AND simt_efficiency IS NOT NULL),
        'sync_rate': list(sync_rate) FILTER (is_after AND sync_rate IS NOT NULL)
      } AS a,
      list(DISTINCT run_id ORDER BY run_id) AS ids
    FROM launches
    GROUP BY id, kernel
  ),

  -- divergence is measured by the lanes of warps where both sides know them
  rates AS (
    SELECT * REPLACE (b.simt AS b, a.simt AS a), 'simt_efficiency' AS rate,
      ['divergent', 'both'] AS prominent
    FROM kernels
    UNION ALL
    SELECT * REPLACE (b.fluctuation AS b, a.fluctuation AS a), 'fluctuation',
      ['divergent', 'both']
    FROM kernels
    WHERE b.simt IS NULL OR a.simt IS NULL
    UNION ALL
    SELECT * REPLACE (b.sync_rate AS b, a.sync_rate AS a), 'sync_rate',
      ['synchronising', 'both']
    FROM kernels
  )

SELECT
  id, 'threads' AS topic, kernel AS subject, rate AS metric, '1' AS unit, b, a,
  before_label, after_label,
  CAST(NULL AS DOUBLE) AS share,
  CASE WHEN runs_before > 1 AND runs_after > 1 THEN agreed END AS sure,
  list_contains(prominent, before_label) <> list_contains(prominent, after_label) AS relevant,
  relevant AS notable,
  _flags([]) AS flags,
  'SELECT run_id, launch, kernel, ' || rate || ', divergent, synchronising FROM thread_behaviour '
    || 'WHERE ' AS query,
  ids
FROM rates
WHERE len(b) > 0 AND len(a) > 0;

CREATE OR REPLACE MACRO _explain_settings(pairs) AS TABLE
WITH
  side AS (
    SELECT unnest(pairs, recursive := true)
  ),

  settings AS (
    SELECT
      s.id, s.is_after, s.run_id,
      map_concat(
        coalesce(r.environment, MAP {}), coalesce(r.tags, MAP {}),
        MAP {
          'machine': r.machine, 'nodes': CAST(r.nodes AS VARCHAR),
          'ranks': CAST(r.ranks AS VARCHAR), 'threads': CAST(r.threads AS VARCHAR),
          'problem_size': CAST(r.problem_size AS VARCHAR)
        }
      ) AS settings
    FROM side AS s
    JOIN runs AS r ON s.run_id = r.run_id
  ),

  each AS (
    SELECT id, is_after, run_id, unnest(map_keys(settings)) AS field,
      unnest(map_values(settings)) AS "value"
    FROM settings
  ),

  fields AS (
    SELECT
      id, field,
      list(DISTINCT "value" ORDER BY "value") FILTER (NOT is_after) AS was,
      list(DISTINCT "value" ORDER BY "value") FILTER (is_after) AS becomes,
      list(DISTINCT run_id ORDER BY run_id) AS ids
    FROM each
    WHERE "value" IS NOT NULL
      -- some tools record times as tags, and what is another one in every run
      AND field NOT LIKE '%seconds'
      AND field NOT IN ('commit', 'branch', 'author', 'subject', 'url', 'jobid')
    GROUP BY id, field
    HAVING count(*) FILTER (is_after) > 0 AND count(*) FILTER (NOT is_after) > 0
  )

SELECT
  id, 'setting' AS topic, field AS subject, field AS metric, CAST(NULL AS VARCHAR) AS unit,
  CAST([] AS DOUBLE[]) AS b, CAST([] AS DOUBLE[]) AS a,
  array_to_string(was, ', ') AS before_label, array_to_string(becomes, ', ') AS after_label,
  CAST(NULL AS DOUBLE) AS share, true AS sure, NOT list_has_any(was, becomes) AS relevant,
  relevant AS notable,
  _flags([]) AS flags,
  'SELECT run_id, version, machine, nodes, ranks, threads, problem_size, tags FROM runs WHERE '
    AS query,
  ids
FROM fields;
