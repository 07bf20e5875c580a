-- Do the threads of a program share its work equally, and if not, in which function?
--
-- An imbalance of 0.5 means that the busiest thread executes, or takes, half as much again as the
-- mean: the others wait for it. The function is that with the most of this thread's excess.
SELECT
  app, version, run_id, i.measure, i.rank, i.threads, i.busiest_thread,
  i.mean_value, i.max_value,
  round(i.imbalance, 3) AS imbalance,
  i.is_bound,
  arg_max(f.function, f.excess) AS function,
  max(f.excess) AS excess,
  flag_text(i.note) AS note
FROM thread_imbalance AS i
JOIN runs USING (run_id)
LEFT JOIN function_thread_imbalance AS f
  ON i.run_id = f.run_id AND i.measure = f.measure AND i.rank IS NOT DISTINCT FROM f.rank
  AND i.parallelism IS NOT DISTINCT FROM f.parallelism
  AND i.repetition IS NOT DISTINCT FROM f.repetition
WHERE i.imbalance IS NOT NULL
GROUP BY ALL
ORDER BY imbalance DESC, app, version;
