-- The verdict on each process of runs.
SELECT run_id, rank, class, samples, share, probability
FROM bottleneck_by_process
WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
ORDER BY run_id, rank;
