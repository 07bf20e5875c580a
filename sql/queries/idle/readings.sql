-- Where the time of all workers of one run went, in every reading.
FROM slo_by_run
WHERE run_id = $run_id
ORDER BY mode, latency_rule DESC;
