-- The runs of the newest commit of a branch of an application, or of the commit of $run_id, and those of
-- its history that they are held against: the last 30 of each series on the level of its time or cost,
-- where it has neither of all its metrics, where the branch left it, as far as that is known, as the
-- gate has them. `default_branch` is the one that it left; `others` are the runs of its other commits.
WITH
  every AS (
    FROM _run_forks WHERE app = $app AND branch = $branch
  ),

  own AS (
    FROM every
    WHERE state = (
      SELECT coalesce(any_value(state) FILTER (run_id = $run_id), arg_max(state, counted_at), any_value(state))
      FROM every
    )
  ),

  before AS (
    SELECT p.configuration_id, p.run_id, p.place
    FROM _run_places AS p
    JOIN (SELECT configuration_id, max(place) AS place FROM own GROUP BY configuration_id) AS o
      ON p.configuration_id = o.configuration_id AND p.place <= o.place
  ),

  levels AS (
    SELECT b.configuration_id, max(b.place) AS since
    FROM before AS b
    JOIN _found_changes AS f ON b.run_id = f.run_id
    WHERE f.app = $app AND f.more_runs IS NULL
      AND (
        f.metric IN (SELECT metric FROM _main_order)
        OR NOT EXISTS (FROM series AS s SEMI JOIN _main_order USING (metric) WHERE s.app = $app)
      )
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
  (SELECT bool_and(is_known) FROM own) AS is_forked,
  (SELECT count(*) FROM every) - (SELECT count(*) FROM own) AS others
FROM (
  SELECT run_id, true AS is_after FROM own
  UNION ALL
  SELECT run_id, false FROM history
);
