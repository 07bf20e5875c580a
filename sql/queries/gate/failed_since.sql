-- The version of an application whose runs all failed, and of which no run that did not fail is newer:
-- how many there are, and whether another is as new. One row or none.
WITH
  ran AS (
    SELECT r.version, t.last_at, r.run_id IN (SELECT run_id FROM failed_runs) AS has_failed
    FROM runs AS r
    JOIN _run_times AS t USING (run_id)
    WHERE r.app = $app
  ),

  done AS (
    SELECT max(last_at) AS last_at, list(DISTINCT version) AS versions
    FROM ran
    WHERE NOT has_failed
  )

SELECT r.version, count(*) AS runs, max(r.last_at) = any_value(d.last_at) AS is_tied
FROM ran AS r
CROSS JOIN done AS d
WHERE r.has_failed AND r.last_at >= d.last_at AND NOT list_contains(d.versions, r.version)
GROUP BY r.version
ORDER BY max(r.last_at) DESC, r.version
LIMIT 1;
