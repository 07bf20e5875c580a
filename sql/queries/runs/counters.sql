-- Events of one run, the largest per cycle first, else the largest.
SELECT event, value, unit, per_cycle, samples, not_counted, running
FROM counter_summary
WHERE run_id = $run_id
ORDER BY value IS NULL, per_cycle DESC NULLS LAST, value DESC, event;
