-- Counts at which the program of a set of runs was measured, those of $counts, and about two an octave
-- from the smallest to 64 times the largest.
SELECT DISTINCT
  unnest(
    _count_grid(smallest, largest) || CAST($counts AS BIGINT[])
    || (SELECT list(parallelism) FROM program_times WHERE set_id = $set_id)
  ) AS parallelism
FROM scaling_sets
WHERE set_id = $set_id
ORDER BY parallelism;
