-- key: run_id VARCHAR
-- scope: run_id
-- reads: runs, commits, series_fields, acknowledgements
-- requires: metric_series, scaling_points, run_contents
--
-- What each run is analysed together with: series, by application and fields, and sets of runs that
-- scale, by application, version and machine; and the commit that it is of.

-- inputs
WITH
  stated AS (
    SELECT
      * EXCLUDE (landed_at), coalesce("commit", tags['commit']) AS named,
      -- as CI systems name it: refs/heads/main, origin/main; HEAD and (detached head) are none
      nullif(
        regexp_replace(
          coalesce(branch, tags['branch']),
          '^(refs/heads/|refs/remotes/[^/]+/|origin/)|^(HEAD|\(.*\))$', ''
        ),
        ''
      ) AS of_branch
    FROM runs
    WHERE run_id IN (FROM _scope)
  ),

  -- files may state the first digits only; of a commit in several repositories, as in forks, one does
  known AS (
    SELECT
      r.run_id,
      arg_min(
        c, (c.position IS NULL, c.fork_position IS NULL, c.parents IS NULL, c.repository)
      ) AS c
    FROM stated AS r
    JOIN commits AS c
      ON lower(r.named[:7]) = c."commit"[:7] AND starts_with(c."commit", lower(r.named))
    GROUP BY r.run_id
  )

SELECT
  r.run_id AS key, r.run_id AS scope,
  md5(
    concat_ws(
      chr(0), CAST(r AS VARCHAR), CAST(s.fields AS VARCHAR), f.run_id, i.digest,
      CAST(k.c AS VARCHAR)
    )
  ) AS digest,
  r.app, r.version, r.machine, s.fields, f.run_id IS NOT NULL AS has_failed,
  coalesce(k.c."commit", r.named) AS "commit",
  -- of one that was merged it is not known on which it was measured
  coalesce(r.of_branch, CASE WHEN k.c.merged_in IS NULL THEN k.c.branches[1] END) AS branch,
  k.c.fork_position AS fork_position, k.c.repository AS repository,
  k.c.position AS position, coalesce(k.c.committed_at, r.committed_at) AS committed_at,
  CASE
    WHEN k.c.position IS NOT NULL
      THEN if(k.c.merged_in IS NULL OR r.of_branch IS NULL, true, NULL)
    WHEN k.c.fork_position IS NOT NULL THEN false
  END AS on_default
FROM stated AS r
LEFT JOIN _series_of_runs AS s ON r.run_id = s.run_id
LEFT JOIN failed_runs AS f ON r.run_id = f.run_id
LEFT JOIN _run_contents AS i ON r.run_id = i.run_id
LEFT JOIN known AS k ON r.run_id = k.run_id;

-- rows
SELECT
  key AS run_id, app, fields, "commit", branch, on_default, repository, position, fork_position,
  committed_at,
  CASE WHEN app IS NOT NULL AND fields IS NOT NULL
    THEN _number_of(concat_ws(chr(0), app, CAST(fields AS VARCHAR))) END AS configuration_id,
  CASE WHEN NOT has_failed THEN _set_id(app, version, machine) END AS set_id,
  hash(digest) AS content
FROM _inputs;
