-- Top-down shares of runs by region: the level-1 category with the most issue slots, and the part
-- of it that takes most (Yasin 2014). Groups of regions are left out: theirs are no shares.
-- Runs are selected by bounds and a list: that condition is pushed down to the counters, a subquery
-- is not.
WITH
  tall AS (
    SELECT s.run_id, s.region, s.metric, avg(s.value) AS value
    FROM pmu_standardised AS s
    LEFT JOIN pmu_regions AS g ON s.run_id = g.run_id AND s.region IS NOT DISTINCT FROM g.region
    WHERE s.metric_set LIKE 'topdown%' AND coalesce(g.leaf, true)
      AND s.run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
        AND list_max(from_json($runs, '["VARCHAR"]'))
        AND list_contains(from_json($runs, '["VARCHAR"]'), s.run_id)
    GROUP BY ALL
  ),

  parts(metric, parent) AS (
    VALUES
      ('retiring', NULL), ('bad_speculation', NULL), ('frontend_bound', NULL),
      ('backend_bound', NULL), ('branch_mispredict', 'bad_speculation'),
      ('machine_clears', 'bad_speculation'), ('frontend_latency', 'frontend_bound'),
      ('frontend_bandwidth', 'frontend_bound'), ('memory_bound', 'backend_bound'),
      ('core_bound', 'backend_bound'), ('light_operations', 'retiring'),
      ('heavy_operations', 'retiring')
  ),

  first AS (
    SELECT
      run_id, region, arg_max(metric, value) AS category, max(value) AS share,
      map_from_entries(list({'k': metric, 'v': value})) AS shares
    FROM tall JOIN parts USING (metric)
    WHERE parent IS NULL AND value IS NOT NULL
    GROUP BY ALL
  )

SELECT
  f.run_id, f.region, f.category, f.share,
  arg_max(t.metric, t.value) AS part, max(t.value) AS part_share,
  any_value(f.shares['retiring']) AS retiring,
  any_value(f.shares['bad_speculation']) AS bad_speculation,
  any_value(f.shares['frontend_bound']) AS frontend_bound,
  any_value(f.shares['backend_bound']) AS backend_bound
FROM first AS f
LEFT JOIN parts AS p ON p.parent = f.category
LEFT JOIN tall AS t
  ON t.run_id = f.run_id AND t.region IS NOT DISTINCT FROM f.region AND t.metric = p.metric
GROUP BY f.run_id, f.region, f.category, f.share
ORDER BY f.run_id, f.region;
