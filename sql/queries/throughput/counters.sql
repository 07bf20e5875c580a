-- Instructions per cycle by the counters of a run, including misses.
SELECT max(per_cycle) AS ipc
FROM counter_summary
WHERE run_id = $run_id
  AND lower(split_part(event, ':', 1))
    IN (
      'instructions', 'inst_retired.any', 'instr_retired_any', 'inst_retired',
      'retired_instructions', 'papi_tot_ins', 'siminsts'
    );
