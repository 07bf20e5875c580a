-- The cores that the bounds of a run's machine code are of where nothing is predicted, and where
-- their figures are from.
SELECT p.core, any_value(c.source) AS source
FROM throughput_predictions AS p
JOIN cores AS c USING (core)
WHERE p.run_id = $run_id AND p.predicted IS NULL AND p.tightest_bound IS NOT NULL
GROUP BY p.core
ORDER BY p.core;
