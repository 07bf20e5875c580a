-- Instruction streams of one run, one row a thread.
SELECT thread, segments, measured, instructions, cycles, ipc
FROM segment_summary
WHERE run_id = $run_id
ORDER BY thread;
