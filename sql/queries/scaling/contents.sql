-- Sets of runs that are modelled together, with what each has; the newest first. Those of $app, which
-- may be NULL, or with $every of all applications.
WITH
  functions AS (
    SELECT _set_id(r.app, r.version, r.machine) AS set_id, count(DISTINCT t.function) AS functions
    FROM fn_timings AS t
    JOIN runs AS r USING (run_id)
    WHERE t.seconds IS NOT NULL AND ($every OR r.app IS NOT DISTINCT FROM $app)
    GROUP BY ALL
  ),

  members AS (
    SELECT
      _set_id(r.app, r.version, r.machine) AS set_id,
      count(*) AS runs,
      max(t.last_at) AS newest,
      first(r.run_id ORDER BY t.last_at DESC NULLS LAST, t.position DESC, r.run_id) AS newest_run
    FROM runs AS r
    JOIN _run_times AS t USING (run_id)
    WHERE r.run_id IN (SELECT run_id FROM fn_timings)
    GROUP BY ALL
  )

SELECT
  s.app, s.version, s.machine, s.parameter, s.parameter_kind, s.scaling, s.problem_size, s.counts, s.smallest, s.largest,
  f.functions, m.runs, m.newest_run
FROM scaling_sets AS s
JOIN functions AS f ON s.set_id = f.set_id
JOIN members AS m ON s.set_id = m.set_id
WHERE $every OR s.app IS NOT DISTINCT FROM $app
ORDER BY m.newest DESC NULLS LAST, s.version DESC NULLS LAST, s.machine, s.app;
