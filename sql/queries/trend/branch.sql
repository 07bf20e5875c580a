-- The runs of a branch of an application, and those of its history that they are held against: the
-- last 30 of each series on the level of its time or cost where the branch left it, as far as that is
-- known, as the gate has them. `branch` is the default one.
WITH
  own AS (
    SELECT
      run_id, configuration_id, max(fork_position) OVER (PARTITION BY configuration_id) AS forked
    FROM _run_commits
    WHERE app = $app AND branch = $branch AND is_candidate AND configuration_id IS NOT NULL
  ),

  before AS (
    SELECT p.configuration_id, p.run_id, p.place
    FROM _run_places AS p
    JOIN (SELECT DISTINCT configuration_id, forked FROM own) AS o
      ON p.configuration_id = o.configuration_id
    WHERE o.forked IS NULL OR coalesce(p.point.position <= o.forked, true)
  ),

  levels AS (
    SELECT b.configuration_id, max(b.place) AS since
    FROM before AS b
    JOIN _found_changes AS f ON b.run_id = f.run_id
    WHERE f.app = $app AND f.more_runs IS NULL AND f.metric IN (SELECT metric FROM _main_order)
    GROUP BY b.configuration_id
  ),

  history AS (
    SELECT b.run_id
    FROM before AS b
    LEFT JOIN levels AS l ON b.configuration_id = l.configuration_id
    WHERE b.place >= coalesce(l.since, 1)
    QUALIFY row_number() OVER (PARTITION BY b.configuration_id ORDER BY b.place DESC) <= 30
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
