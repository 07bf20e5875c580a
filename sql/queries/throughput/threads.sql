-- Threads of a run: what they could sustain and what they do, the most instructions first.
FROM throughput_by_thread
WHERE run_id = $run_id
ORDER BY instructions DESC NULLS LAST, thread;
