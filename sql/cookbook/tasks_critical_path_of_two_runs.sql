-- What made the critical path of a task program longer from one run to another?
--
-- Put your own runs into the two conditions. Shortening anything that is not on this path does not
-- shorten the run.
SELECT
  name AS task_type, cause,
  round(coalesce(earlier.ns, 0) / 1e9, 3) AS seconds_earlier,
  round(coalesce(later.ns, 0) / 1e9, 3) AS seconds_later,
  round((coalesce(later.ns, 0) - coalesce(earlier.ns, 0)) / 1e9, 3) AS seconds_more
FROM (FROM critical_path_shares WHERE run_id = 'stencil-1.22') AS earlier
FULL JOIN (FROM critical_path_shares WHERE run_id = 'stencil-1.23') AS later USING (name, cause)
ORDER BY abs(coalesce(later.ns, 0) - coalesce(earlier.ns, 0)) DESC, name, cause;
