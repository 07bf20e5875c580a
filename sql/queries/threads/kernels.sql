-- Verdicts on the threads of one run over all its launches, and what its instructions do: of the
-- program, then of its kernels, those with the most instructions first.
SELECT
  CASE WHEN s.whole_program THEN 'program' ELSE 'kernel' END AS scope,
  s.kernel,
  _behaviour_verdict(divergent, synchronising) AS verdict,
  s.* EXCLUDE (run_id, kernel, whole_program),
  b.* EXCLUDE (run_id, kernel, whole_program)
FROM _behaviour_sums AS s
LEFT JOIN (FROM _balance_sums WHERE run_id = $run_id) AS b
  ON s.whole_program = b.whole_program AND s.kernel IS NOT DISTINCT FROM b.kernel
WHERE s.run_id = $run_id
ORDER BY scope DESC, s.instructions DESC NULLS LAST, s.kernel;
