-- The runs of which this pwh ($revision) has kept no scalars, in the order in which they landed,
-- each with whether another pwh has; nobody has of runs whose rows were written by hand.
SELECT run_id, run_id IN (SELECT run_id FROM kept_runs) AS is_known
FROM runs
WHERE run_id NOT IN (SELECT run_id FROM kept_runs WHERE revision = $revision)
ORDER BY runs.rowid;
