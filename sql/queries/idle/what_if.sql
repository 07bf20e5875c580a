-- How much shorter one run could be at most, and whether that takes tasks as independent of each other
-- because none has a recorded input.
SELECT *, change = 'one more worker' AND is_blank AS is_assumed
FROM idle_what_if($run_id)
CROSS JOIN (SELECT NOT EXISTS (FROM task_inputs WHERE run_id = $run_id) AS is_blank)
ORDER BY replay_gain DESC NULLS LAST, gain_at_most DESC, change;
