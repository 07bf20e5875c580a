-- Functions of one run, the largest share first.
SELECT
  s.function, s.seconds, s.share, s.total_seconds, t.inclusive AS inclusive_seconds, s.calls,
  s.total_calls, s.longest, s.measurements
FROM function_shares AS s
LEFT JOIN function_totals AS t ON s.run_id = t.run_id AND s.function = t.function AND t.unit = 's'
WHERE s.run_id = $run_id
ORDER BY share DESC NULLS LAST, s.function;
