-- Which runs have counters but no verdict on their bottleneck, and why?
--
-- The reason names the events that are missing: count these in the next run.
SELECT app, run_id, reason, count(*) AS samples
FROM bottlenecks
JOIN runs USING (run_id)
WHERE class = 'Unknown'
GROUP BY app, run_id, reason
ORDER BY app, run_id;
