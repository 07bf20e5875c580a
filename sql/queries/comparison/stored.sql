-- What comparison/metrics returns at a level of 0.95, of two sets of runs that are those of one of the
-- newest versions of an application and of the one before it; else no rows.
WITH
  sides AS (
    SELECT
      list(run_id ORDER BY run_id)
        FILTER (list_contains(CAST($before AS VARCHAR[]), run_id)) AS before,
      list(run_id ORDER BY run_id)
        FILTER (list_contains(CAST($after AS VARCHAR[]), run_id)) AS "after"
    FROM run_groups
    WHERE fields IS NOT NULL
  )

SELECT
  v.* EXCLUDE (
    pair_id, series_id, app, machine, version, previous_version, place, direction, certain, runs, against
  )
FROM version_comparisons AS v
JOIN sides AS s ON v.runs = s."after" AND v.against = s.before
ORDER BY v.place;
