-- The rows of fn_timings of some runs.
FROM fn_timings
WHERE run_id IN (SELECT unnest(from_json($runs, '["VARCHAR"]')));
