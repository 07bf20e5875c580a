-- Runs with traces of basic blocks, the latest first; those that count visits, of which more can be
-- said, before those that count instructions only.
SELECT run_id, app, version, machine, started_at
FROM runs
WHERE run_id IN (SELECT run_id FROM bb_launches UNION SELECT run_id FROM bb_visits)
ORDER BY
  run_id IN (SELECT run_id FROM bb_visits WHERE visits IS NOT NULL) DESC,
  started_at DESC NULLS LAST, run_id
LIMIT 500;
