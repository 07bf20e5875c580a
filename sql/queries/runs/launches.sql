-- Kernel launches of one run.
SELECT launch, kernel, threads, blocks_visited, visits, instructions, barriers, sync_rate,
  simt_efficiency
FROM launch_summary
WHERE run_id = $run_id
ORDER BY launch;
