-- The runs $runs.
SELECT unnest(from_json($runs, '["VARCHAR"]')) AS run_id;
