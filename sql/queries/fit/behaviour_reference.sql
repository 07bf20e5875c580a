-- Store a manual label of a launch with its rates.
INSERT INTO behaviour_references
SELECT
  $program, unnest(CAST($behaviours AS VARCHAR[])), $said_by,
  t.fluctuation, t.simt_efficiency, t.sync_rate, b.memory_share
FROM thread_behaviour AS t
LEFT JOIN launch_balance AS b ON t.run_id = b.run_id AND t.launch = b.launch
WHERE t.run_id = $run_id AND t.launch = $launch;
