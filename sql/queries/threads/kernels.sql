-- Verdicts on the threads of one run over all its launches: the program, then its kernels, those with
-- the most instructions first.
SELECT
  CASE WHEN whole_program THEN 'program' ELSE 'kernel' END AS scope,
  kernel,
  _behaviour_verdict(divergent, synchronising) AS verdict,
  * EXCLUDE (run_id, kernel, whole_program)
FROM _behaviour_sums
WHERE run_id = $run_id
ORDER BY scope DESC, instructions DESC NULLS LAST, kernel;
