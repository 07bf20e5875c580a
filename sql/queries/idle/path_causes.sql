-- The critical path of one run: its time by cause, %, the largest first.
SELECT cause, sum(percent) AS percent
FROM critical_path_shares($run_id)
GROUP BY cause
ORDER BY percent DESC, cause;
