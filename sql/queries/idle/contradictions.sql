-- How many idle intervals of one run contradict themselves as skewed clocks make them, of how many
-- that end with a task; only where there are several nodes. With the file to ingest again.
SELECT
  count(*) FILTER (list_has_any(flags, ['causality', 'late_arrival', 'neg_transfer'])) AS flagged,
  count(*) AS intervals,
  (
    SELECT any_value(path)
    FROM sources
    WHERE source_id IN (SELECT source_id FROM tasks WHERE run_id = $run_id)
  ) AS path
FROM idle_intervals
WHERE run_id = $run_id AND kind <> 'tail'
  AND (SELECT count(DISTINCT node) FROM workers WHERE run_id = $run_id) > 1;
