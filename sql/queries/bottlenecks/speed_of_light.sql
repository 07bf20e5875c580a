-- How near the kernels of runs are to the peaks of their GPU, those with the most time first.
SELECT *
FROM speed_of_light
WHERE _is_of(run_id, CAST($runs AS VARCHAR[]))
ORDER BY run_id, seconds DESC NULLS LAST, kernel;
