-- Of how many of the commits in the series of an application no date is known, so that their runs are
-- in the order of measurement. No row where all are dated.
SELECT
  count(DISTINCT g."commit") FILTER (g.committed_at IS NULL) AS undated,
  count(DISTINCT g."commit") AS commits
FROM run_groups AS g
SEMI JOIN _run_places AS p ON g.run_id = p.run_id
WHERE g.app = $app
HAVING undated > 0 AND commits > 1;
