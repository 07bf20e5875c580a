-- The files of the runs in _keep (run_id, source_id), and whether one has other runs, too.
SELECT
  (SELECT list(DISTINCT source_id) FROM _keep) AS source_ids,
  EXISTS (
    FROM run_facts
    WHERE source_id IN (SELECT source_id FROM _keep) AND run_id NOT IN (SELECT run_id FROM _keep)
  ) AS of_other_runs;
