-- The verdict on the threads of all launches or $launch of one run.
SELECT
  t.launch, t.kernel,
  _behaviour_verdict(t.divergent, t.synchronising) AS verdict,
  t.* EXCLUDE (run_id, launch, kernel),
  b.bound, b.memory_share, b.memory_threshold
FROM thread_behaviour AS t
LEFT JOIN launch_balance AS b
  ON t.run_id = b.run_id AND t.launch = b.launch AND t.kernel IS NOT DISTINCT FROM b.kernel
WHERE t.run_id = $run_id AND t.launch BETWEEN coalesce($launch, 0) AND coalesce($launch, 2147483647)
ORDER BY t.launch;
