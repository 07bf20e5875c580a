-- What each rank of runs took of an event by itself, of $function or, where that is NULL, of all
-- functions: the mean over the runs.
SELECT rank, sum(own) / len(CAST($runs AS VARCHAR[])) AS own
FROM profile_stacks
WHERE _is_of(run_id, CAST($runs AS VARCHAR[])) AND event = $event AND rank IS NOT NULL
  AND ($thread IS NULL OR thread = $thread)
  AND ($function IS NULL OR stack[-1] = $function)
GROUP BY rank
ORDER BY rank;
