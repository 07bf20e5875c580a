-- How many workers of one run are in a single call, of which the trace has the calls below it, for
-- nearly all of their time: whether they wait in there the trace of tasks does not say.
SELECT
  count(*) AS workers, count(name) AS in_one_call, mode(name) AS name
FROM (
  SELECT
    w.worker,
    any_value(t.name) FILTER (
      t.t_end - t.t_start >= 0.9 * (w.t_end - w.t_begin)
      AND t.name IN (
        SELECT DISTINCT split_part(callpath, '->', 1)
        FROM fn_timings
        WHERE run_id = $run_id AND contains(callpath, '->')
      )
    ) AS name
  FROM _worker_windows AS w
  LEFT JOIN _task_times AS t ON w.worker = t.worker AND t.run_id = $run_id
  WHERE w.run_id = $run_id
  GROUP BY w.worker
)
HAVING in_one_call > 0;
