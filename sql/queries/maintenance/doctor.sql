-- Inconsistencies of a warehouse: each should be found 0 times.
SELECT 'sources without a run' AS "check", count(*) AS found
FROM sources
WHERE source_id NOT IN (SELECT source_id FROM run_facts)
UNION ALL
SELECT 'facts of unknown sources', count(*)
FROM run_facts
WHERE stated_by <> 'hand' AND source_id NOT IN (SELECT source_id FROM sources)
UNION ALL
SELECT 'sources and runs that are there twice', count(*)
FROM (
  SELECT 'source', CAST(source_id AS VARCHAR) AS id FROM sources
  GROUP BY ALL HAVING count(*) > 1
  UNION ALL
  SELECT 'run', run_id FROM runs GROUP BY ALL HAVING count(*) > 1
)
UNION ALL
SELECT 'scalars kept of unknown runs', count(*)
FROM (SELECT run_id FROM kept_runs UNION SELECT run_id FROM run_scalars)
WHERE run_id NOT IN (SELECT run_id FROM runs);
