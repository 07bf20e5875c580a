-- Instructions per cycle by the counters of a run, including misses; what no core reaches is left out.
SELECT max(per_cycle) AS ipc
FROM counter_summary
WHERE run_id = $run_id AND _is_instructions(event)
  AND per_cycle > 0 AND per_cycle <= _too_many_instructions();
