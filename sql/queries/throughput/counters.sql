-- Instructions per cycle by the counters of a run, including misses.
SELECT max(per_cycle) AS ipc
FROM counter_summary
WHERE run_id = $run_id AND _is_instructions(event);
