-- Function times: which function made it slower?
SELECT version, function, calls, round(seconds, 3) AS seconds,
  round(seconds - lag(seconds) OVER (PARTITION BY function ORDER BY version), 3) AS more
FROM function_shares
JOIN runs USING (run_id)
WHERE app = 'heat'
ORDER BY more DESC, version
LIMIT 3
