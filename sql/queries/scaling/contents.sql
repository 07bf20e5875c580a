-- Sets of runs that are modelled together, with what each has; the newest first. Those of $app, which
-- may be NULL, or with $every of all applications.
WITH
  functions AS (
    SELECT r.app, r.version, r.machine, count(DISTINCT t.function) AS functions
    FROM fn_timings AS t
    JOIN runs AS r USING (run_id)
    WHERE t.seconds IS NOT NULL AND ($every OR r.app IS NOT DISTINCT FROM $app)
    GROUP BY ALL
  ),

  members AS (
    SELECT
      r.app, r.version, r.machine,
      count(*) AS runs,
      max(t.last_at) AS newest,
      first(r.run_id ORDER BY t.last_at DESC NULLS LAST, t.position DESC, r.run_id) AS newest_run
    FROM runs AS r
    JOIN _run_times AS t USING (run_id)
    WHERE r.run_id IN (SELECT run_id FROM fn_timings)
    GROUP BY ALL
  )

SELECT
  s.app, s.version, s.machine, s.scaling, s.problem_size, s.counts, s.smallest, s.largest,
  f.functions, m.runs, m.newest_run
FROM scaling_sets AS s
JOIN functions AS f
  ON s.app IS NOT DISTINCT FROM f.app AND s.version IS NOT DISTINCT FROM f.version
  AND s.machine IS NOT DISTINCT FROM f.machine
JOIN members AS m
  ON s.app IS NOT DISTINCT FROM m.app AND s.version IS NOT DISTINCT FROM m.version
  AND s.machine IS NOT DISTINCT FROM m.machine
WHERE $every OR s.app IS NOT DISTINCT FROM $app
ORDER BY m.newest DESC NULLS LAST, s.version DESC NULLS LAST, s.machine, s.app;
