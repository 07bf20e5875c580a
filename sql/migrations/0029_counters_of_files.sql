-- Several files of a run can count the same event, one of them as a whole: scalars of such runs are
-- added up again by pwh migrate.
DELETE FROM kept_runs
WHERE run_id IN (
  SELECT run_id FROM run_facts GROUP BY run_id HAVING count(DISTINCT source_id) > 1
);
