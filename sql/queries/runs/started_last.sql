-- The $number runs that started last, all where it is NULL; where that is unknown, what counts is when they landed.
SELECT run_id, last_at, position
FROM _run_times
ORDER BY last_at DESC NULLS LAST, position DESC, run_id
LIMIT $number;
