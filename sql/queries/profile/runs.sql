-- Runs that have a profile, the latest first: times of functions, or what they cost.
-- Paths are about how many call paths each has.
WITH
  profiled AS (
    SELECT run_id, approx_count_distinct(callpath) AS paths
    FROM fn_timings
    GROUP BY run_id
    UNION ALL
    SELECT run_id, approx_count_distinct(region) FILTER (contains(region, '->'))
    FROM pmu_samples
    WHERE region IS NOT NULL
    GROUP BY run_id
  )

SELECT r.run_id, r.app, r.version, r.started_at, max(p.paths) AS paths
FROM runs AS r
JOIN profiled AS p ON r.run_id = p.run_id
JOIN _run_times AS t ON r.run_id = t.run_id
GROUP BY ALL
ORDER BY max(t.last_at) DESC NULLS LAST, max(t.position) DESC, r.run_id;
