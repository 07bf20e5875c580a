-- Sets of runs of an application that are modelled together, the newest first: of $app, or of every
-- application where $app is $latest. $version, $machine and $set_id may be NULL; of a version that is
-- a commit the first seven digits or more are enough, unless others begin so.
WITH
  commits AS (
    SELECT min(version) AS version
    FROM runs
    WHERE ($app = $latest OR app = $app) AND regexp_full_match(version, '[0-9a-f]{40}')
      AND starts_with(version, $version) AND length($version) >= 7
    HAVING min(version) = max(version)
  )

SELECT
  s.set_id, s.app, s.version, s.machine, s.parameter, s.parameter_kind, s.scaling, s.assumed, s.problem_size, s.problem_sizes,
  s.crossed, s.counts, s.smallest, s.largest, s.flags,
  (
    SELECT max(r.started_at)
    FROM runs AS r
    WHERE _set_id(r.app, r.version, r.machine) = s.set_id
  ) AS newest
FROM scaling_sets AS s
WHERE ($app = $latest OR s.app = $app)
  AND ($version IS NULL OR s.version = $version OR s.version IN (FROM commits))
  AND ($machine IS NULL OR s.machine = $machine)
  AND ($set_id IS NULL OR s.set_id = $set_id)
ORDER BY newest DESC NULLS LAST, s.version DESC NULLS LAST, s.machine, s.app;
