-- Functions of one run, the largest share first.
SELECT function, seconds, share, calls, longest, measurements
FROM function_shares
WHERE run_id = $run_id
ORDER BY share DESC NULLS LAST, function;
