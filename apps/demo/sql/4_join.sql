-- Both joined: what does that function do to the memory?
SELECT version, f.calls AS saves, round(f.seconds, 3) AS save_seconds, c.value AS page_faults
FROM runs
JOIN function_shares AS f USING (run_id)
JOIN counter_summary AS c USING (run_id)
WHERE f.function LIKE '%(save)' AND c.event = 'page-faults'
ORDER BY version
