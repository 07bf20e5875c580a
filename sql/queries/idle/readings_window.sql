-- Where the time of all workers of one run went in [$t0, $t1), in every reading.
FROM slo_window($run_id, $t0, $t1)
ORDER BY mode, latency_rule DESC;
