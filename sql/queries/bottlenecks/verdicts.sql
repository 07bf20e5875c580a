-- The columns of bottlenecks that verdicts on more than samples need, of the runs $runs.
SELECT
  run_id, rank, thread, region, class, probability, cycles, seconds, advice, reason, said_by,
  COLUMNS('frac_.*')
FROM bottlenecks
WHERE _is_of(run_id, from_json($runs, '["VARCHAR"]'));
