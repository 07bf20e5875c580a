-- What the programs of $runs, and their kernels, do: verdicts on their threads, and shares of their
-- instructions.
SELECT
  s.run_id, CASE WHEN s.whole_program THEN 'program' ELSE 'kernel' END AS scope, s.kernel,
  _behaviour_verdict(divergent, synchronising) AS verdict,
  b.bound, s.kind, s.launches, s.instructions, b.memory_share, b.arithmetic_share, b.on_core_share,
  b.control_share, b.barrier_share, b.other_share, b.arithmetic_per_memory,
  b.instructions_per_visit, b.mean_distance, b.chained_share, s.simt_efficiency, s.fluctuation,
  s.sync_rate, b.memory_threshold
FROM _behaviour_sums AS s
LEFT JOIN (
  FROM _balance_sums WHERE list_contains(CAST($runs AS VARCHAR[]), run_id)
) AS b
  ON s.run_id = b.run_id AND s.whole_program = b.whole_program
  AND s.kernel IS NOT DISTINCT FROM b.kernel
WHERE list_contains(CAST($runs AS VARCHAR[]), s.run_id)
ORDER BY
  scope DESC, list_position(CAST($runs AS VARCHAR[]), s.run_id), s.instructions DESC NULLS LAST,
  s.kernel;
