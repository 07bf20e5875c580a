-- The runs of a branch of an application, and those of its history that they are held against: the
-- last 8 of each series up to where the branch left it, as far as that is known. `branch` is the
-- default one.
WITH
  own AS (
    SELECT
      run_id, configuration_id, max(fork_position) OVER (PARTITION BY configuration_id) AS forked
    FROM _run_commits
    WHERE app = $app AND branch = $branch AND is_candidate AND configuration_id IS NOT NULL
  ),

  history AS (
    SELECT p.run_id
    FROM _run_places AS p
    JOIN (SELECT DISTINCT configuration_id, forked FROM own) AS o
      ON p.configuration_id = o.configuration_id
    WHERE o.forked IS NULL OR coalesce(p.point.position <= o.forked, true)
    QUALIFY row_number() OVER (PARTITION BY p.configuration_id ORDER BY p.place DESC) <= 8
  )

SELECT
  list(run_id) FILTER (is_after) AS runs, list(run_id) FILTER (NOT is_after) AS against,
  (SELECT branch FROM _default_branches WHERE app = $app) AS default_branch,
  (SELECT bool_and(forked IS NOT NULL) FROM own) AS is_forked
FROM (
  SELECT run_id, true AS is_after FROM own
  UNION ALL
  SELECT run_id, false FROM history
);
