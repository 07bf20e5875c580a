-- Runs with samples whose class is by a set of counts, not by shares of issue slots. Runs are
-- selected by bounds and a list: that condition is pushed down to the counters, a subquery is not.
SELECT DISTINCT c.run_id
FROM metric_coverage AS c
JOIN metric_sets AS s USING (metric_set)
WHERE c.run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), c.run_id)
  AND c.names_class AND s.whole = 0;
