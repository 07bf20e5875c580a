-- What moved between the runs $against, of which with $are_levels each is the last one of a level, and
-- $runs of an application: at the largest change of $metrics right after these levels, else between
-- both, what its event says, as far as it is certain; and where there is none, which fields of the
-- environment, commits or versions differ between the last run before and the first after.
WITH
  sides AS (
    SELECT
      arg_max(run_id, place) FILTER (NOT is_after) AS previous_run_id,
      arg_min(run_id, place) FILTER (is_after) AS run_id,
      max(place) FILTER (NOT is_after) AS since, max(place) FILTER (is_after) AS until,
      -- what changed on the default branch is none of its doing
      bool_or(is_candidate) FILTER (is_after) AS is_branch
    FROM (SELECT *, list_contains($runs, run_id) AS is_after FROM _run_order WHERE app = $app)
    WHERE list_contains($runs || $against, run_id)
  ),

  largest AS (
    SELECT c.event_id, c.run_id, c.previous_run_id
    FROM _found_changes AS c
    JOIN _run_order AS o ON c.run_id = o.run_id
    CROSS JOIN sides AS s
    WHERE c.app = $app AND list_contains($metrics, c.metric) AND NOT s.is_branch
      AND if(
        $are_levels, list_contains($against, c.previous_run_id), o.place > s.since AND o.place <= s.until
      )
    ORDER BY
      c.direction IS DISTINCT FROM 'worse', abs(c.change) DESC NULLS FIRST, c.p_value, c.metric
    LIMIT 1
  ),

  ends AS (
    FROM largest
    UNION ALL BY NAME
    SELECT previous_run_id, run_id FROM sides WHERE NOT EXISTS (FROM largest)
  ),

  named AS (
    SELECT
      n.event_id, n.run_id, v.version, p.version AS previous_version, a."commit", b."commit" AS previous_commit,
      _differing_environment(n.previous_run_id, n.run_id) AS environment
    FROM ends AS n
    JOIN runs AS v ON n.run_id = v.run_id
    JOIN runs AS p ON n.previous_run_id = p.run_id
    JOIN run_groups AS a ON n.run_id = a.run_id
    JOIN run_groups AS b ON n.previous_run_id = b.run_id
  )

SELECT
  n.*, _commit_url(n."commit") AS url, _commit_url(n.previous_commit) AS previous_url,
  coalesce(
    e.moved,
    if(
      len(n.environment) > 0, 'environment',
      _new_of(n."commit", n.previous_commit, n.version, n.previous_version)
    )
  ) AS moved
FROM named AS n
LEFT JOIN change_events AS e ON n.event_id = e.event_id;
