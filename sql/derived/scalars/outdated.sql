-- The runs of which this pwh ($revision) has kept no scalars, or of which rows were added or deleted
-- since, in the order in which they landed, each with whether only another pwh is the reason.
SELECT run_id, bool_and(run_id NOT IN (SELECT run_id FROM outdated_runs)) AS is_known
FROM runs
WHERE (
    run_id NOT IN (SELECT run_id FROM kept_runs WHERE revision = $revision)
    OR run_id IN (SELECT run_id FROM outdated_runs)
  )
  -- what is computed of rows that are gone stays as it was
  AND run_id NOT IN (SELECT run_id FROM forgotten_rows)
GROUP BY run_id
ORDER BY min(runs.rowid);
