-- Takes out the runs named in $run_ids (a JSON list), before they are made anew.

DELETE FROM runs
WHERE run_id IN (SELECT unnest(from_json($run_ids, '["VARCHAR"]')));
