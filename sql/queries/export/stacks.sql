-- Stacks of functions of one run with their own cost, the event that is taken first before others.
SELECT event, unit, rank, thread, stack, own
FROM profile_stacks
WHERE run_id = $run_id AND own <> 0
ORDER BY preference, event, rank NULLS FIRST, thread NULLS FIRST, stack;
