-- The columns of bottlenecks that verdicts on more than samples need, of the runs $runs. Runs are
-- selected by bounds and a list: that condition is pushed down to the counters, a subquery is not.
SELECT
  run_id, rank, thread, region, class, probability, cycles, seconds, advice, reason, said_by,
  COLUMNS('frac_.*')
FROM bottlenecks
WHERE run_id BETWEEN list_min(from_json($runs, '["VARCHAR"]'))
  AND list_max(from_json($runs, '["VARCHAR"]'))
  AND list_contains(from_json($runs, '["VARCHAR"]'), run_id);
