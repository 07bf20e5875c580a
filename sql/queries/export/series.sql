-- Times of the functions of all runs that are modelled together with one run, by what they are
-- scaled by and problem size: one row is one repetition.
SELECT
  m.function, coalesce(m.parallelism, r.parallelism) AS parallelism, r.problem_size, m.seconds
FROM _function_measurements AS m
JOIN scaling_runs AS r USING (run_id)
JOIN scaling_runs AS one ON r.set_id = one.set_id
WHERE one.run_id = $run_id AND coalesce(m.parallelism, r.parallelism) IS NOT NULL
  AND m.seconds >= 0 AND isfinite(m.seconds)
ORDER BY m.function, parallelism, r.problem_size NULLS FIRST, run_id, m.repetition;
