-- The version of an application whose runs all failed, and are newer than every run that did not: how
-- many there are. One row or none.
SELECT version, count(*) AS runs
FROM failed_runs
WHERE app = $app AND version IS NOT NULL
  AND started_at > (
    SELECT max(started_at) FROM runs WHERE app = $app AND run_id NOT IN (SELECT run_id FROM failed_runs)
  )
  AND version NOT IN (
    SELECT version
    FROM runs
    WHERE app = $app AND version IS NOT NULL AND run_id NOT IN (SELECT run_id FROM failed_runs)
  )
GROUP BY version
ORDER BY max(started_at) DESC, version
LIMIT 1;
