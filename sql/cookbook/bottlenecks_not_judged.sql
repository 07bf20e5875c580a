-- Which runs have counters but no verdict on their bottleneck, and why?
--
-- The reason names the events that are missing: count these in the next run.
SELECT app, run_id, flag_text(b.reason) AS reason, count(*) AS samples
FROM bottlenecks AS b
JOIN runs USING (run_id)
WHERE class = 'Unknown'
GROUP BY app, run_id, b.reason
ORDER BY app, run_id;
