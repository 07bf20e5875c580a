-- Inconsistencies of a warehouse: each should be found 0 times.
SELECT 'sources without a run' AS "check", count(*) AS found
FROM sources
WHERE source_id NOT IN (SELECT source_id FROM run_facts)
UNION ALL
SELECT 'runs of no source', count(*)
FROM runs
WHERE run_id NOT IN (SELECT run_id FROM run_facts)
UNION ALL
SELECT 'facts of unknown sources', count(*)
FROM run_facts
WHERE source_id NOT IN (SELECT source_id FROM sources)
UNION ALL
SELECT 'scalars kept of unknown runs', count(*)
FROM (SELECT run_id FROM kept_runs UNION SELECT run_id FROM run_scalars)
WHERE run_id NOT IN (SELECT run_id FROM runs);
