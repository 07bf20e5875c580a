-- The version of an application whose runs all failed, and of which no run that did not fail is newer:
-- how many there are, and whether another is as new. One row or none.
WITH
  ran AS (
    SELECT
      coalesce(state, run_id) AS version, place,
      run_id IN (SELECT run_id FROM failed_runs) AS has_failed
    FROM _run_order
    WHERE app = $app
  ),

  done AS (
    SELECT coalesce(max(place), 0) AS place, coalesce(list(DISTINCT version), []) AS versions
    FROM ran
    WHERE NOT has_failed
  )

SELECT r.version, count(*) AS runs, max(r.place) = any_value(d.place) AS is_tied
FROM ran AS r
CROSS JOIN done AS d
WHERE r.has_failed AND r.place >= d.place AND NOT list_contains(d.versions, r.version)
GROUP BY r.version
ORDER BY max(r.place) DESC, r.version
LIMIT 1;
