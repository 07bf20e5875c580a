-- The parts of runs that were counted more often than their wholes, those of most runs first, with the
-- run in which it is so the most. Runs are selected by bounds and a list: that condition is pushed
-- down to the counters, a subquery is not.
SELECT
  part, whole, count(*) AS runs,
  sum(contradictions) AS contradictions, sum(samples) AS samples,
  max({'ratio': part_value / whole_value, 'part': part_value, 'whole': whole_value}) AS worst
FROM counter_contradictions
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id)
GROUP BY part, whole
ORDER BY runs DESC, part, whole;
