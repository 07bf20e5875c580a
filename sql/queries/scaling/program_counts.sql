-- Counts at which the program of a set of runs was measured.
SELECT parallelism
FROM program_times
WHERE set_id = $set_id
ORDER BY parallelism;
